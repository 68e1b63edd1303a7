import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim import Camera
from sim.view import View

SIDE = st.integers(8, 2000)


def view(height=100, width=200, **camera):
    return View(
        camera=Camera(**({"position_m": (0, -2, 0), "target_m": (0, 0, 0), "fovy_deg": 60} | camera)),
        height_px=height,
        width_px=width,
    )


@given(SIDE, SIDE)
def test_the_target_is_in_the_middle(height, width):
    np.testing.assert_allclose(view(height, width).pixels(np.zeros(3)), [width / 2, height / 2])


def test_fovy_spans_the_height():
    top = 2 * math.tan(math.radians(30))
    np.testing.assert_allclose(view().pixels(np.array([[0, 0, top], [0, 0, -top]])), [[100, 0], [100, 100]], atol=1e-9)


def test_in_an_upright_picture_fovy_spans_the_width():
    side = 2 * math.tan(math.radians(30))
    np.testing.assert_allclose(view(200, 100).pixels(np.array([side, 0, 0])), [100, 100], atol=1e-9)


def test_right_of_the_world_is_right_in_the_picture_and_up_is_up():
    column, row = view().pixels(np.array([0.1, 0, 0.2]))
    assert column > 100
    assert row < 50


@given(st.tuples(*[st.floats(-3, 3)] * 3), st.tuples(*[st.floats(-3, 3)] * 3))
def test_rotation_is_a_rotation(position, target):
    if math.dist(position[:2], target[:2]) > 1e-3:
        rotation = view(position_m=position, target_m=target).rotation
        np.testing.assert_allclose(rotation.T @ rotation, np.eye(3), atol=1e-9)
        assert np.linalg.det(rotation) == pytest.approx(1)


def test_points_behind_the_camera_have_no_pixel():
    assert np.isnan(view().pixels(np.array([0.0, -3.0, 0.0]))).all()


@pytest.mark.parametrize("camera", [{"up": (0, 1, 0)}, {"position_m": (0, 0, 0)}])
def test_a_camera_without_an_upright_is_refused(camera):
    with pytest.raises(ValueError, match="up must not be parallel to the line of sight"):
        _ = view(**camera).rotation
