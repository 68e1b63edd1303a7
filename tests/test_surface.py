from dataclasses import replace

import numpy as np
import pytest

from sim import SceneError, world
from sim.surface import surfaces


def build(params):
    """Two materials on the ground and two on a body; one part that is not drawn, one of glass, one textured."""
    import mujoco

    from scenes.drawing.textured import add_textured_mesh

    kinds = mujoco.mjtGeom
    spec = world(params)
    spec.add_material(name="wood", rgba=[0.5, 0.3, 0.2, 1])
    spec.add_material(name="mark_red", rgba=[1, 0, 0, 1], specular=0.7)
    spec.add_material(name="glass", rgba=[1, 1, 1, 0.2])
    ground = spec.worldbody
    ground.add_geom(name="floor", type=kinds.mjGEOM_PLANE, size=[0, 0, 1], material="wood")
    for k in range(5):
        ground.add_geom(name=f"post_{k}", type=kinds.mjGEOM_BOX, size=[0.01, 0.01, 0.1], pos=[k, 0, 0], material="wood")
    ground.add_geom(name="pane", type=kinds.mjGEOM_BOX, size=[1, 0.01, 1], material="glass")
    ground.add_geom(name="unseen", type=kinds.mjGEOM_BOX, size=[9, 9, 9], group=3)
    tray = ground.add_body(name="tray", pos=[0, 0, 5])
    tray.add_geom(name="tray", type=kinds.mjGEOM_SPHERE, size=[0.1, 0, 0], material="wood")
    ball = ground.add_body(name="ball", pos=[1, 2, 3], quat=[0.6, 0.8, 0, 0])
    ball.add_freejoint(name="ball")
    ball.add_geom(name="core", type=kinds.mjGEOM_SPHERE, size=[0.1, 0, 0], material="mark_red", pos=[0, 0, 0.5])
    ball.add_geom(name="plain", type=kinds.mjGEOM_CAPSULE, size=[0.1, 0.2, 0], rgba=[0, 0, 1, 1])
    corners = np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0], [0, 0, -0.01]]) * 0.1
    faces = np.array([[0, 1, 2], [0, 2, 3], [1, 0, 4], [2, 1, 4], [3, 2, 4], [0, 3, 4]])
    uv = np.zeros((6, 3, 2))
    uv[:2] = [[[0, 1], [1, 1], [1, 0]], [[0, 1], [1, 0], [0, 0]]]
    image = np.full((4, 8, 3), [10, 200, 30], np.uint8)
    add_textured_mesh(spec, ball, name="mark_face", vertices=corners, faces=faces, uv=uv, image=image)
    spec.add_key(name="start", qpos=[7, 8, 9, 0, 1, 0, 0])
    return spec


@pytest.fixture
def seen(ball):
    return surfaces(replace(ball, build=build))


def part(seen, body, material):
    (found,) = [p for p in seen.parts if (p.body, p.finish.material, p.casts_shadow) == (body, material, True)]
    return found


def test_one_part_for_each_body_and_material(seen):
    found = sorted((p.body, p.finish.material, p.casts_shadow) for p in seen.parts)
    ground = [(-1, "glass", False), (-1, "wood", False), (-1, "wood", True)]
    assert found == [*ground, (0, "", True), (0, "mark_face", True), (0, "mark_red", True)]


def test_still_things_are_joined_in_the_world(seen):
    corners = part(seen, -1, "wood").triangles.corners_m.reshape(-1, 3)
    np.testing.assert_allclose(corners.min(axis=0), [-0.1, -0.1, -0.1], atol=0.01)
    np.testing.assert_allclose(corners.max(axis=0), [4.01, 0.1, 5.1], atol=0.01)


def test_moving_things_are_in_their_body(seen):
    corners = part(seen, 0, "mark_red").triangles.corners_m.reshape(-1, 3)
    np.testing.assert_allclose((corners.max(axis=0) + corners.min(axis=0)) / 2, [0, 0, 0.5], atol=1e-9)


def test_an_endless_plane_is_a_wide_rectangle_that_casts_no_shadow(seen):
    (floor,) = [p for p in seen.parts if p.finish.material == "wood" and not p.casts_shadow]
    assert floor.triangles.corners_m.shape == (2, 3, 3)
    assert floor.triangles.corners_m.max() > 20


def test_finishes_are_those_of_the_build(seen):
    red = part(seen, 0, "mark_red").finish
    assert (red.rgba, red.texture) == ((1, 0, 0, 1), "")
    assert red.specular == pytest.approx(0.7)
    assert part(seen, 0, "").finish.rgba == (0, 0, 1, 1)
    assert seen.materials == ("glass", "mark_face", "mark_red", "wood")


def test_textures_keep_their_picture_and_coordinates(seen):
    face = part(seen, 0, "mark_face")
    np.testing.assert_array_equal(seen.textures[face.finish.texture], np.full((4, 8, 3), [10, 200, 30]))
    assert face.triangles.uv.shape == (6, 3, 2)
    top = (face.triangles.corners_m[..., 2] > -1e-6).all(axis=1)
    assert top.sum() == 2
    assert set(face.triangles.uv[top].ravel()) == {0.0, 1.0}


def test_more_slices_make_rounder_balls(ball):
    few, many = (surfaces(replace(ball, build=build), slices=n) for n in (8, 32))
    assert len(part(many, 0, "mark_red").triangles.corners_m) > 4 * len(part(few, 0, "mark_red").triangles.corners_m)


def test_what_cannot_be_drawn_is_named(ball):
    def hilly(params):
        import mujoco

        spec = build(params)
        spec.add_hfield(name="hill", nrow=2, ncol=2, size=[1, 1, 1, 0.1], userdata=[0, 1, 0, 1])
        spec.worldbody.add_geom(name="hill", type=mujoco.mjtGeom.mjGEOM_HFIELD, hfieldname="hill")
        return spec

    with pytest.raises(SceneError, match="ball: geom 'hill' is a hfield, which cannot be drawn; use a mesh"):
        surfaces(replace(ball, build=hilly))
