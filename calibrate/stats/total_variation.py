"""How far are observed counts from a reference, and how far would a faithful model's be by chance alone?"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from .baseline import Baseline


def checked_counts(counts: Sequence[int] | np.ndarray, baseline: Baseline) -> np.ndarray:
    """Counts as an integer array (K,).

    Raises:
        ValueError: They are negative, not whole, or not one per outcome of the baseline.
    """
    array = np.asarray(counts)
    if array.shape != (len(baseline.p),):
        raise ValueError(f"counts must hold {len(baseline.p)} numbers, one per outcome, got shape {array.shape}")
    with np.errstate(invalid="ignore"):
        whole = array.astype(np.int64)  # what is not finite differs from it
    if (whole != array).any() or (whole < 0).any():
        raise ValueError(f"counts must be whole and not negative, got {array.tolist()}")
    return whole


def total_variation(counts: Sequence[int] | np.ndarray, baseline: Baseline) -> float:
    """Half the summed difference between observed shares and the baseline; nan if nothing was counted.

    >>> total_variation([3, 1], Baseline.exact([0.5, 0.5]))
    0.25
    """
    whole = checked_counts(counts, baseline)
    n = int(whole.sum())
    if n == 0:
        return math.nan
    return 0.5 * math.fsum(abs(c / n - q) for c, q in zip(whole.tolist(), baseline.p, strict=True))


def expected_total_variation(n: int, baseline: Baseline) -> float:
    """Expected total variation of n draws from the baseline's own shares; nan for n = 0.

    Exact: (1/2n) sum_i E|X_i - n p_i| with X_i binomial, by De Moivre's closed form. The reference's own sampling error
    would raise it by a factor of about 1 + n/2N, which is left out (0.2 % for n = 24, N = 5,000).

    References:
        Diaconis and Zabell 1991, Closed form summation for classical distributions, eq. 1.1.

    >>> expected_total_variation(1, Baseline.exact([0.5, 0.5]))
    0.5
    """
    if n < 0:
        raise ValueError(f"n must not be negative, got {n}")
    if n == 0:
        return math.nan
    return math.fsum(_mean_deviation(n, q) for q in baseline.p) / (2 * n)


def _mean_deviation(n: int, p: float) -> float:
    if p in (0.0, 1.0):
        return 0.0
    # E|X - np| = 2 m (1 - p) P(X = m), m = floor(np) + 1 (Diaconis and Zabell, eq. 1.1)
    m = min(math.floor(n * p) + 1, n)  # the minimum matters only where n * p rounds up to n
    log_pmf = math.lgamma(n + 1) - math.lgamma(m + 1) - math.lgamma(n - m + 1)
    log_pmf += m * math.log(p) + (n - m) * math.log1p(-p)
    return 2 * m * (1 - p) * math.exp(log_pmf)


def excess(tv: float, tv_expected: float) -> float:
    """(TV - E0) / (1 - E0): 0 on average for a faithful model, negative by luck, 1 at most; nan where undefined.

    The average is that of an exact reference; a sampled one adds its own error to TV.

    >>> excess(0.75, 0.5)
    0.5
    """
    return (tv - tv_expected) / (1 - tv_expected) if tv_expected < 1 else math.nan
