"""How far must observed mass be carried to match the reference, where the outcomes stand in a row?"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from .baseline import Baseline
from .total_variation import checked_counts


def wasserstein(
    counts: Sequence[int] | np.ndarray, baseline: Baseline, *, positions: Sequence[float] | None = None
) -> float:
    """Earth mover's distance of observed shares from the baseline; nan if nothing was counted.

    It is the area between the two cumulative distributions. Unlike total variation it tells a ball in the next bin from
    one five bins away; it needs outcomes that are places, so it is wrong for the faces of a die.

    Args:
        counts: (K,) clips per outcome.
        baseline: The reference.
        positions: (K,) increasing places of the outcomes; 0, 1, 2, ... if None.

    References:
        Vallender 1974, Theory of Probability and its Applications 18, 784.

    >>> wasserstein([0, 0, 4], Baseline.exact([0.5, 0.0, 0.5]))
    1.0
    """
    whole = checked_counts(counts, baseline)
    places = np.arange(len(whole)) if positions is None else np.asarray(positions, dtype=float)
    if places.shape != whole.shape or not (np.diff(places) > 0).all():
        raise ValueError(f"positions must be {len(whole)} increasing numbers, got {places.tolist()}")
    n = int(whole.sum())
    if n == 0:
        return math.nan
    gap = np.cumsum(whole / n - np.asarray(baseline.p))[:-1]
    return math.fsum(np.abs(gap) * np.diff(places))
