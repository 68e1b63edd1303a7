"""What remains of a cell's numbers if the judge errs on its clips as often as it did where the truth was known?"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .clusters import independent_clips
from .conclusion import MARGIN_TV, finding_of
from .stats import Baseline, Hull, expected_total_variation, holm, nearest, tv_interval
from .stats.clustered import whole_counts
from .stats.confusion import Confusion, true_shares
from .stats.hull import hull_score
from .stats.judge_correction import Correction, as_said, correct, corrected_equivalence_p, widened

if TYPE_CHECKING:
    from sim.reference import Reference

    from .clip_row import ClipRow
    from .record import Cell

NULL = "null"
"""How a clip without an outcome is called in a table of what is true and what is said."""


@dataclass(frozen=True, kw_only=True)
class Corrected:
    """A cell's numbers with the judge's error carried through; a pair of numbers is an interval's low and high end."""

    confusion_from: str
    """Which clips tell how often the judge errs, and how many they are."""
    shares: Mapping[str, Mapping[str, float]]
    """Outcome -> `share`, `low` and `high`: 95 % for that outcome alone, with the judge's own uncertainty."""
    null: float
    """Share of the clips with a verdict that have no outcome in truth."""
    n_effective: float
    """So many clips read without error would tell as much, were the judge's rates known exactly."""
    half_width: float
    """97.5 % quantile of the total variation by which the shares move with the judge's uncertain rates."""
    tv: float
    """Total variation between the corrected shares and the reference; of a set, its nearest point."""
    tv_interval: tuple[float, float]
    """95 %, see calibrate.stats.judge_correction."""
    tv_expected: float | None
    """What a faithful model, read by this judge and corrected, is about away from the reference on average; None if
    less than one clip's worth is left."""
    p: float
    """How often a faithful model, read by this judge, is at least as far from what the judge would make of the
    reference; for a set the largest over its points. None of the correction's own error is in it."""
    p_holm: float | None = None
    """The same adjusted for all cells of the record that were tested."""
    p_equivalence: float | None = None
    """p of "the model is the margin or more away", of a set from its pooled point
    (calibrate.stats.judge_correction); None in a record of before it was kept."""
    p_equivalence_holm: float | None = None

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Corrected:
        """What a record holds."""
        return Corrected(**{**data, "tv_interval": tuple(data["tv_interval"])})


def confusion_of(table: Mapping[str, Mapping[str, int]], outcomes: Sequence[str]) -> Confusion | None:
    """The confusion in a judge card's table `truth -> {said: clips}`; None if no clip of it has an outcome.

    Every name that is no outcome of the scene, as `not_settled` or `out_of_domain`, is null.
    """
    places = {outcome: k for k, outcome in enumerate(outcomes)}
    counts = np.zeros((len(outcomes) + 1,) * 2, dtype=np.int64)
    for truth, row in table.items():
        for said, n in row.items():
            counts[places.get(truth, -1), places.get(said, -1)] += n
    return Confusion.sample(counts) if counts[:-1].sum() else None


def with_correction(
    cells: Sequence[Cell],
    references: Mapping[str, Reference],
    errors: Mapping[str, tuple[Mapping[str, Mapping[str, int]], str]],
    judged: Mapping[tuple[str, str], Sequence[ClipRow]],
    *,
    seed: int,
) -> tuple[Cell, ...]:
    """The cells, with `corrected` where it is known how the judge errs and it gave some clip an outcome.

    Args:
        cells: All cells of the record.
        references: Scene token -> reference.
        errors: Scene -> truth -> {said: clips}, and which clips these are (calibrate.audit.error_tables).
        judged: (model, scene token) -> the cell's clips, with the judge's own verdicts.
        seed: Seed of the Monte Carlo draws.
    """
    found: list[Corrected | None] = []
    for cell in cells:
        table, about = errors.get(cell.scene, (None, ""))
        confusion = None if table is None else confusion_of(table, tuple(cell.counts))
        rows = judged[cell.model, cell.token]
        counts = Counter(row.outcome for row in rows if row.status == "scored")
        if confusion is None or not counts:
            found.append(None)
            continue
        said = {outcome: counts[outcome] for outcome in cell.counts}
        independent = independent_clips(rows)
        worth = 1.0 if independent is None else independent / sum(said.values())
        nulls = sum(row.status == NULL for row in rows)
        how: dict[str, Any] = {"confusion_from": about, "seed": seed, "worth": worth, "margin": cell.margin}
        found.append(corrected(said, nulls, references[cell.token], confusion, **how))
    p_holm = holm([None if one is None else one.p for one in found])
    p_equal = holm([None if one is None else one.p_equivalence for one in found])
    return tuple(
        cell if one is None else _concluded(cell, replace(one, p_holm=p, p_equivalence_holm=equal))
        for cell, one, p, equal in zip(cells, found, p_holm, p_equal, strict=True)
    )


