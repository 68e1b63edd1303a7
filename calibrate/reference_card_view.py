"""Where do the marks of a reference card's plots stand?"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

WIDTH, LABEL, ROW = 460, 110, 24
"""Size of a chart in its own units: the whole, the part for labels, and one row."""
_STEPS = (0.02, 0.05, 0.1, 0.2, 0.25, 0.4, 0.5, 0.6, 0.8, 1.0)


@dataclass(frozen=True, kw_only=True)
class Row:
    """One outcome of a chart; positions along the axis in the chart's own units, None for what is not there."""

    label: str
    y: float
    at: float
    low: float
    high: float
    dots: tuple[float, ...] = ()
    mark: float | None = None
    text: str = ""
    """What a pointer or a screen reader gets."""


@dataclass(frozen=True, kw_only=True)
class Plot:
    """Rows over a common axis."""

    rows: tuple[Row, ...]
    ticks: tuple[tuple[float, str], ...]
    """(position, label)."""
    height: float
    zero: float | None = None
    """Position of zero, where the axis goes to both sides."""


@dataclass(frozen=True, kw_only=True)
class Curve:
    """The predictability curve: entropy as lines, the distribution as layers."""

    entropy: str
    """Points of the polyline."""
    given: str
    layers: tuple[tuple[str, str, float], ...]
    """(outcome, points of the polygon, its shade from 0 to 1)."""
    now: float
    """Position of scale 1."""
    ticks: tuple[tuple[float, str], ...]
    top: str
    """Label of the entropy axis' top."""
    points: tuple[tuple[float, float, str], ...]
    """(x, y, text) of each entropy."""


def shares_plot(card: Mapping[str, Any]) -> Plot:
    """Share of each outcome with its interval, the members of the set as dots, and the textbook value as a mark."""
    reference = card["reference"]
    ideal, members = card["ideal"] or {}, reference["members_shrunk"]
    highest = max(
        *(high for _, high in reference["interval"].values()),
        *ideal.values(),
        *(max(member) for member in members),
    )
    top = next((step for step in _STEPS if step >= highest - 1e-9), 1.0)

    def at(value: float) -> float:
        return round(LABEL + (WIDTH - LABEL - 20) * value / top, 1)

    rows = []
    for k, (outcome, share) in enumerate(reference["shares"].items()):
        low, high = reference["interval"][outcome]
        text = f"{outcome}: {share:.4f} (95 % CI {low:.4f} to {high:.4f})"
        if outcome in ideal:
            text += f", textbook {ideal[outcome]:.4f}"
        rows.append(
            Row(
                label=outcome,
                y=ROW * k + 14,
                at=at(share),
                low=at(low),
                high=at(high),
                dots=tuple(at(member[k]) for member in members) if len(members) > 1 else (),
                mark=at(ideal[outcome]) if outcome in ideal else None,
                text=text,
            )
        )
    ticks = tuple((at(top * part), f"{top * part:.3g}") for part in (0, 0.5, 1))
    return Plot(rows=tuple(rows), ticks=ticks, height=ROW * len(rows) + 26)


def differences_plot(differences: Mapping[str, Sequence[float]]) -> Plot:
    """Difference of each outcome's share from the reference with its interval."""
    reach = max(abs(end) for row in differences.values() for end in row)
    top = next((step for step in _STEPS if step >= reach - 1e-9), 1.0)
    middle, half = LABEL + (WIDTH - LABEL - 20) / 2, (WIDTH - LABEL - 20) / 2

    def at(value: float) -> float:
        return round(middle + half * value / top, 1)

    rows = tuple(
        Row(
            label=outcome,
            y=ROW * k + 14,
            at=at(difference),
            low=at(low),
            high=at(high),
            text=f"{outcome}: {difference:+.4f} (95 % CI {low:+.4f} to {high:+.4f})",
        )
        for k, (outcome, (difference, low, high)) in enumerate(differences.items())
    )
    ticks = tuple((at(top * part), f"{top * part:+.3g}" if part else "0") for part in (-1, 0, 1))
    return Plot(rows=rows, ticks=ticks, height=ROW * len(rows) + 26, zero=at(0))


def curve(predictability: Mapping[str, Any] | None, outcomes: Sequence[str]) -> Curve | None:
    """The predictability curve; None if there is none, or it has fewer than two points."""
    points = [p for p in (predictability or {}).get("points", ()) if p["entropy_bits"] is not None]
    if len(points) < 2:
        return None
    logs = [math.log2(p["scale"]) for p in points]
    low, high = min(logs), max(logs)
    top = math.log2(len(outcomes))

    def x(value: float) -> float:
        return round(40 + 390 * (value - low) / (high - low), 1)

    def y(share: float) -> float:
        return round(150 - 130 * share, 1)

    layers, below = [], [0.0] * len(points)
    for k, outcome in enumerate(outcomes):
        above = [b + p["counts"][outcome] / sum(p["counts"].values()) for b, p in zip(below, points, strict=True)]
        there = [f"{x(v)},{y(a)}" for v, a in zip(logs, above, strict=True)]
        back = [f"{x(v)},{y(b)}" for v, b in zip(reversed(logs), reversed(below), strict=True)]
        layers.append((outcome, " ".join(there + back), round(0.12 + 0.8 * k / max(1, len(outcomes) - 1), 3)))
        below = above

    def line(name: str) -> str:
        pairs = zip(logs, points, strict=True)
        return " ".join(f"{x(v)},{y(p[name] / top)}" for v, p in pairs if p[name] is not None)

    return Curve(
        entropy=line("entropy_bits"),
        given=line("entropy_given_constants_bits"),
        layers=tuple(layers),
        now=x(0.0),
        ticks=tuple((x(v), scale_text(p["scale"])) for v, p in zip(logs, points, strict=True)),
        top=f"{top:.2f}",
        points=tuple(
            (x(v), y(p["entropy_bits"] / top), f"scale {scale_text(p['scale'])}: {p['entropy_bits']:.3f} bits")
            for v, p in zip(logs, points, strict=True)
        ),
    )


def scale_text(value: float) -> str:
    """A scale as a person writes it: 1/64, 2."""
    return f"1/{1 / value:.4g}" if value < 1 else f"{value:.4g}"


def rows_text(rows: Mapping[str, Sequence[int]]) -> str:
    """Reasons with the indices that reproduce them, the first few of each."""
    parts = []
    for reason, indices in rows.items():
        more = "" if len(indices) <= 12 else f" and {len(indices) - 12} more"
        parts.append(f"{len(indices)} {reason}: index {', '.join(map(str, indices[:12]))}{more}")
    return "; ".join(parts) or "none"
