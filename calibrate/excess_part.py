"""What does one cell give to a difference of excess between models?"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from sim.reference import Reference

from .clip_row import ClipRow
from .clusters import cluster_names, worth
from .distance import expected_of, tv_of
from .record import Cell
from .stats.excess_spread import Part
from .stats.rarefaction import rarefied, rarefied_total_variation

_N_DRAWS = 100
"""Draws of fewer clips from a cell whose reference is a set of more than two outcomes: distances from it are slow."""


def part(
    rows: Sequence[ClipRow], cell: Cell, reference: Reference, *, weight: float, n: int | None = None, seed: int = 0
) -> Part:
    """The scored clips of a cell, with their clusters.

    Args:
        rows: The cell's clips.
        cell: The cell.
        reference: Its reference.
        weight: Of its excess in the difference.
        n: The excess is to be that of so many clips, `worth` of the cell at most; None: of all of them.
        seed: Seed of the draws of fewer clips.
    """
    scored = [row for row in rows if row.outcome is not None]
    tv, counts, whole = cache(tv_of(reference)), list(cell.counts.values()), worth(cell)
    expected, fewer = cell.tv_expected or 0.0, None
    if n is not None and n < whole:
        clips = max(1, round(cell.scored * n / whole))
        if reference.why_point is None:
            fewer = rarefied(counts, clips, tv, n_draws=_N_DRAWS, seed=seed)
        else:
            total = sum(reference.counts.values())
            fewer = rarefied_total_variation(counts, clips, [reference.counts[o] / total for o in reference.outcomes])
        expected = expected_of(reference)(counts, n)
    position = {outcome: k for k, outcome in enumerate(reference.outcomes)}
    return Part(
        shown=tuple(position[str(row.outcome)] for row in scored),
        clusters=tuple(cluster_names(scored)),
        n_outcomes=len(position),
        tv=tv,
        expected=expected,
        weight=weight,
        rarefied=fewer,
    )
