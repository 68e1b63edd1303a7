"""In which words is it said whether a model moves as the reference does?"""

from __future__ import annotations

from typing import Any

from .alignment import Alignment
from .report_view import number, p_text

MOVES = {
    "follows": "follows",
    "moves_otherwise": "moves by another amount",
    "does_not_follow": "does not follow",
    "stays": "stays",
    "moves": "moves, and should not",
    "cannot_tell": "cannot tell",
    "not_tested": "not tested",
}
"""Finding -> the words in the table."""
_TONE = {"follows": "calibrated", "stays": "calibrated", "does_not_follow": "miscalibrated", "moves": "miscalibrated"}
_TONE |= {"moves_otherwise": "miscalibrated", "cannot_tell": "cannot_tell", "not_tested": "not_tested"}


def sentence(pair: Alignment) -> str:
    """What one pair says, in one or two sentences."""
    if pair.finding == "not_tested":
        return f"Nothing can be said: {pair.n[0]} clips of {pair.scene} and {pair.n[1]} of {pair.token} were scored."
    return _causal(pair) if pair.causal else _not_causal(pair)


def _causal(pair: Alignment) -> str:
    said = {
        "follows": "Follows physics",
        "moves_otherwise": "Moves the way of physics, by another amount",
        "does_not_follow": "Does not follow physics",
    }.get(pair.finding, "Cannot tell")
    physics = f"physics changes {' + '.join(pair.outcomes)} by {_signed(pair.reference_change)}"
    physics += f" (within {_signed(pair.reference_range[0])} to {_signed(pair.reference_range[1])})"
    return (
        f"{said}: {physics}, the model by {_signed(pair.change)}{_ci(pair)}; "
        f"{p_text(pair.p_aligned_holm)} for no change that way, {p_text(pair.p_off_holm)} for that of physics (Holm)."
    )


def _not_causal(pair: Alignment) -> str:
    said = {"stays": f"Stays within {pair.margin:g}", "moves": "Moves where physics does not"}
    return (
        f"{said.get(pair.finding, 'Cannot tell')}: TV {number(pair.change)} between the model with and without the "
        f"change{_ci(pair)}; chance alone gives {number(pair.change_expected)}; {p_text(pair.p_off_holm)} for no "
        f"change, {p_text(pair.p_aligned_holm)} for {pair.margin:g} or more (Holm)."
    )


def _signed(value: float | None) -> str:
    return number(value) if value is None or value < 0 else f"+{number(value)}"


def _ci(pair: Alignment) -> str:
    worth = pair.n_independent
    of = "" if worth is None else f", as of {worth[0]} and {worth[1]} independent clips"
    return f" (95 % CI {_span(pair.change_interval)}{of})"


def lines(pairs: tuple[Alignment, ...]) -> list[dict[str, Any]]:
    """The rows of the report's table."""
    return [
        {
            "pair": pair,
            "finding": MOVES[pair.finding],
            "tone": _TONE[pair.finding],
            "sentence": sentence(pair),
            "response": "–" if pair.response is None else f"{number(pair.response)} ({_span(pair.response_interval)})",
        }
        for pair in pairs
    ]


def _span(ends: tuple[float, float] | None) -> str:
    return "–" if ends is None else f"{number(ends[0])} to {number(ends[1])}"


def row(pair: Alignment) -> tuple[str, ...]:
    """The row of the table that `score` prints."""

    def signed(value: float | None) -> str:
        return "-" if value is None else f"{value:+.3f}" if pair.causal else f"{value:.3f}"

    interval = "-" if pair.change_interval is None else " to ".join(signed(end) for end in pair.change_interval)
    kind = "causal" if pair.causal else "not causal"
    p = ("-" if value is None else f"{value:.3f}" for value in (pair.p_aligned_holm, pair.p_off_holm))
    return pair.model, pair.token, kind, signed(pair.reference_change), signed(pair.change), interval, *p, pair.finding