def _concluded(cell: Cell, found: Corrected) -> Cell:
    """The cell with its correction; its finding holds whether the judge errs as on its card or never."""
    finding = finding_of(_larger(cell.p_holm, found.p_holm), _larger(cell.p_equivalence_holm, found.p_equivalence_holm))
    return replace(cell, corrected=found, finding=finding)


def _larger(one: float | None, other: float | None) -> float | None:
    return one if other is None else other if one is None else max(one, other)


def corrected(
    said: Mapping[str, int],
    nulls: int,
    reference: Reference,
    confusion: Confusion,
    *,
    confusion_from: str,
    seed: int,
    worth: float = 1.0,
    margin: float = MARGIN_TV,
) -> Corrected | None:
    """The numbers of one cell with the judge's error carried through; None if no truth can be told.

    Distance and interval compare the corrected shares with the reference. The p-value goes the other way: it compares
    the verdicts as they are with what the judge would make of the reference, so that it needs no inverse and is a
    test of the model at every quality of the judge.

    Args:
        said: Outcome -> clips of which the judge said it, in the reference's order.
        nulls: Clips that it called null; those without a verdict say nothing here.
        reference: The scene's reference.
        confusion: How the judge errs.
        confusion_from: Which clips tell.
        seed: Seed of the Monte Carlo draws.
        worth: How many independent clips one of these is worth; below 1 where they hang together.
        margin: Total variation of the equivalence test.
    """
    counts = list(said.values())
    found = correct([*counts, nulls], confusion, seed=seed, worth=worth)
    if found is None:
        return None
    pooled = Baseline.sample([reference.counts[outcome] for outcome in reference.outcomes])
    members, n = np.asarray([pooled.p]), pooled.n
    if reference.why_point is None:
        members, n = np.asarray(reference.member_shares), reference.n_member
    near = corrected_equivalence_p([*counts, nulls], confusion, pooled, margin=margin, seed=seed, worth=worth)
    tested = counts if worth == 1 else whole_counts([c / sum(counts) for c in counts], max(1, int(sum(counts) * worth)))
    score = hull_score(tested, as_said(members, n, found, confusion, seed=seed), seed=seed)
    hull = Hull.of(members, n=n)
    likeliest = _behind(score.likeliest, sum(counts), nulls, confusion)
    close = nearest(found.shares, hull)
    expected = math.nan
    interval = (0.0, 1.0)
    if sum(found.counts):
        expected = expected_total_variation(sum(found.counts), Baseline.exact(close.p))
        interval = _interval(found, hull, close.p, close.tv, likeliest, seed)
    return Corrected(
        confusion_from=confusion_from,
        shares={
            outcome: {"share": share, "low": ends.low, "high": ends.high}
            for outcome, share, ends in zip(said, found.shares, found.intervals, strict=True)
        },
        null=found.null,
        n_effective=found.n_effective,
        half_width=found.half_width,
        tv=close.tv,
        tv_interval=interval,
        tv_expected=expected if math.isfinite(expected) else None,
        p=score.p,
        p_equivalence=near,
    )


def _behind(said: Sequence[float], n: int, nulls: int, confusion: Confusion) -> tuple[float, ...]:
    """(K,) the outcomes behind a point as the judge tells it."""
    truth = true_shares([*(n * p for p in said), nulls], np.asarray(confusion.rates))[:-1]
    return tuple((truth / truth.sum()).tolist()) if truth.sum() > 0 else tuple(said)


def _interval(
    found: Correction, hull: Hull, close: tuple[float, ...], tv: float, likeliest: tuple[float, ...], seed: int
) -> tuple[float, float]:
    """As `hull_interval`: the upper limit from the nearest point, the lower one the least of two points'."""
    counts = found.counts
    shares = np.asarray(counts) / sum(counts)
    ends = []
    for point in dict.fromkeys((close, likeliest)):
        at = 0.5 * math.fsum(np.abs(shares - point))
        own = tv if point == close else 0.5 * math.fsum(np.abs(np.asarray(found.shares) - point))
        few = tv_interval(counts, hull.baseline(point), seed=seed)
        ends.append(widened(own, few, at, found))
    return (0.0 if tv == 0 else min(tv, *(end.low for end in ends)), ends[0].high)
