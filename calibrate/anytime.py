"""What may one say of a cell if one looks after every clip, and when may one stop paying for more?

The other figures of a cell hold for a number of clips that was fixed before. Whoever adds clips until something is
found needs figures that hold at every number of clips at once: these. The rule: stop where a claim holds, else go on.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .clusters import counts_apart
from .stats import Baseline, Hull, holm, nearest
from .stats.confidence_sequence import confidence_sequence, within_p
from .stats.dirichlet_e_value import log_e_value
from .stats.power import MOST_CLIPS
from .stats.tv_interval import own_half_width

if TYPE_CHECKING:
    from sim.reference import Reference

    from .clip_row import ClipRow
    from .record import Cell

LEVEL = 0.05
BEYOND = 0.001
"""Chance that the reference's own sampling error is larger than is allowed for; it is in the error of the limits and
added to `p_within`."""
Advice = Literal["stop_miscalibrated", "stop_calibrated", "go_on"]
"""`stop_miscalibrated`: `p_holm` is below LEVEL. `stop_calibrated`: `p_within_holm` is. Else `go_on`."""


@dataclass(frozen=True, kw_only=True)
class Anytime:
    """Figures of a cell that hold at every number of clips at once."""

    log10_e: float
    """Logarithm to base 10 of the e-value against "the model is faithful" (calibrate.stats.dirichlet_e_value)."""
    p: float
    """min(1, 1 / e): p of "the model is faithful"."""
    p_holm: float
    """Adjusted for all cells of the record with scored clips, by Holm."""
    tv_interval: tuple[float, float]
    """95 % confidence sequence of the total variation from the reference (calibrate.stats.confidence_sequence)."""
    p_within: float
    """p of "the model is the cell's margin or more away", of a set from its pooled point."""
    p_within_holm: float
    advice: Advice
    more_clips: int | None
    """Further scored clips after which one of the claims would hold for this cell, if the shares stayed as they are; 0
    where one holds, None if that takes more than 20,000."""
    n_apart: int | None = None
    """Where clips hang together: so many were looked at, one of each cluster; `more_clips` counts clusters too."""


def with_anytime(
    cells: Sequence[Cell],
    references: Mapping[str, Reference],
    rows: Mapping[tuple[str, str], Sequence[ClipRow]] | None = None,
) -> tuple[Cell, ...]:
    """The cells, with `anytime` where a clip was scored.

    Where clips hang together, one of each cluster is looked at. These are independent draws, which a betting martingale
    needs; no weight of the others keeps it one whatever the dependence is.

    Args:
        cells: All cells of a record.
        references: Scene token -> reference.
        rows: (Model, scene token) -> the cell's clips; None if all clips are independent.
    """
    scored = [cell for cell in cells if cell.scored]
    rules = {token: _Rule(references[token]) for token in {cell.token for cell in scored}}
    apart = [None if rows is None else counts_apart(rows[c.model, c.token], list(c.counts)) for c in scored]
    shown = [
        np.array(list(cell.counts.values()) if alone is None else alone, dtype=float)
        for cell, alone in zip(scored, apart, strict=True)
    ]
    log_e = [rules[cell.token].log_e(c) for cell, c in zip(scored, shown, strict=True)]
    within = [rules[cell.token].within(c, cell.margin) for cell, c in zip(scored, shown, strict=True)]
    p = [min(1.0, math.exp(-max(0.0, e))) for e in log_e]
    p_holm, within_holm = holm(p), holm(within)
    found = {}
    for i, cell in enumerate(scored):
        after = (p_holm[i] or 0.0, within_holm[i] or 0.0)
        advice: Advice = (
            "stop_calibrated" if after[1] < LEVEL else "stop_miscalibrated" if after[0] < LEVEL else "go_on"
        )
        rule = rules[cell.token]
        more = _more(rule, shown[i], cell.margin, LEVEL / len(scored)) if advice == "go_on" else 0
        found[cell.model, cell.token] = Anytime(
            log10_e=log_e[i] / math.log(10),
            p=p[i],
            p_holm=after[0],
            tv_interval=rule.limits(shown[i]),
            p_within=within[i],
            p_within_holm=after[1],
            advice=advice,
            more_clips=more,
            n_apart=None if apart[i] is None else int(shown[i].sum()),
        )
    return tuple(replace(cell, anytime=found.get((cell.model, cell.token))) for cell in cells)


class _Rule:
    """A reference, made ready for looking often."""

    def __init__(self, reference: Reference) -> None:
        self._pooled = Baseline.sample([reference.counts[outcome] for outcome in reference.outcomes])
        self._hull = None
        if reference.why_point is None:
            self._hull = Hull.of(reference.member_shares, n=reference.n_member)
        self._pooled_error = own_half_width(self._pooled, 1 - BEYOND)

    def log_e(self, counts: np.ndarray) -> float:
        """Logarithm of the e-value."""
        return log_e_value(counts, self._pooled if self._hull is None else self._hull)

    def within(self, counts: np.ndarray, margin: float) -> float:
        """P of "the margin or more away"; the reference's own error is taken off the margin."""
        left = margin - self._pooled_error
        return 1.0 if left <= 0 else min(1.0, within_p(counts, self._pooled.p, left) + BEYOND)

    def limits(self, counts: np.ndarray) -> tuple[float, float]:
        """95 % confidence sequence, the reference's own error included."""
        point, error, members = self._pooled.p, self._pooled_error, None
        if self._hull is not None:
            point = nearest(tuple((counts / counts.sum()).tolist()), self._hull).p
            error, members = own_half_width(self._hull.baseline(point), 1 - BEYOND), self._hull.array
        found = confidence_sequence(counts, point, members, level=1 - LEVEL + BEYOND)
        return max(0.0, found.low - error), min(1.0, found.high + error)


