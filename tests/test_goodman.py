import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as reference

from calibrate.stats import goodman, wilson


@given(st.lists(st.integers(0, 20), min_size=2, max_size=8).filter(sum))
def test_is_wilson_at_the_error_divided_by_the_number_of_outcomes(counts: list[int]) -> None:
    for count, found in zip(counts, goodman(counts), strict=True):
        alone = wilson(count, sum(counts), level=1 - 0.05 / len(counts))
        assert (found.low, found.high) == (pytest.approx(alone.low, abs=1e-9), pytest.approx(alone.high, abs=1e-9))
        assert found.low <= count / sum(counts) <= found.high and found.level == 0.95


def test_equals_the_roots_of_goodmans_equation() -> None:
    # A worked case of his eq. 2.5: (share - q)^2 = B q (1 - q) / n, B the upper 0.05 / 3 point of chi-square
    counts, b = [91, 49, 37], reference.chi2(1).isf(0.05 / 3)
    for count, found in zip(counts, goodman(counts), strict=True):
        n, share = sum(counts), count / sum(counts)
        roots = sorted(np.roots([1 + b / n, -(2 * share + b / n), share**2]).real)
        assert [found.low, found.high] == pytest.approx(roots)


def test_covers_all_faces_of_a_die_together_and_single_intervals_do_not() -> None:
    rng, missed, missed_alone = np.random.default_rng(5), 0, 0
    for counts in rng.multinomial(50, [1 / 6] * 6, size=600):
        missed += any(not i.low <= 1 / 6 <= i.high for i in goodman(counts.tolist()))
        alone = [wilson(c, 50) for c in counts.tolist()]
        missed_alone += any(not i.low <= 1 / 6 <= i.high for i in alone)
    allowed = reference.binom(600, 0.05).ppf(0.999)
    assert missed <= allowed < missed_alone


def test_nothing_counted_is_undefined_and_one_outcome_is_refused() -> None:
    assert math.isnan(goodman([0, 0])[1].high)
    with pytest.raises(ValueError, match=r"counts must hold two or more outcomes, got \[3\]"):
        goodman([3])
