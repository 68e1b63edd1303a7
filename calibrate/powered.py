"""What do people's audit labels and the judge's verdicts of the other clips show together, in each cell?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from .audit import as_judged, audited
from .stats.prediction_powered import prediction_powered_shares

if TYPE_CHECKING:
    from .clip_row import ClipRow
    from .record import Cell

LEAST_LABELS = 20
"""Audited clips of a cell below which nothing is said: the interval rests on a normal approximation."""


def with_powered(
    cells: Sequence[Cell], clips: Mapping[tuple[str, str], Sequence[ClipRow]], *, seed: int
) -> tuple[Cell, ...]:
    """The cells, with `prediction_powered` where the audit holds LEAST_LABELS of its clips or more.

    Labels of doubtful clips are left out: those clips enter with what the judge said.

    Args:
        cells: All cells of the record.
        clips: (model, scene token) -> the cell's clips.
        seed: The record's seed, which fixes the audit.
    """
    sample = audited([row for rows in clips.values() for row in rows], seed=seed)
    chosen = {(row.model, row.scene, row.file) for row in sample}
    return tuple(
        replace(cell, prediction_powered=_shares(cell, clips[cell.model, cell.token], chosen)) for cell in cells
    )


def _shares(
    cell: Cell, rows: Sequence[ClipRow], chosen: set[tuple[str, str, str | None]]
) -> dict[str, dict[str, float]]:
    places = {outcome: k for k, outcome in enumerate(cell.counts)}
    labelled, rest = np.zeros((len(places) + 1,) * 2, dtype=int), np.zeros(len(places) + 1, dtype=int)
    for row in rows:
        judged = as_judged(row)
        if judged.status not in ("scored", "null"):
            continue
        said = places.get(judged.outcome or "", -1)
        if (row.model, row.scene, row.file) in chosen:
            labelled[places.get(row.outcome or "", -1), said] += 1
        else:
            rest[said] += 1
    found = prediction_powered_shares(labelled, rest) if labelled.sum() >= LEAST_LABELS else None
    return {
        outcome: {"share": share, "low": ends.low, "high": ends.high}
        for outcome, (share, ends) in zip(places, found or (), strict=False)
    }
