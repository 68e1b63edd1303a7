from itertools import combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calibrate.stats import Baseline, Hull, hull_tv_bounds, nearest, share_bounds, total_variation, tv_bounds


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


@settings(max_examples=15)
@given(st.lists(st.integers(0, 6), min_size=2, max_size=3), st.integers(0, 4), st.integers(0, 9))
def test_bounds_of_a_set_hold_every_way_to_fill_in(counts: list[int], n_missing: int, seed: int) -> None:
    n = sum(counts) + n_missing
    if n == 0:
        return
    hull = Hull.of(np.random.default_rng(seed).dirichlet(np.full(len(counts), 5), size=4))
    tried = []
    for filled in combinations_with_replacement(range(len(counts)), n_missing):
        whole = np.array(counts) + np.bincount(filled, minlength=len(counts))
        tried.append(nearest(tuple((whole / n).tolist()), hull).tv)
    found = hull_tv_bounds(counts, n_missing, hull)
    assert found.high == pytest.approx(max(tried), abs=1e-8)
    assert min(tried) - len(counts) / (2 * n) < found.low <= min(tried) + 1e-8  # there a clip may be divided


def test_bounds_of_a_set_are_known_where_they_can_be_seen() -> None:
    hull = Hull.of([[0.3, 0.7], [0.6, 0.4]])
    found = hull_tv_bounds([6, 0], 4, hull)  # all others tails: 0.6, in the set; all heads: 1
    assert (found.low, found.high) == pytest.approx((0.0, 0.4), abs=1e-8)
    found = hull_tv_bounds([8, 0], 2, hull)
    assert (found.low, found.high) == pytest.approx((0.2, 0.4), abs=1e-8)
    found = hull_tv_bounds([9, 1], 0, hull)
    assert found.low == found.high == pytest.approx(0.3)
    with pytest.raises(ValueError, match="need at least one clip and n_missing >= 0"):
        hull_tv_bounds([0, 0], 0, hull)
