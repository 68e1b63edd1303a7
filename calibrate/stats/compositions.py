"""Which tables of counts can n clips give, and how probable is each?"""

from __future__ import annotations

import math
from itertools import chain, combinations

import numpy as np

from .baseline import Baseline


def n_compositions(n: int, k: int) -> int:
    """Number of ways in which n clips can fall on k outcomes."""
    return math.comb(n + k - 1, k - 1)


def compositions(n: int, k: int) -> np.ndarray:
    """(M, K) every table of counts of n clips on k outcomes.

    >>> compositions(1, 2).tolist()
    [[0, 1], [1, 0]]
    """
    m = n_compositions(n, k)
    flat = np.fromiter(chain.from_iterable(combinations(range(n + k - 1), k - 1)), dtype=np.int32, count=m * (k - 1))
    bars = flat.reshape(m, k - 1)
    edges = np.concatenate([np.full((m, 1), -1), bars, np.full((m, 1), n + k - 1)], axis=1)
    return np.diff(edges, axis=1) - 1


def log_coefficients(tables: np.ndarray) -> np.ndarray:
    """(M,) logarithm of the multinomial coefficient of each table (M, K)."""
    from scipy.special import gammaln

    n = tables[0].sum()
    return np.asarray(gammaln(n + 1) - gammaln(tables + 1).sum(axis=1))


def probabilities(tables: np.ndarray, baseline: Baseline) -> np.ndarray:
    """(M,) probability of each table (M, K) of n draws from the baseline.

    A sampled baseline is not known exactly: given its counts, and Jeffreys' prior, its true probabilities follow
    Dirichlet(counts + 1/2), so that the n draws follow the Dirichlet-multinomial law.

    References:
        Mosimann 1962, Biometrika 49, 65, eq. 1 (Dirichlet-multinomial).
    """
    from scipy.special import gammaln, xlogy

    coefficient = log_coefficients(tables)
    if baseline.counts is None:
        return np.asarray(np.exp(coefficient + xlogy(tables, np.asarray(baseline.p)).sum(axis=1)))
    alpha = np.asarray(baseline.counts) + 0.5
    n = tables[0].sum()
    log_p = coefficient + gammaln(alpha.sum()) - gammaln(alpha.sum() + n)
    return np.asarray(np.exp(log_p + (gammaln(tables + alpha) - gammaln(alpha)).sum(axis=1)))


def draws(n: int, baseline: Baseline, *, n_draws: int, rng: np.random.Generator) -> np.ndarray:
    """(n_draws, K) random tables of n draws from the baseline, its own uncertainty included."""
    if baseline.counts is None:
        return rng.multinomial(n, baseline.p, size=n_draws)
    return rng.multinomial(n, rng.dirichlet(np.asarray(baseline.counts) + 0.5, size=n_draws))
