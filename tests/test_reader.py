"""The network looks twice: where, then what."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from judge.reader import read_frames
from judge.weights import read_weights


def test_reads_a_clip_alone_whatever_the_number_of_threads(random_weights: Path) -> None:
    network, _ = read_weights(random_weights)
    frames = np.random.default_rng(0).integers(0, 255, (8, 60, 80, 3), dtype=np.uint8)
    before, readings = torch.get_num_threads(), []
    for threads in (1, 2):
        torch.set_num_threads(threads)
        readings.append(read_frames(network, frames, "die_roll", 6))
        assert torch.get_num_threads() == threads
    torch.set_num_threads(before)
    assert np.array_equal(readings[0].outcome, readings[1].outcome) and readings[0].where == readings[1].where
    assert readings[0].state.shape == (5,) and readings[0].outcome.shape == (6,)
    assert 0 < readings[0].where[0] < 1 and 0 < readings[0].where[1] < 1


def test_a_place_that_is_not_a_number_is_an_error(random_weights: Path) -> None:
    network, _ = read_weights(random_weights)
    torch.nn.init.constant_(network.find[0].bias, float("nan"))
    with pytest.raises(FloatingPointError, match="a place that is not a number"):
        read_frames(network, np.zeros((8, 60, 80, 3), np.uint8), "die_roll", 6)
