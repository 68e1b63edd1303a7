"""How often would a faithful model be at least this far from the reference by chance?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np

from .baseline import Baseline
from .compositions import compositions, draws, n_compositions, probabilities
from .total_variation import checked_counts, total_variation

TIE_TOLERANCE = 1e-9
"""Distances that differ by less are tied; ties count, on every machine alike."""
N_EXACT = 200_000
"""Up to so many possible tables of counts the p-value is summed over all of them."""
N_DRAWS = 100_000
"""Monte Carlo draws where there are more."""


@dataclass(frozen=True, kw_only=True)
class TvTest:
    """Result of `tv_test`."""

    p: float
    """Probability of a total variation at least as large under the reference; nan if nothing was counted."""
    method: Literal["exact", "monte_carlo", "undefined"]
    n_draws: int | None
    """Monte Carlo draws; None if exact."""


@lru_cache(maxsize=24)
def _null(n: int, baseline: Baseline, seed: int) -> tuple[np.ndarray, np.ndarray, bool]:
    k = len(baseline.p)
    exact = n_compositions(n, k) <= N_EXACT
    if exact:
        tables = compositions(n, k)
        weight = probabilities(tables, baseline)
    else:
        tables = draws(n, baseline, n_draws=N_DRAWS, rng=np.random.default_rng(seed))
        weight = np.ones(len(tables))
    tv = 0.5 * np.abs(tables / n - np.asarray(baseline.p)).sum(axis=1)
    order = np.argsort(tv)
    tail = np.cumsum(weight[order][::-1])[::-1]
    return tv[order], np.append(tail, 0.0), exact


def tv_test(counts: Sequence[int] | np.ndarray, baseline: Baseline, *, seed: int) -> TvTest:
    """p-value of the hypothesis that the counts are draws from the reference, for the statistic total variation.

    Exact where the possible tables can be listed, else Monte Carlo with (b + 1) / (draws + 1); ties count. A sampled
    reference enters as the Dirichlet-multinomial law of `compositions.probabilities`. The draws depend on n, the
    reference and the seed alone, so equal counts get equal p-values whatever the order of the cells.

    Args:
        counts: (K,) clips per outcome.
        baseline: The reference.
        seed: Seed of the Monte Carlo draws.

    References:
        Phipson and Smyth 2010, Permutation p-values should never be zero, eq. 2 (add-one).

    >>> tv_test([4, 0], Baseline.exact([0.5, 0.5]), seed=0).p
    0.125
    """
    whole = checked_counts(counts, baseline)
    n = int(whole.sum())
    if n == 0:
        return TvTest(p=math.nan, method="undefined", n_draws=None)
    tv, tail, exact = _null(n, baseline, seed)
    above = float(tail[int(np.searchsorted(tv, total_variation(whole, baseline) - TIE_TOLERANCE, side="left"))])
    if exact:
        return TvTest(p=min(1.0, above), method="exact", n_draws=None)
    return TvTest(p=(above + 1) / (N_DRAWS + 1), method="monte_carlo", n_draws=N_DRAWS)
