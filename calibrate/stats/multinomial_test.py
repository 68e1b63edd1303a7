"""Could the counts be draws from the reference, by Pearson's chi-square, the likelihood ratio or total variation?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np

from .baseline import Baseline
from .compositions import draws
from .convolution import tail
from .total_variation import checked_counts

Statistic = Literal["chi2", "likelihood_ratio", "tv"]
TIE = 1e-8
"""Values that differ by less, as a part of the larger of 1 and the value, are tied; ties count."""
N_DRAWS = 100_000


@dataclass(frozen=True, kw_only=True)
class MultinomialTest:
    """Result of `multinomial_test`."""

    statistic: Statistic
    value: float
    """The observed statistic; inf if an outcome was seen that an exact reference excludes; nan if n = 0."""
    p: float
    """Probability of a value at least as large under the reference; nan if n = 0."""
    p_error: float
    """Standard error of a Monte Carlo p; 0 if exact."""
    method: Literal["exact", "monte_carlo", "undefined"]
    n_draws: int | None
    """Monte Carlo draws; None if exact."""


def multinomial_test(
    counts: Sequence[int] | np.ndarray,
    baseline: Baseline,
    *,
    seed: int,
    statistic: Statistic = "tv",
    n_draws: int = N_DRAWS,
    exact: bool = True,
) -> MultinomialTest:
    """p-value of the hypothesis that the counts are draws from the reference.

    Exact by convolution (`calibrate.stats.convolution`) where that has few enough states, else Monte Carlo with
    (b + 1) / (draws + 1). Ties count. A sampled reference enters as the Dirichlet-multinomial law; `chi2` and
    `likelihood_ratio` then compare with what that law expects, so that an outcome which the reference never showed is
    improbable and not impossible.

    Args:
        counts: (K,) clips per outcome.
        baseline: The reference.
        seed: Seed of the Monte Carlo draws.
        statistic: `chi2` (Pearson 1900), `likelihood_ratio` (Wilks 1938: 2 sum x log(x / np)) or `tv`.
        n_draws: Monte Carlo draws, where they are needed.
        exact: False draws even where the sum would be short.

    References:
        Phipson and Smyth 2010, Permutation p-values should never be zero, eq. 2 (add-one).

    >>> round(multinomial_test([4, 0], Baseline.exact([0.5, 0.5]), seed=0, statistic="chi2").p, 6)
    0.125
    """
    whole = checked_counts(counts, baseline)
    n = int(whole.sum())
    if n == 0:
        return MultinomialTest(
            statistic=statistic, value=math.nan, p=math.nan, p_error=0.0, method="undefined", n_draws=None
        )
    value = statistic_of(whole[None], baseline, statistic)[0]
    if math.isinf(value):
        return MultinomialTest(statistic=statistic, value=value, p=0.0, p_error=0.0, method="exact", n_draws=None)
    p = _exact_p(n, baseline, statistic, round(value, 10)) if exact else None
    if p is not None:
        return MultinomialTest(statistic=statistic, value=value, p=p, p_error=0.0, method="exact", n_draws=None)
    drawn = draws(n, baseline, n_draws=n_draws, rng=np.random.default_rng(seed))
    hits = int((statistic_of(drawn, baseline, statistic) >= _threshold(value)).sum())
    p = (hits + 1) / (n_draws + 1)
    error = math.sqrt(p * (1 - p) / n_draws)
    return MultinomialTest(statistic=statistic, value=value, p=p, p_error=error, method="monte_carlo", n_draws=n_draws)


def statistic_of(tables: np.ndarray, baseline: Baseline, statistic: Statistic) -> np.ndarray:
    """(M,) the statistic of each table (M, K); inf where a table has an outcome of probability zero (not for `tv`)."""
    n, baseline = int(tables[0].sum()), _expected(baseline, statistic)
    terms = [_Term(statistic, n)(tables[:, i], p) for i, p in enumerate(baseline.p)]
    return np.asarray(np.sum(terms, axis=0))


@lru_cache(maxsize=512)
def _exact_p(n: int, baseline: Baseline, statistic: Statistic, value: float) -> float | None:
    return tail(n, _expected(baseline, statistic), _Term(statistic, n), _threshold(value))


def _expected(baseline: Baseline, statistic: Statistic) -> Baseline:
    """The baseline; of a sampled one the shares that its law has on average stand for what is expected."""
    if baseline.counts is None or statistic == "tv":
        return baseline
    whole = math.fsum(baseline.counts) + 0.5 * len(baseline.counts)
    return Baseline(p=tuple((count + 0.5) / whole for count in baseline.counts), counts=baseline.counts)


def _threshold(value: float) -> float:
    return value - TIE * max(1.0, abs(value))


class _Term:
    """The part of a statistic that one outcome gives; the parts are not negative."""

    def __init__(self, statistic: Statistic, n: int) -> None:
        if statistic not in ("chi2", "likelihood_ratio", "tv"):
            raise ValueError(f"statistic must be chi2, likelihood_ratio or tv, got {statistic!r}")
        self._statistic, self._n = statistic, n

    def __call__(self, x: np.ndarray, p: float) -> np.ndarray:
        from scipy.special import xlogy

        expected = self._n * p
        if self._statistic == "tv":
            return np.asarray(0.5 * np.abs(x / self._n - p))
        if p == 0:
            return np.where(np.asarray(x) > 0, np.inf, 0.0)
        if self._statistic == "chi2":
            return np.asarray((x - expected) ** 2 / expected)
        return np.asarray(2 * (xlogy(x, x / expected) - x + expected))  # the added terms sum to zero
