import math

import numpy as np
import pytest

from sim import (
    Camera,
    EngineError,
    Look,
    Params,
    PrerequisiteError,
    Scene,
    SceneError,
    Solver,
    Uniform,
    contact,
    hidden,
    rotation_matrices,
    world,
)
from sim.bullet_check import bounce
from sim.bullet_engine import BulletEngine
from sim.bullet_flight import free_spin
from sim.bullet_law import Law, Surface, laws
from sim.bullet_model import fixed_parts, movers
from sim.bullet_shapes import pybullet
from sim.bullet_world import World
from sim.contact import restitution_of
from sim.engine import engine
from sim.mujoco_engine import MujocoEngine, compile_scene
from sim.rollout import simulate


def staged(build, *, bodies=("thing",), settings=None, duration_s=0.5, factors=None, **more):
    """A scene around a build, for one test."""
    return Scene(
        name="staged",
        version=1,
        group="tossing",
        prompt="A thing moves.",
        negative_prompt="",
        outcomes=("low", "high"),
        null_rules=(),
        duration_s=duration_s,
        camera=Camera(position_m=(0, -1, 0.5), target_m=(0, 0, 0)),
        look=Look(),
        factors={"offset_m": hidden(Uniform(-0.01, 0.01))} if factors is None else factors,
        moving_bodies=bodies,
        bounds_m=((-20, -20, -20), (20, 20, 20)),
        build=build,
        read=lambda t: "high" if t.position_m[-1, 0, 2] > 0.05 else "low",
        settings={} if settings is None else settings,
        **more,
    )


def thrown(kind, size, *, qpos, qvel=(0, 0, 0, 0, 0, 0), law=None, ground="plane", tilt_rad=0.0, extra=None, **geom):
    """A build with one free body over a floor."""

    def build(params: Params):
        import mujoco

        kinds = mujoco.mjtGeom
        spec = world(params)
        floor = {
            "plane": {"type": kinds.mjGEOM_PLANE, "size": [1, 1, 0.1]},
            "box": {"type": kinds.mjGEOM_BOX, "size": [1, 1, 0.1], "pos": [0.1 * math.sin(-tilt_rad), 0, -0.1]},
        }
        if ground is not None:
            turn = [math.cos(tilt_rad / 2), 0, math.sin(tilt_rad / 2), 0]
            spec.worldbody.add_geom(name="floor", quat=turn, **floor[ground])
        body = spec.worldbody.add_body(name="thing")
        body.add_freejoint(name="thing")
        given = {"density": 1000, **geom}
        body.add_geom(
            name="thing",
            type=getattr(kinds, f"mjGEOM_{kind.upper()}"),
            size=[*size, 0, 0, 0][:3],
            **given,
            **contact(params, **({"restitution": 0.3, "friction": 0.4} | (law or {}))),
        )
        if extra is not None:
            extra(spec, body)
        spec.add_key(name="start", qpos=list(qpos), qvel=list(qvel))
        return spec

    return build


def run(scene, *, name="bullet", full=True, index=0):
    return engine(name).run(scene, [scene.params(0, index)], full=full, threads=1)[0]


@pytest.mark.parametrize("height_m", [0.5, 10.0])
@pytest.mark.parametrize("asked", [0.0, 0.2, 0.5, 0.9, 1.0])
def test_ball_rebounds_as_asked(asked, height_m):
    seen = bounce(asked, height_m=height_m)
    assert (seen.asked, seen.height_m) == (asked, height_m)
    assert seen.realised == pytest.approx(asked, abs=0.002)


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


@pytest.mark.parametrize("spin", [(0, 250, 80), (0, 60, 10)])
def test_coin_keeps_energy_and_momentum_in_flight_and_turns_as_in_mujoco(spin):
    coin = thrown(
        "cylinder", (0.0115, 0.001), qpos=[0, 0, 1, 1, 0, 0, 0], qvel=[0, 0, 2, *spin], ground=None, density=7000
    )
    scene = staged(coin, duration_s=0.4)
    (mover,) = movers(compile_scene(scene, scene.params(0, 0)), scene)
    flight = run(scene).trajectory
    turn = rotation_matrices(flight.quaternion[:, 0]) @ mover.matrix
    rate = np.einsum("tji,tj->ti", turn, flight.velocity[:, 0, 3:])
    energy = (mover.inertia_kg_m2 * rate**2).sum(1)
    momentum = np.einsum("tij,tj->ti", turn, mover.inertia_kg_m2 * rate)
    np.testing.assert_allclose(energy, energy[0], rtol=1e-4)
    np.testing.assert_allclose(momentum, np.tile(momentum[0], (len(momentum), 1)), atol=1e-9 * np.abs(momentum).max())
    # closed form of a symmetric top: a turn about the momentum after one about the axis of symmetry
    level, axle = mover.inertia_kg_m2.min(), mover.inertia_kg_m2.max()
    time = flight.time_s[-1]
    about_axis = rotation_vector([0, 0, spin[2] * (1 - axle / level) * time])
    expected = rotation_vector(momentum[0] / level * time) @ about_axis
    seen = rotation_matrices(flight.quaternion[-1, 0])
    assert math.degrees(math.acos(min(1, (np.trace(seen.T @ expected) - 1) / 2))) < 1.0


