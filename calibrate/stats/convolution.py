"""What is the exact chance of a statistic that is a sum over outcomes, without listing every table of counts?

The counts of n clips are independent Poisson variables (or, for a sampled reference, negative binomial ones) given
that they sum to n. So the law of (count, statistic) is built outcome by outcome, equal values merged, in two halves
that are joined at the end.

References:
    Baglivo, Olivier and Pagano 1992, Journal of the American Statistical Association 87, 464 (exact multinomial tests
    by convolution); Johnson, Kotz and Balakrishnan 1997, Discrete multivariate distributions, 35.1 (Poisson given the
    sum), 35.13 (negative binomial given the sum: Dirichlet-multinomial).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from .baseline import Baseline

MOST_STATES = 6_000_000
"""Pairs of count and value that may be made for one half; with more, the sum is given up."""
DECIMALS = 11
"""Values that agree to so many decimals are merged."""

Term = Callable[[np.ndarray, float], np.ndarray]
"""Counts of one outcome and its probability -> its part of the statistic."""
_Half = list[tuple[np.ndarray, np.ndarray]]


def tail(n: int, baseline: Baseline, term: Term, threshold: float) -> float | None:
    """P(sum of terms >= threshold) for n draws from the baseline; None if there are too many states to add up.

    Args:
        n: Number of draws, at least one.
        baseline: The reference; an exact probability of zero takes no part.
        term: Part of the statistic that one outcome gives.
        threshold: The observed value, already lowered by the tolerance of ties.
    """
    rows, log_total = _weights(n, baseline)
    order = sorted(range(len(rows)), key=lambda i: baseline.p[i])
    numbers = np.arange(n + 1)
    parts = [(row, term(numbers, baseline.p[i])) for i in order if (row := rows[i]) is not None]
    idle = sum(float(term(np.zeros(1), baseline.p[i])[0]) for i in order if rows[i] is None)
    cut = len(parts) // 2
    first, second = _half(parts[:cut], n), _half(parts[cut:], n)
    if first is None or second is None:
        return None
    total = 0.0
    for m in range(n + 1):
        (values, weight), (others, other_weight) = first[m], second[n - m]
        if values.size and others.size:
            above = np.append(np.cumsum(other_weight[::-1])[::-1], 0.0)
            total += float(weight @ above[np.searchsorted(others, threshold - idle - values, side="left")])
    return min(1.0, total / float(np.exp(log_total)))


def _weights(n: int, baseline: Baseline) -> tuple[list[np.ndarray | None], float]:
    """(K) of (n+1,) probabilities of each count of each outcome, and the logarithm of that of the sum n."""
    from scipy.special import gammaln, xlogy

    x = np.arange(n + 1)
    if baseline.counts is None:
        rows = [np.exp(xlogy(x, n * p) - n * p - gammaln(x + 1)) if p > 0 else None for p in baseline.p]
        return rows, float(n * np.log(n) - n - gammaln(n + 1))
    alpha = np.asarray(baseline.counts) + 0.5
    whole = float(alpha.sum())
    log_stay, log_go = np.log(whole / (whole + n)), np.log(n / (whole + n))

    def log_nb(count: np.ndarray, size: float) -> np.ndarray:
        log_choose = gammaln(count + size) - gammaln(size) - gammaln(count + 1)
        return np.asarray(log_choose + size * log_stay + count * log_go)

    return [np.exp(log_nb(x, float(a))) for a in alpha], float(log_nb(np.asarray([n]), whole)[0])


def _half(parts: Sequence[tuple[np.ndarray, np.ndarray]], n: int) -> _Half | None:
    """For each count 0 to n, the sorted values of the statistic over some outcomes and their probabilities."""
    state: _Half = [(np.zeros(1), np.ones(1))] + [(np.zeros(0), np.zeros(0))] * n
    made = 0
    for weight, value in parts:
        new: _Half = []
        filled = [j for j, (values, _) in enumerate(state) if values.size]
        for m in range(n + 1):
            pieces = [(state[j], m - j) for j in filled if j <= m]
            made += sum(piece[0].size for piece, _ in pieces)
            if made > MOST_STATES:
                return None
            values = np.concatenate([piece[0] + value[x] for piece, x in pieces] or [np.zeros(0)])
            weights = np.concatenate([piece[1] * weight[x] for piece, x in pieces] or [np.zeros(0)])
            new.append(_merged(values, weights))
        state = new
    return state


def _merged(values: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    if not values.size:
        return values, weights
    order = np.argsort(values, kind="stable")
    values, weights = np.round(values[order], DECIMALS), weights[order]
    starts = np.flatnonzero(np.append(True, np.diff(values) > 0))
    return values[starts], np.add.reduceat(weights, starts)
