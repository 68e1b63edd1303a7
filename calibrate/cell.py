"""What do the verdicts of one scene and one model say, set against the scene's reference?"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import scenes

from .record import LEVEL, MARGIN_TV, Cell, ClipRow, Finding
from .stats import (
    Baseline,
    benjamini_hochberg,
    clopper_pearson,
    equivalence_test,
    excess,
    expected_total_variation,
    goodman,
    holm,
    share_bounds,
    total_variation,
    tv_bounds,
    tv_interval,
    tv_test,
    wilson,
)

if TYPE_CHECKING:
    from sim.reference import Reference


_LATER: dict[str, Any] = {"p_holm": None, "q": None, "p_equivalence_holm": None, "finding": "not_tested"}
_LATER |= {"detectable_tv": None, "more_clips": None}
"""What `adjusted` and `outlook.with_outlook` fill in."""


def measure(
    model: str, token: str, rows: Sequence[ClipRow], reference: Reference, *, seed: int, margin: float = MARGIN_TV
) -> Cell:
    """The numbers of one cell from the rows of all its clips; `adjusted` adds what depends on the other cells."""
    scene, variant = scenes.parse_token(token)
    status = Counter(row.status for row in rows)
    by_outcome = Counter(row.outcome for row in rows if row.status == "scored")
    counts = [by_outcome[outcome] for outcome in scene.outcomes]
    baseline = Baseline.sample([reference.counts[outcome] for outcome in scene.outcomes])
    n, requested = sum(counts), len(rows)
    scorable, beside = clopper_pearson(n, requested), wilson(n, requested)
    tv, expected = total_variation(counts, baseline), expected_total_variation(n, baseline)
    interval, bounds = tv_interval(counts, baseline, seed=seed), tv_bounds(counts, requested - n, baseline)
    test = tv_test(counts, baseline, seed=seed)
    unseen = [c if q == 0 else 0 for c, q in zip(counts, baseline.p, strict=True)]
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
        seeds=_seeds(rows),
        counts=dict(zip(scene.outcomes, counts, strict=True)),
        scorability=n / requested,
        scorability_interval=(scorable.low, scorable.high),
        scorability_wilson=(beside.low, beside.high),
        shares=_shares(scene.outcomes, counts, requested, baseline),
        impossible={o: c for o, c in zip(scene.outcomes, unseen, strict=True) if c > 0},
        tv=_finite(tv),
        tv_interval=None if n == 0 else (interval.low, interval.high),
        tv_bounds=(bounds.low, bounds.high),
        tv_expected=_finite(expected),
        excess=_finite(excess(tv, expected)),
        p=_finite(test.p),
        p_method=test.method if test.n_draws is None else f"{test.method}, {test.n_draws} draws",
        margin=margin,
        p_equivalence=_finite(equivalence_test(counts, baseline, margin=margin).p),
        **_LATER,
        why_undefined="no clip was scored" if n == 0 else None,
    )


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


def finding_of(p_holm: float | None, p_equivalence_holm: float | None) -> Finding:
    """What the p-values of the two tests say, see `Finding`."""
    if p_holm is None or p_equivalence_holm is None:
        return "not_tested"
    if p_equivalence_holm < LEVEL:
        return "calibrated"
    return "miscalibrated" if p_holm < LEVEL else "cannot_tell"


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _reasons(rows: Iterable[ClipRow], status: str) -> dict[str, int]:
    return dict(sorted(Counter(row.reason or "unknown" for row in rows if row.status == status).items()))


def _n_distinct(rows: Sequence[ClipRow]) -> int:
    scored = [row.sha256 for row in rows if row.status == "scored"]
    return len({sha for sha in scored if sha is not None}) + scored.count(None)


def _seeds(rows: Sequence[ClipRow]) -> str:
    seeds = [row.seed for row in rows if row.seed is not None]
    if not seeds:
        return "none"
    if len(seeds) < len(rows):
        return "some"
    return "per_clip" if len(set(seeds)) == len(seeds) else "shared"


def _shares(
    outcomes: Sequence[str], counts: Sequence[int], requested: int, baseline: Baseline
) -> dict[str, dict[str, float | None]]:
    n, shares = sum(counts), {}
    for outcome, count, p, together in zip(outcomes, counts, baseline.p, goodman(counts), strict=True):
        interval, bounds = clopper_pearson(count, n), share_bounds(count, n, requested - n)
        shares[outcome] = {
            "reference": p,
            "share": count / n if n else None,
            "low": _finite(interval.low),
            "high": _finite(interval.high),
            "low_together": _finite(together.low),
            "high_together": _finite(together.high),
            "least": bounds.low,
            "most": bounds.high,
        }
    return shares
