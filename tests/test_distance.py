"""Distances from a reference that is a set, or one point, are those of plain searches over it."""

import math
from dataclasses import replace

import numpy as np
import pytest

from calibrate.distance import distance
from calibrate.stats import (
    Baseline,
    Hull,
    equivalence_test,
    expected_total_variation,
    total_variation,
    tv_bounds,
    tv_interval,
    tv_test,
)


@pytest.fixture
def coin(made_references):
    """A reference of coin_toss whose draws of the unknown constants have these counts (M, 2)."""

    def made(table):
        heads, tails = (int(column) for column in np.sum(table, axis=0))
        rows = tuple(tuple(int(x) for x in row) for row in table)
        counts = {"heads": heads, "tails": tails}
        return replace(made_references["coin_toss"], counts=counts, n=heads + tails, members=rows)

    return made


def test_without_counts_by_draw_the_figures_are_those_of_one_point(made_references):
    reference, counts = made_references["die_roll"], [9, 3, 2, 4, 5, 1]
    point = Baseline.sample(list(reference.counts.values()))
    found, interval = distance(counts, 3, reference, seed=0), tv_interval(counts, point, seed=0)
    assert (found.tv, found.expected) == (total_variation(counts, point), expected_total_variation(24, point))
    assert found.p == tv_test(counts, point, seed=0).p and found.interval == (interval.low, interval.high)
    assert found.bounds == (tv_bounds(counts, 3, point).low, tv_bounds(counts, 3, point).high)
    assert found.nearest == found.low == found.high == point.p and found.tv_point == found.tv


def test_a_model_between_the_draws_is_at_no_distance_and_any_mixture_is_faithful(made_set):
    for heads in (40, 50, 60):
        found = distance([heads, 100 - heads], 0, made_set, seed=0)
        assert (found.tv, found.p, found.bounds, found.interval[0]) == (0, 1, (0, 0), 0)
        assert found.nearest[0] == pytest.approx(heads / 100) and found.excess < 0
        assert found.tv_point == pytest.approx(abs(heads - 50) / 100)


@pytest.mark.parametrize("counts", [(20, 4), (4, 20), (24, 0)])
def test_distance_and_p_are_the_least_and_the_largest_of_a_fine_grid(made_set, counts):
    reference = made_set
    ends = reference.member_shares[:, 0].min(), reference.member_shares[:, 0].max()
    hull, grid = Hull.of(reference.member_shares, n=reference.n_member), np.linspace(*ends, 101)
    found = distance(counts, 0, reference, seed=0)
    assert found.tv == pytest.approx(np.abs(counts[0] / 24 - grid).min(), abs=1e-8)
    best = max(tv_test(counts, hull.baseline([q, 1 - q]), seed=0).p for q in grid)
    assert 0.97 * best <= found.p <= best * 1.001 and found.method == "exact"
    assert (found.low[0], found.high[0]) == ends
    assert found.interval[0] <= found.tv <= found.interval[1] and found.tv < found.tv_point


def test_draws_that_counting_explains_make_a_point(coin):
    reference = coin([(40, 40)] * 64)
    assert reference.why_point == "its 64 draws of the unknown constants differ no more than counting explains"
    found = distance([20, 4], 0, reference, seed=0)
    assert found.p == tv_test([20, 4], Baseline.sample([2560, 2560]), seed=0).p and found.low == found.high


def test_nothing_counted_is_undefined_and_its_bounds_are_those_of_the_set(made_set):
    found = distance([0, 0], 5, made_set, seed=0)
    assert all(map(math.isnan, (found.tv, found.p, found.expected, found.excess, found.tv_point, *found.interval)))
    assert found.bounds == pytest.approx((0, 1 - found.high[0]), abs=0.01)
    with pytest.raises(ValueError, match="need at least one clip and n_missing >= 0"):
        distance([0, 0], 0, made_set, seed=0)


def rejected(reference, n, share):
    """Probability that p of n clips with this share is at most 0.05: p falls as the counts leave the set."""
    from scipy.stats import binom

    def is_rejected(heads):
        return distance([heads, n - heads], 0, reference, seed=0).p <= 0.05

    def first(inside, outside):  # the first count on the way out that is rejected
        while abs(outside - inside) > 1:
            middle = (inside + outside) // 2
            inside, outside = (inside, middle) if is_rejected(middle) else (middle, outside)
        return outside

    centre = round(n * float(reference.shares[0]))
    return binom.sf(first(centre, n + 1) - 1, n, share) + binom.cdf(first(centre, -1), n, share)


def test_equivalence_to_a_set_is_tested_from_its_pooled_point_which_lies_in_it(made_set):
    hull, pooled = Hull.of(made_set.member_shares, n=made_set.n_member), Baseline.sample([2560, 2560])
    assert 0.5 * np.abs(np.asarray(pooled.p) - made_set.member_shares).sum(axis=1).max() > 0.15
    assert hull.array[:, 0].min() <= pooled.p[0] <= hull.array[:, 0].max()
    for heads in (6800, 5000, 9000):
        found = distance([heads, 10_000 - heads], 0, made_set, seed=0, margin=0.1)
        assert found.p_equivalence == equivalence_test([heads, 10_000 - heads], pooled, margin=0.1).p
    # in the set, yet far from the pooled point: not shown to be near; at the pooled point it is
    assert distance([6800, 3200], 0, made_set, seed=0).tv == 0 and found.tv > 0.2
    assert distance([6800, 3200], 0, made_set, seed=0).p_equivalence > 0.99
    assert distance([5000, 5000], 0, made_set, seed=0).p_equivalence < 1e-6


@pytest.mark.parametrize("away", [-1, 1])
def test_a_model_the_margin_away_from_the_set_is_called_near_no_more_often_than_stated(coin, away):
    from scipy.stats import binom

    reference = coin([(7800, 8200), (8200, 7800)] * 32)
    assert reference.why_point is None
    ends, n = reference.member_shares[:, 0], 100
    edge = ends.max() + 0.1 if away > 0 else ends.min() - 0.1
    near = [h for h in range(20, 81) if distance([h, n - h], 0, reference, seed=0, margin=0.1).p_equivalence <= 0.05]
    assert near and 20 < min(near) <= 50 <= max(near) < 80
    assert 0.005 < binom.pmf(near, n, edge).sum() <= 0.05  # a binomial model, summed exactly
    rng = np.random.default_rng(7)  # and as simulated studies
    assert 0.005 < np.mean(np.isin(rng.binomial(n, edge, size=4000), near)) <= 0.05


@pytest.mark.parametrize(("sd", "n_each"), [(0.05, 80), (0.02, 152)])
def test_a_model_with_the_constants_of_the_outermost_draw_is_rejected_no_more_often_than_stated(coin, sd, n_each):
    # with members at their expectations instead (weight r for sqrt(r) in sim.spread.members) it is 0.06 to 0.07
    rng, concentration = np.random.default_rng(3), 0.55 * 0.45 / sd**2 - 1
    found = []
    for _ in range(12):
        truth = rng.beta(0.55 * concentration, 0.45 * concentration, size=64)
        heads = rng.binomial(n_each, truth)
        found.append(rejected(coin(np.stack([heads, n_each - heads], axis=1)), 100, truth.max()))
    assert 0 < np.mean(found) <= 0.05
