"""Between which limits does the mean of several shares lie, if some of the clips hang together?"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

from .clopper_pearson import Interval, checked_level
from .efron_stein import Spread, efron_stein_interval


def mean_share_interval(
    cells: Sequence[tuple[Sequence[bool], Sequence[Hashable]]], *, level: float = 0.95
) -> tuple[float, Interval]:
    """The mean over cells of the share of hits, each cell counting the same, and its interval.

    The wider at each end of two: Clopper and Pearson's for as many independent clips as have the same variance, which
    holds near 0 and 1 (a sum of unlike shares varies less than a binomial one: Hoeffding 1956), and that of Efron and
    Stein, which holds where clips of one cluster hang together.

    Args:
        cells: Of each, whether each clip is a hit, and its cluster, which may go over several cells.
        level: Confidence level.

    References:
        Clopper and Pearson 1934, Biometrika 26, 404; Hoeffding 1956, Annals of Mathematical Statistics 27, 713,
        theorem 4; Efron and Stein 1981, Annals of Statistics 9, 586.

    >>> mean, found = mean_share_interval([([True] * 10, range(10))])
    >>> mean, round(found.low, 4), found.high
    (1.0, 0.6915, 1.0)
    """
    from scipy.special import betaincinv

    checked_level(level)
    if not cells or any(not hits for hits, _ in cells):
        nan = math.nan
        return nan, Interval(low=nan, high=nan, level=level)
    mean = math.fsum(sum(hits) / len(hits) for hits, _ in cells) / len(cells)
    n = len(cells) ** 2 / math.fsum(1 / len(hits) for hits, _ in cells)
    x, tail = mean * n, (1 - level) / 2
    low = float(betaincinv(x, n - x + 1, tail)) if x > 0 else 0.0
    high = float(betaincinv(x + 1, n - x, 1 - tail)) if n - x > 1e-9 else 1.0
    changes: dict[Hashable, float] = {}
    for hits, clusters in cells:
        members: dict[Hashable, list[bool]] = {}
        for hit, cluster in zip(hits, clusters, strict=True):
            members.setdefault(cluster, []).append(hit)
        share = sum(hits) / len(hits)
        for cluster, gone in members.items():
            left = len(hits) - len(gone)
            moved = (sum(hits) - sum(gone)) / left - share if left else 1.0
            changes[cluster] = changes.get(cluster, 0.0) + moved / len(cells)
    apart = efron_stein_interval(Spread(estimate=mean, changes=tuple(changes.values()), floor=0.0), level=level)
    return mean, Interval(low=max(0.0, min(low, apart.low)), high=min(1.0, max(high, apart.high)), level=level)
