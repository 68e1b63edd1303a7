"""The Dirichlet-multinomial fit is that of scipy's likelihood, and finds no spread where there is none."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.stats import binom, dirichlet_multinomial

from sim.spread import fit_spread, members, n_behind_member, p_no_spread


def drawn(seed, mean, dispersion, *, m=64, n=80):
    rng = np.random.default_rng(seed)
    rows = rng.dirichlet(np.asarray(mean) / dispersion, size=m) if dispersion else np.tile(mean, (m, 1))
    return np.array([rng.multinomial(n, row) for row in rows])


@pytest.mark.parametrize(("mean", "dispersion"), [([0.6, 0.4], 0.02), ([0.5, 0.3, 0.2], 0.3), ([0.7, 0.2, 0.1], 2.0)])
def test_fit_is_the_largest_of_scipys_likelihood(mean, dispersion):
    table = drawn(3, mean, dispersion)

    def loss(log_alpha):
        return -sum(dirichlet_multinomial.logpmf(row, np.exp(log_alpha), 80) for row in table)

    found = fit_spread(table)
    start = np.log(np.asarray(mean) / dispersion)
    best = minimize(loss, start, method="BFGS", options={"gtol": 1e-4})
    alpha = np.exp(best.x)
    assert found.dispersion == pytest.approx(1 / alpha.sum(), rel=1e-3)
    assert found.mean == pytest.approx(alpha / alpha.sum(), abs=1e-4)
    pooled = table.sum(axis=0) / table.sum()
    from scipy.stats import multinomial

    gain = -best.fun - sum(multinomial.logpmf(row, 80, pooled) for row in table)
    assert found.gain == pytest.approx(gain, abs=1e-4)


def test_fit_is_near_the_truth_on_average():
    truth, mean = 0.02, [0.5, 0.3, 0.2]
    fits = [fit_spread(drawn(seed, mean, truth)) for seed in range(40)]
    found = np.array([fit.dispersion for fit in fits])
    assert found.mean() == pytest.approx(truth, abs=4 * found.std() / np.sqrt(40))
    assert np.mean([fit.mean for fit in fits], axis=0) == pytest.approx(mean, abs=0.01)


def test_a_fair_die_rolled_by_64_hands_is_often_a_point_and_never_far_from_one():
    reach, raw, points = [], [], 0
    for seed in range(60):
        table = drawn(seed, [1 / 6] * 6, 0)
        shares = members(table, fit_spread(table))
        points += len(shares) == 1
        reach.append(0.5 * np.abs(shares - 1 / 6).sum(axis=1).max())
        raw.append(0.5 * np.abs(table / 80 - 1 / 6).sum(axis=1).max())
    assert points >= binom.ppf(0.001, 60, 0.5)  # the likelihood rises at zero spread in half of the tables
    assert np.mean(reach) < 0.03 < max(reach) < 0.1 < 0.14 < min(raw)


def test_p_of_no_spread_is_uniform_without_and_small_with():
    ps = [p_no_spread(drawn(seed, [0.5, 0.3, 0.2], 0, m=16, n=20), seed=seed) for seed in range(100)]
    rejected = sum(p <= 0.1 for p in ps)
    assert binom.ppf(0.001, 100, 0.1) <= rejected <= binom.ppf(0.999, 100, 0.1)
    assert p_no_spread(drawn(0, [0.5, 0.5], 0.05), seed=0) == 1 / 2000


def test_members_lie_between_their_own_shares_and_the_mean():
    table = drawn(1, [0.6, 0.4], 0.05)
    fit = fit_spread(table)
    # the part r of the variance that is not counting: 80 theta / (1 + 80 theta)
    weight = math.sqrt(80 * fit.dispersion / (1 + 80 * fit.dispersion))
    assert members(table, fit)[3] == pytest.approx(weight * table[3] / 80 + (1 - weight) * np.asarray(fit.mean))


def test_members_spread_as_wide_as_the_true_distributions_and_their_expectations_do_not():
    widths = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        truth = rng.dirichlet([275, 225], size=64)  # shares with a standard deviation of 0.022
        table = np.array([rng.multinomial(152, row) for row in truth])
        fit = fit_spread(table)
        expected = (np.asarray(fit.mean) + fit.dispersion * table) / (1 + 152 * fit.dispersion)
        widths.append([np.ptp(found[:, 0]) for found in (truth, members(table, fit), expected)])
    true, kept, shrunk = np.mean(widths, axis=0)
    assert 0.8 * true < kept < 1.2 * true and shrunk < 0.6 * true


def test_a_members_distance_from_the_truth_is_that_of_as_many_rollouts():
    rng = np.random.default_rng(0)
    truth = rng.dirichlet([275, 225], size=4000)
    table = np.array([rng.multinomial(152, row) for row in truth])
    fit = fit_spread(table)
    n = n_behind_member(table, fit)
    squared = float(((members(table, fit) - truth)[:, 0] ** 2).mean())
    assert squared == pytest.approx(0.55 * 0.45 / (n + 1), rel=0.1)  # the variance of a Dirichlet law
    flat = [[40, 40]] * 10
    assert n_behind_member(flat, fit_spread(flat)) == 800


def test_empty_draws_unseen_outcomes_and_single_rows_are_no_trouble():
    assert fit_spread([[3, 1]]).dispersion == 0 and fit_spread([[3, 0], [5, 0]]).mean == (1.0, 0.0)
    table = np.array([[40, 0, 40], [10, 0, 70], [0, 0, 0], [70, 0, 10]])
    fit = fit_spread(table)
    shares = members(table, fit)
    assert fit.dispersion > 0 and fit.mean[1] == 0 and shares[2] == pytest.approx(fit.mean)
    for wrong in ([1, 2], [[1], [2]], [[-1, 2]], [[0.5, 2]]):
        with pytest.raises(ValueError, match="table must hold counts"):
            fit_spread(wrong)
    with pytest.raises(ValueError, match="table must hold at least one count"):
        fit_spread([[0, 0]])


@given(st.lists(st.tuples(*[st.integers(0, 30)] * 3), min_size=2, max_size=8).filter(lambda t: sum(map(sum, t)) > 0))
def test_members_are_distributions_whose_order_follows_that_of_draws_and_outcomes(table):
    shares = members(table, fit_spread(table))
    assert shares.min() >= 0 and shares.sum(axis=1) == pytest.approx(1)
    turned = np.asarray(table)[::-1, ::-1]
    assert members(turned, fit_spread(turned))[::-1, ::-1] == pytest.approx(shares, abs=1e-4)
