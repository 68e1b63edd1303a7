import math

import numpy as np
import pytest

import scenes
from sim import SceneError
from sim.engine import engine
from sim.impact.staging import staging
from sim.mujoco_engine import compile_scene
from sim.rollout import simulate
from tests.bullet_stage import run, staged, thrown


def test_free_fall_and_spin_are_exact():
    scene = staged(
        thrown("box", (0.01, 0.01, 0.02), qpos=[0, 0, 1, 1, 0, 0, 0], qvel=[1, 0.5, 2, 0, 0, 5]), duration_s=0.3
    )
    flight = run(scene, name="impact").trajectory
    t = flight.time_s
    np.testing.assert_allclose(flight.position_m[:, 0, 2], 1 + 2 * t - 9.81 / 2 * t**2, atol=1e-9)
    np.testing.assert_allclose(flight.quaternion[:, 0, 3], np.sin(2.5 * t), atol=1e-9)


def test_the_first_row_is_that_of_mujoco_also_for_a_mesh_and_a_turned_cylinder():
    half = math.sqrt(0.5)
    build = thrown("cylinder", (0.01, 0.004), qpos=[0.1, 0.2, 0.3, half, 0, half, 0], qvel=[1, 2, 3, 4, 5, 6])
    for scene in (staged(build), scenes.load("die_roll")):
        ours, theirs = (run(scene, name=name).trajectory for name in ("impact", "mujoco"))
        np.testing.assert_allclose(ours.position_m[0], theirs.position_m[0], atol=1e-12)
        np.testing.assert_allclose(ours.velocity[0], theirs.velocity[0], atol=1e-9)
        assert abs(ours.quaternion[0, 0] @ theirs.quaternion[0, 0]) > 1 - 1e-12


def test_a_dropped_ball_rebounds_with_the_restitution_that_the_scene_asks():
    scene = staged(thrown("sphere", (0.01,), qpos=[0, 0, 0.11, 1, 0, 0, 0], law={"restitution": 0.5}))
    speed = run(scene, name="impact").trajectory.velocity[:, 0, 2]
    fall = math.sqrt(2 * 9.81 * 0.1)
    k = int(np.argmax(np.diff(speed) > 0)) + 1
    at_touch = speed[k] + 9.81 * (k / 60 - fall / 9.81)
    assert abs(at_touch / fall - 0.5) < 0.01  # MuJoCo's own discrete bounce realises 0.499


def test_the_die_in_its_tray_meets_a_floor_and_four_walls():
    scene = scenes.load("die_roll")
    stage = staging(compile_scene(scene, scene.params(0, 0)), scene)
    ups = sorted(tuple(np.round(n, 9) + 0.0) for n in stage.ground.planes[:, :3])
    assert ups == sorted([(0, 0, 1), (1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0)])
    assert len(stage.ground.patches) == 8  # a rim and a guard on each side
    walls = stage.ground.planes[stage.ground.planes[:, 2] == 0]
    np.testing.assert_allclose(walls[:, 3], -0.058, atol=1e-9)


def test_die_rolls_have_outcomes_and_stop_early_as_in_full():
    scene = scenes.load("die_roll")
    short = list(simulate(scene, seed=0, indices=range(6), engine="impact"))
    full = list(simulate(scene, seed=0, indices=range(6), engine="impact", full=True))
    assert [r.failed for r in short] == [None] * 6
    assert [r.outcome for r in short] == [r.outcome for r in full] and None not in {r.outcome for r in short}
    again = list(simulate(scene, seed=0, indices=[4], engine="impact", threads=2))
    assert again[0] == short[4]


def test_touching_a_wall_beside_its_face_is_counted_as_left():
    def walled(spec, body):
        spec.worldbody.add_geom(name="wall", type=6, size=[0.01, 0.1, 0.02], pos=[0.1, 0, 0.02])

    over = staged(
        thrown("box", (0.01, 0.01, 0.01), qpos=[0, 0, 0.2, 1, 0, 0, 0], qvel=[2, 0, 1, 0, 0, 0], extra=walled)
    )
    assert run(over, name="impact").failed == "left_the_planes"


def test_an_overlapping_start_is_counted():
    scene = staged(thrown("box", (0.01, 0.01, 0.01), qpos=[0, 0, 0.005, 1, 0, 0, 0]))
    assert run(scene, name="impact").failed == "penetration"


@pytest.mark.parametrize(
    ("token", "what"),
    [("galton_board", "a fixed"), ("roulette", "2 moving bodies"), ("pencil_fall", "2 colliding geoms")],
)
def test_scenes_that_it_cannot_express_are_refused_in_one_line(token, what):
    with pytest.raises(SceneError, match=f"{token}: the impact engine cannot express .*{what}") as fault:
        run(scenes.load(token), name="impact")
    assert "\n" not in str(fault.value) and "--engine mujoco" in str(fault.value)


def test_a_stock_soft_contact_is_refused():
    def build(params):
        import mujoco

        from sim import world

        spec = world(params)
        spec.worldbody.add_geom(name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[1, 1, 0.1])
        body = spec.worldbody.add_body(name="thing")
        body.add_freejoint(name="thing")
        body.add_geom(name="thing", type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.01, 0.01, 0.01])
        spec.add_key(name="start", qpos=[0, 0, 0.1, 1, 0, 0, 0], qvel=[0] * 6)
        return spec

    with pytest.raises(SceneError, match=r"solref must be in the direct form .* give the moving body's geoms"):
        run(staged(build), name="impact")


def test_the_engine_is_registered_under_its_name():
    assert engine("impact").name == "impact" and engine("impact").version


@pytest.mark.slow
def test_frictionless_shares_agree_with_mujoco():
    # no level speed and no spin about the vertical: without friction nothing would ever stop either
    from sim import Normal, hidden

    names = ("a", "b", "c", "x", "y")

    def build(params):
        q = np.array([1.0, *(params[k] for k in "abc")])
        q /= np.linalg.norm(q)
        throw_it = thrown(
            "box",
            (0.01, 0.01, 0.008),
            qpos=[0, 0, 0.06, *q],
            qvel=[0, 0, 0, 20 * params["x"], 20 * params["y"], 0],
            law={"restitution": 0.4, "friction": 0.0},
        )
        return throw_it(params)

    def read(trajectory):
        from sim.trajectory import rotation_matrices

        return "low" if abs(rotation_matrices(trajectory.quaternion[-1, 0])[2, 2]) > 0.8 else "high"

    from dataclasses import replace

    scene = replace(staged(build, factors={n: hidden(Normal(0, 1)) for n in names}, duration_s=2.0), read=read)
    n = 1500
    share = {
        name: sum(r.outcome == "low" for r in simulate(scene, seed=1, indices=range(n), engine=name)) / n
        for name in ("mujoco", "impact")
    }
    # 0.02 and two standard errors of the difference
    assert abs(share["mujoco"] - share["impact"]) <= 0.02 + 2 * math.sqrt(0.5 / n)
