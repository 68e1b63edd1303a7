"""How far are a cell's counts from its reference, be that one distribution or a set of them?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .stats import (
    Baseline,
    Hull,
    excess,
    expected_total_variation,
    hull_interval,
    hull_score,
    hull_tv_bounds,
    total_variation,
    tv_bounds,
    tv_interval,
    tv_test,
)

if TYPE_CHECKING:
    from sim.reference import Reference


@dataclass(frozen=True, kw_only=True)
class Distance:
    """Counts against a reference; what is undefined because nothing was counted is nan."""

    tv: float
    """Total variation from the nearest point of the reference."""
    interval: tuple[float, float]
    """95 %, of the distance between the reference and the distribution behind the counts."""
    bounds: tuple[float, float]
    """Whatever the clips without an outcome showed."""
    expected: float
    """What draws from the nearest point are on average away from it."""
    excess: float
    p: float
    """For a set the largest over its points: a test at level 0.05 is one for every point of it."""
    method: str
    nearest: tuple[float, ...]
    """(K,) the nearest point."""
    low: tuple[float, ...]
    """(K,) least share of each outcome in the reference."""
    high: tuple[float, ...]
    """(K,) its largest share; equal to `low` for a point."""
    tv_point: float
    """Total variation from the reference's shares, all its draws of the unknown constants together."""


def distance(counts: Sequence[int], n_missing: int, reference: Reference, *, seed: int) -> Distance:
    """How far counts are from a reference.

    A reference that is a set (`Reference.why_point` is None) is the convex hull of its `member_shares`, each of them
    known as `n_member` rollouts tell it. Otherwise it is its pooled counts, as a sample.

    Args:
        counts: (K,) clips per outcome, in the reference's order.
        n_missing: Clips without an outcome.
        reference: The reference.
        seed: Seed of the Monte Carlo draws.

    Raises:
        ValueError: There is no clip at all, or a number is negative.
    """
    pooled = Baseline.sample([reference.counts[outcome] for outcome in reference.outcomes])
    if reference.why_point is None:
        hull = Hull.of(reference.member_shares, n=reference.n_member)
        return _from_set(counts, n_missing, hull, total_variation(counts, pooled), seed)
    return _from_point(counts, n_missing, pooled, seed)


def _from_point(counts: Sequence[int], n_missing: int, point: Baseline, seed: int) -> Distance:
    tv, expected = total_variation(counts, point), expected_total_variation(sum(counts), point)
    interval, bounds = tv_interval(counts, point, seed=seed), tv_bounds(counts, n_missing, point)
    test = tv_test(counts, point, seed=seed)
    return Distance(
        tv=tv,
        interval=(interval.low, interval.high),
        bounds=(bounds.low, bounds.high),
        expected=expected,
        excess=excess(tv, expected),
        p=test.p,
        method=_method(test.method, test.n_draws),
        nearest=point.p,
        low=point.p,
        high=point.p,
        tv_point=tv,
    )


def _from_set(counts: Sequence[int], n_missing: int, hull: Hull, tv_point: float, seed: int) -> Distance:
    score = hull_score(counts, hull, seed=seed)
    interval, bounds = hull_interval(score, counts, hull, seed=seed), hull_tv_bounds(counts, n_missing, hull)
    return Distance(
        tv=score.tv,
        interval=(interval.low, interval.high),
        bounds=(bounds.low, bounds.high),
        expected=score.tv_expected,
        excess=score.excess,
        p=score.p,
        method=_method(score.method, score.n_draws),
        nearest=score.nearest,
        low=tuple(hull.array.min(axis=0).tolist()),
        high=tuple(hull.array.max(axis=0).tolist()),
        tv_point=tv_point,
    )


def _method(name: str, n_draws: int | None) -> str:
    return name if n_draws is None else f"{name}, {n_draws} draws"
