"""What is not there costs nothing; a far miss costs more than a near one."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from judge.losses import answer_loss, finding_loss
from judge.network import Answer, Finding

NOWHERE = torch.full((2, 3), torch.nan)


def test_what_is_not_there_costs_nothing() -> None:
    heat = torch.full((2, 44, 44), -20.0)  # sure that nothing is there
    found = Finding(heat, torch.zeros(2, 3), torch.zeros(2, 8, 2), (heat, heat))
    unknown = torch.full((2, 8, 2), torch.nan)
    assert float(finding_loss(found, NOWHERE[:, None].repeat(1, 2, 1), unknown)) == pytest.approx(0, abs=1e-6)
    flat = Answer(torch.zeros(2, 5), torch.zeros(2, 2), torch.zeros(2, 2), torch.zeros(2, 3))
    nulls = answer_loss(flat, torch.tensor([1, 2]), torch.tensor([-1, -1]), NOWHERE)
    assert float(nulls) == pytest.approx(np.log(5))  # five states, equally likely
    sound = answer_loss(flat, torch.tensor([0, 0]), torch.tensor([1, 0]), NOWHERE)
    assert float(sound) == pytest.approx(np.log(5) + 1.3 * np.log(2))


def test_a_near_miss_is_cheaper_than_a_far_one() -> None:
    state, outcome, at = torch.tensor([0]), torch.tensor([1]), torch.tensor([[0.5, 0.0, 0.0]])
    near, far = (
        Answer(torch.zeros(1, 5), torch.zeros(1, 2), torch.zeros(1, 2), torch.tensor([[x, 0.0, 0.0]]))
        for x in (0.4, -0.5)
    )
    assert answer_loss(near, state, outcome, at) < answer_loss(far, state, outcome, at) - 0.5


def test_an_object_or_a_corner_outside_the_picture_is_not_asked_for() -> None:
    heat = torch.zeros(1, 44, 44)
    found = Finding(heat, torch.zeros(1, 3), torch.zeros(1, 8, 2), (heat, heat))
    outside = torch.tensor([[[1.2, 0.5, 0.1], [torch.nan] * 3]])
    corners = torch.full((1, 8, 2), 1.5)
    missing = finding_loss(found, NOWHERE[:1, None].repeat(1, 2, 1), torch.full((1, 8, 2), torch.nan))
    assert float(finding_loss(found, outside, corners)) == float(missing)
