"""Is a model shown to lie within a margin of the reference?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from .baseline import Baseline
from .total_variation import checked_counts, total_variation

MOST_OUTCOMES = 14
"""Up to so many outcomes, every set of them is listed."""
_ROUNDING = 1e-9
_N_NODES = 7
"""Of the quadrature over what a sampled reference may be."""


@dataclass(frozen=True, kw_only=True)
class EquivalenceTest:
    """Result of `equivalence_test`."""

    p: float
    """p-value of "the model is `margin` or more away from the reference"; nan if nothing was counted."""
    margin: float
    """Total variation."""
    method: Literal["sets", "bound", "undefined"]
    """Whether all sets of outcomes were tested, or, where they are too many, the worst that they could be."""


def equivalence_test(
    counts: Sequence[int] | np.ndarray, baseline: Baseline, *, margin: float, most_outcomes: int = MOST_OUTCOMES
) -> EquivalenceTest:
    """p-value of the hypothesis that the model's total variation from the reference is the margin or more.

    A small p shows equivalence within the margin. A model that far away exceeds the reference p by the margin or more
    on some set A of outcomes: q(A) >= p(A) + margin. For one A that is a binomial hypothesis, with the p-value
    P(Binomial(n, p(A) + margin) <= clips in A). The hypothesis as a whole is the union over A, so the largest of these
    p-values tests it (intersection-union), for every model and every n: equivalence is shown where there is none no
    oftener than the level says. For two outcomes these are the two one-sided tests.

    A sampled reference is averaged over: p(A) is normal about its value, with the variance of Dirichlet(counts + 1/2),
    by Gauss-Hermite quadrature. `benchmarks.coverage` measures the level with it.

    Args:
        counts: (K,) clips per outcome.
        baseline: The reference.
        margin: Total variation, strictly between 0 and 1.
        most_outcomes: With more outcomes than this, the largest p-value that any set could have at the observed total
            variation is given instead, which is a little larger.

    References:
        Berger 1982, Technometrics 24, 295, theorem 1 (intersection-union tests); Schuirmann 1987, Journal of
        Pharmacokinetics and Biopharmaceutics 15, 657 (two one-sided tests).

    >>> round(equivalence_test([50, 50], Baseline.exact([0.5, 0.5]), margin=0.1).p, 4)
    0.0271
    """
    whole = checked_counts(counts, baseline)
    checked_margin(margin)
    n = int(whole.sum())
    if n == 0:
        return EquivalenceTest(p=math.nan, margin=margin, method="undefined")
    if len(whole) > most_outcomes:
        p = bound_p(total_variation(whole, baseline), n, baseline, margin)
        return EquivalenceTest(p=p, margin=margin, method="bound")
    found = set_p_values(set_sums(whole), n, set_sums(np.asarray(baseline.p)), baseline, margin)
    return EquivalenceTest(p=float(found.max()), margin=margin, method="sets")


def bound_p(tv: float, n: int, baseline: Baseline, margin: float) -> float:
    """The largest p-value that any set of outcomes could have if n clips have this total variation."""
    # the clips in a set are at most n (TV + its share); as a function of the share, p is largest where that jumps
    jumps = np.arange(n + 1) / n - tv
    shares = np.append(jumps[jumps > 0], 0.0)
    hits = np.minimum(n, np.floor(n * (tv + shares) + _ROUNDING))
    return float(set_p_values(hits, n, shares, baseline, margin).max())


def checked_margin(margin: float) -> float:
    """The margin.

    Raises:
        ValueError: It does not lie strictly between 0 and 1.
    """
    if not 0 < margin < 1:
        raise ValueError(f"margin must lie strictly between 0 and 1, got {margin}")
    return margin


def set_sums(values: np.ndarray) -> np.ndarray:
    """(2^K - 2,) sum of the values (K,) over every set of outcomes but none and all.

    >>> set_sums(np.array([1, 10])).tolist()
    [1, 10]
    """
    sums = np.zeros(1, dtype=values.dtype)
    for value in values:
        sums = np.concatenate([sums, sums + value])
    return sums[1:-1]


def set_p_values(hits: np.ndarray, n: int, shares: np.ndarray, baseline: Baseline, margin: float) -> np.ndarray:
    """(S,) p-value of "the model exceeds the reference by the margin or more" on each set of outcomes.

    Args:
        hits: (S,) clips in the set.
        n: Clips in all.
        shares: (S,) the reference's probability of the set.
        baseline: The reference.
        margin: Total variation.
    """
    from scipy.special import bdtr, roots_hermitenorm

    nodes, weights, spread = np.zeros(1), np.ones(1), np.zeros(len(shares))
    if baseline.n is not None:
        nodes, weights = roots_hermitenorm(_N_NODES)
        half = 0.5 / (baseline.n + 1)  # so that a set that the reference never showed has a spread too
        spread = np.sqrt(shares * (1 - shares) / (baseline.n + 1) + half**2)
    excluded = np.clip(shares[:, None] + np.multiply.outer(spread, nodes), 0, 1) + margin
    possible = excluded <= 1 + _ROUNDING  # no model can exceed the reference by more than what is left of 1
    p = np.where(possible, bdtr(np.asarray(hits, dtype=float)[:, None], n, np.minimum(excluded, 1)), 0.0)
    return np.asarray(p @ (weights / weights.sum()))
