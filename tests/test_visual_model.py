from dataclasses import replace

import numpy as np
import pytest

import scenes
from sim import SceneError
from sim.surface import surfaces
from sim.visual_model import EFFORTS, visual_model


@pytest.fixture(scope="module", params=scenes.names())
def drawn(request):
    scene = scenes.load(request.param)
    return scene, visual_model(scene, height_px=64, width_px=64, quality="fast")


def test_nothing_moves_or_collides_by_itself(drawn):
    _, visual = drawn
    model = visual.model
    assert (model.nq, model.nv) == (0, 0)
    assert not model.geom_contype.any()
    assert not model.geom_conaffinity.any()


def test_one_mesh_for_each_part_and_a_twin_of_the_main_body_at_the_end(drawn):
    scene, visual = drawn
    parts = surfaces(scene, slices=EFFORTS["fast"].slices).parts
    main = [part for part in parts if part.body == 0]
    twins = [piece for piece in visual.pieces if piece.body == len(scene.moving_bodies)]
    assert len(visual.pieces) == len(parts) + len(main) == visual.model.ngeom
    assert [piece.part.finish for piece in twins] == [part.finish for part in main]
    assert {piece.geom for piece in twins} == set(range(visual.model.ngeom - len(twins), visual.model.ngeom))


def test_a_picture_takes_few_calls_and_triangles(drawn):
    # The frame rates of benchmarks.speed_frames rest on this.
    _, visual = drawn
    assert visual.model.ngeom <= 16
    assert visual.model.nmeshface <= 8000


def test_every_corner_keeps_its_place(drawn):
    _, visual = drawn
    model = visual.model
    from sim import rotation_matrices

    for piece in visual.pieces:
        mesh = model.geom_dataid[piece.geom]
        first, n = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
        vertices = model.mesh_vert[first : first + n] @ rotation_matrices(model.geom_quat[piece.geom]).T
        corners = piece.part.triangles.corners_m.reshape(-1, 3)
        for edge in (np.min, np.max):
            np.testing.assert_allclose(edge(vertices + model.geom_pos[piece.geom], 0), edge(corners, 0), atol=1e-5)


def test_a_start_that_is_no_number_cannot_be_drawn(ball):
    def build(params):
        spec = ball.build(params)
        spec.worldbody.add_geom(name="mark", size=[0.01, 0, 0], pos=[np.nan, 0, 0], contype=0, conaffinity=0)
        return spec

    with pytest.raises(SceneError, match="ball: cannot be drawn: ValueError: .*not finite"):
        visual_model(replace(ball, build=build), height_px=16, width_px=16, quality="fast")
