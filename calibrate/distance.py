"""How far are a cell's counts from its reference, be that one distribution or a set of them?"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from .conclusion import MARGIN_TV
from .stats import (
    Baseline,
    Hull,
    Interval,
    equivalence_test,
    excess,
    expected_total_variation,
    hull_interval,
    hull_score,
    hull_tv_bounds,
    nearest,
    total_variation,
    tv_bounds,
    tv_interval,
    tv_test,
)
from .stats.clustered import whole_counts

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
    p_equivalence: float
    """p of "the model is the margin or more away from the reference", tested from its pooled point: see `distance`."""
    nearest: tuple[float, ...]
    """(K,) the nearest point."""
    low: tuple[float, ...]
    """(K,) least share of each outcome in the reference."""
    high: tuple[float, ...]
    """(K,) its largest share; equal to `low` for a point."""
    tv_point: float
    """Total variation from the reference's shares, all its draws of the unknown constants together."""


def distance(
    counts: Sequence[int], n_missing: int, reference: Reference, *, seed: int, margin: float = MARGIN_TV
) -> Distance:
    """How far counts are from a reference.

    A reference that is a set (`Reference.why_point` is None) is the convex hull of its `member_shares`, each of them
    known as `n_member` rollouts tell it. Otherwise it is its pooled counts, as a sample.

    Equivalence is tested from the pooled counts, whatever the kind. They are a fixed point q of the set, so that
    TV(model, set) <= TV(model, q): a model shown to be within the margin of q is within it of the set. For a set that
    is conservative. The nearest point would not do, since the clips choose it.

    Args:
        counts: (K,) clips per outcome, in the reference's order.
        n_missing: Clips without an outcome.
        reference: The reference.
        seed: Seed of the Monte Carlo draws.
        margin: Total variation of the equivalence test, strictly between 0 and 1.

    Raises:
        ValueError: There is no clip at all, a number is negative, or the margin is none.
    """
    pooled = Baseline.sample([reference.counts[outcome] for outcome in reference.outcomes])
    if reference.why_point is None:
        hull = Hull.of(reference.member_shares, n=reference.n_member)
        return _from_set(counts, n_missing, hull, pooled, seed, margin)
    return _from_point(counts, n_missing, pooled, seed, margin)


def tv_limits(
    counts: Sequence[int], reference: Reference, *, seed: int, n_independent: float | None = None
) -> Callable[[float], Interval]:
    """The function level -> confidence interval of the model's total variation from the reference, as in `distance`.

    Args:
        counts: (K,) clips per outcome, at least one.
        reference: The reference.
        seed: Seed of the Monte Carlo draws.
        n_independent: What the clips are worth, if they hang together.
    """
    if n_independent is not None:
        few, tv_at = _worth(counts, n_independent), tv_of(reference)
        limits, tv, at = tv_limits(few, reference, seed=seed), tv_at(counts), tv_at(few)
        return lambda level: _moved(limits(level), at, tv)
    if reference.why_point is not None:
        point = Baseline.sample([reference.counts[outcome] for outcome in reference.outcomes])
        return lambda level: tv_interval(counts, point, seed=seed, level=level)
    hull = Hull.of(reference.member_shares, n=reference.n_member)
    score = hull_score(counts, hull, seed=seed)
    return lambda level: hull_interval(score, counts, hull, seed=seed, level=level)


def _worth(counts: Sequence[int], n_independent: float) -> tuple[int, ...]:
    """(K,) counts of as many independent clips, with the same shares."""
    return whole_counts([c / sum(counts) for c in counts], max(1, math.floor(n_independent + 1e-9)))


def _moved(few: Interval, at: float, tv: float) -> Interval:
    """The interval of a total variation `at`, carried over to `tv`."""
    low = 0.0 if few.low == 0 else max(0.0, tv - (at - few.low))
    return Interval(low=min(tv, low), high=min(1.0, max(tv, tv + few.high - at)), level=few.level)


def tv_of(reference: Reference) -> Callable[[Sequence[int]], float]:
    """The function counts (K,) -> total variation between their shares and the reference; nan if all are zero."""
    if reference.why_point is not None:
        point = Baseline.sample([reference.counts[outcome] for outcome in reference.outcomes])
        return lambda counts: total_variation(counts, point)
    hull = Hull.of(reference.member_shares, n=reference.n_member)
    return lambda counts: nearest(tuple(c / sum(counts) for c in counts), hull).tv if sum(counts) else math.nan


def expected_of(reference: Reference) -> Callable[[Sequence[int], int], float]:
    """The function (counts (K,), n) -> expected total variation of n draws from the point nearest to the counts."""
    if reference.why_point is not None:
        point = Baseline.sample([reference.counts[outcome] for outcome in reference.outcomes])
        return lambda counts, n: expected_total_variation(n, point)
    hull = Hull.of(reference.member_shares, n=reference.n_member)
    return lambda counts, n: expected_total_variation(
        n, hull.baseline(nearest(tuple(c / sum(counts) for c in counts), hull).p)
    )


def clustered(
    found: Distance, counts: Sequence[int], n_independent: float, reference: Reference, *, seed: int, margin: float
) -> Distance:
    """The distance of dependent clips: as it is, with interval, tests and chance as of so many independent clips.

    Args:
        found: What `distance` says of the counts.
        counts: (K,) clips per outcome, at least one.
        n_independent: What they are worth.
        reference: The reference.
        seed: Seed of the Monte Carlo draws.
        margin: Total variation of the equivalence test.
    """
    worth = _worth(counts, n_independent)
    few = distance(worth, 0, reference, seed=seed, margin=margin)
    ends = _moved(Interval(low=few.interval[0], high=few.interval[1]), few.tv, found.tv)
    return replace(
        found,
        interval=(ends.low, ends.high),
        expected=few.expected,
        excess=excess(found.tv, few.expected),
        p=few.p,
        p_equivalence=few.p_equivalence,
        method=f"{few.method}, as of {sum(worth)} independent clips",
    )


def _from_point(counts: Sequence[int], n_missing: int, point: Baseline, seed: int, margin: float) -> Distance:
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
        p_equivalence=equivalence_test(counts, point, margin=margin).p,
        nearest=point.p,
        low=point.p,
        high=point.p,
        tv_point=tv,
    )


def _from_set(
    counts: Sequence[int], n_missing: int, hull: Hull, pooled: Baseline, seed: int, margin: float
) -> Distance:
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
        p_equivalence=equivalence_test(counts, pooled, margin=margin).p,
        nearest=score.nearest,
        low=tuple(hull.array.min(axis=0).tolist()),
        high=tuple(hull.array.max(axis=0).tolist()),
        tv_point=total_variation(counts, pooled),
    )


def _method(name: str, n_draws: int | None) -> str:
    return name if n_draws is None else f"{name}, {n_draws} draws"
