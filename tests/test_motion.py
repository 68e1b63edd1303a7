"""What moved, in numbers: a clip that stands still, one that moves, and one that is enlarged."""

from __future__ import annotations

import pytest
import torch

from judge.motion import N_MOTION_FACTS, block_change, motion_facts

WHERE, CORNERS = torch.tensor([[0.525, 0.275, 0.0]]), torch.rand(1, 8, 2, generator=torch.Generator().manual_seed(0))


def facts(rows: list[int], change: torch.Tensor) -> torch.Tensor:
    """(7, F) facts of a clip whose object is at column 0.525 and in the given rows of cells."""
    trace = torch.full((1, 7, 20, 20), -9.0)
    for k, row in enumerate(rows):
        trace[0, k, row, 10] = 9.0
    found = motion_facts(trace, change, WHERE, CORNERS)
    assert found.shape == (1, 7 * N_MOTION_FACTS)
    return found.reshape(7, -1)


def test_the_path_is_measured_from_its_end() -> None:
    still = torch.zeros(1, 7, 20, 20)
    found = facts([1, 2, 3, 4, 5, 5, 5], still)
    down = found[:, 9]  # four facts of the peaks, four of the place in the bounds, then column and row from the end
    assert down.tolist() == pytest.approx([-0.2, -0.15, -0.1, -0.05, 0, 0, 0], abs=1e-3)
    assert found[:, 8].tolist() == pytest.approx([0.0] * 7, abs=1e-3)
    assert (found[:-1, 10] >= found[1:, 10]).all()  # logarithm of the distance


def test_change_at_the_end_of_the_path_is_told_from_change_elsewhere() -> None:
    here, there = torch.zeros(1, 7, 20, 20), torch.zeros(1, 7, 20, 20)
    here[0, :, 5, 10], there[0, :, 15, 3] = 0.5, 0.5
    one, two = facts([5] * 7, here), facts([5] * 7, there)
    assert torch.allclose(one[:, 11:13], two[:, 11:13])  # largest and mean are the same
    assert (one[:, 13] > two[:, 13] + 1).all()


def test_blocks_hold_the_mean_difference() -> None:
    gap = torch.zeros(1, 7, 3, 80, 80)
    gap[0, 2, :, 40:44, 20:24] = -0.6
    blocks = block_change(gap)
    assert blocks.shape == (1, 7, 20, 20)
    assert float(blocks[0, 2, 10, 5]) == pytest.approx(0.6) and float(blocks.sum()) == pytest.approx(0.6)
