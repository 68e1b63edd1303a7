"""Do several groups have the same rate, as outcomes that are or are not equally often read as null?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

N_DRAWS = 20_000


def equal_rates_test(hits: Sequence[int], n: Sequence[int], *, seed: int) -> float:
    """p-value of the hypothesis that all groups have one rate; 1 if there are no hits, or nothing but hits.

    The hits in all groups together are kept, and dealt out anew at random (multivariate hypergeometric law): how often
    is Pearson's statistic at least as large? Monte Carlo with (b + 1) / (draws + 1), ties counted, so that it is a
    valid test at every number of clips.

    Args:
        hits: (G,) hits of each group.
        n: (G,) tries of each group; one without tries says nothing.
        seed: Seed of the draws.

    References:
        Freeman and Halton 1951, Biometrika 38, 141 (conditional test of an r x c table).
        Phipson and Smyth 2010, Permutation p-values should never be zero, eq. 2 (add-one).
    """
    counted = [(h, tries) for h, tries in zip(hits, n, strict=True) if tries]
    if any(not 0 <= h <= tries for h, tries in zip(hits, n, strict=True)):
        raise ValueError(f"hits must lie between 0 and n, got {list(hits)} of {list(n)}")
    found, tries = np.array([h for h, _ in counted]), np.array([t for _, t in counted])
    total = int(found.sum())
    if len(counted) < 2 or total in (0, int(tries.sum())):
        return 1.0

    def pearson(table: np.ndarray) -> np.ndarray:
        expected = tries * total / tries.sum()
        return np.asarray(((table - expected) ** 2 / expected).sum(axis=-1))

    drawn = np.random.default_rng(seed).multivariate_hypergeometric(tries, total, size=N_DRAWS)
    return float((int((pearson(drawn) >= pearson(found) - 1e-9).sum()) + 1) / (N_DRAWS + 1))
