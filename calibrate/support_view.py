"""In which words is it said which outcomes a model shows?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .conclusion import LEVEL
from .record import Cell
from .report_view import p_text

HEADER = ("model", "scene", "shown", "by chance", "missing, and p that a faithful model misses it", "hidden (95 %)")
"""Heads of the columns of `row`."""


def row(cell: Cell) -> tuple[str, ...]:
    """The row of the table that `score` prints."""
    found = cell.support
    if found is None:
        return (cell.model, cell.token, "-", "-", "-", "-")
    missing = ", ".join(f"{outcome} ({p:.3g})" for outcome, p in found.missing.items()) or "none"
    hidden = "-" if found.never_shown is None else f"{found.never_shown:.3f} (to {found.never_shown_limit or 0:.3f})"
    expected = f"{found.share_expected * found.size:.2f}"
    return (cell.model, cell.token, f"{found.seen} of {found.size}", expected, missing, hidden)


def with_gaps(cells: Sequence[Cell]) -> list[Cell]:
    """The cells that miss an outcome of their reference."""
    return [cell for cell in cells if cell.scored and cell.support is not None and cell.support.missing]


def lines(cells: Sequence[Cell]) -> list[dict[str, Any]]:
    """The rows of the report's table: cells that miss an outcome."""
    return [
        dict(zip(("model", "scene", "shown", "expected", "missing", "hidden"), row(cell), strict=True))
        | {"sentence": sentence(cell)}
        for cell in with_gaps(cells)
    ]


def sentence(cell: Cell) -> str:
    """What one cell's support says."""
    found = cell.support
    if found is None or not cell.scored:
        return "No clip was scored."
    if not found.missing:
        return f"All {found.size} outcomes were shown."
    least = min(found.missing, key=lambda outcome: found.missing[outcome])
    p = found.missing[least]
    said = f"{least} was never shown in {cell.scored} clips; a faithful model misses it with {p_text(p)}"
    if p >= LEVEL:
        return f"{said}: so few clips cannot tell."
    return f"{said}. This looks at one outcome of one cell alone and is no claim by itself; p (Holm) of the cell is."
