"""Did one share change between two samples, by how much, and is that more than a given change?"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Literal

import numpy as np

from .clopper_pearson import Interval, checked_level

MOST_TABLES = 100_000
"""Up to so many pairs of counts the p-value is summed over all of them; with more it is that of the normal limit."""
_N_NUISANCE = 401
"""Values of the share that both samples have in common up to the change, over which p is the largest; it is found to
about 0.3 % (61 values miss up to 10 %)."""
_HALVINGS = 11
_ROUNDING = 1e-9
Side = Literal["above", "below"]


def change_p(hits: tuple[int, int], n: tuple[int, int], change: float, *, side: Side) -> float:
    """p-value of "the second share less the first is `change`, or on the other side of it"; nan without clips.

    Exact and unconditional: the largest probability, over a grid of first shares, of a score statistic at least as far
    on that side; ties count. Beyond MOST_TABLES tables it is the normal tail of the statistic.

    Args:
        hits: Hits in the first and in the second sample.
        n: Their sizes.
        change: Hypothetical change of the share, in [-1, 1].
        side: `above` if large changes speak against the hypothesis.

    References:
        Farrington and Manning 1990, Statistics in Medicine 9, 1447, section 2 (score statistic); Chan and Zhang 1999,
        Biometrics 55, 1202, section 2 (exact unconditional test of it); Roehmel and Mansmann 1999, Biometrical Journal
        41, 149 (the largest p-value lies on the edge of a one-sided hypothesis).

    >>> round(change_p((1, 9), (10, 10), 0.0, side="above"), 5)
    0.0002
    """
    if any(not 0 <= x <= size for x, size in zip(hits, n, strict=True)):
        raise ValueError(f"hits must lie between 0 and n, got {hits} of {n}")
    if not -1 <= change <= 1:
        raise ValueError(f"change must lie in [-1, 1], got {change}")
    if min(n) == 0:
        return math.nan
    if side == "below":  # by exchange of the samples
        return change_p((hits[1], hits[0]), (n[1], n[0]), -change, side="above")
    if (n[0] + 1) * (n[1] + 1) > MOST_TABLES:
        from scipy.special import ndtr

        return float(ndtr(-_z(np.array([[hits[0]]]), np.array([[hits[1]]]), n, change)[0, 0]))
    z, p = _table(n, change)
    reached = (z >= z[hits] - _ROUNDING).astype(float)  # (n0 + 1, n1 + 1)
    first, second = p
    return float(min(1.0, ((first @ reached) * second).sum(axis=1).max()))


@lru_cache(maxsize=128)
def _table(n: tuple[int, int], change: float) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray]]:
    """(n0+1, n1+1) statistic of every pair of counts, and (G, n+1) binomial probabilities of each sample."""
    from scipy.special import gammaln, xlog1py, xlogy

    shares = np.linspace(max(0.0, -change), min(1.0, 1 - change), _N_NUISANCE)
    both = []
    for size, share in zip(n, (shares, np.clip(shares + change, 0, 1)), strict=True):
        x = np.arange(size + 1)
        log_choose = gammaln(size + 1) - gammaln(x + 1) - gammaln(size - x + 1)
        both.append(np.exp(log_choose + xlogy(x, share[:, None]) + xlog1py(size - x, -share[:, None])))
    x0, x1 = np.arange(n[0] + 1)[:, None], np.arange(n[1] + 1)[None]
    return _z(x0, x1, n, change), (both[0], both[1])


def _z(x0: np.ndarray, x1: np.ndarray, n: tuple[int, int], change: float) -> np.ndarray:
    """Score statistic: the observed change less `change`, over its error at the likeliest shares that differ by it."""
    first, second = np.broadcast_arrays(x0 / n[0], x1 / n[1])
    theta = n[0] / n[1]
    # Farrington and Manning 1990, appendix: the cubic a p^3 + b p^2 + c p + d of the second share
    a = 1 + theta
    b = -(1 + theta + second + theta * first + change * (theta + 2))
    c = change**2 + change * (2 * second + theta + 1) + second + theta * first
    d = -second * change * (1 + change)
    v = b**3 / (3 * a) ** 3 - b * c / (6 * a**2) + d / (2 * a)
    u = np.where(v < 0, -1.0, 1.0) * np.sqrt(np.maximum(b**2 / (3 * a) ** 2 - c / (3 * a), 0))
    with np.errstate(divide="ignore", invalid="ignore"):
        angle = np.where(u == 0, 0.0, v / np.where(u == 0, 1.0, u**3))
    w = (np.pi + np.arccos(np.clip(angle, -1, 1))) / 3
    likeliest = np.clip(2 * u * np.cos(w) - b / (3 * a), max(0.0, change), min(1.0, 1 + change))
    other = np.clip(likeliest - change, 0, 1)
    variance = likeliest * (1 - likeliest) / n[1] + other * (1 - other) / n[0]
    gap = second - first - change
    small = variance < 1e-12
    z = gap / np.sqrt(np.where(small, 1.0, variance))
    return np.asarray(np.where(small, np.where(np.abs(gap) < _ROUNDING, 0.0, np.where(gap > 0, np.inf, -np.inf)), z))


def change_interval(hits: tuple[int, int], n: tuple[int, int], *, level: float = 0.95) -> Interval:
    """Confidence interval of the second share less the first: the changes that `change_p` does not refuse.

    Each end has half of the error; both are nan without clips.

    References:
        Chan and Zhang 1999, Biometrics 55, 1202, section 3.

    >>> found = change_interval((5, 5), (10, 10))
    >>> found.low == -found.high, round(found.high, 2)
    (True, 0.46)
    """
    tail = (1 - checked_level(level)) / 2
    if min(n) == 0:
        return Interval(low=math.nan, high=math.nan, level=level)
    high = _limit(hits, n, tail)
    low = -_limit((hits[1], hits[0]), (n[1], n[0]), tail)
    return Interval(low=low, high=high, level=level)


@lru_cache(maxsize=4096)
def _limit(hits: tuple[int, int], n: tuple[int, int], tail: float) -> float:
    """The least change above the observed one that is refused."""
    inside, outside = hits[1] / n[1] - hits[0] / n[0], 1.0
    if change_p(hits, n, 1.0, side="below") > tail:
        return 1.0
    for _ in range(_HALVINGS):
        middle = (inside + outside) / 2
        if change_p(hits, n, middle, side="below") > tail:
            inside = middle
        else:
            outside = middle
    return outside
