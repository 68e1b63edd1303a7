"""What does it add to a reference's uncertainty that two engines differ?

Where chance explains the difference it adds nothing. Else nobody knows which engine is right: the difference of their
pooled shares is taken to hold for every draw of the unknown constants, and the set spans the draws as they are and as
the other engine moves them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .reference import Reference

LEVEL = 0.01
"""The engines differ if the p-value of their comparison (two-sample permutation test of TV) is below this."""


def engine_gap(reference: Reference) -> np.ndarray | None:
    """(K,) share of each outcome in the second engine less that in the reference; None if there is no such difference.

    None also without a second engine, or if none of its rollouts has an outcome.
    """
    second = reference.second_engine
    if second is None or second.p >= LEVEL:
        return None
    counts = np.array([second.counts[o] for o in reference.outcomes], dtype=float)
    return np.asarray(counts / counts.sum() - reference.shares) if counts.sum() else None


def spanned(members: np.ndarray, gap: np.ndarray) -> np.ndarray:
    """(2M, K) the members (M, K), and each of them moved by the gap (K,).

    A share that would fall below zero is zero, and the others are scaled to sum to 1.
    """
    moved = np.clip(members + gap, 0, None)
    return np.concatenate([members, moved / moved.sum(axis=1, keepdims=True)])


def n_moved(n: int, n_second: int) -> int:
    """As how many rollouts tell it, a moved member is known: the variances of both engines' shares add."""
    return max(1, round(1 / (1 / n + 1 / n_second)))