def rotation_vector(vector):
    from scipy.spatial.transform import Rotation

    return Rotation.from_rotvec(vector).as_matrix()


def test_free_spin_of_an_asymmetric_body_agrees_with_scipy():
    from scipy.integrate import solve_ivp

    inertia, start = np.array([1.0, 2.0, 3.0]), np.array([3.0, 40.0, 2.0])
    euler = solve_ivp(lambda _, w: np.cross(inertia * w, w) / inertia, [0, 0.3], start, rtol=1e-11, atol=1e-11).y[:, -1]
    attitude, rate = free_spin(np.array([1.0, 0, 0, 0]), start, inertia, 0.3)
    np.testing.assert_allclose(rotation_matrices(attitude).T @ rate, euler, atol=2e-3)


def test_box_slides_as_coulomb_says():
    speed, friction = 1.0, 0.3
    scene = staged(
        thrown(
            "box",
            (0.02, 0.02, 0.005),
            qpos=[0, 0, 0.005, 1, 0, 0, 0],
            qvel=[speed, 0, 0, 0, 0, 0],
            law={"friction": friction, "restitution": 0.0},
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
            law={"friction": friction, "restitution": 0.0},
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
            law={"rolling_m": rolling_m, "restitution": 0.0},
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


def wheel(n_frets, *, damping=0.0, off_centre_m=0.0, axis=(0, 0, 1)):
    def build(params):
        import mujoco

        spec = world(params)
        rotor = spec.worldbody.add_body(name="thing", pos=[0, 0, 0.1])
        rotor.add_joint(name="thing", type=mujoco.mjtJoint.mjJNT_HINGE, axis=list(axis), damping=damping)
        for k in range(n_frets):
            turn = 2 * math.pi * k / n_frets
            rotor.add_geom(
                name=f"fret_{k}",
                type=mujoco.mjtGeom.mjGEOM_BOX,
                size=[0.02, 0.002, 0.01],
                pos=[0.08 * math.cos(turn) + off_centre_m, 0.08 * math.sin(turn), 0],
                quat=[math.cos(turn / 2), 0, 0, math.sin(turn / 2)],
                **contact(params, restitution=0.4, friction=0.3, priority=2),
            )
        ball = spec.worldbody.add_body(name="ball")
        ball.add_freejoint(name="ball")
        law = contact(params, restitution=0.2, friction=0.2)
        ball.add_geom(name="ball", type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[0.005, 0, 0], **law)
        spec.add_key(name="start", qpos=[0.0, 0, 0, 0.5, 1, 0, 0, 0], qvel=[3.0, 0, 0, 0, 0, 0, 0])
        return spec

    return staged(build, bodies=("thing", "ball"))


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


def test_run_alone_equals_the_same_run_after_others_bit_for_bit():
    scene = staged(
        thrown("box", (0.01, 0.01, 0.012), qpos=[0, 0, 0.08, 1, 0, 0, 0], qvel=[0.4, 0, 0, 9, 14, -8]), duration_s=0.4
    )
    draws = [scene.params(0, i) for i in range(8)]
    together = BulletEngine().run(scene, draws, full=True, threads=1)[7].trajectory
    alone = BulletEngine().run(scene, draws[7:], full=True, threads=2)[0].trajectory
    for name in ("position_m", "quaternion", "velocity"):
        assert getattr(together, name).tobytes() == getattr(alone, name).tobytes()


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


def test_contype_and_conaffinity_decide_as_in_mujoco():
    def through(params):
        spec = thrown("sphere", (0.01,), qpos=[0, 0, 0.05, 1, 0, 0, 0])(params)
        spec.geom("floor").contype, spec.geom("floor").conaffinity = params["floor"]
        spec.geom("thing").contype, spec.geom("thing").conaffinity = 1, 0
        return spec

    falls = run(staged(through, settings={"floor": (2, 2)}))
    stays = run(staged(through, settings={"floor": (0, 1)}))
    assert falls.trajectory.position_m[-1, 0, 2] < -0.5
    assert stays.trajectory.position_m[-1, 0, 2] == pytest.approx(0.01, abs=1e-3)


def surface(body, *, priority=0, friction=0.5, torsional_m=0.001, restitution_solref=(-2e6, -200.0), condim=4):
    return Surface(
        body=body,
        contype=1,
        conaffinity=1,
        condim=condim,
        priority=priority,
        solmix=1.0,
        friction=(friction, torsional_m, 0.0002),
        solref=restitution_solref,
    )


def test_factors_multiply_to_the_pairs_own_laws():
    ball, floor = surface(1, priority=1, friction=0.3), surface(0)
    peg = surface(0, priority=2, friction=0.6, torsional_m=0.003, condim=6)
    held = laws([floor, peg, ball], 1 / 4800, "staged")
    assert held[ball].friction * held[floor].friction == pytest.approx(0.3)
    assert held[ball].friction * held[peg].friction == pytest.approx(0.6)
    assert held[ball].spinning_m * held[peg].friction + held[peg].spinning_m * held[ball].friction == pytest.approx(
        3e-3
    )
    assert held[ball].rolling_m == held[floor].rolling_m == 0
    assert held[peg].rolling_m * held[ball].friction == pytest.approx(2e-4)


def test_contacts_that_no_factors_can_give_are_refused():
    one, other = surface(1, priority=1, friction=0.3), surface(2, priority=1, friction=0.6)
    with pytest.raises(SceneError, match="Bullet multiplies the coefficients of two bodies"):
        laws([one, other, surface(0), surface(0, priority=2, friction=0.9)], 1 / 4800, "staged")


def test_restitution_is_the_inverse_of_the_contact_law():
    solver = Solver()
    for asked in (0.15, 0.3, 0.5, 0.8):
        law = contact(Params({}, solver), restitution=asked, friction=0.3)
        assert restitution_of(tuple(law["solref"]), solver.timestep_s) == pytest.approx(asked, abs=2e-3)
    with pytest.raises(ValueError, match="solref must be in the direct form"):
        restitution_of((0.02, 1.0), solver.timestep_s)


def soft(spec, body):
    body.geoms[0].solref = [0.02, 1.0]


def joint_damping(spec, body):
    body.joints[0].damping = [0.1, 0, 0]


def ellipsoid(spec, body):
    body.add_geom(name="egg", type=4, size=[0.001, 0.002, 0.003])


def thick(spec, body):
    body.geoms[0].margin = 0.01


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        (soft, "solref must be in the direct form"),
        (joint_damping, "cannot express damping, friction or armature of a free joint"),
        (ellipsoid, "Bullet has no ellipsoid"),
        (thick, "has a contact margin"),
    ],
)
def test_what_bullet_would_lose_is_refused(extra, message):
    with pytest.raises(SceneError, match=message):
        run(staged(thrown("sphere", (0.01,), qpos=[0, 0, 0.1, 1, 0, 0, 0], extra=extra)))


