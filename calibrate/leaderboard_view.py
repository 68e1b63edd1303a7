"""Which page shows a leaderboard to a person: self-contained, offline, in the look of the report?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from .leaderboard import Leaderboard, Place
from .output_file import checked_output, write_whole
from .report import UNSEEN, template
from .report_view import number, p_text, percent

WIDTH, HEIGHT, LEFT, RIGHT, TOP = 470, 300, 52, 26, 12
"""Size of the chart in its own units, and the room beside its axes."""
_BOTTOM = 40
LINE = 13
"""Height of a line of words."""
_STEPS = (0.05, 0.1, 0.2, 0.25, 0.5)


@dataclass(frozen=True, kw_only=True)
class Point:
    """One model in the chart, in the chart's own units."""

    x: float
    y: float
    x_low: float
    x_high: float
    y_low: float
    y_high: float
    label: str
    label_y: float
    """Height of the label, so that those of neighbours do not overlap."""
    text: str
    """What a pointer or a screen reader gets."""


@dataclass(frozen=True, kw_only=True)
class Chart:
    """Scorability to the right, mean excess upwards turned round: better is higher and further right."""

    points: tuple[Point, ...]
    x_ticks: tuple[tuple[float, str], ...]
    y_ticks: tuple[tuple[float, str], ...]
    zero: float
    """Height of excess 0."""


def chart(board: Leaderboard) -> Chart:
    """Where each model stands on both axes."""
    low = min(0.0, *(place.excess_interval[0] for place in board.places))
    high = max(0.1, *(place.excess_interval[1] for place in board.places))
    step = next((s for s in _STEPS if (high - low) / s <= 6), 1.0)

    def across(value: float) -> float:
        return round(LEFT + value * (WIDTH - LEFT - RIGHT), 1)

    def down(value: float) -> float:
        return round(TOP + (value - low) / (high - low) * (HEIGHT - TOP - _BOTTOM), 1)

    ticks = [k * step for k in range(-20, 21) if low <= k * step <= high]
    marks = [round(tick, 2) + 0.0 for tick in ticks]
    return Chart(
        points=_apart([_point(place, across, down) for place in board.places]),
        x_ticks=tuple((across(k / 4), f"{25 * k} %") for k in range(5)),
        y_ticks=tuple((down(value), f"{value:g}".replace("-", "−")) for value in marks),
        zero=down(0.0),
    )


def _point(place: Place, across: Callable[[float], float], down: Callable[[float], float]) -> Point:
    (s_low, s_high), (e_low, e_high) = place.scorability_interval, place.excess_interval
    return Point(
        x=across(place.scorability),
        y=down(place.excess),
        x_low=across(s_low),
        x_high=across(s_high),
        y_low=down(e_low),
        y_high=down(e_high),
        label=str(place.rank),
        label_y=down(place.excess) - 7,
        text=f"{place.model}: mean excess {spanned(place.excess, place.excess_interval)}, "
        f"scorability {spanned(place.scorability, place.scorability_interval)}",
    )


def _apart(points: list[Point]) -> tuple[Point, ...]:
    """The points, given from above to below, with labels that have room of their own below the one before."""
    found: list[Point] = []
    for point in points:
        low = found[-1].label_y + LINE if found else point.label_y
        found.append(replace(point, label_y=round(max(point.label_y, low), 1)))
    return tuple(found)


def spanned(value: float, ends: tuple[float, float]) -> str:
    """A figure with its interval."""
    return f"{value:.2f} ({ends[0]:.2f} to {ends[1]:.2f})"


def rank_span(ends: tuple[int, int]) -> str:
    """Ranks from the first to the last."""
    return str(ends[0]) if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"


def headline(board: Leaderboard) -> str:
    """The result in one or two sentences."""
    first = [place for place in board.places if place.group.startswith("a")]
    n = len(board.scenes)
    where = f"on the {n} scene{'s' if n != 1 else ''} that all {len(board.places)} models have"
    if len(first) == len(board.places):
        return f"No two models can be told apart from the first {where}."
    if len(first) == 1:
        return f"{first[0].model} is better calibrated than every other model {where}."
    return f"{', '.join(place.model for place in first)} cannot be told apart in the lead {where}."


def write_leaderboard(board: Leaderboard, out_html: Path | str, *, names: list[str]) -> Path:
    """Write the page of a leaderboard.

    Args:
        board: What to show.
        out_html: File to write.
        names: The records that it was made from.

    Raises:
        InputError: The page cannot be written.
    """
    out = checked_output(out_html, inputs=[Path(name) for name in names], cure="choose another file")
    page = template("leaderboard.html", number=number, percent=percent, p=p_text, spanned=_spanned, ranks=rank_span)
    shown = page.render(
        board=board, names=names, chart=chart(board), headline=headline(board), findings=(), width=WIDTH, height=HEIGHT
    )
    write_whole(out, shown.translate(UNSEEN))
    return out


def _spanned(place: Place, what: str) -> str:
    return spanned(getattr(place, what), getattr(place, f"{what}_interval")).replace("-", "−")
