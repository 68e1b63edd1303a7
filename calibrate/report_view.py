"""Which words and numbers does the report show, in which order?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import scenes
from sim import SceneError

from .clip_row import ClipRow
from .conclusion import LEVEL, MARGIN_TV
from .record import Cell, Record
from .stats import clopper_pearson

FINDINGS = {
    "miscalibrated": "miscalibrated",
    "calibrated": "calibrated",
    "cannot_tell": "cannot tell",
    "not_tested": "not tested",
}
"""Finding -> the words in the table."""
BAR_WIDTH = 250
"""Length of the longest bar of a chart, in the chart's own units."""
_STEPS = (0.1, 0.2, 0.25, 0.4, 0.5, 0.6, 0.8, 1.0)


@dataclass(frozen=True, kw_only=True)
class Bar:
    """One outcome in a chart, lengths in the chart's own units."""

    outcome: str
    reference: float
    reference_low: float
    reference_high: float
    share: float | None
    low: float
    high: float
    least: float
    most: float
    text: str
    """What a pointer or a screen reader gets."""


@dataclass(frozen=True, kw_only=True)
class Chart:
    """Reference against observed shares."""

    bars: tuple[Bar, ...]
    ticks: tuple[tuple[float, str], ...]
    """(position, label) on the axis."""


@dataclass(frozen=True, kw_only=True)
class Thumbnail:
    """One clip as the report shows it."""

    row: ClipRow
    image: str | None
    """Base64 JPEG of the last frame."""
    link: str | None
    """Where the clip itself lies, from the page."""
    caption: str
    doubt: str
    """What to show of the confidence."""


def number(value: float | None, digits: int = 2) -> str:
    """A figure for people; a dash if it is undefined."""
    return "–" if value is None else f"{value:.{digits}f}".replace("-", "−")


def percent(value: float | None) -> str:
    """A share for people; a dash if it is undefined."""
    return "–" if value is None else f"{100 * value:.0f} %"


def p_text(p: float | None) -> str:
    """`p = 0.03`, or `p < 0.0001` for what is smaller."""
    if p is None:
        return "p undefined"
    return "p < 0.0001" if p < 0.0001 else f"p = {p:.1g}" if p < 0.01 else f"p = {p:.2f}"


def q_text(q: float | None) -> str:
    """The same of a q."""
    return f"q{p_text(q)[1:]}"


def span(pair: Sequence[float] | None) -> str:
    """Two ends of an interval."""
    return "–" if pair is None else f"{pair[0]:.2f}–{pair[1]:.2f}"


def sentence(cell: Cell) -> str:
    """What the cell says, in one sentence."""
    if cell.finding == "not_tested":
        return f"Nothing can be said: none of {cell.requested} clips was scored."
    is_set = cell.reference_kind == "set"
    tv = f"TV {number(cell.tv)}{' from its nearest point' if is_set else ''} (95 % CI {span(cell.tv_interval)})"
    p = f"{p_text(cell.p_holm)} after Holm"
    if cell.finding == "miscalibrated":
        return f"Miscalibrated{', differs from every point of the set' if is_set else ''}: {tv}, {p}."
    if cell.finding == "cannot_tell" and (text := _by_the_judge(cell)):
        return f"Cannot tell: {tv}, {p}; {text}."
    chance = f"chance alone gives a faithful model {number(cell.tv_expected)} on average"
    if cell.finding == "calibrated":
        within = f"Calibrated within {cell.margin:g}{' of the set' if is_set else ''}: {tv}; {chance}"
        within += f"; {p_text(cell.p_equivalence_holm)} for more{', from its pooled point' if is_set else ''}"
        differs = cell.p_holm is not None and cell.p_holm < LEVEL
        return f"{within}; {'by less it differs from the reference' if differs else 'no difference found'}, {p}."
    return f"Cannot tell at n = {cell.scored}: {tv}; {chance}; {p}.{_outlook(cell)}"


