"""The MuJoCo engine equals a plain loop bit by bit, and notices every run that goes wrong."""

from dataclasses import replace

import numpy as np
import pytest

import scenes
from sim import EngineError, Null, Params, SceneError, Solver, contact, world
from sim.engine import engine
from sim.mujoco_engine import MujocoEngine, body_states, compile_scene
from sim.trajectory import rotation_matrices


def plain_loop(scene, params):
    """The slow twin: one model, one data, one step at a time."""
    import mujoco

    model = compile_scene(scene, params)
    data, rows = mujoco.MjData(model), []
    mujoco.mj_resetDataKeyframe(model, data, 0)
    for frame in range(scene.n_frames):
        if frame:
            for _ in range(params.solver.steps_per_frame):
                mujoco.mj_step(model, data)
        rows.append((data.qpos.copy(), data.qvel.copy()))
    return rows


@pytest.mark.parametrize("name", ["ball", "die_roll"])
def test_equals_a_plain_loop_exactly(ball, name):
    scene = ball if name == "ball" else replace(scenes.load(name), duration_s=0.5)
    params = [scene.params(5, i) for i in range(3)]
    for p, run in zip(params, MujocoEngine().run(scene, params, full=True, threads=2), strict=True):
        rows = plain_loop(scene, p)
        qpos, qvel = (np.stack([row[k] for row in rows]) for k in (0, 1))
        assert np.array_equal(run.trajectory.position_m[:, 0], qpos[:, :3])
        assert np.array_equal(run.trajectory.velocity[:, 0, :3], qvel[:, :3])
        assert run.failed is None and len(run.trajectory.time_s) == scene.n_frames


def test_threads_and_chunks_change_nothing(ball):
    params = [ball.params(1, i) for i in range(7)]
    whole = MujocoEngine().run(ball, params, full=True, threads=2)
    parts = [run for p in params for run in MujocoEngine().run(ball, [p], full=True, threads=1)]
    for a, b in zip(whole, parts, strict=True):
        assert a.trajectory.position_m.tobytes() == b.trajectory.position_m.tobytes()


def test_free_flight_obeys_gravity(ball):
    (run,) = MujocoEngine().run(ball, [ball.params(0, 0)], full=True, threads=1)
    t, z = run.trajectory.time_s, run.trajectory.position_m[:, 0, 2]
    falling = z > 0.02
    assert np.allclose(z[falling][:6], 0.1 - 0.5 * 9.81 * t[falling][:6] ** 2, atol=2e-4)


@pytest.mark.parametrize(("timestep_s", "most"), [(1 / 4800, 0.015), (1 / 9600, 0.0075)])
def test_a_double_pendulum_follows_lagrange_and_drifts_in_energy_as_the_step_is_long(timestep_s, most):
    """S19: engines are said to damp joints in secret, and smaller steps to freeze a pendulum."""
    import mujoco
    from scipy.integrate import solve_ivp

    length, mass, g, n_steps = 0.2, 0.1, 9.81, round(0.5 / timestep_s)
    spec = world(Params({}, Solver(timestep_s=timestep_s)))
    parent = spec.worldbody
    for k in range(2):
        parent = parent.add_body(name=f"arm_{k}", pos=[0, 0, -length * k])
        parent.add_joint(name=f"arm_{k}", type=mujoco.mjtJoint.mjJNT_HINGE, axis=[0, -1, 0])
        parent.add_geom(name=f"bob_{k}", size=[0.01, 0, 0], pos=[0, 0, -length], mass=mass, contype=0, conaffinity=0)
    spec.option.enableflags = mujoco.mjtEnableBit.mjENBL_ENERGY
    model = spec.compile()
    data = mujoco.MjData(model)
    data.qpos[:] = [1.0, 0.5]
    mujoco.mj_forward(model, data)
    lowest, before = -3 * mass * g * length, data.energy.sum()
    mujoco.mj_step(model, data, n_steps)
    early = data.qpos.copy()
    mujoco.mj_step(model, data, 19 * n_steps)
    mujoco.mj_forward(model, data)
    assert data.time == pytest.approx(10) and np.abs(data.qvel).max() > 0.5
    assert abs(data.energy.sum() - before) < most * (before - lowest)

    def motion(_, y):
        """Lagrange's equations of two equal balls on weightless arms, angles from the vertical, y = (a, b, a', b')."""
        a, b, va, vb = y
        ball = 0.4 * 0.01**2
        inertia = [[ball + 2 * length**2, length**2 * np.cos(a - b)], [length**2 * np.cos(a - b), ball + length**2]]
        turn = length**2 * np.sin(a - b)
        torque = [-turn * vb**2 - 2 * g * length * np.sin(a), turn * va**2 - g * length * np.sin(b)]
        return [va, vb, *np.linalg.solve(inertia, torque)]

    exact = solve_ivp(motion, (0, 0.5), [1.0, 1.5, 0, 0], rtol=1e-10, atol=1e-10).y[:2, -1]
    assert np.allclose([early[0], early.sum()], exact, atol=0.005)


