"""What would a statistic of some clips be on average, had there been fewer of them?"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from .compositions import compositions, n_compositions

MOST_TABLES = 1_000
"""Up to so many tables of counts the average is summed over all of them; with more it is that of some draws."""


def rarefied(
    counts: Sequence[int], n: int, statistic: Callable[[tuple[int, ...]], float], *, n_draws: int, seed: int
) -> float:
    """Average of a statistic of counts over all samples of n of the clips, drawn without replacement.

    Without bias it estimates what the statistic of n clips of the same model is on average. Two models with unlike
    numbers of clips are compared so: a distance from a reference, and the excess of it, grow with the number of clips
    wherever a model is off.

    Args:
        counts: (K,) clips per outcome, at least n in all.
        n: Clips of a sample, at least one.
        statistic: Counts (K,) -> its value; called once for every table of counts.
        n_draws: Draws, where there are too many tables.
        seed: Seed of the draws.

    References:
        Hoeffding 1948, Annals of Mathematical Statistics 19, 293, section 3 (averages over all subsamples); Hurlbert
        1971, Ecology 52, 577 (rarefaction).

    >>> rarefied([1, 1], 1, lambda counts: float(counts[0]), n_draws=10, seed=0)
    0.5
    """
    whole = _checked(counts, n)
    if n == whole.sum():
        return statistic(tuple(whole.tolist()))
    if n_compositions(n, len(whole)) <= MOST_TABLES:
        tables = compositions(n, len(whole))
        tables = tables[(tables <= whole).all(axis=1)]
        ways = [math.prod(math.comb(c, x) for c, x in zip(whole.tolist(), row, strict=True)) for row in tables.tolist()]
        weight = [each / math.comb(int(whole.sum()), n) for each in ways]
    else:
        drawn = np.random.default_rng(seed).multivariate_hypergeometric(whole, n, size=n_draws)
        tables, times = np.unique(drawn, axis=0, return_counts=True)
        weight = (times / n_draws).tolist()
    return math.fsum(w * statistic(tuple(row)) for w, row in zip(weight, tables.tolist(), strict=True))


def rarefied_total_variation(counts: Sequence[int], n: int, p: Sequence[float]) -> float:
    """The same for the total variation from one distribution p (K,), summed exactly.

    A sum over outcomes: of each, the clips in the sample follow the hypergeometric law.

    >>> round(rarefied_total_variation([2, 2], 2, [0.5, 0.5]), 6)
    0.166667
    """
    from scipy.special import gammaln

    whole, x = _checked(counts, n), np.arange(n + 1)
    total = int(whole.sum())

    def log_choose(of: int, some: np.ndarray) -> np.ndarray:
        return np.asarray(gammaln(of + 1) - gammaln(some + 1) - gammaln(of - some + 1))

    tv = 0.0
    for count, q in zip(whole.tolist(), p, strict=True):
        hits = x[(x <= count) & (n - x <= total - count)]
        log_p = log_choose(count, hits) + log_choose(total - count, n - hits) - log_choose(total, np.asarray(n))
        tv += 0.5 * float(np.exp(log_p) @ np.abs(hits / n - q))
    return tv


def _checked(counts: Sequence[int], n: int) -> np.ndarray:
    whole = np.asarray(counts, dtype=np.int64)
    if not 1 <= n <= whole.sum():
        raise ValueError(f"n must lie between 1 and the number of clips, got {n} of {whole.sum()}")
    return whole
