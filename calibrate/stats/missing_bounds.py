"""How far could the clips without an outcome move a result, if each had had any outcome whatever?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .baseline import Baseline
from .hull import LP_ROUNDING, Hull, nearest
from .total_variation import checked_counts, total_variation


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """Lowest and highest value over every way to fill in what is missing. Not a confidence interval."""

    low: float
    high: float


def share_bounds(count: int, n_scored: int, n_missing: int) -> Bounds:
    """Bounds of one outcome's share among all requested clips.

    >>> share_bounds(3, 6, 2)
    Bounds(low=0.375, high=0.625)
    """
    n = n_scored + n_missing
    if n <= 0 or not 0 <= count <= n_scored:
        raise ValueError(f"need 0 <= count <= n_scored and a clip, got {count}, {n_scored}, {n_missing}")
    return Bounds(low=count / n, high=(count + n_missing) / n)


def tv_bounds(counts: Sequence[int] | np.ndarray, n_missing: int, baseline: Baseline) -> Bounds:
    """Bounds of the total variation of all requested clips.

    The highest puts every missing clip on one outcome (a convex function is largest at a corner); the lowest puts them,
    one by one, where they lower the sum most (greedy is optimal for a sum of convex functions of whole numbers).
    """
    whole = checked_counts(counts, baseline)
    n = int(whole.sum()) + n_missing
    if n <= 0 or n_missing < 0:
        raise ValueError(f"need at least one clip and n_missing >= 0, got {whole.tolist()} and {n_missing}")
    units = np.eye(len(whole), dtype=np.int64)
    high = max(total_variation(whole + n_missing * unit, baseline) for unit in units)
    target = n * np.asarray(baseline.p)
    filled = whole.copy()
    for _ in range(n_missing):
        gain = np.abs(filled - target) - np.abs(filled + 1 - target)
        filled[int(gain.argmax())] += 1
    return Bounds(low=total_variation(filled, baseline), high=high)


def hull_tv_bounds(counts: Sequence[int] | np.ndarray, n_missing: int, hull: Hull) -> Bounds:
    """Bounds of the total variation of all requested clips from the nearest point of a hull.

    The highest puts every missing clip on one outcome: the distance from a convex set is convex, hence largest at a
    corner. The lowest puts them where the reference has more than was counted: what stays is the sum of what was
    counted beyond the reference, and the least of it over the hull is a linear programme. There a clip may be divided,
    so that the true lowest value may lie above it, by less than K over twice the number of clips.

    Args:
        counts: (K,) clips per outcome.
        n_missing: Clips without one.
        hull: The reference.

    Raises:
        ValueError: There is no clip at all, or a number is negative.
    """
    whole = checked_counts(counts, Baseline.exact(hull.members[0]))
    n = int(whole.sum()) + n_missing
    if n <= 0 or n_missing < 0:
        raise ValueError(f"need at least one clip and n_missing >= 0, got {whole.tolist()} and {n_missing}")
    filled = whole + n_missing * np.eye(len(whole), dtype=np.int64)
    high = max(nearest(tuple((row / n).tolist()), hull).tv for row in np.unique(filled, axis=0))
    return Bounds(low=high if n_missing == 0 else min(high, _least_beyond(whole / n, hull.array)), high=high)


def _least_beyond(seen: np.ndarray, members: np.ndarray) -> float:
    """The least sum of (seen - q)+ over the points q of the hull of members (M, K); `seen` (K,) sums to 1 or less."""
    from scipy.optimize import linprog

    m, k = members.shape
    cost = np.concatenate([np.zeros(m), np.ones(k)])
    beyond = np.hstack([-members.T, -np.eye(k)])  # seen - members' w <= s
    whole = np.concatenate([np.ones(m), np.zeros(k)])[None]
    found = linprog(cost, beyond, -seen, whole, [1.0], bounds=(0, None), method="highs")
    if not found.success:
        raise ArithmeticError(f"the least distance from the hull was not found: {found.message}")
    return 0.0 if found.fun < LP_ROUNDING else float(found.fun)
