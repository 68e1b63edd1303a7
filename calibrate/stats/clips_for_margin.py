"""How many clips does it take until chance alone keeps a faithful model within a margin of the reference?"""

from __future__ import annotations

import math

import numpy as np

from .baseline import Baseline
from .clopper_pearson import checked_level

_N_DRAWS = 100_000


def clips_for_margin(baseline: Baseline, margin: float, *, seed: int, level: float = 0.95) -> int:
    """The least n at which the total variation of a faithful model is at most the margin, in `level` of all studies.

    In the normal limit the shares of n clips err by G / sqrt(n), G with the covariance diag(p) - p p', so that
    n = (q / margin)^2 with q the quantile of half the summed |G|, found by draws; it errs by about 1 %. For two
    outcomes q = z sqrt(p (1 - p)). The reference is taken for exact.

    Args:
        baseline: The reference.
        margin: Total variation, strictly between 0 and 1.
        seed: Seed of the draws.
        level: Share of the studies.

    References:
        Agresti 2013, Categorical Data Analysis, section 16.1.4 (the limit); Cochran 1977, Sampling Techniques, eq. 4.2
        (two outcomes).

    >>> 95 <= clips_for_margin(Baseline.exact([0.5, 0.5]), 0.1, seed=0) <= 97
    True
    """
    checked_level(level)
    if not 0 < margin < 1:
        raise ValueError(f"margin must lie strictly between 0 and 1, got {margin}")
    p = np.asarray(baseline.p)
    scaled = np.random.default_rng(seed).standard_normal((_N_DRAWS, len(p))) * np.sqrt(p)
    error = scaled - p * scaled.sum(axis=1, keepdims=True)  # covariance diag(p) - p p'
    reach = float(np.quantile(0.5 * np.abs(error).sum(axis=1), level))
    return max(1, math.ceil((reach / margin) ** 2))
