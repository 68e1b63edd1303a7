"""Drawn dice show as many pips as asked, and come to rest."""

from __future__ import annotations

import numpy as np
import pytest

from judge.drawn_dice import _GRID, _face, _Style, sliding, still


@pytest.mark.parametrize("count", range(1, 7))
def test_a_face_has_its_pips(count: int) -> None:
    import cv2

    style = _Style(
        body=np.full(3, 20.0),
        other=np.full(3, 20.0),
        pips=np.full(3, 250.0),
        pip_radius=0.09,
        spread=0.26,
        corner=0.1,
        gloss=0.0,
    )
    face = _face(count, style, np.random.default_rng(count))
    n_parts, _ = cv2.connectedComponents((face[..., 0] > 128).astype(np.uint8))
    assert n_parts - 1 == count == len(_GRID[count])


@pytest.mark.parametrize("seed", range(8))
def test_the_die_lies_where_it_says(seed: int) -> None:
    picture = still(seed % 6 + 1, 128, np.random.default_rng(seed))
    assert picture.ground.shape == (128, 128, 3) and picture.die.shape == (128, 128, 4)
    assert picture.die[int(picture.row * 128), int(picture.column * 128), 3] > 0.95
    solid = np.argwhere(picture.die[..., 3] > 0.97)
    spread = np.linalg.norm(solid / 128 - [picture.row, picture.column], axis=1).max()
    assert 0.3 * picture.diameter < spread < 1.1 * picture.diameter


def test_slides_and_then_rests() -> None:
    rng = np.random.default_rng(2)
    picture = still(3, 96, rng)
    frames, path = sliding(picture, np.array([0.0, 0.3, 0.8, 1.0, 1.4]), rng, rests_s=0.8)
    frames = frames.astype(int)
    assert np.abs(frames[0] - frames[2]).mean() > 1
    assert np.array_equal(frames[2], frames[3]) and np.array_equal(frames[3], frames[4])
    away = np.linalg.norm(path - [picture.column, picture.row], axis=1)
    assert away[0] > away[1] > 0.05 and away[2:] == pytest.approx(0)


def test_the_same_random_numbers_give_the_same_picture() -> None:
    one, two = (still(4, 96, np.random.default_rng(9)) for _ in range(2))
    assert np.array_equal(one.die, two.die) and np.array_equal(one.ground, two.ground)
