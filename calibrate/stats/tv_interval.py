"""Between which limits does the true total variation of a model lie, given its counts?"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from .baseline import Baseline
from .clopper_pearson import Interval, checked_level, clopper_pearson
from .compositions import compositions, log_coefficients, n_compositions
from .total_variation import checked_counts, total_variation
from .tv_test import TIE_TOLERANCE

N_EXACT = 20_000
"""Up to so many possible tables of counts the lower limit is summed over all of them."""
N_DRAWS = 5_000
"""Monte Carlo draws where there are more."""
N_SUBSETS = 1 << 12
"""Up to so many subsets of outcomes are listed for the upper limit."""
_BLOCK = 500
_HALVINGS = 10


def tv_interval(counts: Sequence[int] | np.ndarray, baseline: Baseline, *, seed: int, level: float = 0.95) -> Interval:
    """Confidence interval of TV(q, reference), q being the model's true distribution; both ends nan if n = 0.

    Each limit has half of the error. T is the observed total variation of n clips.

    *Upper.* If q exceeds the reference exactly on the outcomes A, then TV = q(A) - p(A), while T is at least the
    observed share of A less p(A). So the upper limit is the largest over all A of the Clopper-Pearson upper limit for a
    share of T + p(A), less p(A): it holds for every q and every n.

    *Lower.* The test of T is inverted along three paths of distributions at distance tau from the reference: towards
    the observed shares; mass moved from the most lacking outcomes to the most abundant one; mass moved from the
    likeliest outcomes to the least likely one. The limit is the smallest tau at which P(total variation >= T) exceeds
    half of the error on one of them. At tau = 0 this is the p-value, so with an exact reference the limit is above zero
    exactly if p is at most half of the error. The paths stand for all q at distance tau, so coverage is measured:
    `python -m benchmarks.coverage --methods "total variation, exact" --scenes coin --n 8 32 200 --trials 1000`
    finds 0.949 +- 0.007 or more for each of nine truths, `--scenes roulette --n 8 32 --trials 200` 0.970 +- 0.013; the
    percentile bootstrap covers as little as 0.

    A sampled reference moves both limits out by its own half-width, added in quadrature (MOVER).

    Args:
        counts: (K,) clips per outcome.
        baseline: The reference.
        seed: Seed of the Monte Carlo draws.
        level: Confidence level.

    References:
        Zou and Donner 2008, Statistics in Medicine 27, 1693, eq. 6 (MOVER).
    """
    whole = checked_counts(counts, baseline)
    checked_level(level)
    n = int(whole.sum())
    if n == 0:
        return Interval(low=math.nan, high=math.nan, level=level)
    tv = total_variation(whole, baseline)
    tail = (1 - level) / 2
    low, high = _low(whole, baseline, tail, seed), _high(n, tv, baseline, level)
    margin = own_half_width(baseline, 1 - tail)  # each limit has half of the error
    if margin == 0:
        return Interval(low=low, high=min(high, 1 - min(baseline.p)), level=level)
    low = max(0.0, tv - math.hypot(tv - low, margin)) if low > 0 else 0.0
    # no cap below 1: the reference's truth may have an outcome that it never showed
    high = tv + math.hypot(high - tv, margin)
    return Interval(low=low, high=min(high, 1.0), level=level)


def own_half_width(baseline: Baseline, level: float) -> float:
    """Quantile of the total variation between the baseline's own shares and the truth; 0 if it is exact.

    The truth is drawn as in `compositions.probabilities`, from Dirichlet(counts + 1/2): a sample that shows one outcome
    alone has an error too.
    """
    if baseline.counts is None:
        return 0.0
    truth = np.random.default_rng(0).dirichlet(np.asarray(baseline.counts) + 0.5, size=2000)
    return float(np.quantile(0.5 * np.abs(truth - np.asarray(baseline.p)).sum(axis=1), level))


def _high(n: int, tv: float, baseline: Baseline, level: float) -> float:
    p = np.asarray(baseline.p)
    if 1 << len(p) <= N_SUBSETS:
        members = (np.arange(1, 1 << len(p))[:, None] >> np.arange(len(p))) & 1
        offsets = members @ p
    else:  # any real offset: the limit falls between the jumps of the floor, so the jumps and the start are enough
        offsets = np.append(np.arange(n + 1) / n - tv, 0.0)
    best = tv
    for offset in np.unique(offsets[(offsets >= 0) & (offsets < 1)]).tolist():
        hits = min(n, math.floor(n * (tv + offset) + 1e-9))
        best = max(best, clopper_pearson(hits, n, level=level).high - offset)
    return min(best, 1.0)


def _low(whole: np.ndarray, baseline: Baseline, tail: float, seed: int) -> float:
    tv = total_variation(whole, baseline)
    p, shares = np.asarray(baseline.p), whole / whole.sum()
    exceeded = _exceeds(int(whole.sum()), p, tv, tail, seed)
    if tv < TIE_TOLERANCE or exceeded(p):
        return 0.0
    limit = tv
    for path in _paths(p, shares, tv):
        if not exceeded(path(limit)):
            continue
        low, high = 0.0, limit  # exceeded at path(high), not at path(low)
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (low, middle) if exceeded(path(middle)) else (middle, high)
        limit = low
    return limit


def _paths(p: np.ndarray, shares: np.ndarray, tv: float) -> tuple[Callable[[float], np.ndarray], ...]:
    """Functions tau -> a distribution at distance tau from p: the observed direction, and two concentrated moves."""
    by_deficit = np.argsort(shares - p, kind="stable")
    by_size = np.argsort(-p, kind="stable")
    return (
        lambda tau: p + tau / tv * (shares - p),
        lambda tau: _moved(p, tau, [*by_deficit[:-1]], int(by_deficit[-1])),
        lambda tau: _moved(p, tau, [*by_size[:-1]], int(by_size[-1])),
    )


def _moved(p: np.ndarray, tau: float, sources: Sequence[int], target: int) -> np.ndarray:
    """`p` with the mass tau taken from the first of the sources, then the next, and put on the target."""
    q, left = p.copy(), tau
    for i in sources:
        taken = min(left, q[i])
        q[i], q[target], left = q[i] - taken, q[target] + taken, left - taken
    return q


def _exceeds(n: int, p: np.ndarray, tv: float, tail: float, seed: int) -> Callable[[np.ndarray], bool]:
    """The function q -> whether P(total variation of n draws from q >= tv) is above the tail."""

    def far(tables: np.ndarray) -> np.ndarray:
        return np.asarray(0.5 * np.abs(tables / n - p).sum(axis=1) >= tv - TIE_TOLERANCE)

    if n_compositions(n, len(p)) <= N_EXACT:
        from scipy.special import xlogy

        tables = compositions(n, len(p))
        tables = tables[far(tables)]
        coefficient = log_coefficients(tables)
        return lambda q: float(np.exp(coefficient + xlogy(tables, q).sum(axis=1)).sum()) > tail

    def sampled(q: np.ndarray) -> bool:
        rng, hits = np.random.default_rng(seed), 0
        for _ in range(N_DRAWS // _BLOCK):  # more draws cannot change that it is above
            hits += int(far(rng.multinomial(n, q / q.sum(), size=_BLOCK)).sum())
            if (hits + 1) / (N_DRAWS + 1) > tail:
                return True
        return False

    return sampled
