"""The contract: what every registered scene promises. Nothing is skipped; a scene that cannot be built fails."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import scenes
from sim import FRAME_RATE_HZ, NULL_REASONS, Null, Params, Trajectory
from sim.mujoco_engine import MujocoEngine, compile_scene
from sim.rollout import simulate

NAMES = scenes.names()
TOKENS = [scenes.load(name).token(variant) for name in NAMES for variant in (None, *scenes.load(name).variants)]


@pytest.fixture(params=NAMES)
def scene(request):
    return scenes.load(request.param)


@pytest.fixture(params=TOKENS)
def token(request):
    return scenes.parse_token(request.param)


def ends(scene):
    """Params with each factor at each of its ends, the others drawn."""
    drawn = scene.params(0, 0)
    for name, factor in scene.factors.items():
        for value in factor.law.ends():
            yield Params({**drawn.entries, name: value}, scene.solver)


def test_name_equals_file_and_words_are_in_order(scene):
    assert (Path(scenes.__file__).parent / f"{scene.name}.py").is_file()
    assert scene.version >= 1 and scene.group and scene.prompt and scene.null_rules
    assert scene.group in {"tossing", "rotation", "routing", "draw", "collision", "stability"}


def test_prompt_names_no_outcome_or_all_in_order(scene):
    words = [outcome.replace("_", " ") for outcome in scene.outcomes]
    for text in (scene.prompt, *(variant.change for variant in scene.variants.values() if not variant.causal)):
        found = [re.search(rf"\b{re.escape(word)}\b", text, re.IGNORECASE) for word in words]
        if text is scene.prompt and any(found):
            assert all(found), f"{scene.name}: the prompt names some outcomes only"
            assert [m.start() for m in found] == sorted(m.start() for m in found)
    for word in ("equally likely", "probability", "chance", "fair", "biased", "%", "odds"):
        assert word not in scene.prompt.lower()


def test_builds_at_both_ends_of_each_factor_and_at_random(token):
    scene, variant = token
    for params in (*ends(scene), *(scene.params(9, i, variant=variant) for i in range(5))):
        model = compile_scene(scene, params)
        assert model.opt.timestep == scene.solver.timestep_s


def test_everything_is_named(token):
    import mujoco

    scene, variant = token
    model = compile_scene(scene, scene.params(0, 0, variant=variant), drawn=True)
    for kind, count in (("BODY", model.nbody), ("GEOM", model.ngeom), ("JOINT", model.njnt), ("MATERIAL", model.nmat)):
        for i in range(count):
            assert mujoco.mj_id2name(model, getattr(mujoco.mjtObj, f"mjOBJ_{kind}"), i), f"{kind} {i} has no name"
    assert model.ncam == 0 and model.nlight == 0
    for i in range(model.ngeom):
        assert model.geom_matid[i] >= 0 or model.geom_group[i] == 3, f"geom {i} is drawn but has no material"


def test_variants_keep_the_topology(scene):
    base = compile_scene(scene, scene.params(0, 0))
    for params in (*ends(scene), scene.params(1, 3)):
        other = compile_scene(scene, params)
        assert (other.nq, other.nv, other.ngeom, other.nbody) == (base.nq, base.nv, base.ngeom, base.nbody)


def test_same_index_gives_same_bytes_and_different_ones_differ(token):
    scene, variant = token
    brief = replace(scene, duration_s=0.25)
    params = [scene.params(4, i, variant=variant) for i in range(4)]
    whole = MujocoEngine().run(brief, params, full=True, threads=2)
    alone = [MujocoEngine().run(brief, [p], full=True, threads=1)[0] for p in reversed(params)][::-1]
    for a, b in zip(whole, alone, strict=True):
        assert a.failed is None
        assert a.trajectory.position_m.tobytes() == b.trajectory.position_m.tobytes()
        assert a.trajectory.quaternion.tobytes() == b.trajectory.quaternion.tobytes()
        assert np.isfinite(a.trajectory.velocity).all()
    assert len({run.trajectory.position_m[-1].tobytes() for run in whole}) == 4


def test_reads_whole_truncated_and_constant_trajectories(token):
    scene, variant = token
    (rollout,) = simulate(scene, variant=variant, seed=6, indices=[1], full=True, keep_trajectory=True)
    whole = rollout.trajectory
    assert len(whole.time_s) == scene.n_frames and rollout.outcome in scene.outcomes
    for n_frames in (1, 2, 5, scene.n_frames // 4, scene.n_frames // 2):
        answer = scene.read(whole.until(n_frames))
        assert answer in scene.outcomes or (isinstance(answer, Null) and answer.reason in NULL_REASONS)
    still = {
        name: np.repeat(getattr(whole, name)[:1], scene.n_frames, axis=0)
        for name in ("position_m", "quaternion", "velocity")
    }
    still["velocity"] = np.zeros_like(still["velocity"])
    constant = Trajectory(bodies=whole.bodies, time_s=np.arange(scene.n_frames) / FRAME_RATE_HZ, **still)
    assert scene.read(constant) == Null("no_motion")


def test_a_clip_shows_the_outcome_of_the_early_stopped_rollout(token):
    scene, variant = token
    indices = range(4)
    early = list(simulate(scene, variant=variant, seed=8, indices=indices))
    full = list(simulate(scene, variant=variant, seed=8, indices=indices, full=True))
    assert [(r.outcome, r.null, r.failed) for r in early] == [(r.outcome, r.null, r.failed) for r in full]


def test_hidden_factors_are_invisible(token):
    from sim.start import hidden_shift_px

    scene, variant = token
    assert hidden_shift_px(scene, variant, size_px=(512, 512)) < 1.0


def test_moving_body_is_in_view(token):
    from sim.view import View

    scene, variant = token
    (rollout,) = simulate(scene, variant=variant, seed=6, indices=[2], full=True, keep_trajectory=True)
    path = rollout.trajectory.position_m[:, 0]
    pixels = View(camera=scene.camera, height_px=512, width_px=512).pixels(path[[0, -1]])
    assert ((pixels > 0) & (pixels < 512)).all()


@pytest.mark.slow
def test_outcomes_vary_and_rollouts_are_sound(token):
    scene, variant = token
    found = list(simulate(scene, variant=variant, seed=12, indices=range(600)))
    bad = [r.index for r in found if r.failed is not None or r.null == "not_settled"]
    assert len(bad) <= 6, bad
    seen = {r.outcome for r in found if r.outcome is not None}
    chosen = scene.variant(variant)
    assert len(seen) >= 2 or (chosen is not None and chosen.causal)


@pytest.mark.slow
def test_halving_the_step_moves_no_share_beyond_its_error(token):
    from sim.sampling import compare, sample

    scene, variant = token
    twin = replace(scene.solver, timestep_s=scene.solver.timestep_s / 2)
    base = sample(scene, variant=variant, n=500, seed=13)
    assert compare(base, sample(scene, variant=variant, n=500, seed=13, solver=twin)).p > 1e-3
