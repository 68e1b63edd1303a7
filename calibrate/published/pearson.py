"""How often is Pearson's chi-square at least as large by chance, exactly?"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np


def chi_square(counts: Sequence[int], weights: Sequence[int]) -> float:
    """Pearson's chi-square of the counts against probabilities in the proportion of the weights.

    >>> chi_square([3, 1], [1, 1])
    1.0
    """
    n, whole = sum(counts), sum(weights)
    return math.fsum((c - n * w / whole) ** 2 / (n * w / whole) for c, w in zip(counts, weights, strict=True))


def exact_p(counts: Sequence[int], weights: Sequence[int]) -> float:
    """Multinomial probability of a chi-square at least as large as that of the counts; ties count.

    With p_i = a_i / A, chi-square rises with the whole number S = sum of (L / a_i) x_i^2, L the least common multiple
    of the a_i. Outcome by outcome, the probability of every (clips placed, S so far) is added up; whatever reaches
    the observed S is kept as one number, so that a tail of 1e-26 is as exact as one of a half.

    Raises:
        ValueError: Nothing was counted, or a weight is not positive.
    """
    n = sum(counts)
    if n == 0 or min(weights) < 1:
        raise ValueError(f"counts must not be all zero and weights be positive, got {counts} and {weights}")
    common = math.lcm(*weights)
    observed = sum(common // a * c * c for a, c in zip(weights, counts, strict=True))
    steps = sorted((common // a, a / sum(weights)) for a in weights)
    below = np.zeros((n + 1, 1))  # below[m, s]: m clips placed, S = s < observed
    below[0, 0] = 1.0
    reached = np.zeros(n + 1)  # the same, S already at or above the observed
    if observed == 0:
        return 1.0
    for step, p in steps:
        share = [p**x / math.factorial(x) for x in range(n + 1)]
        width = min(observed, below.shape[1] + step * n * n)
        below, reached = _placed(below, reached, step, share, width, observed)
    return min(1.0, float(reached[n]) * math.factorial(n))


def _placed(
    below: np.ndarray, reached: np.ndarray, step: int, share: Sequence[float], width: int, observed: int
) -> tuple[np.ndarray, np.ndarray]:
    """The two tables after one more outcome."""
    n, old = len(reached) - 1, below.shape[1]
    new, total = np.zeros((n + 1, width)), np.zeros(n + 1)
    for x in range(n + 1):
        shift, left = step * x * x, n + 1 - x
        fits = max(0, min(old, observed - shift))
        if fits:
            new[x:, shift : shift + fits] += below[:left, :fits] * share[x]
        total[x:] += (reached[:left] + below[:left, fits:].sum(axis=1)) * share[x]
    return new, total
