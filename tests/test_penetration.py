"""The deepest penetration is found between frames, where contacts happen."""

import math
from dataclasses import replace

import pytest

from sim.penetration import deepest_penetration
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
