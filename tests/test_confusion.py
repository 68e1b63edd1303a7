import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from calibrate.stats.confusion import Confusion, said_shares, true_shares

BAD = np.array([[0.8, 0.15, 0.05], [0.1, 0.75, 0.15], [0.05, 0.1, 0.85]])


@given(st.floats(0.55, 1), st.floats(0.55, 1), st.integers(0, 50), st.integers(0, 50))
def test_two_outcomes_are_corrected_as_rogan_and_gladen_do(
    sensitivity: float, specificity: float, heads: int, tails: int
) -> None:
    if heads + tails == 0:
        return
    rates = np.array([[sensitivity, 1 - sensitivity, 0], [1 - specificity, specificity, 0], [0, 0, 1]])
    found = true_shares([heads, tails, 0], rates)
    by_hand = (heads / (heads + tails) + specificity - 1) / (sensitivity + specificity - 1)
    assert found == pytest.approx([min(1, max(0, by_hand)), 1 - min(1, max(0, by_hand)), 0], abs=1e-4)


def test_shares_outside_the_simplex_are_those_of_the_highest_likelihood() -> None:
    said = np.array([30, 1, 2])
    found = true_shares(said, BAD)
    assert found.min() < 1e-4 and found.sum() == pytest.approx(1)

    def surprise(free: np.ndarray) -> float:
        shares = np.exp(free - free.max())
        return -float(said @ np.log(shares / shares.sum() @ BAD))

    best = min(minimize(surprise, start, method="Nelder-Mead").fun for start in np.eye(3) * 8)
    assert -said @ np.log(found @ BAD) == pytest.approx(best, abs=1e-3)


def test_what_a_judge_never_says_of_any_state_falls_out() -> None:
    one_word = np.array([[1.0, 0, 0], [1.0, 0, 0], [0, 0, 1]])
    np.testing.assert_allclose(true_shares([6, 3, 3], one_word), [1 / 3, 1 / 3, 1 / 3], atol=1e-6)


def test_what_the_judge_makes_of_the_truth_leads_back_to_it() -> None:
    truth = np.array([0.5, 0.2, 0.3])
    np.testing.assert_allclose(true_shares(truth @ BAD, BAD), truth, atol=1e-12)
    by_hand = (truth @ BAD)[:2] / (truth @ BAD)[:2].sum()
    np.testing.assert_allclose(said_shares(truth[:2] / 0.7, 0.3, BAD), by_hand, atol=1e-12)
    many = true_shares(truth @ BAD, np.stack([BAD, np.eye(3)]))
    np.testing.assert_allclose(many, [truth, truth @ BAD], atol=1e-12)


def test_drawn_rates_spread_as_the_posterior_of_jeffreys_does() -> None:
    drawn = Confusion.sample([[95, 3, 2], [0, 40, 0], [1, 0, 19]]).draws(20_000, np.random.default_rng(5))
    # scipy.stats.beta(95.5, 6).interval(0.95): the diagonal of a Dirichlet posterior is a beta
    np.testing.assert_allclose(np.quantile(drawn[:, 0, 0], [0.025, 0.975]), [0.8908, 0.9781], atol=0.003)
    # scipy.stats.beta(40.5, 1).interval(0.95)
    np.testing.assert_allclose(np.quantile(drawn[:, 1, 1], [0.025, 0.975]), [0.9129, 0.9994], atol=0.003)
    np.testing.assert_allclose(drawn.sum(axis=2), 1)


def test_exact_rates_have_no_draws_but_themselves() -> None:
    drawn = Confusion.exact(BAD).draws(3, np.random.default_rng(0))
    assert (drawn == BAD).all() and drawn.shape == (3, 3, 3)


def test_a_state_without_clips_takes_the_rates_of_the_others() -> None:
    found = Confusion.sample([[8, 1, 0, 1], [2, 8, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]])
    np.testing.assert_allclose(found.rates[2], [0.075, 0.075, 0.8, 0.05])
    assert found.rates[3] == (0, 0, 0, 1)


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda: Confusion.exact([[1, 0], [0, 1]]), "a square table of two outcomes or more and null"),
        (lambda: Confusion.exact([[1, 0, 0], [0, 1, 0.1], [0, 0, 1]]), "probabilities that sum to 1"),
        (lambda: Confusion.sample([[1, 0, 0], [0, -1, 0], [0, 0, 1]]), "whole and not negative"),
        (lambda: Confusion.sample([[0, 0, 0], [0, 0, 0], [0, 0, 5]]), "needs clips that have an outcome"),
    ],
)
def test_what_is_no_confusion_is_refused(make, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        make()