def test_angular_velocity_is_in_the_world_frame(ball):
    (run,) = MujocoEngine().run(ball, [ball.params(0, 0)], full=True, threads=1)
    assert np.allclose(run.trajectory.velocity[0, 0, 3:], [0, 3, 0])


@pytest.mark.parametrize(("fault", "reason"), [("huge", "engine_warning"), ("fast", "left_the_scene")])
def test_bad_runs_are_failed_and_named(ball, fault, reason):
    scene = replace(ball, settings={"fault": fault})
    (run,) = MujocoEngine().run(scene, [scene.params(0, 0)], full=True, threads=1)
    assert run.failed == reason
    assert len(run.trajectory.time_s) >= 1


def test_automatic_reset_is_not_taken_for_a_fresh_throw(ball):
    """MuJoCo restarts a world with a bad number in silence; the run must be failed, not read."""
    scene = replace(ball, settings={"fault": "huge"}, bounds_m=((-1e40,) * 3, (1e40,) * 3))
    (run,) = MujocoEngine().run(scene, [scene.params(0, 0)], full=True, threads=1)
    assert run.failed is not None


def test_early_stop_keeps_the_reading():
    die = scenes.load("die_roll")
    params = [die.params(2, i) for i in range(6)]
    early = MujocoEngine().run(die, params, full=False, threads=2)
    full = MujocoEngine().run(die, params, full=True, threads=2)
    for a, b in zip(early, full, strict=True):
        assert die.read(a.trajectory) == die.read(b.trajectory)
        assert len(a.trajectory.time_s) < len(b.trajectory.time_s) == die.n_frames


def test_hinge_states_turn_about_their_axis(ball):
    import mujoco

    from sim.mujoco_engine import joints_of

    scene = replace(ball, moving_bodies=("wheel",))
    spec = mujoco.MjSpec()
    wheel = spec.worldbody.add_body(name="wheel", pos=[0, 0, 0.5])
    wheel.add_joint(name="wheel", type=mujoco.mjtJoint.mjJNT_HINGE, axis=[0, 0, 1])
    wheel.add_geom(name="wheel", size=[0.1, 0, 0])
    joints = joints_of(spec.compile(), scene)
    position, quaternion, velocity = body_states(joints, np.array([[np.pi / 2]]), np.array([[2.0]]))
    assert np.allclose(position, [[[0, 0, 0.5]]]) and np.allclose(velocity, [[[0, 0, 0, 0, 0, 2]]])
    assert np.allclose(rotation_matrices(quaternion[0, 0]) @ [1, 0, 0], [0, 1, 0])


def test_faulty_scenes_are_refused_by_name(ball):
    p = ball.params(0, 0)
    with pytest.raises(SceneError, match="ball: build makes no body named 'cube', which moving_bodies lists"):
        MujocoEngine().run(replace(ball, moving_bodies=("cube",)), [p], full=True, threads=1)

    def no_key(params):
        return world(params)

    with pytest.raises(SceneError, match="ball: the first keyframe must be named 'start'"):
        compile_scene(replace(ball, build=no_key), p)

    def other_step(params):
        spec = ball.build(params)
        spec.option.timestep = 0.001
        return spec

    with pytest.raises(SceneError, match=r"ball: build must take its time step from params.solver"):
        compile_scene(replace(ball, build=other_step), p)

    def massless(params):
        spec = ball.build(params)
        spec.geoms[1].mass = 0
        return spec

    with pytest.raises(SceneError, match="ball: build failed: "):
        compile_scene(replace(ball, build=massless), p)