def _more(rule: _Rule, counts: np.ndarray, margin: float, level: float) -> int | None:
    n = int(counts.sum())

    def decided(clips: int) -> bool:
        grown = counts * (clips / n)
        return rule.log_e(grown) > -math.log(level) or rule.within(grown, margin) < level

    most = _first(decided, n)
    return None if most is None else most - n


def _first(decided: Callable[[int], bool], n: int) -> int | None:
    """The first number of clips above n at which it is so, within one in a hundred; None beyond MOST_CLIPS."""
    low, high = n, n + 1
    while not decided(high):
        if high >= MOST_CLIPS:
            return None
        low, high = high, min(MOST_CLIPS, high + max(1, high // 3))
    while high - low > max(1, high // 100):
        middle = (low + high) // 2
        low, high = (low, middle) if decided(middle) else (middle, high)
    return high


def from_json(data: Mapping[str, Any] | None) -> Anytime | None:
    """The figures that a record holds."""
    return None if data is None else Anytime(**{**data, "tv_interval": tuple(data["tv_interval"])})


def check_anytime(found: Anytime) -> None:
    """Refuse figures that contradict each other.

    Raises:
        ValueError: One is out of range, or the advice does not follow from the p-values.
    """
    low, high = found.tv_interval
    parts = (found.p, found.p_holm, found.p_within, found.p_within_holm, low, high)
    if not all(0 <= part <= 1 for part in parts) or low > high:
        raise ValueError("an anytime figure is outside 0 to 1")
    if not math.isclose(found.p, min(1.0, 10.0 ** -max(0.0, found.log10_e)), rel_tol=1e-6, abs_tol=1e-300):
        raise ValueError("an anytime p is not that of its e-value")
    claims = (found.p_within_holm < LEVEL, found.p_holm < LEVEL)
    advice = "stop_calibrated" if claims[0] else "stop_miscalibrated" if claims[1] else "go_on"
    if found.advice != advice:
        raise ValueError(f"the advice {found.advice!r} does not follow from its p-values")
