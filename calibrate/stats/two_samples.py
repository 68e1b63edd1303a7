"""Are two samples of outcomes from one distribution, and how far apart may their distributions be?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .clopper_pearson import Interval
from .equivalence_test import MOST_OUTCOMES, checked_margin, set_sums
from .two_shares import change_interval, change_p
from .wilson import wilson

N_DRAWS = 20_000
"""Monte Carlo draws of the test, and of the lower limit with more than two outcomes."""
_N_TRIED = 4
"""Sets of outcomes for which a limit is computed in full, the most promising first."""
_N_TESTED = 24
"""The same for the test of the margin, whose p is quickly computed and ranks the sets a little differently."""
_TIE = 1e-9


@dataclass(frozen=True, kw_only=True)
class TwoSamples:
    """Two samples of outcomes, set against each other; all nan where one of them is empty."""

    tv: float
    """Total variation between the shares of the two."""
    expected: float
    """What it would be on average if one distribution stood behind both."""
    p: float
    """p-value of "one distribution stands behind both"."""
    p_apart: float
    """p-value of "their distributions are the margin or more apart"."""
    interval: Interval
    """95 %, of the total variation between the distributions behind the two."""


def two_samples(first: Sequence[int], second: Sequence[int], *, margin: float, seed: int) -> TwoSamples:
    """Two samples of K outcomes against each other.

    *Test of one distribution*: permutation of the clips between the samples, by Monte Carlo with
    (b + 1) / (draws + 1), for the statistic total variation; ties count.

    *Test of a margin*: distributions that far apart differ by the margin or more on some set of outcomes. For one set
    that is a hypothesis about one share (`change_p`), and the largest p-value over the sets tests their union
    (intersection-union). It is searched for among the most promising sets by the distance in standard errors.

    *Interval*: the upper limit is the largest upper limit of the change over the sets of outcomes, which holds for the
    set on which the distributions differ most, whichever it is. For two outcomes the lower limit follows from the
    interval of the change; for more it is T less the 0.975 quantile of the total variation that sampling adds, drawn
    from the shares (with a half added to each count), and 0 where p is above 0.025.

    Args:
        first: (K,) counts.
        second: (K,) counts.
        margin: Total variation, strictly between 0 and 1.
        seed: Seed of the Monte Carlo draws.

    References:
        Berger 1982, Technometrics 24, 295, theorem 1 (intersection-union tests); Phipson and Smyth 2010, Permutation
        p-values should never be zero, eq. 2 (add-one).
    """
    a, b = np.asarray(first, dtype=np.int64), np.asarray(second, dtype=np.int64)
    if a.shape != b.shape or a.ndim != 1 or len(a) < 2 or min(a.min(), b.min()) < 0:
        raise ValueError(f"need two rows of counts of the same outcomes, got {a.tolist()} and {b.tolist()}")
    checked_margin(margin)
    n = (int(a.sum()), int(b.sum()))
    if min(n) == 0:
        nan = math.nan
        return TwoSamples(tv=nan, expected=nan, p=nan, p_apart=nan, interval=Interval(low=nan, high=nan))
    tv = 0.5 * float(np.abs(a / n[0] - b / n[1]).sum())
    drawn = np.random.default_rng(seed).multivariate_hypergeometric(a + b, n[0], size=N_DRAWS)
    by_chance = 0.5 * np.abs(drawn / n[0] - (a + b - drawn) / n[1]).sum(axis=1)
    p = (float((by_chance >= tv - _TIE).sum()) + 1) / (N_DRAWS + 1)
    pairs = _pairs(a, b, tv)
    return TwoSamples(
        tv=tv,
        expected=float(by_chance.mean()),
        p=p,
        p_apart=max(change_p(pair, n, margin, side="below") for pair in _promising(pairs, n, margin)),
        interval=Interval(low=_low(a, b, tv, p, seed), high=_high(pairs, n, tv)),
    )


def _pairs(a: np.ndarray, b: np.ndarray, tv: float) -> np.ndarray:
    """(S, 2) hits of both samples in each set of outcomes; with too many outcomes, the worst that they could be."""
    if len(a) <= MOST_OUTCOMES:
        return np.unique(np.stack([set_sums(a), set_sums(b)], axis=1), axis=0)
    n = a.sum(), b.sum()
    hits = np.arange(n[0] + 1)
    most = np.minimum(n[1], np.floor(n[1] * (hits / n[0] + tv) + _TIE)).astype(np.int64)
    return np.stack([hits, most], axis=1)


def _promising(pairs: np.ndarray, n: tuple[int, int], margin: float) -> list[tuple[int, int]]:
    """The pairs that are the most standard errors above the margin."""
    shares = (pairs + 0.5) / (np.asarray(n) + 1)
    error = np.sqrt((shares * (1 - shares) / np.asarray(n)).sum(axis=1))
    z = ((pairs[:, 1] / n[1] - pairs[:, 0] / n[0]) - margin) / error
    order = np.argsort(-z, kind="stable")[:_N_TESTED]
    return [(int(x), int(y)) for x, y in pairs[order]]


def _high(pairs: np.ndarray, n: tuple[int, int], tv: float) -> float:
    """The largest upper limit of the change over the sets."""

    def quick(pair: tuple[int, int]) -> float:  # Newcombe 1998, Statistics in Medicine 17, 873, method 10
        before, after = wilson(pair[0], n[0]), wilson(pair[1], n[1])
        gap = pair[1] / n[1] - pair[0] / n[0]
        return gap + math.hypot(after.high - pair[1] / n[1], pair[0] / n[0] - before.low)

    ranked = sorted(((int(x), int(y)) for x, y in pairs), key=quick, reverse=True)[:_N_TRIED]
    return min(1.0, max(tv, *(change_interval(pair, n).high for pair in ranked)))


def _low(a: np.ndarray, b: np.ndarray, tv: float, p: float, seed: int) -> float:
    n = (int(a.sum()), int(b.sum()))
    if len(a) == 2:
        change = change_interval((int(a[0]), int(b[0])), n)
        return max(0.0, change.low, -change.high)
    if p > 0.025:
        return 0.0
    rng, error = np.random.default_rng(seed), np.zeros(len(a))
    for counts, size, sign in ((a, n[0], -1), (b, n[1], 1)):
        shares = (counts + 0.5) / (size + 0.5 * len(counts))
        error = error + sign * (rng.multinomial(size, shares, size=N_DRAWS) / size - shares)
    return max(0.0, tv - float(np.quantile(0.5 * np.abs(error).sum(axis=1), 0.975)))
