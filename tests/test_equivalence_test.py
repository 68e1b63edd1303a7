"""Equivalence is shown no oftener than the level where there is none, and by the binomial law where one can sum it."""

from __future__ import annotations

import math
from itertools import chain, combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as reference

from calibrate.stats import Baseline, equivalence_test, total_variation, tv_interval
from calibrate.stats.compositions import compositions, probabilities

COIN = Baseline.exact([0.5, 0.5])
WHEEL = Baseline.exact([18 / 37, 18 / 37, 1 / 37])


@pytest.mark.parametrize(("heads", "n"), [(50, 100), (61, 100), (160, 300)])
def test_two_outcomes_are_two_one_sided_binomial_tests(heads: int, n: int) -> None:
    # scipy: binomtest(heads, n, 0.6, alternative="less"), binomtest(heads, n, 0.4, alternative="greater")
    low = reference.binomtest(heads, n, 0.6, alternative="less").pvalue
    high = reference.binomtest(heads, n, 0.4, alternative="greater").pvalue
    assert equivalence_test([heads, n - heads], COIN, margin=0.1).p == pytest.approx(max(low, high), rel=1e-9)


def test_equals_a_plain_loop_over_all_sets() -> None:
    counts, p, slow = [20, 16, 1], WHEEL.p, 0.0
    for members in chain.from_iterable(combinations(range(3), size) for size in (1, 2)):
        bound = sum(p[i] for i in members) + 0.1
        if bound <= 1:
            slow = max(slow, reference.binom(37, bound).cdf(sum(counts[i] for i in members)))
    assert equivalence_test(counts, WHEEL, margin=0.1).p == pytest.approx(slow, rel=1e-9)


@pytest.mark.parametrize("margin", [0.1, 0.2])
@pytest.mark.parametrize(("source", "target"), [(0, 1), (0, 2)])
def test_a_model_at_the_margin_is_shown_to_be_within_it_no_oftener_than_the_level(margin, source, target) -> None:
    q = np.array(WHEEL.p)
    q[source], q[target] = q[source] - margin, q[target] + margin
    tables = compositions(40, 3)
    weight, shown = probabilities(tables, Baseline.exact(q.tolist())), 0.0
    for table, w in zip(tables[weight > 1e-6], weight[weight > 1e-6], strict=True):
        shown += w * (equivalence_test(table, WHEEL, margin=margin).p <= 0.05)
    assert 0 <= shown <= 0.05  # the exact sum over all tables but those of 1e-6 or less, 861 in all


def test_a_faithful_model_is_shown_to_be_equivalent_once_there_are_clips_enough() -> None:
    rng, die = np.random.default_rng(3), Baseline.exact([1 / 6] * 6)
    shown = [
        np.mean([equivalence_test(c, die, margin=0.1).p <= 0.05 for c in rng.multinomial(n, die.p, size=40)])
        for n in (50, 2000)
    ]
    assert shown[0] < 0.1 and shown[1] > 0.9


@given(st.lists(st.integers(0, 30), min_size=3, max_size=3).filter(sum), st.sampled_from([0.05, 0.1, 0.3]))
def test_is_at_least_as_sure_as_the_interval_and_surer_of_a_wider_margin(counts: list[int], margin: float) -> None:
    p = equivalence_test(counts, WHEEL, margin=margin).p
    assert 0 <= equivalence_test(counts, WHEEL, margin=margin + 0.1).p <= p + 1e-12
    assert equivalence_test(counts, WHEEL, margin=margin, most_outcomes=2).p >= p - 1e-12
    if total_variation(counts, WHEEL) >= margin + 0.1:
        assert p > 0.5
    if p > 0.025:  # 95 %: each limit has half of the error
        assert tv_interval(counts, WHEEL, seed=0).high >= margin - 1e-9


def test_a_sampled_reference_makes_it_less_sure_and_a_large_one_hardly_does() -> None:
    exact, small, large = (
        equivalence_test([110, 90], b, margin=0.15).p
        for b in (COIN, Baseline.sample([100, 100]), Baseline.sample([10**6, 10**6]))
    )
    assert exact < small and large == pytest.approx(exact, rel=0.01)


def test_a_sampled_reference_keeps_the_level() -> None:
    rng, shown = np.random.default_rng(4), 0
    for _ in range(400):
        baseline = Baseline.sample(rng.multinomial(300, WHEEL.p))
        q = np.array(WHEEL.p) - [0.1, 0, -0.1]
        shown += equivalence_test(rng.multinomial(150, q), baseline, margin=0.1).p <= 0.05
    assert shown <= reference.binom(400, 0.05).ppf(0.999)


def test_many_outcomes_use_the_bound_and_a_margin_that_nothing_can_reach_is_shown() -> None:
    found = equivalence_test([100] * 20, Baseline.exact([0.05] * 20), margin=0.1)
    assert found.method == "bound" and found.p < 0.001
    assert equivalence_test([5, 1], Baseline.exact([0.5, 0.5]), margin=0.6).p == 0.0


def test_nothing_counted_is_undefined_and_a_margin_in_percent_is_refused() -> None:
    found = equivalence_test([0, 0], COIN, margin=0.1)
    assert math.isnan(found.p) and (found.method, found.margin) == ("undefined", 0.1)
    with pytest.raises(ValueError, match="margin must lie strictly between 0 and 1, got 10"):
        equivalence_test([1, 1], COIN, margin=10)
