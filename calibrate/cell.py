"""What do the verdicts of one scene and one model say, set against the scene's reference?"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import scenes

from .distance import Distance, distance
from .record import CLOSE_TV, LEVEL, Cell, ClipRow
from .stats import clopper_pearson, holm, share_bounds

if TYPE_CHECKING:
    from sim.reference import Reference

    from .study import Clip


def measure(model: str, token: str, rows: Sequence[ClipRow], reference: Reference, *, seed: int) -> Cell:
    """The numbers of one cell from the rows of all its clips; `adjusted` adds `p_holm` and `finding`."""
    scene, variant = scenes.parse_token(token)
    status = Counter(row.status for row in rows)
    by_outcome = Counter(row.outcome for row in rows if row.status == "scored")
    counts = [by_outcome[outcome] for outcome in scene.outcomes]
    pooled = [reference.counts[outcome] for outcome in scene.outcomes]
    n, requested = sum(counts), len(rows)
    scorable = clopper_pearson(n, requested)
    found = distance(counts, requested - n, reference, seed=seed)
    return Cell(
        model=model,
        scene=scene.name,
        variant=variant,
        requested=requested,
        scored=n,
        null=_reasons(rows, "null"),
        unreadable=_reasons(rows, "unreadable"),
        judge_error=status["judge_error"],
        refused=status["refused"],
        missing=status["missing"],
        missing_reasons=_reasons(rows, "missing"),
        n_distinct=_n_distinct(rows),
        seeds=seeds_recorded(rows),
        counts=dict(zip(scene.outcomes, counts, strict=True)),
        scorability=n / requested,
        scorability_interval=(scorable.low, scorable.high),
        shares=_shares(scene.outcomes, counts, requested, pooled, found),
        impossible={o: c for o, c, q in zip(scene.outcomes, counts, pooled, strict=True) if c > 0 and q == 0},
        reference_kind="set" if reference.why_point is None else "point",
        reference_note=reference.why_point or _about_set(reference),
        tv=_finite(found.tv),
        tv_point=_finite(found.tv_point),
        tv_interval=None if n == 0 else found.interval,
        tv_bounds=found.bounds,
        tv_expected=_finite(found.expected),
        excess=_finite(found.excess),
        p=_finite(found.p),
        p_method=found.method,
        p_holm=None,
        finding="not_tested",
        why_undefined="no clip was scored" if n == 0 else None,
    )


def adjusted(cells: Sequence[Cell]) -> tuple[Cell, ...]:
    """The cells with Holm's p over all of them that were tested, and the finding that follows."""
    p_holm = holm([cell.p for cell in cells])
    return tuple(_with_finding(cell, p) for cell, p in zip(cells, p_holm, strict=True))


def _with_finding(cell: Cell, p_holm: float | None) -> Cell:
    if p_holm is None or cell.tv_interval is None:
        return cell
    if p_holm < LEVEL:
        return replace(cell, p_holm=p_holm, finding="differs")
    close = cell.tv_interval[1] < CLOSE_TV
    return replace(cell, p_holm=p_holm, finding="close" if close else "cannot_tell")


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


def _about_set(reference: Reference) -> str:
    return f"every mixture of its {len(reference.members or ())} draws of the unknown constants"


def _shares(
    outcomes: Sequence[str], counts: Sequence[int], requested: int, pooled: Sequence[int], found: Distance
) -> dict[str, dict[str, float | None]]:
    n, shares = sum(counts), {}
    for k, (outcome, count) in enumerate(zip(outcomes, counts, strict=True)):
        interval, bounds = clopper_pearson(count, n), share_bounds(count, n, requested - n)
        shares[outcome] = {
            "reference": pooled[k] / sum(pooled),
            "reference_low": found.low[k],
            "reference_high": found.high[k],
            "nearest": found.nearest[k] if n else None,
            "share": count / n if n else None,
            "low": _finite(interval.low),
            "high": _finite(interval.high),
            "least": bounds.low,
            "most": bounds.high,
        }
    return shares
