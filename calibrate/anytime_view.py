"""In which words is it said whether one may stop paying for clips?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .record import Cell
from .report_view import number, p_text

MOST_LINES = 12
"""Cells that are named for people."""
ADVICE = {
    "stop_miscalibrated": "stop: miscalibrated",
    "stop_calibrated": "stop: calibrated",
    "go_on": "go on",
}
"""Advice -> the words in the table."""
_TONE = {"stop_miscalibrated": "miscalibrated", "stop_calibrated": "calibrated", "go_on": "cannot_tell"}


def told(cells: Sequence[Cell]) -> list[str]:
    """Lines for people: how many cells may stop, and what the others take."""
    ruled = [cell for cell in cells if cell.anytime is not None]
    if not ruled:
        return []
    by = {name: [c for c in ruled if c.anytime is not None and c.anytime.advice == name] for name in ADVICE}
    stop = f"{len(by['stop_miscalibrated'])} miscalibrated, {len(by['stop_calibrated'])} calibrated"
    lines = [f"looking again is free: {len(ruled) - len(by['go_on'])} of {len(ruled)} cells may stop now ({stop})"]
    lines += [f"go on with {cell.model} {cell.token}: {_more(cell)}" for cell in by["go_on"][:MOST_LINES]]
    if len(by["go_on"]) > MOST_LINES:
        lines.append(f"and with {len(by['go_on']) - MOST_LINES} cells more, see the record")
    return lines


def _more(cell: Cell) -> str:
    more = None if cell.anytime is None else cell.anytime.more_clips
    kind = "scored clips" if cell.anytime is None or cell.anytime.n_apart is None else "independent scored clips"
    if more is None:
        return f"more than 20,000 {kind}, if the shares stay as they are"
    return f"about {more} more {kind} decide, if the shares stay as they are"


def lines(cells: Sequence[Cell]) -> list[dict[str, Any]]:
    """The rows of the report's table."""
    rows = []
    for cell in cells:
        found = cell.anytime
        if found is not None:
            e = f"{10**found.log10_e:.3g}" if abs(found.log10_e) < 4 else f"10^{found.log10_e:.1f}"
            rows.append(
                {
                    "model": cell.model,
                    "scene": cell.token,
                    "e": e,
                    "p": p_text(found.p_holm),
                    "tv": f"{number(found.tv_interval[0])} to {number(found.tv_interval[1])}",
                    "within": p_text(found.p_within_holm),
                    "advice": ADVICE[found.advice],
                    "tone": _TONE[found.advice],
                    "more": "" if found.advice != "go_on" else _more(cell),
                }
            )
    return rows
