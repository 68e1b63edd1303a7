import math
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np

from sim import Params, Scene
from sim.bullet_engine import BulletEngine
from sim.engine import Run, engine
from sim.mujoco_engine import MujocoEngine
from sim.rollout import simulate
from tests.bullet_stage import run, staged, thrown


def test_free_fall_follows_newton():
    scene = staged(
        thrown("box", (0.01, 0.01, 0.01), qpos=[0, 0, 1, 1, 0, 0, 0], qvel=[1, 0.5, 2, 3, -4, 5], ground=None)
    )
    flight = run(scene).trajectory
    t = flight.time_s
    np.testing.assert_allclose(flight.position_m[:, 0, 0], t, atol=1e-9)
    # the semi-implicit step lags the parabola by g t dt / 2
    lag = 9.81 * t * scene.solver.timestep_s / 2
    np.testing.assert_allclose(flight.position_m[:, 0, 2], 1 + 2 * t - 9.81 / 2 * t**2 - lag, atol=1e-9)
    np.testing.assert_allclose(flight.velocity[:, 0, 3:], np.tile([3, -4, 5], (len(t), 1)), atol=1e-9)


def _seventh_throw() -> tuple[Scene, list[Params]]:
    body = thrown("box", (0.01, 0.01, 0.012), qpos=[0, 0, 0.08, 1, 0, 0, 0], qvel=[0.4, 0, 0, 9, 14, -8])
    scene = staged(body, duration_s=0.4)
    return scene, [scene.params(0, i) for i in range(8)]


def _bytes(found: Run) -> bytes:
    return b"".join(getattr(found.trajectory, name).tobytes() for name in ("position_m", "quaternion", "velocity"))


def _alone(_: int) -> bytes:
    scene, draws = _seventh_throw()
    return _bytes(BulletEngine().run(scene, draws[7:], full=True, threads=2)[0])


def test_run_alone_equals_the_same_run_after_others_and_in_a_fresh_process_bit_for_bit():
    """S11: saved worlds are said to diverge, sleeping bodies to stay asleep."""
    scene, draws = _seventh_throw()
    together = _bytes(BulletEngine().run(scene, draws, full=True, threads=1)[7])
    assert _alone(0) == together
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as fresh:
        assert next(fresh.map(_alone, [0])) == together


def test_stops_early_when_the_scene_is_decided_and_then_agrees_with_the_full_run():
    scene = staged(
        thrown("sphere", (0.01,), qpos=[0, 0, 0.1, 1, 0, 0, 0]),
        decided=lambda states: states.position_m[:, 0, 2] < 0.05,
    )
    short, full = run(scene, full=False).trajectory, run(scene).trajectory
    assert len(full.time_s) == scene.n_frames > len(short.time_s)
    assert full.position_m[: len(short.time_s)].tobytes() == short.position_m.tobytes()


def test_the_first_row_is_that_of_mujoco_also_with_an_eccentric_centre_of_mass():
    def lump(spec, body):
        body.add_geom(name="lump", type=6, size=[0.004, 0.002, 0.003], pos=[0.02, 0.01, 0], density=9000)
        body.geoms[1].contype = body.geoms[1].conaffinity = 0

    half = math.sqrt(0.5)
    build = thrown(
        "box",
        (0.01, 0.02, 0.03),
        qpos=[0.1, 0.2, 0.3, half, 0, half, 0],
        qvel=[1, 2, 3, 4, 5, 6],
        ground=None,
        extra=lump,
    )
    scene = staged(build)
    ours, theirs = run(scene).trajectory, MujocoEngine().run(scene, [scene.params(0, 0)], full=True, threads=1)[0]
    for name in ("position_m", "velocity"):
        np.testing.assert_allclose(getattr(ours, name)[0], getattr(theirs.trajectory, name)[0], atol=1e-12)
    same = np.abs((ours.quaternion * theirs.trajectory.quaternion).sum(-1))
    np.testing.assert_allclose(same[:7], 1, atol=2e-4)
    np.testing.assert_allclose(ours.position_m[:7], theirs.trajectory.position_m[:7], atol=5e-4)


def test_bad_runs_are_counted_with_their_reason():
    low = staged(thrown("sphere", (0.01,), qpos=[0, 0, 0.1, 1, 0, 0, 0], ground=None), duration_s=5)
    left = run(low)
    assert left.failed == "left_the_scene" and left.trajectory.position_m.min() > -20
    sunk = run(staged(thrown("sphere", (0.01,), qpos=[0, 0, 0.002, 1, 0, 0, 0])))
    assert sunk.failed == "penetration"
    (counted,) = simulate(low, seed=0, indices=[0], engine="bullet")
    assert counted.failed == "left_the_scene" and counted.outcome is None


def test_the_engine_says_its_name_and_version():
    assert engine("bullet").name == "bullet"
    assert engine("bullet").version[0].isdigit()
