"""Variation of stored clips that leaves the outcome readable."""

from __future__ import annotations

import numpy as np
import pytest

from judge.augment import reframed, relit, shaken, turned
from judge.lesson import CLOSE_STORED_PX
from judge.views import GLANCE_PX, LAST_PX


def test_shaken_close_looks_keep_the_middle_in_sight() -> None:
    close = np.zeros((20, 2, CLOSE_STORED_PX, CLOSE_STORED_PX, 3), np.uint8)
    half = CLOSE_STORED_PX // 2
    close[:, :, half - 6 : half + 6, half - 6 : half + 6] = 255
    seen = shaken(close, np.random.default_rng(0))
    assert seen.shape == (20, 2, 64, 64, 3)
    assert (seen[:, :, 12:52, 12:52].max(axis=(2, 3, 4)) == 255).all()
    centres = [np.argwhere(s[1, ..., 0] > 127).mean(axis=0) for s in seen]
    assert 1 < np.std(centres) < 12


def test_relit_changes_all_pictures_of_a_clip_alike() -> None:
    pictures = [np.full((3, 4, 4, 3), 100, np.uint8), np.full((3, 2, 4, 4, 3), 100, np.uint8)]
    one, two = relit(pictures, np.random.default_rng(0))
    assert all(np.array_equal(one[k, 0, 0], two[k, 1, 3, 3]) for k in range(3))
    assert len({tuple(one[k, 0, 0]) for k in range(3)}) == 3


def test_turned_close_looks_hold_the_same_pixels_in_both_frames() -> None:
    close = np.random.default_rng(0).integers(0, 255, (12, 1, 8, 8, 3), dtype=np.uint8).repeat(2, axis=1)
    seen = turned(close, np.ones(12, bool), np.random.default_rng(1))
    assert np.array_equal(seen[:, 0], seen[:, 1])
    assert all(np.array_equal(np.sort(a.ravel()), np.sort(b.ravel())) for a, b in zip(close, seen, strict=True))
    moved = sum(not np.array_equal(a, b) for a, b in zip(close, seen, strict=True))
    assert 2 <= moved <= 10
    assert np.array_equal(turned(close, np.zeros(12, bool), np.random.default_rng(1)), close)  # seen from the side


@pytest.mark.parametrize("seed", range(6))
def test_the_object_is_where_reframed_says(seed: int) -> None:
    rng = np.random.default_rng(seed)
    column, row, diameter = rng.uniform(0.1, 0.9), rng.uniform(0.1, 0.9), 0.15
    last, glance = np.zeros((1, LAST_PX, LAST_PX, 3), np.uint8), np.zeros((1, 7, GLANCE_PX, GLANCE_PX, 3), np.uint8)
    for picture, px in ((last[0], LAST_PX), (glance[0, 3], GLANCE_PX)):
        y, x = np.mgrid[:px, :px]
        picture[((y / px - row) ** 2 + (x / px - column) ** 2) < (diameter / 2) ** 2] = 255
    small, large, where = reframed(glance, last, np.array([[[column, row, diameter], [0.5, 0.5, 0]]], np.float32), rng)
    for picture, px in ((large[0], LAST_PX), (small[0, 3], GLANCE_PX)):
        rows, columns = np.nonzero(picture[..., 0] > 127)
        assert columns.mean() / px == pytest.approx(where[0, 0, 0], abs=0.02)
        assert rows.mean() / px == pytest.approx(where[0, 0, 1], abs=0.02)
        assert (np.ptp(rows) + 1) / px == pytest.approx(where[0, 0, 2], rel=0.1)


def test_what_is_not_seen_has_no_place_after_reframing() -> None:
    last, glance = np.zeros((5, 16, 16, 3), np.uint8), np.zeros((5, 7, 8, 8, 3), np.uint8)
    assert np.isnan(reframed(glance, last, np.full((5, 2, 3), np.nan, np.float32), np.random.default_rng(0))[2]).all()