def _by_the_judge(cell: Cell) -> str:
    """What keeps a finding of the verdicts as they are from being claimed; empty if nothing does."""
    found = cell.corrected
    if found is None:
        return ""
    if cell.p_holm is not None and cell.p_holm < LEVEL:
        return f"the judge's errors alone may do as much ({p_text(found.p_holm)} with them carried through)"
    if cell.p_equivalence_holm is not None and cell.p_equivalence_holm < LEVEL:
        beyond = f"{p_text(found.p_equivalence_holm)} for more than {cell.margin:g} with them carried through"
        return f"the verdicts are that near, but the judge's errors may hide a distance ({beyond})"
    return ""


def _outlook(cell: Cell) -> str:
    """What would be found with these clips, and how many more would decide."""
    text = ""
    if cell.detectable_tv is not None:
        text = f" A model that is off by {number(cell.detectable_tv)} or more would be found 4 times out of 5."
    if cell.more_clips:
        text += (
            f" With {cell.more_clips} more clips a faithful one would be shown to be within {cell.margin:g} as often."
        )
    return text


def about_reference(cell: Cell) -> str:
    """Which reference the cell's counts are compared with."""
    return f"{'a set:' if cell.reference_kind == 'set' else 'one point:'} {cell.reference_note}"


def chart(cell: Cell) -> Chart:
    """Lengths of the bars of one cell."""
    shares = cell.shares
    highest = max(max(s["reference_high"] or 0, s["high"] or 0, s["most"] or 0) for s in shares.values())
    top = next((step for step in _STEPS if step >= highest - 1e-9), 1.0)

    def length(value: float | None) -> float:
        return 0.0 if value is None else round(BAR_WIDTH * min(value / top, 1), 1)

    bars = []
    for outcome, s in shares.items():
        within = f" (set: {percent(s['reference_low'])} to {percent(s['reference_high'])})"
        text = f"{outcome}: reference {percent(s['reference'])}{within if cell.reference_kind == 'set' else ''}"
        text += f", observed {cell.counts[outcome]} of {cell.scored}"
        if s["share"] is not None:
            text += f" = {percent(s['share'])} (95 % CI {percent(s['low'])} to {percent(s['high'])}; "
            text += f"{percent(s['low_together'])} to {percent(s['high_together'])} for all outcomes at once)"
        text += f"; {percent(s['least'])} to {percent(s['most'])} of all {cell.requested} whatever the rest showed"
        bars.append(
            Bar(
                outcome=outcome,
                reference=length(s["reference"]),
                reference_low=length(s["reference_low"]),
                reference_high=length(s["reference_high"]),
                share=None if s["share"] is None else length(s["share"]),
                low=length(s["low"]),
                high=length(s["high"]),
                least=length(s["least"]),
                most=length(s["most"]),
                text=text,
            )
        )
    ticks = tuple((round(BAR_WIDTH * part, 1), f"{100 * top * part:.0f} %") for part in (0, 0.5, 1))
    return Chart(bars=tuple(bars), ticks=ticks)


def doubtful_first(rows: Iterable[ClipRow]) -> list[ClipRow]:
    """Clips to show: those without a confidence, then by rising confidence, then what people have labelled."""
    there = [row for row in rows if row.file is not None and row.status != "missing"]
    return sorted(
        there, key=lambda r: (r.label is not None, -1.0 if r.confidence is None else r.confidence, r.file or "")
    )


def caption(row: ClipRow) -> str:
    """The verdict in a few words."""
    if row.status == "scored":
        return str(row.outcome)
    return f"{row.status.replace('_', ' ')}: {row.reason}" if row.reason else row.status.replace("_", " ")


def accounting(record: Record) -> list[dict[str, Any]]:
    """One line a cell: where every clip that was asked for went."""
    return [
        {
            "cell": cell,
            "null": sum(cell.null.values()),
            "unreadable": sum(cell.unreadable.values()),
            "reasons": ", ".join(_reasons(cell)),
        }
        for cell in record.cells
    ]


