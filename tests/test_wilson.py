import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as reference

from calibrate.stats import clopper_pearson, wilson


@given(st.integers(0, 60), st.integers(1, 60), st.sampled_from([0.8, 0.95, 0.99]))
def test_equals_scipys(hits: int, n: int, level: float) -> None:
    hits = min(hits, n)
    expected = reference.binomtest(hits, n).proportion_ci(level, method="wilson")
    found = wilson(hits, n, level=level)
    assert (found.low, found.high) == (pytest.approx(expected.low, abs=1e-9), pytest.approx(expected.high, abs=1e-9))


def test_covers_less_than_its_level_near_one_where_clopper_pearson_does_not() -> None:
    # 24 clips, each legible with probability 0.993; the interval for 23 of 24 ends at 0.9926, so only 24 of 24 covers
    pmf = reference.binom(24, 0.993).pmf(range(25))

    def coverage(interval) -> float:
        return sum(w for k, w in enumerate(pmf) if interval(k, 24).low <= 0.993 <= interval(k, 24).high)

    assert coverage(wilson) == pytest.approx(0.993**24) and coverage(clopper_pearson) >= 0.95


def test_nothing_tried_is_undefined_and_more_hits_than_tries_are_refused() -> None:
    assert math.isnan(wilson(0, 0).low) and math.isnan(wilson(0, 0).high)
    with pytest.raises(ValueError, match="hits must lie between 0 and n, got 3 of 2"):
        wilson(3, 2)
    with pytest.raises(ValueError, match="level must lie strictly between 0 and 1, got 95"):
        wilson(1, 2, level=95)
