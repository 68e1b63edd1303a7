"""How many clips does it take until the interval of a total variation is as narrow as one wants?"""

from __future__ import annotations

import math

import numpy as np

from .baseline import Baseline
from .clopper_pearson import checked_level
from .power import MOST_CLIPS
from .tv_interval import tv_interval

N_TABLES = 40
"""Simulated studies behind a mean width of up to three outcomes; it then errs by about 1 %."""
N_FEW = 6
"""The same with more, whose intervals are Monte Carlo: they vary less, and the mean errs by about 3 %."""
_ROUNDS = 8
_FIRST = 100
_NEAR = 0.03


def mean_width(n: int, baseline: Baseline, truth: np.ndarray, *, seed: int, level: float = 0.95) -> float:
    """Mean width of `tv_interval` over simulated studies of n clips.

    Args:
        n: Scored clips.
        baseline: The reference.
        truth: (K,) the model's distribution.
        seed: Seed of the draws.
        level: Confidence level.
    """
    size = N_TABLES if len(truth) <= 3 else N_FEW
    drawn = np.random.default_rng(seed).multinomial(n, truth, size=size)
    tables, times = np.unique(drawn, axis=0, return_counts=True)
    found = [tv_interval(table, baseline, seed=seed, level=level) for table in tables]
    return float(times @ [each.high - each.low for each in found]) / size


def clips_for_width(
    width: float, baseline: Baseline, truth: np.ndarray, *, seed: int, level: float = 0.95
) -> int | None:
    """Scored clips with which the interval is on average as narrow, to within 3 %; None if MOST_CLIPS are not enough.

    The width falls nearly as 1 / sqrt(n), by which each next n is guessed.

    Args:
        width: Wanted width, strictly between 0 and 1.
        baseline: The reference; its own error does not fall with n.
        truth: (K,) the model's distribution.
        seed: Seed of the draws.
        level: Confidence level.
    """
    checked_level(level)
    if not 0 < width < 1:
        raise ValueError(f"width must lie strictly between 0 and 1, got {width}")
    n, best, too_few = _FIRST, None, 0
    for _ in range(_ROUNDS):
        found = mean_width(n, baseline, truth, seed=seed, level=level)
        if found <= width:
            best = n if best is None else min(best, n)
        elif n >= MOST_CLIPS:
            return None
        else:
            too_few = max(too_few, n)
        guess = math.ceil(n * (found / width) ** 2)
        if found > width:
            guess = max(guess, n + 1)
        n = min(MOST_CLIPS, max(1, too_few + 1, guess if best is None else min(guess, best - 1)))
        if best is not None and best - too_few <= max(1, _NEAR * best):
            break
    return best
