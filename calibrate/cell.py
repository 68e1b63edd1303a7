"""What do the verdicts of one scene and one model say, set against the scene's reference?"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import scenes

from .anchors import anchors
from .clip_row import ClipRow
from .clusters import counts_apart, independent_clips
from .conclusion import MARGIN_TV, finding_of
from .distance import Distance, clustered, distance
from .record import Cell
from .stats import benjamini_hochberg, clopper_pearson, goodman, holm, share_bounds, wilson
from .support import support

if TYPE_CHECKING:
    from sim.reference import Reference

    from .study_clip import Clip


_LATER: dict[str, Any] = {"p_holm": None, "q": None, "p_equivalence_holm": None, "finding": "not_tested"}
_LATER |= {"detectable_tv": None, "more_clips": None}
"""What `adjusted` and `outlook.with_outlook` fill in."""


def measure(
    model: str, token: str, rows: Sequence[ClipRow], reference: Reference, *, seed: int, margin: float = MARGIN_TV
) -> Cell:
    """The numbers of one cell from the rows of all its clips; `adjusted` adds what depends on the other cells."""
    scene, variant = scenes.parse_token(token)
    by_outcome = Counter(row.outcome for row in rows if row.status == "scored")
    counts = [by_outcome[outcome] for outcome in scene.outcomes]
    pooled = [reference.counts[outcome] for outcome in scene.outcomes]
    n, requested = sum(counts), len(rows)
    scorable, beside = clopper_pearson(n, requested), wilson(n, requested)
    found = distance(counts, requested - n, reference, seed=seed, margin=margin)
    independent = independent_clips(rows)
    if independent is not None:
        found = clustered(found, counts, independent, reference, seed=seed, margin=margin)
    return Cell(
        model=model,
        scene=scene.name,
        variant=variant,
        requested=requested,
        scored=n,
        **_not_scored(rows),
        n_distinct=_n_distinct(rows),
        seeds=seeds_recorded(rows),
        counts=dict(zip(scene.outcomes, counts, strict=True)),
        scorability=n / requested,
        scorability_interval=(scorable.low, scorable.high),
        scorability_wilson=(beside.low, beside.high),
        shares=_shares(scene.outcomes, counts, requested, pooled, found),
        impossible={o: c for o, c, q in zip(scene.outcomes, counts, pooled, strict=True) if c > 0 and q == 0},
        reference_kind="set" if reference.why_point is None else "point",
        reference_note=reference.why_point or reference.about_set or "",
        tv=_finite(found.tv),
        tv_point=_finite(found.tv_point),
        tv_interval=None if n == 0 else found.interval,
        tv_bounds=found.bounds,
        tv_expected=_finite(found.expected),
        excess=_finite(found.excess),
        p=_finite(found.p),
        p_method=found.method,
        margin=margin,
        p_equivalence=_finite(found.p_equivalence),
        **_LATER,
        n_independent=independent,
        anchors=anchors(reference, _finite(found.expected)),
        why_undefined="no clip was scored" if n == 0 else None,
        support=support(counts, reference, apart=counts_apart(rows, scene.outcomes)),
    )


def _not_scored(rows: Sequence[ClipRow]) -> dict[str, Any]:
    """What became of the clips that have no outcome."""
    status = Counter(row.status for row in rows)
    return {
        "null": _reasons(rows, "null"),
        "unreadable": _reasons(rows, "unreadable"),
        "judge_error": status["judge_error"],
        "refused": status["refused"],
        "missing": status["missing"],
        "missing_reasons": _reasons(rows, "missing"),
    }


def adjusted(cells: Sequence[Cell]) -> tuple[Cell, ...]:
    """The cells with Holm's p and Benjamini-Hochberg's q over all that were tested, and the finding that follows.

    Each of the two claims, `miscalibrated` and `calibrated`, is wrong about any cell at all with a probability of at
    most LEVEL: Holm's correction is made for each of them over all cells.
    """
    p_holm, q = holm([cell.p for cell in cells]), benjamini_hochberg([cell.p for cell in cells])
    p_equal = holm([cell.p_equivalence for cell in cells])
    return tuple(
        replace(cell, p_holm=p, q=each, p_equivalence_holm=equal, finding=finding_of(p, equal))
        for cell, p, each, equal in zip(cells, p_holm, q, p_equal, strict=True)
    )


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _reasons(rows: Iterable[ClipRow], status: str) -> dict[str, int]:
    return dict(sorted(Counter(row.reason or "unknown" for row in rows if row.status == status).items()))


def _n_distinct(rows: Sequence[ClipRow]) -> int:
    scored = [row.sha256 for row in rows if row.status == "scored"]
    return len({sha for sha in scored if sha is not None}) + scored.count(None)


def seeds_recorded(rows: Sequence[ClipRow | Clip]) -> str:
    """For how many of the clips a seed is known: `none`, `some`, `shared` or `per_clip`."""
    seeds = [row.seed for row in rows if row.seed is not None]
    if not seeds:
        return "none"
    if len(seeds) < len(rows):
        return "some"
    return "per_clip" if len(set(seeds)) == len(seeds) else "shared"


def _shares(
    outcomes: Sequence[str], counts: Sequence[int], requested: int, pooled: Sequence[int], found: Distance
) -> dict[str, dict[str, float | None]]:
    n, shares = sum(counts), {}
    for k, (outcome, count, together) in enumerate(zip(outcomes, counts, goodman(counts), strict=True)):
        interval, bounds = clopper_pearson(count, n), share_bounds(count, n, requested - n)
        shares[outcome] = {
            "reference": pooled[k] / sum(pooled),
            "reference_low": found.low[k],
            "reference_high": found.high[k],
            "nearest": found.nearest[k] if n else None,
            "share": count / n if n else None,
            "low": _finite(interval.low),
            "high": _finite(interval.high),
            "low_together": _finite(together.low),
            "high_together": _finite(together.high),
            "least": bounds.low,
            "most": bounds.high,
        }
    return shares
