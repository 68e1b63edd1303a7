"""A ray-cast die shows its upper face's pips, its sides in perspective, and the light."""

from __future__ import annotations

import numpy as np
import pytest

from judge.dice_rays import Stand, _about, die_picture, random_stand
from judge.dice_style import Style

STYLE = Style(
    body=np.full(3, 40.0),
    other=np.full(3, 40.0),
    clouds=1.0,
    speckles=0.0,
    pips=np.full(3, 250.0),
    ones=np.full(3, 250.0),
    pip_radius=0.2,
    one_radius=0.3,
    spread=0.5,
    hollow=0.0,
    rim=0.0,
    corner=0.1,
    ball=2.0,
    dome=0.0,
    gloss=0.0,
)


def level(count: int, turn: np.ndarray | None = None) -> Stand:
    other = [k for k in (1, 2, 3) if k not in (count, 7 - count)]
    faces = (other[0], 7 - other[0], other[1], 7 - other[1], count, 7 - count)
    return Stand(turn=np.eye(3) if turn is None else turn, distance=20.0, faces=faces, ambient=1.0, lamps=())


def parts(bright: np.ndarray) -> int:
    import cv2

    return int(cv2.connectedComponents(bright.astype(np.uint8))[0]) - 1


@pytest.mark.parametrize("count", range(1, 7))
def test_from_above_the_pips_of_the_upper_face_are_seen_and_no_others(count: int) -> None:
    picture = die_picture(STYLE, level(count), 120, 30, np.random.default_rng(count))
    assert parts((picture[..., 0] > 150) & (picture[..., 3] > 0.5)) == count


def test_a_tilted_die_shows_a_side_with_its_pips() -> None:
    stand = level(1, _about(0, np.radians(35)))  # +y is faces[2]: the smaller one of 2 and 3 that is left, which is 3
    picture = die_picture(STYLE, stand, 160, 40, np.random.default_rng(0))
    assert parts((picture[..., 0] > 150) & (picture[..., 3] > 0.5)) in (1 + 3, 1 + 4)


def test_its_outline_is_that_of_a_cube_seen_from_a_distance() -> None:
    picture = die_picture(STYLE, level(3), 120, 30, np.random.default_rng(0))
    # The upper face is 19 half edges away, and the picture's scale holds at 20: 60 px become 63, corners are round.
    assert np.sqrt(picture[..., 3].sum()) == pytest.approx(60 * 20 / 19, rel=0.02)


def test_a_ball_cuts_the_corners_off() -> None:
    from dataclasses import replace

    whole, cut = (
        die_picture(replace(STYLE, ball=ball), level(3), 120, 30, np.random.default_rng(0))[..., 3].sum()
        for ball in (2.0, 1.2)
    )
    assert 0.8 * whole < cut < 0.98 * whole


def test_a_lamp_is_mirrored_where_the_surface_faces_it() -> None:
    from dataclasses import replace

    shiny = replace(STYLE, gloss=1.0)
    lamps = ((np.array([0.0, 0.0, 1.0]), 0.1, 0.2, 1.0),)
    plain, lit = (
        die_picture(shiny, replace(level(4), lamps=some), 120, 30, np.random.default_rng(0)) for some in ((), lamps)
    )
    assert (lit - plain)[55:65, 55:65, 0].mean() > 100 > 30 > (lit - plain)[:30, :, 0].mean()


def test_opposite_faces_add_up_to_seven_and_the_asked_one_is_up() -> None:
    for seed in range(40):
        stand = random_stand(seed % 6 + 1, np.random.default_rng(seed))
        assert sorted(stand.faces) == [1, 2, 3, 4, 5, 6] and stand.faces[4] == seed % 6 + 1
        assert all(stand.faces[k] + stand.faces[k + 1] == 7 for k in (0, 2, 4))
        assert stand.turn @ stand.turn.T == pytest.approx(np.eye(3), abs=1e-12)
        assert stand.turn[2].argmax() == 2  # no other face looks more towards the camera
