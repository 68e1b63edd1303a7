"""Variation of stored clips that leaves the outcome readable."""

from __future__ import annotations

import numpy as np

from judge.augment import relit, shaken
from judge.lesson import CLOSE_STORED_PX


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
