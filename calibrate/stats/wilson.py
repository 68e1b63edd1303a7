"""Which probabilities are compatible with k hits in n tries, nearly at the stated level rather than at least at it?"""

from __future__ import annotations

import math

from .clopper_pearson import Interval, checked_level


def wilson(hits: int, n: int, *, level: float = 0.95) -> Interval:
    """Score interval of a binomial probability; both ends nan if n = 0.

    Shown beside `clopper_pearson`: it is shorter and covers its level on average over probabilities, but much less than
    it at some near 0 and 1 (`python -m benchmarks.coverage`), so no finding rests on it.

    References:
        Wilson 1927, Journal of the American Statistical Association 22, 209.

    >>> found = wilson(0, 10)
    >>> round(found.low, 4), round(found.high, 4)
    (0.0, 0.2775)
    """
    from scipy.special import ndtri

    return score_interval(hits, n, chi2=float(ndtri((1 + checked_level(level)) / 2)) ** 2, level=level)


def score_interval(hits: int, n: int, *, chi2: float, level: float) -> Interval:
    """The probabilities q with n (hits / n - q)^2 <= chi2 q (1 - q); both ends nan if n = 0.

    Args:
        hits: Hits.
        n: Tries.
        chi2: Critical value of a chi-square with one degree of freedom.
        level: Level that the interval is said to have.
    """
    if not 0 <= hits <= n:
        raise ValueError(f"hits must lie between 0 and n, got {hits} of {n}")
    if n == 0:
        return Interval(low=math.nan, high=math.nan, level=level)
    middle = (hits + chi2 / 2) / (n + chi2)
    reach = math.sqrt(chi2 * (hits * (n - hits) / n + chi2 / 4)) / (n + chi2)
    low = 0.0 if hits == 0 else max(0.0, middle - reach)
    high = 1.0 if hits == n else min(1.0, middle + reach)
    return Interval(low=low, high=high, level=level)
