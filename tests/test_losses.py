"""What is not there costs nothing; a far miss costs more than a near one."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from judge.losses import answer_loss, finding_loss, pose_loss
from judge.network import Answer, Finding

NOWHERE = torch.full((2, 3), torch.nan)
UNKNOWN = torch.full((2,), torch.nan)
NO_PATH = torch.full((2, 2, 7, 2), torch.nan)


def finding(n: int, level: float) -> Finding:
    """Heat maps that are equal everywhere, and nothing else."""
    heat, flat = torch.full((n, 44, 44), level), torch.full((n, 7, 20, 20), level)
    return Finding(
        heat=heat,
        where=torch.zeros(n, 3),
        corners=torch.zeros(n, 8, 2),
        maps=(heat, heat),
        trace=flat,
        moments=torch.zeros(n, 7, 4),
        change=flat,
    )


def answer(n: int, at: float = 0.0, up: float = 0.0) -> Answer:
    """Everything equally likely; the object at `at` along x, leaning by `up` along x."""
    place = torch.tensor([[at, 0.0, 0.0]]).repeat(n, 1)
    return Answer(
        state=torch.zeros(n, 5),
        outcome=torch.zeros(n, 2),
        close_outcome=torch.zeros(n, 2),
        at=place,
        pose=torch.tensor([[up, 0.0, 1.0, 0.0]]).repeat(n, 1),
    )


def test_what_is_not_there_costs_nothing() -> None:
    found = finding(2, -20.0)  # sure that nothing is there
    unknown = torch.full((2, 8, 2), torch.nan)
    assert float(finding_loss(found, NOWHERE[:, None].repeat(1, 2, 1), unknown, NO_PATH)) == pytest.approx(0, abs=1e-6)
    flat = answer(2)
    nulls = answer_loss(flat, torch.tensor([1, 2]), torch.tensor([-1, -1]), NOWHERE, NOWHERE, UNKNOWN)
    assert float(nulls) == pytest.approx(np.log(5))  # five states, equally likely
    sound = answer_loss(flat, torch.tensor([0, 0]), torch.tensor([1, 0]), NOWHERE, NOWHERE, UNKNOWN)
    assert float(sound) == pytest.approx(np.log(5) + 1.3 * np.log(2))


def test_a_near_miss_is_cheaper_than_a_far_one() -> None:
    state, outcome, at = torch.tensor([0]), torch.tensor([1]), torch.tensor([[0.5, 0.0, 0.0]])
    near, far = (answer_loss(answer(1, at=x), state, outcome, at, NOWHERE[:1], UNKNOWN[:1]) for x in (0.4, -0.5))
    assert near < far - 0.5
    level = torch.tensor([[0.0, 0.0, 1.0]])
    upright, leaning = (
        answer_loss(answer(1, up=x), state, outcome, NOWHERE[:1], level, UNKNOWN[:1]) for x in (0.1, 0.9)
    )
    assert upright < leaning - 0.2


def test_lying_still_is_learnt_where_it_is_known() -> None:
    pose = torch.tensor([[0.0, 0.0, 1.0, 3.0]]).repeat(2, 1)  # sure that it lies still
    right, wrong = (float(pose_loss(pose, NOWHERE, torch.tensor([x, torch.nan]))) for x in (1.0, 0.0))
    assert right == pytest.approx(np.log1p(np.exp(-3))) and wrong == pytest.approx(np.log1p(np.exp(3)))
    assert float(pose_loss(pose, NOWHERE, UNKNOWN)) == 0


def test_a_path_that_is_found_costs_less_than_one_that_is_missed() -> None:
    path = torch.full((1, 2, 7, 2), torch.nan)
    path[0, 0] = torch.tensor([0.525, 0.275])  # the middle of cell (5, 10) of the 20 by 20
    unknown = torch.full((1, 8, 2), torch.nan)
    missed, hit, beside = (finding(1, -6.0) for _ in range(3))
    hit.trace[0, :, 5, 10], beside.trace[0, :, 5, 16] = 6.0, 6.0
    losses = [float(finding_loss(f, NOWHERE[:1, None].repeat(1, 2, 1), unknown, path)) for f in (hit, missed, beside)]
    assert losses[0] < losses[1] - 1 and losses[1] < losses[2] - 1


def test_an_object_or_a_corner_outside_the_picture_is_not_asked_for() -> None:
    found = finding(1, 0.0)
    outside = torch.tensor([[[1.2, 0.5, 0.1], [torch.nan] * 3]])
    corners = torch.full((1, 8, 2), 1.5)
    missing = finding_loss(found, NOWHERE[:1, None].repeat(1, 2, 1), torch.full((1, 8, 2), torch.nan), NO_PATH[:1])
    assert float(finding_loss(found, outside, corners, NO_PATH[:1])) == float(missing)


def test_the_diameter_of_a_small_object_is_learnt_however_far_off_it_is() -> None:
    guess = torch.zeros(1, 3, requires_grad=True)  # as large as the picture
    found = finding(1, 0.0)._replace(where=guess)
    small = torch.tensor([[[0.5, 0.5, 0.03], [torch.nan] * 3]])
    finding_loss(found, small, torch.full((1, 8, 2), torch.nan), NO_PATH[:1]).backward()  # type: ignore[no-untyped-call]
    assert guess.grad is not None and float(guess.grad[0, 2]) > 0.1
