"""The deepest penetration is found between frames, where contacts happen."""

import math
from dataclasses import replace

import pytest

from sim import EngineError, Solver, contact, world
from sim.penetration import check_penetration, deepest_penetration
from sim.rollout import simulate


def test_a_dropped_ball_sinks_as_deep_as_its_spring_lets_it(ball):
    found = deepest_penetration(ball, seed=1, indices=range(4))
    # speed / omega without damping; with restitution 0.5 (zeta about 0.25) some 0.7 of it
    speed = math.sqrt(2 * 9.81 * 0.09)
    assert 0.5 * speed / 1440 < found["deepest_m"] < speed / 1440
    assert found["geoms"] == ["floor", "ball"] and found["n"] == 4 and 0 < found["median_m"] <= found["deepest_m"]


def test_frames_alone_would_miss_it(ball):
    found = deepest_penetration(ball, seed=1, indices=[0])
    (rollout,) = simulate(ball, seed=1, indices=[0], keep_trajectory=True)
    lowest = rollout.trajectory.position_m[:, 0, 2].min()
    assert max(0.0, 0.01 - lowest) < 0.9 * found["deepest_m"]


def test_nothing_touched_is_no_penetration(ball):
    short = replace(ball, duration_s=0.1)
    found = deepest_penetration(short, seed=1, indices=[0])
    assert found["deepest_m"] == 0 and found["geoms"] == [] and found["median_m"] == pytest.approx(0)


def shot_at_a_wall(ball, frequency):
    """A 4 mm ball at 3 m/s against a 2 mm wall, with our law of contact or (None) MuJoCo's stock softness."""
    import mujoco

    def build(params):
        spec, wall = world(params), {"type": mujoco.mjtGeom.mjGEOM_BOX, "size": [0.001, 0.05, 0.05]}
        law = {"solref": [0.02, 1], "solimp": [0.9, 0.95, 0.001, 0.5, 2]}
        if frequency is not None:
            law = contact(params, restitution=0.5, friction=0.3)
        spec.option.gravity = [0, 0, 0]
        spec.worldbody.add_geom(name="wall", pos=[0, 0, 0.1], **wall, **law)
        body = spec.worldbody.add_body(name="ball")
        body.add_freejoint(name="ball")
        body.add_geom(name="ball", size=[0.002, 0, 0], density=2500, **law)
        spec.add_key(name="start", qpos=[-0.02, 0, 0.1, 1, 0, 0, 0], qvel=[3, 0, 0, 0, 0, 0])
        return spec

    solver = Solver(timestep_s=1 / 12000, contact_frequency_rad_s=frequency or 1440)
    return replace(ball, build=build, factors={}, settings={}, solver=solver, duration_s=0.1, decided=None)


def test_every_rollout_that_may_pass_through_a_wall_is_named_and_its_scene_refused(ball):
    """S01: the contact's depth is looked at in every step of every rollout."""
    firm = deepest_penetration(shot_at_a_wall(ball, 3600), seed=1, indices=range(3))
    assert firm["sank"] == [] and set(firm["geoms"]) == {"wall", "ball"}
    check_penetration("ball", firm)
    soft = deepest_penetration(shot_at_a_wall(ball, None), seed=1, indices=range(3))
    assert soft["sank"] == [0, 1, 2]
    with pytest.raises(EngineError, match=r"ball, seed 1: bodies sink more than .* in 3 of 3 rollouts, as \[0, "):
        check_penetration("ball", soft)


def test_a_plane_has_no_other_side(ball):
    assert deepest_penetration(ball, seed=1, indices=[0])["sank"] == []
