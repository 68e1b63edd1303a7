"""Intervals agree with published values and cover what they say."""

import numpy as np
import pytest
from scipy.stats import binom, binomtest

from sim.intervals import clopper_pearson, newcombe, tv_limits, wilson


@pytest.mark.parametrize(("hits", "n"), [(0, 10), (3, 10), (10, 10), (487, 5120)])
def test_shares_have_scipys_intervals(hits, n):
    exact, score = (binomtest(hits, n).proportion_ci(0.95, method=m) for m in ("exact", "wilson"))
    assert clopper_pearson(hits, n) == pytest.approx((exact.low, exact.high))
    assert wilson(hits, n) == pytest.approx((score.low, score.high), abs=1e-12)


@pytest.mark.parametrize(
    ("a", "b", "low", "high"),
    [  # Newcombe 1998, table II, method 10
        ((48, 80), (56, 70), 0.0524, 0.3339),
        ((3, 10), (9, 10), 0.1705, 0.8090),
        ((0, 20), (10, 10), 0.6791, 1.0),
        ((0, 10), (10, 10), 0.6075, 1.0),
        ((0, 10), (0, 20), -0.2775, 0.1611),
    ],
)
def test_differences_have_newcombes_published_intervals(a, b, low, high):
    assert newcombe(*a, *b) == pytest.approx((low, high), abs=6e-5)


def test_limits_that_cannot_be_are_refused():
    with pytest.raises(ValueError, match="confidence must lie strictly between 0 and 1, got 1"):
        clopper_pearson(1, 2, confidence=1)
    with pytest.raises(ValueError, match="hits must lie between 0 and n, and n be positive, got 3 of 2"):
        clopper_pearson(3, 2)
    with pytest.raises(ValueError, match="both samples must have an outcome"):
        tv_limits([0, 0], [1, 2], seed=0)
    with pytest.raises(ValueError, match="give either b or exact"):
        tv_limits([1, 1], None, seed=0)


@pytest.mark.parametrize(
    ("p", "q"),
    [
        ([0.5, 0.5], [0.5, 0.5]),
        ([0.2, 0.3, 0.5], [0.25, 0.35, 0.4]),
        ([1 / 6] * 6, [0.26, *[0.148] * 5]),
        ([1, 0], [1, 0]),
    ],
)
def test_limits_of_a_total_variation_cover_it(p, q, monkeypatch):
    monkeypatch.setattr("sim.intervals._N_DRAWS", 1000)
    rng = np.random.default_rng(0)
    true, n_trials = 0.5 * np.abs(np.subtract(p, q)).sum(), 150
    missed = 0
    for trial in range(n_trials):
        low, high = tv_limits(rng.multinomial(500, p), rng.multinomial(200, q), seed=trial)
        missed += not low <= true <= high
    assert missed <= binom.ppf(0.999, n_trials, 0.05)


def test_limits_of_a_difference_cover_it():
    rng = np.random.default_rng(1)
    missed = sum(
        not low <= 0.1 <= high
        for low, high in (
            newcombe(int(rng.binomial(500, 0.2)), 500, int(rng.binomial(200, 0.3)), 200) for _ in range(1000)
        )
    )
    assert binom.ppf(0.001, 1000, 0.05) <= missed <= binom.ppf(0.999, 1000, 0.05)


def test_equal_samples_of_one_outcome_are_not_certain():
    low, high = tv_limits([300, 0], [300, 0], seed=0)
    assert low == 0 and 0 < high < 0.03
