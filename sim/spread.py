"""How much does the outcome distribution move with the unknown factors, beyond what counting alone gives?

Each draw of the unknown factors has a distribution p_m of its own, of which a reference sees counts x_m of n_m
rollouts. The p_m are taken to follow a Dirichlet law of mean mu and dispersion theta (its parameters are mu / theta),
so that the counts follow the Dirichlet-multinomial law. At theta = 0 it is the multinomial: the draws do not matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

LEAST_DISPERSION = 1e-6
"""A fitted dispersion below this is zero: it moves no share by more than 0.0005."""
_LARGEST_DISPERSION = 1e3
_N_GRID = 37
_MAX_ROUNDS = 1000
_N_DRAWS = 1999
"""Tables drawn to test that there is no spread."""


@dataclass(frozen=True, kw_only=True)
class Spread:
    """A fitted Dirichlet-multinomial law."""

    mean: tuple[float, ...]
    """(K,) mean distribution mu."""
    dispersion: float
    """theta, one over the sum of the Dirichlet parameters; 0 if counting alone explains the table."""
    gain: float
    """By how much its log likelihood exceeds that of the multinomial."""

    @property
    def intraclass(self) -> float:
        """Variance of a share between draws, as a part of mu (1 - mu)."""
        return self.dispersion / (1 + self.dispersion)


class _Table:
    """A table as its likelihood sees it: how many draws have more than j counts, for each outcome and in all."""

    def __init__(self, table: np.ndarray) -> None:
        self.above = _above(table.T)  # (K, J)
        self.above_all = _above(table.sum(axis=1)[None])[0]  # (J')
        self._j, self._j_all = np.arange(self.above.shape[1]), np.arange(len(self.above_all))

    def log_likelihood(self, mean: np.ndarray, dispersion: float) -> float:
        """Up to a constant of the table: sum_m [sum_k sum_j<x_mk log(mu_k + j theta) - sum_j<n_m log(1 + j theta)]."""
        terms = np.log(mean[:, None] + dispersion * self._j)
        return float((self.above * terms).sum() - self.above_all @ np.log1p(dispersion * self._j_all))

    def mean(self, start: np.ndarray, dispersion: float) -> np.ndarray:
        """The mean of largest likelihood at a given dispersion."""
        mean = start
        for _ in range(_MAX_ROUNDS):
            # the fixed point of Minka 2000, Estimating a Dirichlet distribution, section 3.2, in terms of theta
            new = (self.above * (mean[:, None] / (mean[:, None] + dispersion * self._j))).sum(axis=1)
            new /= new.sum()
            if np.abs(new - mean).max() < 1e-12:
                return np.asarray(new)
            mean = new
        return mean


def _above(rows: np.ndarray) -> np.ndarray:
    """(R, J) for each row (R, M) of counts and each j, the number of counts above j."""
    out = np.zeros((len(rows), int(rows.max()) + 1), dtype=np.int64)
    for r, row in enumerate(rows):
        out[r] = len(row) - np.cumsum(np.bincount(row, minlength=out.shape[1]))
    return out


def checked_table(table: Sequence[Sequence[int]] | np.ndarray) -> np.ndarray:
    """The table as whole numbers (M, K).

    Raises:
        ValueError: It is not two-dimensional, or holds what is no count.
    """
    array = np.asarray(table)
    if array.ndim != 2 or array.shape[1] < 2 or (array < 0).any() or (array != array.astype(np.int64)).any():
        raise ValueError(f"table must hold counts, (M, K) with K of 2 or more, got shape {array.shape}")
    return array.astype(np.int64)


def fit_spread(table: Sequence[Sequence[int]] | np.ndarray) -> Spread:
    """The Dirichlet-multinomial law of largest likelihood.

    Args:
        table: (M, K) counts by draw of the unknown factors; draws without any count are left out.

    Raises:
        ValueError: It is no table of counts, or there is no count at all.

    References:
        Mosimann 1962, Biometrika 49, 65, eq. 1; Griffiths 1973, Biometrics 29, 637 (the product form of two outcomes).
    """
    from scipy.optimize import minimize_scalar

    counts = checked_table(table)
    counts = counts[counts.sum(axis=1) > 0]
    if not counts.size:
        raise ValueError("table must hold at least one count")
    seen = counts.sum(axis=0) > 0
    pooled = counts.sum(axis=0) / counts.sum()
    if len(counts) < 2 or seen.sum() < 2:
        return Spread(mean=tuple(pooled.tolist()), dispersion=0.0, gain=0.0)
    data, start = _Table(counts[:, seen]), pooled[seen]
    base = data.log_likelihood(start, 0.0)

    def loss(log_dispersion: float) -> float:
        dispersion = float(np.exp(log_dispersion))
        return base - data.log_likelihood(data.mean(start, dispersion), dispersion)

    grid = np.linspace(np.log(LEAST_DISPERSION), np.log(_LARGEST_DISPERSION), _N_GRID)
    losses = [loss(point) for point in grid]
    best = int(np.argmin(losses))
    if best == 0 or losses[best] >= 0:
        return Spread(mean=tuple(pooled.tolist()), dispersion=0.0, gain=0.0)
    ends = (grid[best - 1], grid[min(best + 1, _N_GRID - 1)])
    found = minimize_scalar(loss, bounds=ends, method="bounded", options={"xatol": 1e-6})
    dispersion = float(np.exp(found.x))
    mean = np.zeros(len(seen))
    mean[seen] = data.mean(start, dispersion)
    return Spread(mean=tuple(mean.tolist()), dispersion=dispersion, gain=float(-found.fun))


def members(table: Sequence[Sequence[int]] | np.ndarray, spread: Spread) -> np.ndarray:
    """(M, K) the distribution of each draw, shrunk towards the mean until all of them spread as the fitted law does.

    The shares of a draw get the weight sqrt(r), the mean 1 - sqrt(r); r is the part of their variance that is not
    counting. With the weight r they would be the draw's expected distribution given its counts, but expectations lie
    closer together than what is expected: their hull is a third to two thirds as wide as that of the true distributions
    (simulated: two outcomes, 64 draws, 80 and 152 rollouts a draw), and a model that has the constants of the outermost
    draw would be rejected too often.

    One row, the mean, if the spread is zero: the set is a point.

    References:
        Louis 1984, JASA 79, 393, and Ghosh 1992, JASA 87, 533 (estimates whose spread is that of the parameters).
    """
    counts, mean = checked_table(table), np.asarray(spread.mean)
    if spread.dispersion == 0:
        return mean[None]
    weight = np.sqrt(_reliability(counts, spread))[:, None]
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    return np.asarray(weight * shares + (1 - weight) * mean)


def _reliability(counts: np.ndarray, spread: Spread) -> np.ndarray:
    """(M,) the part of the variance of a draw's shares that is not counting, n theta / (1 + n theta)."""
    n = counts.sum(axis=1)
    return np.asarray(spread.dispersion * n / (1 + spread.dispersion * n))


