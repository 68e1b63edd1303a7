from itertools import combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibrate.stats import Baseline, share_bounds, total_variation, tv_bounds


@given(st.lists(st.integers(0, 5), min_size=2, max_size=4), st.integers(0, 5), st.integers(0, 9))
def test_equals_trying_every_way_to_fill_in(counts: list[int], n_missing: int, seed: int) -> None:
    if sum(counts) + n_missing == 0:
        return
    baseline = Baseline.exact(np.random.default_rng(seed).dirichlet(np.ones(len(counts))))
    tried = []
    for filled in combinations_with_replacement(range(len(counts)), n_missing):
        tried.append(total_variation(np.array(counts) + np.bincount(filled, minlength=len(counts)), baseline))
    found = tv_bounds(counts, n_missing, baseline)
    assert (found.low, found.high) == pytest.approx((min(tried), max(tried)), abs=1e-12)


def test_two_of_eight_is_a_quarter_to_a_half_when_two_are_missing() -> None:
    found = share_bounds(2, 6, 2)
    assert (found.low, found.high) == (0.25, 0.5)


def test_refuses_impossible_arguments() -> None:
    with pytest.raises(ValueError, match="need 0 <= count <= n_scored"):
        share_bounds(3, 2, 1)
    with pytest.raises(ValueError, match="need at least one clip"):
        tv_bounds([0, 0], 0, Baseline.exact([0.5, 0.5]))