def test_a_build_that_raises_or_returns_nothing_is_named(ball):
    p = ball.params(0, 0)

    def raising(fault):
        def build(params):
            raise fault

        return replace(ball, build=build)

    for fault, words in (
        (KeyError("mass"), "KeyError: 'mass'"),
        (AttributeError("first\nsecond"), "AttributeError: first"),
        (RuntimeError(), "RuntimeError"),
        (SystemExit(3), "SystemExit: 3"),
    ):
        with pytest.raises(SceneError, match=f"^ball: build failed: {words}$"):
            compile_scene(raising(fault), p)
        with pytest.raises(SceneError, match=f"^ball: build failed: {words}$"):
            MujocoEngine().run(raising(fault), [p], full=True, threads=1)
    with pytest.raises(
        SceneError, match=r"^ball: build failed: TypeError: it must return a mujoco.MjSpec, got NoneType$"
    ):
        compile_scene(replace(ball, build=lambda params: None), p)
    with pytest.raises(SceneError, match="^of its own$"):
        compile_scene(raising(SceneError("of its own")), p)


@pytest.mark.parametrize("fault", [IndexError("no row 9"), SystemExit("no row 9")])
def test_a_rule_that_raises_is_named(ball, fault):
    def rule(states):
        raise fault

    scene = replace(ball, decided=rule)
    with pytest.raises(EngineError, match=f"^ball version 1: decided raised {type(fault).__name__}: no row 9$"):
        MujocoEngine().run(scene, [scene.params(0, 0)], full=False, threads=1)


def test_decided_must_return_one_bool_per_run(ball):
    scene = replace(ball, decided=lambda states: np.zeros(len(states.position_m)))
    with pytest.raises(EngineError, match=r"ball: decided must return \(N,\) bool, got float64"):
        MujocoEngine().run(scene, [scene.params(0, 0)], full=False, threads=1)


def test_unknown_engine():
    with pytest.raises(ValueError, match="engine must be mujoco, bullet or impact, got 'havok'"):
        engine("havok")


def test_known_bad_version_is_named(monkeypatch):
    import mujoco

    monkeypatch.setattr(mujoco, "__version__", "4.0.0")
    with pytest.raises(Exception, match=r"mujoco 4.0.0 is known to be bad \(wrong sparse solve\); run: pip install"):
        MujocoEngine()


def test_sparse_and_dense_solves_agree(ball):
    """S15: ten free balls at once, 60 degrees of freedom."""
    import mujoco

    ends = []
    for jacobian in (mujoco.mjtJacobian.mjJAC_DENSE, mujoco.mjtJacobian.mjJAC_SPARSE):
        spec = world(ball.params(0, 0))
        spec.option.jacobian = jacobian
        spec.worldbody.add_geom(name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[1, 1, 1])
        for k in range(10):
            body = spec.worldbody.add_body(name=f"b{k}", pos=[0.015 * k, 0, 0.03])
            body.add_freejoint(name=f"b{k}")
            law = contact(ball.params(0, 0), restitution=0.3, friction=0.3)
            body.add_geom(name=f"b{k}", size=[0.01, 0, 0], density=1000, **law)
        model = spec.compile()
        data = mujoco.MjData(model)
        for _ in range(100):
            mujoco.mj_step(model, data)
        ends.append(data.qpos.copy())
    assert np.allclose(*ends, atol=1e-8)


def test_null_reading_of_a_still_trajectory(ball):
    die = scenes.load("die_roll")
    (run,) = MujocoEngine().run(die, [die.params(0, 0)], full=False, threads=1)
    assert die.read(run.trajectory.until(1)) == Null("no_motion")
    assert ball.solver == Solver()
