import numpy as np
import pytest

from sim import Camera, Look
from sim.lighting import light_shots, shadow_reach_m
from sim.view import View

VIEW = View(camera=Camera(position_m=(0, -1, 1), target_m=(0, 0, 0), fovy_deg=40), height_px=100, width_px=100)


def test_one_shot_aims_at_the_target_on_a_straight_grid():
    (shot,) = light_shots(Look(light_position_m=(0, 0, 2)), VIEW, 1)
    np.testing.assert_allclose(shot.aim, [0, 0, -1])
    assert shot.grid_px == (0.0, 0.0)
    assert shot.light_m[2] > shadow_reach_m(VIEW)


def test_many_shots_spread_evenly_around_the_single_one():
    look = Look(light_position_m=(1, -1, 2))
    (single,), many = light_shots(look, VIEW, 1), light_shots(look, VIEW, 64)
    middle = np.mean([s.aim for s in many], axis=0)
    np.testing.assert_allclose(middle / np.linalg.norm(middle), single.aim, atol=0.01)
    assert len({tuple(s.aim) for s in many}) == 64
    grid = np.array([s.grid_px for s in many])
    assert np.abs(grid).max() <= 0.5
    np.testing.assert_allclose(grid.mean(axis=0), 0, atol=0.03)


def test_shots_are_the_same_every_time():
    first, second = (light_shots(Look(), VIEW, 8) for _ in range(2))
    for a, b in zip(first, second, strict=True):
        np.testing.assert_array_equal(a.aim, b.aim)


def test_a_light_at_the_target_is_refused():
    with pytest.raises(ValueError, match="light_position_m must differ from the camera's target"):
        light_shots(Look(light_position_m=(0, 0, 0)), VIEW, 1)
