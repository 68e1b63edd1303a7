import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as reference

from calibrate.stats import (
    Baseline,
    convolution,
    excess,
    expected_total_variation,
    multinomial_test,
    total_variation,
    tv_test,
)
from calibrate.stats.compositions import compositions, probabilities
from calibrate.stats.convolution import _half
from calibrate.stats.multinomial_test import statistic_of

CELLS = json.loads((Path(__file__).parent / "data" / "calibench_exact.json").read_text())["cells"]
BOARD = tuple(math.comb(10, i) / 1024 for i in range(11))
P = {"galton_board_real": BOARD, "galton_board": BOARD, "roulette": (18 / 37, 18 / 37, 1 / 37)}


def baseline_of(cell: dict) -> Baseline:
    k = len(cell["counts"])
    return Baseline.exact(P.get(cell["scene"], (1 / k,) * k))


def test_all_54_published_cells_match_to_the_printed_digits() -> None:
    tested = 0
    for cell in CELLS:
        baseline, n = baseline_of(cell), cell["n"]
        found = {s: multinomial_test(cell["counts"], baseline, seed=0, statistic=s) for s in ("chi2", "tv")}
        if n == 0:
            assert found["tv"].method == "undefined"
            continue
        tested += cell["p_exact"] is not None
        tv, e0 = total_variation(cell["counts"], baseline), expected_total_variation(n, baseline)
        assert (tv, e0) == (pytest.approx(cell["tv"], abs=1e-12), pytest.approx(cell["e0"], abs=1e-12))
        if cell["excess"] is not None:
            assert excess(tv, e0) == pytest.approx(cell["excess"], abs=1e-9)
        assert found["chi2"].value == pytest.approx(cell["chi2"], rel=1e-12)
        assert {r.method for r in found.values()} == {"exact"}
        if cell["p_exact"] is not None:
            printed = cell["p_exact"]
            assert found["chi2"].p == pytest.approx(printed, rel=0.0051, abs=5.1e-6), cell
    assert len(CELLS) == 54 and tested == 44


@pytest.mark.parametrize("statistic", ["chi2", "likelihood_ratio", "tv"])
@pytest.mark.parametrize("baseline", [Baseline.exact([0.2, 0.5, 0.3, 0.0]), Baseline.sample([20, 51, 29, 1])])
def test_equals_a_plain_sum_over_all_tables(baseline: Baseline, statistic: str) -> None:
    tables = compositions(7, 4)
    pmf, values = probabilities(tables, baseline), statistic_of(tables, baseline, statistic)
    for observed, value in list(zip(tables, values, strict=True))[::7]:
        slow = pmf[values >= value - 1e-9].sum() if math.isfinite(value) else 0.0
        got = multinomial_test(observed, baseline, seed=0, statistic=statistic)
        assert got.method == "exact" and got.p == pytest.approx(slow, abs=1e-10)


@settings(max_examples=15, deadline=None)
@given(counts=st.lists(st.integers(0, 9), min_size=2, max_size=4).filter(sum))
def test_its_tv_test_is_the_enumerated_one_and_its_statistics_are_scipys(counts: list[int]) -> None:
    p = np.arange(1, len(counts) + 1) / np.arange(1, len(counts) + 1).sum()
    baseline = Baseline.exact(p.tolist())
    assert multinomial_test(counts, baseline, seed=0).p == pytest.approx(tv_test(counts, baseline, seed=0).p, abs=1e-9)
    for name, power in (("chi2", 1), ("likelihood_ratio", 0)):
        value = multinomial_test(counts, baseline, seed=0, statistic=name).value
        expected = reference.power_divergence(counts, sum(counts) * p, lambda_=power).statistic
        assert value == pytest.approx(expected, abs=1e-9)


def test_monte_carlo_is_within_its_error_of_the_exact_sum() -> None:
    counts, baseline = [9, 5, 3, 7, 2, 6], Baseline.exact([1 / 6] * 6)
    exact = multinomial_test(counts, baseline, seed=0, statistic="chi2")
    drawn = multinomial_test(counts, baseline, seed=0, statistic="chi2", exact=False)
    assert (exact.method, drawn.method, drawn.n_draws) == ("exact", "monte_carlo", 100_000)
    assert abs(drawn.p - exact.p) < 4 * drawn.p_error and drawn.p_error < 0.002 and exact.p_error == 0


def test_two_outcomes_and_many_clips_equal_the_binomial_test() -> None:
    got = multinomial_test([220, 180], Baseline.exact([0.5, 0.5]), seed=0, statistic="chi2")
    assert got.p == pytest.approx(reference.binomtest(220, 400, 0.5).pvalue, abs=1e-9)


def test_too_many_states_fall_back_to_drawing_and_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(convolution, "MOST_STATES", 10)
    got = multinomial_test([7, 0, 0, 0], Baseline.exact([0.01, 0.09, 0.3, 0.6]), seed=0, n_draws=500)
    assert (got.method, got.n_draws) == ("monte_carlo", 500) and got.p == 1 / 501


def test_an_outcome_that_an_exact_reference_excludes_has_p_zero() -> None:
    got = multinomial_test([3, 1], Baseline.exact([1.0, 0.0]), seed=0, statistic="chi2")
    assert got.p == 0 and math.isinf(got.value)


@pytest.mark.parametrize("statistic", ["chi2", "likelihood_ratio"])
def test_an_outcome_that_a_sampled_reference_never_showed_is_improbable_not_impossible(statistic: str) -> None:
    got = multinomial_test([3, 3, 1], Baseline.sample([50, 50, 0]), seed=0, statistic=statistic)
    # the third outcome's probability follows Beta(1/2, 101): scipy.stats.betabinom(7, 0.5, 101).sf(0) -> 0.03341
    assert got.value < 300 and got.p == pytest.approx(reference.betabinom(7, 0.5, 101).sf(0), abs=0.02)
    rng, q, alarms = np.random.default_rng(5), [0.49, 0.49, 0.02], 0
    for _ in range(400):
        baseline, counts = Baseline.sample(rng.multinomial(60, q)), rng.multinomial(24, q)
        alarms += multinomial_test(counts, baseline, seed=0, statistic=statistic).p <= 0.05
    assert alarms <= reference.binom(400, 0.05).ppf(0.999)


def test_the_halves_hold_all_the_probability() -> None:
    half = _half([(np.array([0.5, 0.3, 0.2]), np.array([0.0, 1.0, 2.0]))], 2)
    assert half is not None and [w.sum() for _, w in half] == pytest.approx([0.5, 0.3, 0.2])


def test_refuses_an_unknown_statistic() -> None:
    with pytest.raises(ValueError, match="statistic must be chi2, likelihood_ratio or tv, got 'ks'"):
        multinomial_test([1, 2], Baseline.exact([0.5, 0.5]), seed=0, statistic="ks")  # type: ignore[arg-type]