def _reasons(cell: Cell) -> list[str]:
    named = {**cell.null, **cell.unreadable, **{k: v for k, v in cell.missing_reasons.items() if k != "no_file"}}
    return [f"{n} {reason}" for reason, n in named.items()]


def references(record: Record) -> list[dict[str, Any]]:
    """Where the reference of each scene comes from."""
    lines = []
    for token, found in record.references.items():
        n_null, n_failed = sum(found["null"].values()), sum(len(indices) for indices in found["failed"].values())
        cell = next((cell for cell in record.cells if cell.token == token), None)
        kind = "" if cell is None else about_reference(cell) + _ranges(cell)
        line = {"token": token, "ideal": _ideal(token), **found, "n_null": n_null, "n_failed": n_failed, "kind": kind}
        lines.append(line)
    return lines


def kinds(record: Record) -> dict[str, str]:
    """Scene token -> `set` or `point`."""
    return {cell.token: cell.reference_kind for cell in record.cells}


def _ranges(cell: Cell) -> str:
    """How far each outcome's share moves within a set."""
    if cell.reference_kind == "point":
        return ""
    each = (f"{o} {s['reference_low']:.3f}–{s['reference_high']:.3f}" for o, s in cell.shares.items())
    return f"; {', '.join(each)}"


def _ideal(token: str) -> str:
    """The textbook distribution in words, for scenes that have one."""
    try:
        scene, _ = scenes.parse_token(token)
    except SceneError:  # a record may outlive a scene
        return ""
    if scene.ideal is None:
        return ""
    return ", ".join(f"{outcome} {p:.3f}" for outcome, p in scene.ideal.items())


def told_shares(shares: Mapping[str, Mapping[str, float]]) -> str:
    """Outcome -> `share`, `low` and `high`, in words."""
    return ", ".join(
        f"{o} {percent(s['share'])} ({percent(s['low'])} to {percent(s['high'])})" for o, s in shares.items()
    )


def card_lines(card: Mapping[str, Mapping[str, int]] | None) -> list[dict[str, Any]]:
    """The judge card's figures of each scene, with a 95 % Clopper-Pearson interval of the share that is right."""
    lines = []
    for name, figures in (card or {}).items():
        right = clopper_pearson(figures["right"], figures["n"])
        lines.append({"scene": name, **figures, "low": right.low, "high": right.high})
    return lines


def totals(record: Record) -> dict[str, str]:
    """Model -> how many of its clips were scored."""
    scored: dict[str, list[int]] = {}
    for cell in record.cells:
        both = scored.setdefault(cell.model, [0, 0])
        both[0] += cell.scored
        both[1] += cell.requested
    return {model: f"{n} of {of} clips scored" for model, (n, of) in scored.items()}


def headline(record: Record) -> str:
    """The result in one or two sentences."""
    by = {finding: sum(cell.finding == finding for cell in record.cells) for finding in FINDINGS}
    requested = sum(cell.requested for cell in record.cells)
    tested = len(record.cells) - by["not_tested"]
    text = f"{record.n_scored} of {requested} clips were scored. "
    if tested == 0:
        return text + "No cell could be tested."
    text += f"Of {tested} tested cells {by['miscalibrated']} are miscalibrated (Holm, 5 % over all of them)"
    if by["calibrated"]:
        text += f", {by['calibrated']} are shown to be within {margin(record):g} of the reference (the same)"
    if by["cannot_tell"]:
        text += f", and in {by['cannot_tell']} "
        judged = sum(cell.finding == "cannot_tell" and bool(_by_the_judge(cell)) for cell in record.cells)
        text += "the number of clips is too small to tell"
        text += f", or, in {judged} of them, the judge's errors leave it open" if judged else ""
    return text + "."


def margin(record: Record) -> float:
    """Total variation within which a cell of the record counts as calibrated."""
    return record.cells[0].margin if record.cells else MARGIN_TV
