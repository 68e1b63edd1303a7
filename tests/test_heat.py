"""Heat maps: a bump is found where it is, two are told from one and from none, and a wrong map costs more."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from judge.heat import N_BUMPS, bumps, focal_loss, peak, peaks, rectified, soft_places, target

SIDE = 44


def logits(where: torch.Tensor) -> torch.Tensor:
    """The heat map that says exactly what is true of places (N, M, 2)."""
    return torch.logit(target(where, SIDE).clamp(1e-4, 1 - 1e-4))


@given(st.floats(0.1, 0.9), st.floats(0.1, 0.9))
def test_the_peak_meets_the_true_place_between_cells(column: float, row: float) -> None:
    found = peak(logits(torch.tensor([[[column, row]]])), torch.full((1, SIDE, SIDE), -2.0))
    assert found[0].tolist() == pytest.approx([column, row, -2.0], abs=0.25 / SIDE)


def test_two_peaks_are_told_from_one_and_from_none() -> None:
    nan = torch.nan
    places = torch.tensor([[[0.2, 0.3], [nan, nan]], [[0.2, 0.3], [0.7, 0.3]], [[nan, nan], [nan, nan]]])
    one, two, none = peaks(logits(places)).tolist()
    assert one[0] > 0.5 and one[1] < -2
    assert two[0] == pytest.approx(two[1], abs=0.6) and two[3] == pytest.approx(0.5, abs=1 / SIDE)
    assert none[0] < -2


def test_the_right_map_costs_least() -> None:
    true = torch.tensor([[[0.41, 0.69]]])
    wanted = target(true, SIDE)
    cost = [float(focal_loss(logits(at), wanted)) for at in (true, true + 0.1, torch.full_like(true, torch.nan))]
    assert cost[0] < 0.2 * cost[1] and cost[0] < 0.2 * cost[2]


def test_soft_places_of_a_sharp_map_is_its_cell() -> None:
    heat = torch.zeros(1, 2, 10, 20)
    heat[0, 0, 3, 4] = heat[0, 1, 9, 19] = 40.0
    assert soft_places(heat)[0].flatten().tolist() == pytest.approx([4.5 / 20, 0.35, 19.5 / 20, 0.95], abs=1e-4)


@given(st.lists(st.floats(-0.3, 0.3), min_size=8, max_size=8), st.floats(-0.9, 0.9), st.floats(-0.9, 0.9))
def test_an_affine_camera_is_undone(camera: list[float], along: float, up: float) -> None:
    matrix, middle = torch.tensor(camera[:6]).reshape(2, 3) + torch.eye(3)[[0, 2]], torch.tensor(camera[6:])
    corners = torch.cartesian_prod(*3 * [torch.tensor([-1.0, 1.0])]) @ matrix.T + middle
    wall = torch.tensor([along, 0.0, up]) @ matrix.T + middle
    assert rectified(wall[None], corners[None])[0, :2].tolist() == pytest.approx([along, up], abs=1e-3)
    floor = torch.tensor([along, up, 0.0]) @ (matrix + torch.tensor([[0.0, 0, 0], [0, 1, 0]])).T + middle
    corners = (
        torch.cartesian_prod(*3 * [torch.tensor([-1.0, 1.0])]) @ (matrix + torch.tensor([[0.0, 0, 0], [0, 1, 0]])).T
        + middle
    )
    assert rectified(floor[None], corners[None])[0, 2:].tolist() == pytest.approx([along, up], abs=1e-3)


def test_bumps_are_highest_where_the_place_is() -> None:
    steps = torch.linspace(-1.2, 1.2, N_BUMPS)
    high = bumps(steps[:, None])
    assert high.shape == (N_BUMPS, N_BUMPS) and (high.argmax(1) == torch.arange(N_BUMPS)).all()
    assert high.max() == 3 and float(high[0, -1]) < 1e-6


def test_a_camera_without_depth_gives_no_infinity() -> None:
    assert torch.isfinite(rectified(torch.tensor([[0.5, 0.5]]), torch.full((1, 8, 2), 0.5))).all()