def n_behind_member(table: Sequence[Sequence[int]] | np.ndarray, spread: Spread) -> int:
    """As how many rollouts tell it, the distribution of one draw is known: its own and what the fitted law adds.

    Given its counts a draw's distribution follows a Dirichlet law of concentration 1 / theta + n_m about its
    expectation. About its member, see `members`, its mean squared error is 2 / (1 + sqrt(r)) times as large: with V the
    variance between draws, 2 V (1 - sqrt(r)) instead of V (1 - r). No draw is known better than their mean, which all
    rollouts tell.
    """
    counts = checked_table(table)
    counts = counts[counts.sum(axis=1) > 0]
    total = int(counts.sum())
    if spread.dispersion == 0:
        return total
    widening = (1 + float(np.sqrt(_reliability(counts, spread)).mean())) / 2
    return max(1, min(total, round(widening * (1 / spread.dispersion + total / len(counts)))))


def p_no_spread(table: Sequence[Sequence[int]] | np.ndarray, *, seed: int) -> float:
    """Monte Carlo p-value, add-one, of the hypothesis that all draws of the unknown factors share one distribution.

    The statistic is the derivative of the log likelihood in the dispersion at zero.

    References:
        Tarone 1979, Biometrika 66, 585, eq. 2.3 (two outcomes); Phipson and Smyth 2010, eq. 2 (add-one).
    """
    counts = checked_table(table)
    counts = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
    pooled = counts.sum(axis=0) / counts.sum()
    # any table is drawn with the margins that it has, so that the unknown mean plays no part
    weight = 1 / pooled
    observed = float((counts * (counts - 1) * weight).sum())
    rng = np.random.default_rng(seed)
    labels, rows = np.repeat(np.arange(counts.shape[1]), counts.sum(axis=0)), counts.sum(axis=1)
    place = np.repeat(np.arange(len(rows)), rows)
    hits = 0
    for _ in range(_N_DRAWS):
        flat = np.bincount(place * counts.shape[1] + rng.permutation(labels), minlength=counts.size)
        drawn = flat.reshape(counts.shape)
        hits += float((drawn * (drawn - 1) * weight).sum()) >= observed - 1e-9 * abs(observed)
    return (hits + 1) / (_N_DRAWS + 1)
