import math

import numpy as np
import pytest
from scipy import stats as reference

from calibrate.stats import clopper_pearson
from calibrate.stats.mean_share import mean_share_interval


def independent(*shown: list[bool]):
    return [(hits, [(i, k) for k in range(len(hits))]) for i, hits in enumerate(shown)]


def test_where_all_or_none_are_hits_it_is_clopper_and_pearson() -> None:
    mean, found = mean_share_interval(independent([True] * 10, [True] * 10))
    exact = clopper_pearson(20, 20)
    assert (mean, found.high) == (1, 1) and found.low == pytest.approx(exact.low)
    mean, found = mean_share_interval(independent([False] * 12))
    assert (mean, found.low) == (0, 0) and found.high == pytest.approx(clopper_pearson(0, 12).high)


def test_each_cell_counts_the_same_and_nothing_is_undefined_by_silence() -> None:
    mean, found = mean_share_interval(independent([True], [False] * 9))
    assert mean == 0.5 and found.low < 0.5 < found.high
    nan, ends = mean_share_interval([])
    assert math.isnan(nan) and math.isnan(ends.low) and math.isnan(mean_share_interval([([], [])])[0])
    with pytest.raises(ValueError, match="level must lie strictly"):
        mean_share_interval([], level=2)


@pytest.mark.parametrize("shares", [(0.5,), (0.95,), (0.99, 0.9), (1.0, 0.2, 0.6)])
@pytest.mark.parametrize("coupled", [False, True])
def test_coverage(shares: tuple[float, ...], coupled: bool) -> None:
    rng, n, trials, right = np.random.default_rng(4), 20, 300, 0
    for _ in range(trials):
        drawn = [rng.random(n) for _ in shares]
        hits = [((drawn[0] if coupled else u) < q).tolist() for u, q in zip(drawn, shares, strict=True)]
        cells = [(h, list(range(n)) if coupled else [(i, k) for k in range(n)]) for i, h in enumerate(hits)]
        _, found = mean_share_interval(cells)
        right += found.low <= np.mean(shares) <= found.high
    assert right >= reference.binom(trials, 0.95).ppf(0.001)
