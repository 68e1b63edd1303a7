import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as reference

from calibrate.stats import Baseline, wasserstein

BOARD = Baseline.exact([math.comb(10, i) / 1024 for i in range(11)])


@given(st.lists(st.integers(0, 9), min_size=11, max_size=11).filter(sum))
def test_equals_scipys_on_the_bins_of_a_board(counts: list[int]) -> None:
    expected = reference.wasserstein_distance(np.arange(11), np.arange(11), counts, BOARD.p)
    assert wasserstein(counts, BOARD) == pytest.approx(expected, abs=1e-12)


def test_tells_the_next_bin_from_the_far_one_and_knows_places() -> None:
    start = Baseline.exact([1.0, 0.0, 0.0])
    assert (wasserstein([0, 1, 0], start), wasserstein([0, 0, 1], start)) == (1.0, 2.0)
    assert wasserstein([0, 0, 1], start, positions=[0, 0.1, 0.5]) == 0.5
    assert math.isnan(wasserstein([0, 0, 0], start))


def test_refuses_places_that_do_not_increase() -> None:
    with pytest.raises(ValueError, match=r"positions must be 3 increasing numbers, got \[0.0, 0.0, 1.0\]"):
        wasserstein([1, 1, 1], Baseline.exact([0.5, 0.25, 0.25]), positions=[0, 0, 1])
