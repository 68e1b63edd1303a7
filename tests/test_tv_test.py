import math
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as reference

from calibrate.stats import Baseline, total_variation, tv_test
from calibrate.stats.compositions import compositions, probabilities


@given(st.integers(0, 30), st.integers(1, 30))
def test_equals_the_two_sided_binomial_test_for_a_fair_coin(heads: int, n: int) -> None:
    heads = min(heads, n)
    # scipy 1.x: binomtest(k, n, 0.5).pvalue sums all outcomes as far from n/2, which is the same statistic
    expected = reference.binomtest(heads, n, 0.5).pvalue
    assert tv_test([heads, n - heads], Baseline.exact([0.5, 0.5]), seed=0).p == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("baseline", [Baseline.exact([0.2, 0.5, 0.3]), Baseline.sample([20, 51, 29])])
def test_equals_a_plain_sum_over_all_tables(baseline: Baseline) -> None:
    tables = compositions(7, 3)
    pmf = probabilities(tables, baseline)
    for observed in tables[::5]:
        tv = total_variation(observed, baseline)
        slow = sum(q for t, q in zip(tables, pmf, strict=True) if total_variation(t, baseline) >= tv - 1e-9)
        assert tv_test(observed, baseline, seed=0).p == pytest.approx(slow, abs=1e-12)


def test_monte_carlo_agrees_with_the_exact_sum(monkeypatch: pytest.MonkeyPatch) -> None:
    module = sys.modules["calibrate.stats.tv_test"]
    baseline = Baseline.exact([0.1, 0.2, 0.3, 0.4])
    exact = tv_test([5, 5, 5, 5], baseline, seed=0)
    monkeypatch.setattr(module, "N_EXACT", 0)
    module._null.cache_clear()
    sampled = tv_test([5, 5, 5, 5], baseline, seed=0)
    module._null.cache_clear()
    assert (exact.method, sampled.method, sampled.n_draws) == ("exact", "monte_carlo", 100_000)
    assert sampled.p == pytest.approx(exact.p, abs=4 * math.sqrt(exact.p / 100_000))
    assert sampled.p > 0


def test_smallest_monte_carlo_p_is_add_one_and_ties_count() -> None:
    board = Baseline.exact([math.comb(10, i) / 1024 for i in range(11)])
    assert tv_test([24] + [0] * 10, board, seed=1).p == 1 / 100_001
    assert tv_test([1] + [0] * 10, Baseline.exact([1 / 11] * 11), seed=1).p == pytest.approx(1.0)


def test_same_seed_same_p_and_other_seed_nearly() -> None:
    board = Baseline.exact([math.comb(10, i) / 1024 for i in range(11)])
    counts = [0, 0, 0, 1, 5, 10, 5, 2, 1, 0, 0]
    first, other = tv_test(counts, board, seed=1), tv_test(counts, board, seed=2)
    assert first == tv_test(counts, board, seed=1)
    assert first.p != other.p and first.p == pytest.approx(other.p, abs=0.01)


def test_an_outcome_the_reference_never_gave_is_no_error() -> None:
    assert 0 < tv_test([3, 1], Baseline.sample([5000, 0]), seed=0).p < 0.01
    assert tv_test([3, 1], Baseline.exact([1.0, 0.0]), seed=0).p == 0.0
    assert tv_test([4, 0], Baseline.exact([1.0, 0.0]), seed=0).p == 1.0


def test_nothing_counted_has_no_p() -> None:
    result = tv_test([0, 0], Baseline.exact([0.5, 0.5]), seed=0)
    assert math.isnan(result.p) and result.method == "undefined"


@pytest.mark.parametrize(("n_reference", "repeats"), [(60, 1500), (5000, 1000)])
def test_rejects_a_faithful_model_no_more_often_than_the_level(n_reference: int, repeats: int) -> None:
    p, rng = [0.45, 0.35, 0.2], np.random.default_rng(11)
    rejected = 0
    for _ in range(repeats):
        baseline = Baseline.sample(rng.multinomial(n_reference, p))
        rejected += tv_test(rng.multinomial(24, p), baseline, seed=0).p <= 0.05
    assert 0.01 * repeats < rejected <= reference.binom(repeats, 0.05).ppf(0.999)
