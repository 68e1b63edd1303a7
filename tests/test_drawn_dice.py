"""Drawn dice lie where they say, and come to rest."""

from __future__ import annotations

import numpy as np
import pytest

from judge.drawn_dice import close_die, sliding, still


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
    looks = [close_die(4, np.random.default_rng(seed)) for seed in (9, 9, 10)]
    assert np.array_equal(looks[0], looks[1]) and not np.array_equal(looks[0], looks[2])
