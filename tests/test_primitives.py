import math

import numpy as np
import pytest

from sim.primitives import corner_normals, primitive, rectangle


def area(triangles):
    a, b, c = np.moveaxis(triangles.corners_m, 1, 0)
    return np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2


def volume(triangles):
    a, b, c = np.moveaxis(triangles.corners_m, 1, 0)
    return np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6


SIZE = (0.3, 0.2, 0.1)
VOLUMES = {
    "box": 8 * 0.3 * 0.2 * 0.1,
    "sphere": 4 / 3 * math.pi * 0.3**3,
    "ellipsoid": 4 / 3 * math.pi * 0.3 * 0.2 * 0.1,
    "cylinder": math.pi * 0.3**2 * 0.4,
    "capsule": math.pi * 0.3**2 * 0.4 + 4 / 3 * math.pi * 0.3**3,
}


@pytest.mark.parametrize("kind", VOLUMES)
def test_shapes_enclose_their_volume_and_face_outwards(kind):
    assert volume(primitive(kind, SIZE, 96)) == pytest.approx(VOLUMES[kind], rel=0.01)
    coarse = volume(primitive(kind, SIZE, 8))
    assert 0.5 * VOLUMES[kind] < coarse <= VOLUMES[kind] * (1 + 1e-9)


@pytest.mark.parametrize("kind", VOLUMES)
def test_normals_are_units_that_point_outwards(kind):
    shape = primitive(kind, SIZE, 24)
    np.testing.assert_allclose(np.linalg.norm(shape.normals, axis=-1), 1, atol=1e-9)
    assert (np.einsum("fkc,fkc->fk", shape.normals, shape.corners_m) > 0).all()


def test_a_box_stays_sharp_and_a_ball_is_smooth():
    box, ball = primitive("box", SIZE, 8), primitive("sphere", (1.0, 0, 0), 48)
    assert set(np.abs(box.normals).round(9).ravel()) == {0.0, 1.0}
    np.testing.assert_allclose(ball.normals, ball.corners_m, atol=0.03)


def test_a_cylinder_is_smooth_around_and_sharp_at_its_rim():
    normals = primitive("cylinder", SIZE, 48).normals.reshape(-1, 3)
    flat = np.abs(normals[:, 2]) > 0.5
    np.testing.assert_allclose(np.abs(normals[flat, 2]), 1, atol=1e-9)
    np.testing.assert_allclose(normals[~flat, 2], 0, atol=1e-9)


def test_a_rectangle_is_seen_from_above():
    flat = rectangle(0.5, 0.25)
    assert area(flat) == pytest.approx(0.5)
    np.testing.assert_allclose(corner_normals(flat.corners_m), flat.normals)


def test_moving_turns_then_shifts():
    quarter = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    moved = primitive("box", SIZE, 8).moved(np.array([1.0, 2, 3]), quarter)
    corners = moved.corners_m.reshape(-1, 3)
    np.testing.assert_allclose(corners.min(axis=0), [0.8, 1.7, 2.9])
    np.testing.assert_allclose(corners.max(axis=0), [1.2, 2.3, 3.1])
    np.testing.assert_allclose(corner_normals(moved.corners_m), moved.normals, atol=1e-12)


def test_an_unknown_shape_is_refused():
    with pytest.raises(ValueError, match="kind must be box, sphere, .* got 'torus'"):
        primitive("torus", SIZE, 8)
