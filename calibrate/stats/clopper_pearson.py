"""Which probabilities are compatible with k hits in n tries?"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Interval:
    """A confidence interval."""

    low: float
    high: float
    level: float = 0.95
    """Probability with which such intervals cover the true value."""


def checked_level(level: float) -> float:
    """The level.

    Raises:
        ValueError: It does not lie strictly between 0 and 1.
    """
    if not 0 < level < 1:
        raise ValueError(f"level must lie strictly between 0 and 1, got {level}")
    return level


def clopper_pearson(hits: int, n: int, *, level: float = 0.95) -> Interval:
    """Exact (conservative) interval of a binomial probability; both ends nan if n = 0.

    References:
        Clopper and Pearson 1934, Biometrika 26, 404.

    >>> found = clopper_pearson(0, 10)
    >>> round(found.low, 4), round(found.high, 4)
    (0.0, 0.3085)
    """
    from scipy.special import betaincinv

    checked_level(level)
    if not 0 <= hits <= n:
        raise ValueError(f"hits must lie between 0 and n, got {hits} of {n}")
    if n == 0:
        return Interval(low=math.nan, high=math.nan, level=level)
    tail = (1 - level) / 2
    low = 0.0 if hits == 0 else float(betaincinv(hits, n - hits + 1, tail))
    high = 1.0 if hits == n else float(betaincinv(hits + 1, n - hits, 1 - tail))
    return Interval(low=low, high=high, level=level)
