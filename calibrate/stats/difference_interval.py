"""How far apart are two numbers, if each of them has an interval of its own?"""

from __future__ import annotations

import math
from collections.abc import Callable

from .clopper_pearson import Interval, checked_level

LEAST_P = 1e-4
"""No p is told that is less."""
_HALVINGS = 9
Limits = Callable[[float], Interval]
"""Level -> the interval of a number."""


def difference_interval(first: Limits, second: Limits, *, level: float = 0.95) -> Interval:
    """Interval of the first number less the second: from the ends of two intervals, each with half of the error.

    It covers at least `level` if both intervals cover what they should, however the two depend on each other
    (Bonferroni): also where the same noise or the same picture stands behind both. MOVER (Zou and Donner 2008,
    Statistics in Medicine 27, 1693) is shorter by up to a factor of 1.4, and needs both to be independent and centred
    on what they estimate, which a distance is not; `python -m benchmarks.coverage_differences` measures both.

    Args:
        first: Level -> interval of the first number.
        second: The same of the second.
        level: Confidence level.
    """
    each = 1 - (1 - checked_level(level)) / 2
    a, b = first(each), second(each)
    return Interval(low=a.low - b.high, high=a.high - b.low, level=level)


def mover_interval(first: Limits, second: Limits, at: tuple[float, float], *, level: float = 0.95) -> Interval:
    """MOVER's interval of a difference, for comparison.

    Args:
        first: Level -> interval of the first number.
        second: The same of the second.
        at: The two estimates.
        level: Confidence level.

    References:
        Zou and Donner 2008, Statistics in Medicine 27, 1693, eq. 7.
    """
    a, b, gap = first(checked_level(level)), second(level), at[0] - at[1]
    low, high = math.hypot(at[0] - a.low, b.high - at[1]), math.hypot(a.high - at[0], at[1] - b.low)
    return Interval(low=gap - low, high=gap + high, level=level)


def difference_p(first: Limits, second: Limits) -> float:
    """p-value of "both numbers are equal": the least error at which `difference_interval` leaves out zero.

    To within a factor of 1.02; LEAST_P if it is less.
    """

    def apart(p: float) -> bool:
        found = difference_interval(first, second, level=1 - p)
        return found.low > 0 or found.high < 0

    if apart(LEAST_P):
        return LEAST_P
    low, high = math.log(LEAST_P), math.log(0.999)
    if not apart(math.exp(high)):
        return 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if apart(math.exp(middle)) else (middle, high)
    return math.exp(high)
