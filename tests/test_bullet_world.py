import math

import numpy as np
import pytest

from sim import (
    EngineError,
    contact,
    world,
)
from sim.bullet_law import Law
from sim.bullet_model import movers
from sim.bullet_shapes import pybullet
from sim.bullet_world import World
from sim.mujoco_engine import compile_scene
from tests.bullet_stage import run, staged, thrown, wheel


def test_box_slides_as_coulomb_says():
    speed, friction = 1.0, 0.3
    scene = staged(
        thrown(
            "box",
            (0.02, 0.02, 0.005),
            qpos=[0, 0, 0.005, 1, 0, 0, 0],
            qvel=[speed, 0, 0, 0, 0, 0],
            law={"friction": friction, "restitution": 0.05},
        ),
        duration_s=0.6,
    )
    slide = run(scene).trajectory
    assert slide.position_m[-1, 0, 0] == pytest.approx(speed**2 / (2 * friction * 9.81), rel=0.01)
    assert np.abs(slide.velocity[-1]).max() < 1e-3


@pytest.mark.parametrize(("friction", "stays"), [(0.3, True), (0.1, False)])
def test_box_on_a_slope_stays_or_slides(friction, stays):
    tilt = math.radians(10)
    lift = 0.01 / math.cos(tilt)
    scene = staged(
        thrown(
            "box",
            (0.01, 0.01, 0.01),
            qpos=[0, 0, lift, math.cos(tilt / 2), 0, math.sin(tilt / 2), 0],
            law={"friction": friction, "restitution": 0.05},
            tilt_rad=tilt,
        )
    )
    moved = np.linalg.norm(np.ptp(run(scene).trajectory.position_m[6:, 0], axis=0))
    expected = 0.0 if stays else 0.5 * 9.81 * (math.sin(tilt) - friction * math.cos(tilt)) * (0.5**2 - 0.1**2)
    assert moved == pytest.approx(expected, abs=2e-4 if stays else 0.1 * expected)


def test_die_at_rest_stays():
    scene = staged(thrown("box", (0.01, 0.01, 0.01), qpos=[0, 0, 0.01, 1, 0, 0, 0]))
    rest = run(scene).trajectory
    assert np.abs(rest.position_m[:, 0] - [0, 0, 0.01]).max() < 2e-5
    assert np.abs(rest.velocity).max() < 5e-3


def test_rolling_friction_stops_a_ball_and_without_it_the_ball_rolls_on():
    radius, speed, lever = 0.01, 0.5, 5e-4

    def rolled(rolling_m):
        build = thrown(
            "sphere",
            (radius,),
            qpos=[0, 0, radius, 1, 0, 0, 0],
            qvel=[speed, 0, 0, 0, speed / radius, 0],
            law={"rolling_m": rolling_m, "restitution": 0.05},
        )
        return run(staged(build, duration_s=1.0)).trajectory

    assert rolled(0.0).velocity[-1, 0, 0] == pytest.approx(speed, rel=1e-3)
    # torque lever * m g slows m and I = 2/5 m r^2 together
    slowing = lever * 9.81 / (1.4 * radius)
    assert speed - rolled(lever).velocity[-1, 0, 0] == pytest.approx(slowing, rel=0.05)


@pytest.mark.parametrize("ground", ["plane", "box"])
@pytest.mark.parametrize(
    ("kind", "size"), [("sphere", (0.01,)), ("cylinder", (0.01, 0.01)), ("capsule", (0.01, 0.01)), ("box", (0.01,) * 3)]
)
def test_every_shape_comes_to_rest_on_every_ground_at_its_own_height(kind, size, ground):
    scene = staged(thrown(kind, size, qpos=[0, 0, 0.031, 1, 0, 0, 0], ground=ground), duration_s=0.8)
    rest = run(scene).trajectory.position_m[-1, 0, 2]
    assert rest == pytest.approx(0.02 if kind == "capsule" else 0.01, abs=1e-4)


def test_convex_mesh_has_no_hidden_margin():
    import trimesh

    corners = trimesh.creation.box(extents=[0.02] * 3).vertices

    def mesh(spec, body):
        spec.add_mesh(name="cube", uservert=np.asarray(corners).ravel())
        body.geoms[0].type, body.geoms[0].meshname = 7, "cube"

    scene = staged(thrown("box", (0.01,) * 3, qpos=[0, 0, 0.012, 1, 0, 0, 0], extra=mesh))
    assert run(scene).trajectory.position_m[-1, 0, 2] == pytest.approx(0.01, abs=5e-5)


@pytest.mark.parametrize("n_balls", [3, 40])
def test_free_body_of_many_parts_or_several_laws_rests_on_them_and_flies_as_one(n_balls):
    def cluster(spec, body):
        slippery = body.geoms[0].friction.copy()
        slippery[0] = 0.05
        given = {"solref": body.geoms[0].solref, "solimp": body.geoms[0].solimp, "condim": 4, "priority": 1}
        for k in range(n_balls):
            turn = 2 * math.pi * k / n_balls
            at = [0.05 * math.cos(turn), 0.05 * math.sin(turn), 0]
            friction = slippery if n_balls == 3 else body.geoms[0].friction
            body.add_geom(name=f"foot_{k}", type=2, size=[0.01, 0, 0], pos=at, friction=friction, **given)

    dropped = thrown(
        "sphere",
        (0.005,),
        qpos=[0, 0, 0.05, 1, 0, 0, 0],
        qvel=[0.5, 0, 0, 0, 0, 150],
        extra=cluster,
        law={"friction": 0.3},
    )
    path = run(staged(dropped, duration_s=0.8)).trajectory
    assert path.position_m[-1, 0, 2] == pytest.approx(0.01, abs=2e-4)
    assert path.velocity[3, 0, 5] == pytest.approx(150, rel=1e-3)
    # in the air until 0.09 s, then slowed by its feet
    air = path.time_s < 0.085
    np.testing.assert_allclose(path.position_m[air, 0, 0], 0.5 * path.time_s[air], atol=1e-4)


