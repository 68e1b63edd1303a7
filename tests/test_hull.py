"""Distances to a set of distributions, and the largest p over it, are those of plain searches."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from calibrate.stats import Baseline, expected_total_variation, total_variation, tv_test
from calibrate.stats.hull import Hull, hull_interval, hull_score, nearest

PAIR = Hull.of([[0.4, 0.6], [0.6, 0.4]])
TRIANGLE = Hull.of([[0.5, 0.3, 0.2], [0.3, 0.5, 0.2], [0.35, 0.35, 0.3]])


def grid(hull, n=40):
    """Points of the hull of three members."""
    weights = [(i / n, j / n, (n - i - j) / n) for i in range(n + 1) for j in range(n + 1 - i)]
    return np.array(weights) @ hull.array


@pytest.mark.parametrize(("share", "tv"), [(0.9, 0.3), (0.6, 0.0), (0.5, 0.0), (0.1, 0.3)])
def test_distance_from_an_interval_is_that_of_its_nearer_end(share, tv):
    found = nearest((share, 1 - share), PAIR)
    assert found.tv == pytest.approx(tv) and found.p[0] == pytest.approx(min(max(share, 0.4), 0.6))


@given(st.lists(st.floats(0.01, 1), min_size=3, max_size=3))
def test_distance_is_the_least_over_the_hull(parts):
    shares = np.array(parts) / sum(parts)
    found = nearest(tuple(shares.tolist()), TRIANGLE)
    least = 0.5 * np.abs(grid(TRIANGLE) - shares).sum(axis=1).min()
    assert least - 0.01 <= found.tv <= least + 1e-7  # the grid is no finer than 1/40 of 0.2
    assert np.asarray(found.weights) @ TRIANGLE.array == pytest.approx(found.p)
    assert min(found.weights) >= 0 and sum(found.weights) == pytest.approx(1)
    assert 0.5 * np.abs(shares - found.p).sum() == pytest.approx(found.tv, abs=1e-8)


def test_of_several_nearest_points_one_near_the_mean_is_taken():
    # every (x, y, z) with x, y at least those of the target's is as near
    hull = Hull.of([[0.4, 0.4, 0.2], [0.6, 0.2, 0.2], [0.2, 0.6, 0.2]])
    found = nearest((0.1, 0.1, 0.8), hull)
    assert found.tv == pytest.approx(0.6) and found.p == pytest.approx((0.4, 0.4, 0.2))


@pytest.mark.parametrize("counts", [[20, 4], [13, 11], [24, 0]])
def test_a_point_gives_what_a_baseline_gives(counts):
    for hull, baseline in (
        (Hull.of([[0.5, 0.5]]), Baseline.exact([0.5, 0.5])),
        (Hull.of([[0.55, 0.45]], n=5120), Baseline.sample([2816, 2304])),
    ):
        found = hull_score(counts, hull, seed=0)
        assert found.tv == pytest.approx(total_variation(counts, baseline))
        assert found.tv_expected == pytest.approx(expected_total_variation(24, baseline))
        assert found.p == pytest.approx(tv_test(counts, baseline, seed=0).p) and found.nearest == hull.members[0]


def test_counts_inside_the_set_have_distance_0_and_p_1():
    found = hull_score([13, 11], PAIR, seed=0)
    assert (found.tv, found.p) == (0.0, 1.0) and found.excess < 0


@pytest.mark.parametrize("counts", [[20, 4], [9, 41]])
def test_p_of_an_interval_is_the_largest_of_a_fine_grid(counts):
    best = max(tv_test(counts, Baseline.exact([q, 1 - q]), seed=0).p for q in np.linspace(0.4, 0.6, 201))
    found = hull_score(counts, PAIR, seed=0)
    assert 0.97 * best <= found.p <= best * 1.001


@pytest.mark.parametrize("counts", [[14, 3, 7], [4, 6, 14], [22, 1, 1]])
def test_p_of_a_triangle_is_nearly_the_largest_of_a_grid(counts):
    best = max(tv_test(counts, Baseline.exact(q.tolist()), seed=0).p for q in grid(TRIANGLE, 12))
    found = hull_score(counts, TRIANGLE, seed=0)
    assert found.p >= 0.9 * best
    assert found.p == pytest.approx(tv_test(counts, Baseline.exact(found.likeliest), seed=0).p)


def test_p_of_a_set_of_64_over_six_outcomes_is_nearly_the_largest_of_many_points():
    rng = np.random.default_rng(4)
    hull = Hull.of(rng.dirichlet([60, 50, 50, 50, 50, 40], size=64), n=1800)
    counts = [5, 0, 1, 1, 5, 0]
    found = hull_score(counts, hull, seed=0)
    points = [w @ hull.array for w in rng.dirichlet(np.full(64, 0.03), size=60)]
    points += [found.nearest + step * (member - found.nearest) for step in (0.1, 0.4) for member in hull.array]
    best = max(tv_test(counts, hull.baseline(q), seed=0).p for q in points)
    assert 0 < best < 0.2 and found.p >= 0.9 * best


def test_wider_sets_are_nearer_and_likelier():
    counts = [20, 3, 1]
    narrow, wide = Hull.of(TRIANGLE.array[:1]), TRIANGLE
    a, b = hull_score(counts, narrow, seed=0), hull_score(counts, wide, seed=0)
    assert b.tv <= a.tv + 1e-8 and b.p >= a.p


def test_order_of_members_and_outcomes_does_not_matter():
    counts = np.array([14, 3, 7])
    a = hull_score(counts, TRIANGLE, seed=0)
    b = hull_score(counts[::-1], Hull.of(TRIANGLE.array[::-1, ::-1]), seed=0)
    assert (b.tv, b.tv_expected) == pytest.approx((a.tv, a.tv_expected)) and b.p == pytest.approx(a.p, rel=0.1)


def test_a_model_of_the_outermost_constants_is_rarely_rejected_and_its_distance_rarely_missed():
    from sim.spread import fit_spread, members, n_behind_member

    rng, n_trials = np.random.default_rng(0), 30
    p_values, missed = [], 0
    for _ in range(n_trials):
        truth = rng.dirichlet([50, 30, 20], size=64)
        table = np.array([rng.multinomial(80, row) for row in truth])
        fit = fit_spread(table)
        hull = Hull.of(members(table, fit), n=n_behind_member(table, fit))
        model = truth[np.abs(truth - truth.mean(axis=0)).sum(axis=1).argmax()]
        counts = rng.multinomial(100, model)
        score = hull_score(counts, hull, seed=0)
        p_values.append(score.p)
        interval = hull_interval(score, counts, hull, seed=0)
        missed += interval.low > 0  # the model is a member: its distance is 0
    assert sum(p <= 0.05 for p in p_values) <= binom.ppf(0.999, n_trials, 0.05)
    assert missed <= binom.ppf(0.999, n_trials, 0.05)


def test_interval_starts_at_0_inside_and_above_it_far_away():
    inside, far = hull_score([13, 11], PAIR, seed=0), hull_score([50, 0], PAIR, seed=0)
    assert hull_interval(inside, [13, 11], PAIR, seed=0).low == 0
    found = hull_interval(far, [50, 0], PAIR, seed=0)
    assert 0.2 < found.low < far.tv <= found.high


def test_nothing_counted_is_undefined_with_a_name():
    found = hull_score([0, 0], PAIR, seed=0)
    assert math.isnan(found.tv) and math.isnan(found.p) and found.method == "undefined"


def test_what_is_no_set_of_distributions_is_refused():
    with pytest.raises(ValueError, match="members must be one or more distributions over the same outcomes"):
        Hull(members=())
    with pytest.raises(ValueError, match="p must sum to 1"):
        Hull.of([[0.5, 0.6]])
    with pytest.raises(ValueError, match="n must be positive or None, got 0"):
        Hull.of([[0.5, 0.5]], n=0)
    with pytest.raises(ValueError, match="shares must hold 2 numbers, one per outcome, got 3"):
        nearest((0.2, 0.3, 0.5), PAIR)
    with pytest.raises(ValueError, match="counts must hold 2 numbers"):
        hull_score([1, 2, 3], PAIR, seed=0)


def test_a_sampled_sets_points_are_as_uncertain_as_whole_draws():
    found = Hull.of([[1 / 3, 2 / 3]], n=100).baseline([1 / 3, 2 / 3])
    assert found.counts == (33, 67) and found.p == (1 / 3, 2 / 3)
