"""Numbers of clips have the power that they are said to have, by brute force and by the binomial law."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as reference

from calibrate.stats import Baseline, equivalence_test, tv_test
from calibrate.stats.power import (
    DEPARTURES,
    departure,
    detectable,
    detection_power,
    equivalence_power,
    farthest,
    least_n,
)

COIN = Baseline.exact([0.5, 0.5])
WHEEL = Baseline.exact([18 / 37, 18 / 37, 1 / 37])
DIE = Baseline.exact([1 / 6] * 6)


@given(
    st.lists(st.floats(0.02, 1), min_size=2, max_size=6),
    st.sampled_from(DEPARTURES),
    st.floats(0.01, 1, exclude_max=True),
)
def test_departures_are_distributions_at_their_distance(parts: list[float], kind, part: float) -> None:
    p = np.array(parts) / sum(parts)
    tv = part * farthest(p, kind)
    q = departure(p, tv, kind)
    assert q.min() >= -1e-12 and q.sum() == pytest.approx(1)
    assert 0.5 * np.abs(q - p).sum() == pytest.approx(tv)


def test_departures_end_in_what_they_are_called() -> None:
    p = [0.5, 0.3, 0.2]
    assert departure(p, 0.5, "collapse") == pytest.approx([1, 0, 0])
    assert departure(p, 0.7, "tilt") == pytest.approx([0, 1, 0])
    assert departure(p, 0.5, "missing") == pytest.approx([0, 0.6, 0.4])
    assert departure(p, 0.8, "missing") == pytest.approx([0, 0, 1])
    assert departure([1.0, 0.0, 0.0], 0.5, "missing") == pytest.approx([0.5, 0.25, 0.25])
    with pytest.raises(ValueError, match="tv must lie above 0 and be at most 0.5 for collapse, got 0.6"):
        departure(p, 0.6, "collapse")
    with pytest.raises(ValueError, match="kind must be one of collapse, tilt, missing, got 'odd'"):
        departure(p, 0.1, "odd")


def test_power_for_a_coin_is_that_of_the_binomial_test() -> None:
    rejects = [k for k in range(51) if reference.binomtest(k, 50, 0.5).pvalue <= 0.05]
    expected = reference.binom(50, 0.7).pmf(rejects).sum()
    assert detection_power(50, COIN, np.array([0.7, 0.3]), level=0.05, seed=0) == pytest.approx(expected, abs=1e-12)
    shown = [k for k in range(401) if equivalence_test([k, 400 - k], COIN, margin=0.1).p <= 0.05]
    expected = reference.binom(400, 0.5).pmf(shown).sum()
    found = equivalence_power(400, COIN, np.array([0.5, 0.5]), margin=0.1, level=0.05, seed=0)
    assert found == pytest.approx(expected, abs=1e-12)


def test_power_for_a_coin_needs_as_many_clips_as_the_tables_say() -> None:
    # 0.5 against 0.75, two-sided 5 %, 80 %: 2.8016^2 times about 0.25 / 0.25^2 = 31 by the normal approximation, less
    # what the smaller variance at 0.75 saves; the exact test needs some more for its jumps
    def power_at(n: int) -> float:
        return detection_power(n, COIN, np.array([0.75, 0.25]), level=0.05, seed=0)

    n = least_n(power_at, 0.8, scan=True)
    assert 26 <= n <= 40
    assert all(power_at(m) >= 0.8 for m in range(n, n + 12)) and power_at(n - 1) < 0.8


@pytest.mark.parametrize(("baseline", "kind", "tv"), [(WHEEL, "tilt", 0.3), (DIE, "missing", 0.25)])
def test_the_number_of_clips_has_its_power_in_brute_force(baseline: Baseline, kind, tv: float) -> None:
    truth = departure(baseline.p, tv, kind)
    n = least_n(lambda m: detection_power(m, baseline, truth, level=0.05, seed=0), 0.8, scan=False)
    rng, repeats = np.random.default_rng(8), 1000
    for clips, low, high in ((n, 0.8, 1.0), (n // 2, 0.0, 0.75)):
        rejected = sum(tv_test(c, baseline, seed=1).p <= 0.05 for c in rng.multinomial(clips, truth, size=repeats))
        assert reference.binom(repeats, low).ppf(0.001) <= rejected <= reference.binom(repeats, high).ppf(0.999)


def test_the_number_of_clips_that_shows_equivalence_does_so_in_brute_force() -> None:
    truth = np.array(WHEEL.p)
    n = least_n(lambda m: equivalence_power(m, WHEEL, truth, margin=0.15, level=0.05, seed=0), 0.8, scan=False)
    rng, repeats = np.random.default_rng(9), 500
    for clips, low, high in ((n, 0.79, 1.0), (n // 2, 0.0, 0.7)):
        shown = sum(
            equivalence_test(c, WHEEL, margin=0.15).p <= 0.05 for c in rng.multinomial(clips, truth, size=repeats)
        )
        assert reference.binom(repeats, low).ppf(0.001) <= shown <= reference.binom(repeats, high).ppf(0.999)


def test_drawn_and_summed_power_agree(monkeypatch) -> None:
    from calibrate.stats import power

    truth = departure(WHEEL.p, 0.2, "tilt")
    both = []
    for limit in (20_000, 0):
        monkeypatch.setattr(power, "N_EXACT", limit)
        power._critical.cache_clear()
        both.append(
            (
                detection_power(40, WHEEL, truth, level=0.05, seed=0),
                equivalence_power(90, WHEEL, np.array(WHEEL.p), margin=0.2, level=0.05, seed=0),
            )
        )
    power._critical.cache_clear()
    assert both[1] == pytest.approx(both[0], abs=0.03)  # the drawn critical value may be one jump off


def test_many_outcomes_use_the_bound_that_the_test_uses() -> None:
    many = Baseline.exact([0.05] * 20)
    rng = np.random.default_rng(2)
    shown = [equivalence_test(c, many, margin=0.2).p <= 0.05 for c in rng.multinomial(400, many.p, size=60)]
    found = equivalence_power(400, many, np.array(many.p), margin=0.2, level=0.05, seed=0)
    assert reference.binom(60, found).ppf(0.0005) <= sum(shown) <= reference.binom(60, found).ppf(0.9995)


def test_detectable_distance_falls_with_clips_and_is_found_at_its_power() -> None:
    few, many = (detectable(n, COIN, power=0.8, level=0.05, seed=0) for n in (20, 100))
    assert many < few
    for n, tv in ((20, few), (100, many)):
        worst = min(detection_power(n, COIN, departure(COIN.p, tv, kind), level=0.05, seed=0) for kind in DEPARTURES)
        assert 0.8 <= worst < 0.86
    assert detectable(3, COIN, power=0.8, level=0.05, seed=0) is None  # even 3 of 3 heads has p = 0.25


def test_what_no_number_of_clips_reaches_is_none() -> None:
    assert least_n(lambda n: 0.5, 0.8, scan=False, most=100) is None
    assert least_n(lambda n: n / 100, 0.8, scan=True, most=100) == 80
