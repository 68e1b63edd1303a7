"""A contact gives the rebound that was asked for, in the law, in the discrete step and in MuJoCo itself."""

import math
from dataclasses import replace

import numpy as np
import pytest

from sim import Params, Solver, contact, world
from sim.contact import damping_ratio, one_sided_restitution
from sim.sampling import sample


def integrated_restitution(z):
    """Rebound of x'' = -x - 2 z x', force >= 0 only, by small explicit steps: independent of the closed form."""
    x, v, h = 0.0, -1.0, 1e-4
    while True:
        force = -x - 2 * z * v
        if force < 0 and v > 0:
            return v
        v += h * force
        x += h * v


@pytest.mark.parametrize("z", [0.05, 0.3, 0.65, 0.75, 0.95, 1.0, 1.3, 2.0])
def test_one_sided_law_agrees_with_integration(z):
    assert one_sided_restitution(z) == pytest.approx(integrated_restitution(z), abs=2e-3)


def test_textbook_limit_of_weak_damping():
    # both laws tend to exp(-pi z); the one-sided law ends earlier and rebounds faster
    assert one_sided_restitution(1e-4) == pytest.approx(math.exp(-math.pi * 1e-4), rel=1e-6)
    assert one_sided_restitution(0.5) > math.exp(-math.pi * 0.5 / math.sqrt(0.75))


def bounce(restitution, *, drop_m, solver):
    """Restitution measured by dropping a ball in MuJoCo, averaged over sub-step phases."""
    import mujoco

    params, measured = Params({}, solver), []
    for phase in np.linspace(0, 1, 8, endpoint=False):
        spec = world(params)
        spec.worldbody.add_geom(name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[1, 1, 1])
        ball = spec.worldbody.add_body(name="ball", pos=[0, 0, 0.01 + drop_m * (1 + 1e-3 * phase)])
        ball.add_freejoint(name="ball")
        law = contact(params, restitution=restitution, friction=0.3)
        ball.add_geom(name="ball", size=[0.01, 0, 0], density=1000, **law)
        model = spec.compile()
        data = mujoco.MjData(model)
        speed_in = 0.0
        while data.qvel[2] <= 0 or data.qpos[2] < 0.01:
            speed_in = max(speed_in, -data.qvel[2])
            mujoco.mj_step(model, data)
            if data.time > 1:
                return 0.0
        measured.append(data.qvel[2] / speed_in)
    return float(np.mean(measured))


@pytest.mark.parametrize("restitution", [0.2, 0.35, 0.5, 0.7, 0.8])
def test_mujoco_realises_the_asked_restitution(restitution):
    assert bounce(restitution, drop_m=0.1, solver=Solver()) == pytest.approx(restitution, abs=0.02)


def test_rebound_falls_with_damping():
    ratios = [damping_ratio(e, 0.3) for e in (0.1, 0.3, 0.5, 0.7, 0.9)]
    assert ratios == sorted(ratios, reverse=True)


def test_impossible_coefficients_are_refused():
    params = Params({}, Solver())
    with pytest.raises(ValueError, match=r"restitution must lie in \[0, 1\), got -0.1"):
        contact(params, restitution=-0.1, friction=0.2)
    with pytest.raises(ValueError, match=r"restitution must lie in \[0, 1\), got 1.0"):
        contact(params, restitution=1.0, friction=0.2)
    with pytest.raises(ValueError, match="friction must not be negative, got -1"):
        contact(params, restitution=0.5, friction=-1)
    with pytest.raises(ValueError, match=r"contact frequency times step must lie in \(0, 0.3\]"):
        damping_ratio(0.5, 0.4)
    with pytest.raises(ValueError, match=r"restitution 0.0 cannot be had .* 0.3: the least is 0.04"):
        contact(params, restitution=0.0, friction=0.2)
    with pytest.raises(ValueError, match="damping_ratio must be positive"):
        one_sided_restitution(0)


def test_rolling_friction_asks_for_six_contact_dimensions():
    params = Params({}, Solver())
    assert contact(params, restitution=0.5, friction=0.2)["condim"] == 4
    assert contact(params, restitution=0.5, friction=0.2, rolling_m=1e-4)["condim"] == 6


def test_a_small_fast_ball_does_not_pass_a_thin_wall():
    """S01: 4 mm ball at 3 m/s on a 2 mm wall; stock softness lets every one through."""
    import mujoco
    from mujoco.batch import Batch

    params, n = Params({}, Solver(timestep_s=1 / 12000, contact_frequency_rad_s=3600)), 1000
    spec = world(params)
    spec.option.gravity = [0, 0, 0]
    spec.worldbody.add_geom(name="wall", type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.001, 0.05, 0.05])
    ball = spec.worldbody.add_body(name="ball")
    ball.add_freejoint(name="ball")
    ball.add_geom(name="ball", size=[0.002, 0, 0], density=2500, **contact(params, restitution=0.5, friction=0.3))
    batch = Batch(spec.compile(), n, nthread=2)
    rng = np.random.default_rng(0)
    qpos, qvel = batch.bind("qpos"), batch.bind("qvel")
    batch.reset()
    qpos[:, 0] = -0.01 - 0.003 * rng.random(n)
    qpos[:, 1:3] = 0.04 * (rng.random((n, 2)) - 0.5)
    qvel[:, 0] = 3.0
    qvel[:, 1:3] = rng.normal(0, 0.3, (n, 2))
    batch.step(nstep=240)
    assert (qpos[:, 0] < 0).all() and (qvel[:, 0] < 0).all()


def test_a_ball_that_tunnels_through_a_soft_floor_is_a_counted_failure(ball):
    """S01: with stock softness the ball falls out of the scene, which its row in the reference says."""
    import mujoco

    def build(params):
        spec = world(params)
        thin, stock = [1, 1, 0.001], {"solref": [0.02, 1], "solimp": [0.9, 0.95, 0.001, 0.5, 2]}
        spec.worldbody.add_geom(name="floor", type=mujoco.mjtGeom.mjGEOM_BOX, size=thin, pos=[0, 0, -0.001], **stock)
        body = spec.worldbody.add_body(name="ball")
        body.add_freejoint(name="ball")
        body.add_geom(name="ball", size=[0.002, 0, 0], density=2500, **stock)
        spec.add_key(name="start", qpos=[0, 0, 0.01, 1, 0, 0, 0], qvel=[0, 0, -3, 0, 0, 0])
        return spec

    found = sample(replace(ball, build=build, factors={}, settings={}), n=4, seed=1)
    assert found.failed == {"left_the_scene": [0, 1, 2, 3]} and not sum(found.counts.values())
