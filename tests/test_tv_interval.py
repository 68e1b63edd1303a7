import math
import sys

import numpy as np
import pytest
from scipy import stats as reference

from calibrate.stats import Baseline, clopper_pearson, total_variation, tv_interval, tv_test
from calibrate.stats.tv_interval import own_half_width

COIN = Baseline.exact([0.5, 0.5])
WHEEL = Baseline.exact([18 / 37, 18 / 37, 1 / 37])
BOARD = Baseline.exact([math.comb(10, i) / 1024 for i in range(11)])


def moved(baseline: Baseline, tau: float, *, source: int, target: int) -> np.ndarray:
    q = np.asarray(baseline.p).copy()
    q[source], q[target] = q[source] - tau, q[target] + tau
    return q


def misses(baseline: Baseline, q: np.ndarray, *, n: int, repeats: int, seed: int) -> tuple[int, int]:
    """How often the interval lies above and below the true total variation."""
    true = 0.5 * np.abs(q - np.asarray(baseline.p)).sum()
    known, above, below = {}, 0, 0
    for counts in np.random.default_rng(seed).multinomial(n, q, size=repeats):
        key = tuple(counts)
        if key not in known:
            known[key] = tv_interval(counts, baseline, seed=0)
        above += known[key].low > true + 1e-9
        below += known[key].high < true - 1e-9
    return above, below


@pytest.mark.parametrize(
    ("baseline", "tau", "source", "target"),
    [(COIN, 0.0, 0, 1), (COIN, 0.2, 0, 1), (COIN, 0.45, 0, 1), (WHEEL, 0.05, 0, 2), (WHEEL, 0.2, 0, 2)]
    + [(WHEEL, 0.4, 0, 1), (Baseline.exact([0.25] * 4), 0.2, 0, 3)],
)
@pytest.mark.parametrize("n", [8, 24])
def test_each_end_misses_no_more_than_half_of_the_error(
    baseline: Baseline, tau: float, source: int, target: int, n: int
) -> None:
    q = moved(baseline, tau, source=source, target=target)
    above, below = misses(baseline, q, n=n, repeats=1000, seed=7)
    allowed = reference.binom(1000, 0.025).ppf(0.999)
    assert above <= allowed and below <= allowed


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tau", "source", "target"), [(0.0, 5, 0), (0.1, 5, 0), (0.2, 5, 0), (0.2, 5, 6), (0.2, 5, 10)]
)
def test_covers_on_a_board_of_eleven_bins_whose_mass_moves_to_a_rare_bin(tau: float, source: int, target: int) -> None:
    above, below = misses(BOARD, moved(BOARD, tau, source=source, target=target), n=24, repeats=300, seed=3)
    allowed = reference.binom(300, 0.025).ppf(0.999)
    assert above <= allowed and below <= allowed


def test_upper_limit_for_a_coin_is_the_exact_binomial_one() -> None:
    found = tv_interval([18, 6], COIN, seed=0)
    assert found.high == pytest.approx(clopper_pearson(18, 24).high - 0.5, abs=1e-12)


def test_lower_limit_is_above_zero_exactly_if_the_test_rejects_at_half_of_the_error() -> None:
    for heads in range(13):
        counts = [heads, 24 - heads]
        assert (tv_interval(counts, COIN, seed=0).low > 0) == (tv_test(counts, COIN, seed=0).p <= 0.025)


def test_holds_the_estimate_and_narrows_with_more_clips() -> None:
    widths = []
    for n in (12, 48, 192):
        counts = [n // 2, n // 4, n // 4]
        found = tv_interval(counts, WHEEL, seed=0)
        assert 0 <= found.low <= total_variation(counts, WHEEL) <= found.high <= 1
        widths.append(found.high - found.low)
    assert widths[0] > widths[1] > widths[2]


def test_a_sampled_reference_widens_it() -> None:
    counts = [18, 4, 2]
    exact, sampled = (tv_interval(counts, b, seed=0) for b in (WHEEL, Baseline.sample([54, 54, 3])))
    assert sampled.low < exact.low and sampled.high > exact.high


def test_many_outcomes_use_the_bound_over_all_offsets() -> None:
    counts = [3] * 5 + [1] * 9
    few = tv_interval(counts[:12], Baseline.exact([1 / 12] * 12), seed=0)
    many = tv_interval(counts, Baseline.exact([1 / 14] * 14), seed=0)
    assert 0 < few.high < 0.7 and 0 < many.high < 0.7


@pytest.mark.parametrize("counts", [[2, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0], [3, 0, 0, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0]])
def test_the_bound_over_all_offsets_is_none_too_low_where_outcomes_are_rare(monkeypatch, counts: list[int]) -> None:
    rare = Baseline.exact([1e-7] * 3 + [(1 - 3e-7) / 10] * 10)
    bound = tv_interval(counts, rare, seed=0).high
    monkeypatch.setattr(sys.modules["calibrate.stats.tv_interval"], "N_SUBSETS", 1 << 13)
    assert bound >= tv_interval(counts, rare, seed=0).high - 1e-9


@pytest.mark.parametrize(("hits", "n"), [(20, 20), (0, 300), (7, 40)])
def test_a_sampled_reference_errs_as_jeffreys_interval_says(hits: int, n: int) -> None:
    # Brown, Cai and DasGupta 2001: Jeffreys' interval of the share is the beta quantiles at (k + 1/2, n - k + 1/2)
    law = reference.beta(hits + 0.5, n - hits + 0.5)
    drawn = np.abs(law.rvs(40_000, random_state=3) - hits / n)
    found = own_half_width(Baseline.sample([hits, n - hits]), 0.975)
    assert found > 0 and found == pytest.approx(np.quantile(drawn, 0.975), rel=0.1)


def test_one_that_shows_one_outcome_alone_widens_it_too() -> None:
    alone, exact = Baseline.sample([20, 0]), Baseline.exact([1, 0])
    assert tv_interval([20, 0], alone, seed=0).high > tv_interval([20, 0], exact, seed=0).high + 0.02


def test_nothing_counted_is_undefined() -> None:
    assert math.isnan(tv_interval([0, 0], COIN, seed=0).low)


def test_refuses_a_level_given_in_percent() -> None:
    with pytest.raises(ValueError, match="level must lie strictly between 0 and 1, got 95"):
        tv_interval([1, 1], COIN, seed=0, level=95)
