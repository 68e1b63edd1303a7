"""How many independent clips are dependent ones worth, as those of one seed?"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np


def effective_number(sizes: Sequence[int]) -> float:
    """n^2 over the sum of the squared sizes of the clusters; nan without clips.

    That is Kish's effective number if all clips of a cluster show the same (intraclass correlation 1), the least of
    all correlations from 0 on: a test with so many clips keeps its level whatever the correlation is.

    Args:
        sizes: Clips in each cluster.

    References:
        Kish 1965, Survey Sampling, section 5.4 (design effect of clusters).

    >>> effective_number([1, 1, 1, 1]), effective_number([2, 2])
    (4.0, 2.0)
    """
    n = sum(sizes)
    return n**2 / sum(size**2 for size in sizes) if n else math.nan


def whole_counts(shares: Sequence[float] | np.ndarray, n: int) -> tuple[int, ...]:
    """(K,) whole numbers that sum to n, nearest to n times the shares.

    >>> whole_counts([0.5, 0.3, 0.2], 4)
    (2, 1, 1)
    """
    wanted = np.asarray(shares) * n
    whole = np.floor(wanted + 1e-9).astype(int)
    largest = np.argsort(-(wanted - whole), kind="stable")[: n - int(whole.sum())]
    whole[largest] += 1
    return tuple(whole.tolist())