def test_wheel_without_friction_turns_for_ever_and_damping_slows_it_by_the_formula():
    free = run(wheel(37)).trajectory
    np.testing.assert_allclose(free.velocity[:, 0, 5], 3.0, rtol=1e-6)
    angle = 2 * np.arctan2(free.quaternion[:, 0, 3], free.quaternion[:, 0, 0])
    np.testing.assert_allclose(np.unwrap(angle), 3.0 * free.time_s, atol=1e-6)
    scene = wheel(37, damping=1e-4)
    (mover, _) = movers(compile_scene(scene, scene.params(0, 0)), scene)
    assert len(mover.parts) == 37
    slowed = run(scene).trajectory.velocity[-1, 0, 5]
    assert slowed == pytest.approx(3.0 * math.exp(-1e-4 / mover.inertia_kg_m2[0] * 0.5), rel=1e-3)


def test_wheel_keeps_all_frets_as_solid_things():
    scene = wheel(37)
    model = compile_scene(scene, scene.params(0, 0))
    wheel_mover, _ = movers(model, scene)
    p = pybullet()
    law = Law(friction=1, spinning_m=0, rolling_m=0, restitution=1)
    with World(gravity_m_s2=np.zeros(3), timestep_s=1 / 4800, scene="staged") as opened:
        table = {part.surface: law for part in wheel_mover.parts}
        handle = opened.add_hinged(wheel_mover, table, np.array([0, 0, 0.1]), np.eye(3))
        client = opened._client
        counts = [len(p.getCollisionShapeData(handle, k, physicsClientId=client)) for k in range(4)]
        assert counts == [0, 16, 16, 5]
        ray = p.rayTest([0, 0, 5], [4, 0, 5], physicsClientId=client)[0]
        assert ray[0] == handle and ray[3][0] == pytest.approx(50 * 0.06, abs=0.05)


@pytest.mark.parametrize("wanted", [0.2, 0.6])
def test_ball_rebounds_from_a_hinged_body(wanted):
    def build(params):
        import mujoco

        spec = world(params)
        rotor = spec.worldbody.add_body(name="plate")
        rotor.add_joint(name="plate", type=mujoco.mjtJoint.mjJNT_HINGE, axis=[0, 0, 1])
        rotor.add_geom(name="plate", type=mujoco.mjtGeom.mjGEOM_CYLINDER, size=[0.2, 0.05, 0], pos=[0, 0, -0.05])
        ball = spec.worldbody.add_body(name="thing")
        ball.add_freejoint(name="thing")
        law = contact(params, restitution=wanted, friction=0.3)
        ball.add_geom(name="thing", type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[0.01, 0, 0], **law)
        spec.add_key(name="start", qpos=[0, 0.05, 0, 0.11, 1, 0, 0, 0], qvel=[0] * 7)
        return spec

    fall = run(staged(build, bodies=("plate", "thing"), duration_s=0.4)).trajectory
    fastest, rebound = fall.velocity[:, 1, 2].min(), fall.velocity[:, 1, 2].max()
    expected = math.sqrt(2 * 9.81 * 0.1)
    assert fastest == pytest.approx(-expected, rel=0.15)
    # the first 60 Hz row after the rebound has lost up to g / 60
    assert wanted * expected - 9.81 / 60 <= rebound <= wanted * expected * 1.02


def test_what_bullet_lost_is_noticed(monkeypatch):
    scene = staged(thrown("capsule", (0.01, 0.02), qpos=[0, 0, 0.1, 1, 0, 0, 0], ground="box"))
    p = pybullet()
    true = p.changeDynamics
    monkeypatch.setattr(
        p, "changeDynamics", lambda *a, localInertiaDiagonal=None, **k: true(*a, **k) if k.get("mass") is None else None
    )
    with pytest.raises(EngineError, match="Bullet gave 'thing' mass"):
        run(scene)
    monkeypatch.undo()
    monkeypatch.setattr("sim.bullet_world.extent", lambda parts: (np.zeros(3), np.ones(3)) * 2)
    with pytest.raises(EngineError, match="Bullet gave 'floor' the box|Bullet gave 'thing' the box"):
        run(scene)


def test_parts_dropped_from_a_compound_are_noticed():
    scene = wheel(20)
    wheel_mover, _ = movers(compile_scene(scene, scene.params(0, 0)), scene)
    with World(gravity_m_s2=np.zeros(3), timestep_s=1 / 4800, scene="staged") as opened:
        with pytest.raises(EngineError, match="Bullet kept 16 of 20 parts"):
            opened._compound(wheel_mover.parts)
