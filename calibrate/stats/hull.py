"""How far are counts from a reference that is a set of distributions: the convex hull of its members?

The constants that nobody can read off a picture have one distribution of outcomes each, and may differ from clip to
clip: every mixture of the members is a faithful model's distribution. Distances refer to the nearest of them, and a
p-value is the largest over all of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from .baseline import Baseline
from .clopper_pearson import Interval
from .total_variation import checked_counts, excess, expected_total_variation
from .tv_interval import tv_interval
from .tv_test import tv_test

LP_ROUNDING = 1e-9
"""Distances below this are zero: the linear programme is no more exact than that."""


@dataclass(frozen=True)
class Hull:
    """The convex hull of M distributions over K outcomes."""

    members: tuple[tuple[float, ...], ...]
    """(M, K) distributions; one alone makes the set a point."""
    n: int | None = None
    """As how many draws tell it, one member is known; None if all are exact."""

    def __post_init__(self) -> None:
        """Refuse what are not distributions over the same outcomes."""
        if not self.members or len({len(member) for member in self.members}) != 1:
            raise ValueError("members must be one or more distributions over the same outcomes")
        for member in self.members:
            Baseline.exact(member)
        if self.n is not None and self.n < 1:
            raise ValueError(f"n must be positive or None, got {self.n}")

    @staticmethod
    def of(members: Sequence[Sequence[float]] | np.ndarray, *, n: int | None = None) -> Hull:
        """The hull of the rows of a table (M, K).

        Args:
            members: (M, K) distributions.
            n: As how many draws tell it, one of them is known (`Reference.n_member`); None if they are exact.
        """
        return Hull(members=tuple(tuple(float(q) for q in row) for row in np.asarray(members)), n=n)

    @property
    def array(self) -> np.ndarray:
        """(M, K) the members."""
        return np.asarray(self.members)

    @property
    def mean(self) -> np.ndarray:
        """(K,) mean of the members."""
        return np.asarray(self.array.mean(axis=0))

    def baseline(self, point: Sequence[float] | np.ndarray) -> Baseline:
        """One point of the hull as a reference: exact, or known as n draws with these shares tell it.

        The distance is measured from the point itself; its uncertainty is that of n draws rounded to whole numbers.
        """
        p = np.clip(np.asarray(point, dtype=float), 0, None)
        p /= p.sum()
        if self.n is None:
            return Baseline.exact(p.tolist())
        whole = np.floor(p * self.n + LP_ROUNDING).astype(int)
        left = self.n - int(whole.sum())
        largest = np.argsort(-(p * self.n - whole), kind="stable")[:left]
        whole[largest] += 1
        return Baseline(p=tuple(p.tolist()), counts=tuple(whole.tolist()))


@dataclass(frozen=True, kw_only=True)
class Nearest:
    """The point of a hull that is nearest to a distribution."""

    p: tuple[float, ...]
    """(K,) the point."""
    weights: tuple[float, ...]
    """(M,) of the members, summing to 1."""
    tv: float
    """Total variation between the two."""


@dataclass(frozen=True, kw_only=True)
class HullScore:
    """Counts against a hull."""

    tv: float
    """Total variation from the nearest point; nan if nothing was counted."""
    tv_expected: float
    """What draws from the nearest point are on average away from it."""
    excess: float
    p: float
    """The largest p-value over the hull, for the statistic total variation."""
    method: str
    n_draws: int | None
    """Monte Carlo draws; None if exact."""
    nearest: tuple[float, ...]
    """(K,) the nearest point of the hull; its mean if nothing was counted."""
    likeliest: tuple[float, ...]
    """(K,) the point at which p is reached."""


@lru_cache(maxsize=256)
def nearest(shares: tuple[float, ...], hull: Hull) -> Nearest:
    """The point of the hull at the least total variation; of several, one that is nearest to the hull's mean.

    Both are linear programmes: minimise half the sum of t over weights w >= 0 that sum to 1, with
    |shares - members' w| <= t.

    Args:
        shares: (K,) a distribution.
        hull: The set.

    Raises:
        ValueError: `shares` is no distribution over the hull's outcomes.
    """
    if len(shares) != len(hull.members[0]):
        raise ValueError(f"shares must hold {len(hull.members[0])} numbers, one per outcome, got {len(shares)}")
    target = np.asarray(Baseline.exact(shares).p)
    members = hull.array
    if len(members) == 1:
        return Nearest(p=hull.members[0], weights=(1.0,), tv=0.5 * math.fsum(np.abs(target - members[0])))
    first = _least(members, [target], [])
    tv = 0.5 * float(np.abs(target - first @ members).sum())
    second = _least(members, [hull.mean], [(target, tv + LP_ROUNDING)])
    p = tuple((second @ members).tolist())
    return Nearest(p=p, weights=tuple(second.tolist()), tv=0.0 if tv < 3 * LP_ROUNDING else tv)


def _least(
    members: np.ndarray, targets: Sequence[np.ndarray], within: Sequence[tuple[np.ndarray, float]]
) -> np.ndarray:
    """(M,) weights of the point at the least total variation from a target, no further from others than a limit."""
    from scipy.optimize import linprog

    m, k = members.shape
    goals = [*targets, *(target for target, _ in within)]
    n_slack = k * len(goals)
    upper, bound = [], []
    for g, target in enumerate(goals):
        slack = np.zeros((k, n_slack))
        slack[:, g * k : (g + 1) * k] = -np.eye(k)
        for sign in (1, -1):
            upper.append(np.hstack([sign * members.T, slack]))
            bound.append(sign * target)
    for g, (_, limit) in enumerate(within, start=len(targets)):
        row = np.zeros((1, m + n_slack))
        row[0, m + g * k : m + (g + 1) * k] = 0.5
        upper.append(row)
        bound.append(np.array([limit]))
    cost = np.concatenate([np.zeros(m), np.where(np.arange(n_slack) < k * len(targets), 0.5, 0.0)])
    whole = np.concatenate([np.ones(m), np.zeros(n_slack)])[None]
    found = linprog(cost, np.vstack(upper), np.concatenate(bound), whole, [1.0], bounds=(0, None), method="highs")
    if not found.success:
        raise ArithmeticError(f"the nearest point of the hull was not found: {found.message}")
    weights = np.clip(found.x[:m], 0, None)
    return np.asarray(weights / weights.sum())


def hull_score(counts: Sequence[int] | np.ndarray, hull: Hull, *, seed: int) -> HullScore:
    """Distance of counts from a hull and the largest p-value over it.

    For one point q the p-value is that of `tv_test`: P(TV(draws from q, q) >= TV(counts, q)), exact or Monte Carlo with
    (b + 1) / (draws + 1), ties counted. It is a valid test of every single q, so the largest is one of the set. The
    largest is searched for, see `calibrate.stats.hull_search`; for a point it is that of `tv_test`.

    A hull that was fitted holds as far as the fit. A model with the constants of the outermost draw had p <= 0.05 in 2
    to 3 % of cases with 24 and 100 clips and in 1 to 7 % with 1,000 (`python -m benchmarks.set_coverage`). Where the
    fit found none of a true spread of 0.02, so that the set was a point, it was 4 to 5 % with 24 clips, 12 to 14 % with
    100 and 71 to 75 % with 1,000: with so many clips more rollouts a draw are needed.

    Args:
        counts: (K,) clips per outcome.
        hull: The reference.
        seed: Seed of the Monte Carlo draws.
    """
    from .hull_search import likely_points

    whole = checked_counts(counts, Baseline.exact(hull.members[0]))
    n = int(whole.sum())
    if n == 0:
        mean = tuple(hull.mean.tolist())
        undefined = {"tv": math.nan, "tv_expected": math.nan, "excess": math.nan, "p": math.nan}
        return HullScore(**undefined, method="undefined", n_draws=None, nearest=mean, likeliest=mean)
    shares = tuple((whole / n).tolist())
    close = nearest(shares, hull)
    expected = expected_total_variation(n, hull.baseline(close.p))
    if close.tv == 0:  # every draw is at least as far away
        tested, best = None, close.p
    else:
        tests = [(tv_test(whole, hull.baseline(q), seed=seed), q) for q in likely_points(whole, hull, close.p, seed)]
        tested, best = max(tests, key=lambda pair: pair[0].p)
    return HullScore(
        tv=close.tv,
        tv_expected=expected,
        excess=excess(close.tv, expected),
        p=1.0 if tested is None else tested.p,
        method="exact" if tested is None else tested.method,
        n_draws=None if tested is None else tested.n_draws,
        nearest=close.p,
        likeliest=tuple(best),
    )


def hull_interval(
    score: HullScore, counts: Sequence[int] | np.ndarray, hull: Hull, *, seed: int, level: float = 0.95
) -> Interval:
    """Confidence interval of the distance of a model's true distribution from the hull; nan if n = 0.

    The upper limit is that of `tv_interval` at the nearest point: what exceeds the hull on some outcomes exceeds every
    point of it there. The lower one is the least at the nearest and at the likeliest point.

    At a true distance of 0 the lower limit, which may miss in 2.5 %, missed in 1 to 2 % of cases with 24 and 100 clips
    and in 1 to 5 % with 1,000 (`python -m benchmarks.set_coverage`: hulls fitted to 64 draws, two outcomes, a model
    with the constants of the outermost draw). Where the fit found no spread although there is one, it was in 4, 6 to 8
    and 63 to 68 %.

    Args:
        score: What `hull_score` gave for these counts.
        counts: (K,) clips per outcome.
        hull: The reference.
        seed: Seed of the Monte Carlo draws.
        level: Confidence level.
    """
    points = dict.fromkeys((score.nearest, score.likeliest))
    at = [tv_interval(counts, hull.baseline(q), seed=seed, level=level) for q in points]
    return Interval(low=0.0 if score.tv == 0 else min(found.low for found in at), high=at[0].high, level=level)
