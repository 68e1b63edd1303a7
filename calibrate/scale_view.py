"""Where does a cell's total variation lie between models that everybody can picture?"""

from __future__ import annotations

from dataclasses import dataclass

from .record import Cell
from .report_view import number, span

WIDTH = 300
"""Length of the scale from 0 to 1, in its own units."""
WORDS = {"faithful": "faithful, by chance", "uniform": "all outcomes alike", "likeliest": "always the likeliest"}
"""Anchor -> the words on the scale."""


@dataclass(frozen=True, kw_only=True)
class Mark:
    """One anchor on the scale."""

    x: float
    y: float
    """Base line of its words, so that neighbours do not overlap."""
    text: str


@dataclass(frozen=True, kw_only=True)
class Line:
    """One total variation with its interval on the scale."""

    name: str
    x: float
    low: float
    high: float
    text: str


@dataclass(frozen=True, kw_only=True)
class Scale:
    """The scale of one cell."""

    lines: tuple[Line, ...]
    marks: tuple[Mark, ...]


def scale(cell: Cell) -> Scale | None:
    """The scale of a cell; None if it has no total variation."""
    if cell.tv is None or cell.tv_interval is None:
        return None
    lines = [_line("observed", cell.tv, cell.tv_interval)]
    if cell.corrected is not None:
        lines.append(_line("corrected", cell.corrected.tv, cell.corrected.tv_interval))
    marks = [(a["tv"], name) for name, a in cell.anchors.items() if a["tv"] is not None]
    marks.sort(reverse=True)  # so that the line of one does not cross the words of another
    placed = tuple(
        Mark(x=_at(tv), y=13.0 * k, text=f"{WORDS.get(name, name)} {number(tv)}") for k, (tv, name) in enumerate(marks)
    )
    return Scale(lines=tuple(lines), marks=placed)


def _line(name: str, tv: float, ends: tuple[float, float]) -> Line:
    text = f"{name}: TV {number(tv)} (95 % CI {span(ends)})"
    return Line(name=name, x=_at(tv), low=_at(ends[0]), high=_at(ends[1]), text=text)


def _at(tv: float) -> float:
    return round(WIDTH * min(1.0, max(0.0, tv)), 1)
