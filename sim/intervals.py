"""Between which limits do a share, and the difference of two shares, lie?"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

_N_DRAWS = 20_000
"""Draws behind the limits of a total variation."""


def checked_confidence(confidence: float) -> float:
    """The confidence.

    Raises:
        ValueError: It does not lie strictly between 0 and 1.
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must lie strictly between 0 and 1, got {confidence}")
    return confidence


def clopper_pearson(hits: int, n: int, *, confidence: float = 0.95) -> tuple[float, float]:
    """Low and high end of the exact (conservative) interval of a probability.

    Raises:
        ValueError: `confidence` is no confidence, or there are not 0 to n hits in at least one try.

    References:
        Clopper and Pearson 1934, Biometrika 26, 404.
    """
    from scipy.special import betaincinv

    tail = (1 - checked_confidence(confidence)) / 2
    if not 0 <= hits <= n or n < 1:
        raise ValueError(f"hits must lie between 0 and n, and n be positive, got {hits} of {n}")
    low = 0.0 if hits == 0 else float(betaincinv(hits, n - hits + 1, tail))
    high = 1.0 if hits == n else float(betaincinv(hits + 1, n - hits, 1 - tail))
    return low, high


def wilson(hits: int, n: int, *, confidence: float = 0.95) -> tuple[float, float]:
    """Low and high end of the score interval of a probability.

    References:
        Wilson 1927, Journal of the American Statistical Association 22, 209.
    """
    from scipy.special import ndtri

    z = float(ndtri((1 + checked_confidence(confidence)) / 2))
    share = hits / n
    middle, root = share + z * z / (2 * n), z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return max(0.0, (middle - root) / (1 + z * z / n)), min(1.0, (middle + root) / (1 + z * z / n))


def newcombe(hits_a: int, n_a: int, hits_b: int, n_b: int, *, confidence: float = 0.95) -> tuple[float, float]:
    """Low and high end of the interval of the difference of two independent probabilities, b less a.

    References:
        Newcombe 1998, Statistics in Medicine 17, 873, method 10 (hybrid score).
    """
    (low_a, high_a), (low_b, high_b) = (wilson(h, n, confidence=confidence) for h, n in ((hits_a, n_a), (hits_b, n_b)))
    a, b = hits_a / n_a, hits_b / n_b
    low = b - a - math.hypot(b - low_b, high_a - a)
    high = b - a + math.hypot(high_b - b, a - low_a)
    return max(-1.0, low), min(1.0, high)


def tv_limits(
    a: Sequence[int] | np.ndarray,
    b: Sequence[int] | np.ndarray | None,
    *,
    seed: int,
    exact: Sequence[float] | np.ndarray | None = None,
    confidence: float = 0.95,
) -> tuple[float, float]:
    """Low and high end of the interval of the total variation between the distributions behind two samples.

    Total variation is a norm, so an observed one is off by no more than half the summed error of the differences of
    shares. The limits are the observed value less and plus the quantile of that error, found by drawing both samples
    again from their shares with half a count added to each: conservative, as `tests/test_intervals.py` simulates.

    Args:
        a: (K,) counts of the one sample.
        b: (K,) counts of the other, drawn independently; None if it is `exact`.
        seed: Seed of the draws.
        exact: (K,) the other distribution, if it is known.
        confidence: Confidence level.

    Raises:
        ValueError: A sample is empty, or not just one of `b` and `exact` is given.
    """
    checked_confidence(confidence)
    if (b is None) == (exact is None):
        raise ValueError("give either b or exact")
    rng = np.random.default_rng(seed)
    shares, error = _redrawn(a, rng)
    if b is None:
        other, other_error = np.asarray(exact, dtype=float), np.zeros(error.shape)
    else:
        other, other_error = _redrawn(b, rng)
    tv = 0.5 * float(np.abs(shares - other).sum())
    reach = float(np.quantile(0.5 * np.abs(error - other_error).sum(axis=1), confidence))
    return max(0.0, tv - reach), min(1.0, tv + reach)


def _redrawn(sample: Sequence[int] | np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """(K,) shares of a sample, and (N, K) errors that such a sample may have."""
    counts = np.asarray(sample, dtype=np.int64)
    n = int(counts.sum())
    if n < 1:
        raise ValueError(f"both samples must have an outcome, got {counts.tolist()}")
    smoothed = (counts + 0.5) / (n + 0.5 * len(counts))
    return counts / n, rng.multinomial(n, smoothed, size=_N_DRAWS) / n - smoothed
