"""From logits to a ruling."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.lesson import STATES
from judge.trial import ruling, softmax
from judge.weights import AS_THEY_ARE, Scaling

logit = st.floats(-30, 30)


def test_a_sure_outcome_is_ruled() -> None:
    said = ruling(np.array([9.0, 0, 0, 0, 0]), np.array([0.0, 8, 0]), AS_THEY_ARE, 0.5)
    assert said.state == "sound" and said.outcome == 1 and said.confidence > 0.99


def test_a_sure_null_is_ruled() -> None:
    said = ruling(np.array([0.0, 0, 0, 9, 0]), np.array([0.0, 8, 0]), AS_THEY_ARE, 0.5)
    assert said.state == STATES[3] == "object_lost"


def test_doubt_is_out_of_domain() -> None:
    said = ruling(np.array([9.0, 0, 0, 0, 0]), np.zeros(6), AS_THEY_ARE, 0.5)
    assert said.state == "out_of_domain" and said.confidence == pytest.approx(1 / 6, abs=0.01)


def test_a_split_between_outcomes_can_lose_to_a_null() -> None:
    # sound is likelier than the null, and each single outcome is less likely than the null
    said = ruling(np.log([0.55, 0.45, 1e-9, 1e-9, 1e-9]), np.zeros(2), AS_THEY_ARE, 0.0)
    assert said.state == "no_motion" and said.confidence == pytest.approx(0.45)


@given(
    st.lists(logit, min_size=5, max_size=5),
    st.lists(logit, min_size=2, max_size=11),
    st.floats(0.5, 5),
    st.tuples(*[st.floats(-8, 8)] * 5),
)
def test_confidence_is_the_largest_of_probabilities_that_sum_to_one(
    states: list[float], outcomes: list[float], temperature: float, bias: tuple[float, ...]
) -> None:
    said = ruling(np.array(states), np.array(outcomes), Scaling(state=temperature, outcome=temperature, bias=bias), 0.0)
    p = softmax(np.array(states) / temperature + np.array(bias))
    assert said.p_outcome.sum() == pytest.approx(1) and 0 < said.confidence <= 1
    assert said.confidence == pytest.approx(max([p[0] * said.p_outcome.max(), *p[1:]]))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_not_a_number_is_an_error_and_not_the_first_outcome(bad: float) -> None:
    with pytest.raises(FloatingPointError, match="not a number"):
        ruling(np.array([bad, 0, 0, 0, 0]), np.zeros(2), AS_THEY_ARE, 0.5)
    with pytest.raises(FloatingPointError, match="not a number"):
        ruling(np.zeros(5), np.array([0, bad]), AS_THEY_ARE, 0.5)