def test_unbalanced_wheel_is_refused():
    with pytest.raises(SceneError, match="gravity turns 'thing' about its hinge"):
        run(wheel(12, off_centre_m=0.01, axis=(0, 1, 0)))


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


def test_fixed_geoms_are_found_with_their_world_poses():
    scene = staged(thrown("sphere", (0.01,), qpos=[0, 0, 0.1, 1, 0, 0, 0], ground="box"))
    (floor,) = fixed_parts(compile_scene(scene, scene.params(0, 0)), "staged")
    assert (floor.name, floor.kind, floor.position_m[2]) == ("floor", "box", -0.1)


def test_without_pybullet_one_line_says_how_to_install_it(monkeypatch):
    import sys

    pybullet.cache_clear()
    monkeypatch.setitem(sys.modules, "pybullet", None)
    with pytest.raises(PrerequisiteError, match="pip install pybullet"):
        BulletEngine()
    pybullet.cache_clear()


def test_importing_pybullet_prints_nothing():
    import subprocess
    import sys

    code = "from sim.bullet_shapes import pybullet; print(pybullet().__name__)"
    seen = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (seen.stdout, seen.stderr) == ("pybullet\n", "")


def test_the_engine_says_its_name_and_version():
    assert engine("bullet").name == "bullet"
    assert engine("bullet").version[0].isdigit()
