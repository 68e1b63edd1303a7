"""Does a model's distribution move where physics' does, and stay where it should?

A study that holds a scene and one of its variants shows the same event before and after one change. Where the change is
*causal*, the reference moves towards some outcomes; the model's share of these is compared before and after. Where it
is not, the reference stays, and so should the model.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

import scenes

from .clusters import worth
from .stats import holm
from .stats.clustered import whole_counts
from .stats.two_samples import two_samples
from .stats.two_shares import change_interval, change_p

if TYPE_CHECKING:
    from sim.reference import Reference

    from .record import Cell

LEVEL = 0.05
"""Something is found of a pair if the p of it, after Holm, is below this."""
BEYOND = 0.001
"""Chance that the reference's change lies outside `reference_range` by its own sampling error; it is added to `p_off`
(Berger and Boos 1994, Journal of the American Statistical Association 89, 1012, eq. 1.2)."""

Moves = Literal["follows", "moves_otherwise", "does_not_follow", "stays", "moves", "cannot_tell", "not_tested"]
"""Causal: `follows` (shown to move the way of the reference, by an amount not found to differ), `moves_otherwise` (that
way, but by another amount), `does_not_follow` (another amount, and not shown to move that way). Not causal: `stays`
(shown to move by less than the margin), `moves` (found to move, and not shown to stay within it). Else `cannot_tell`,
or `not_tested` where a cell has no scored clip."""


@dataclass(frozen=True, kw_only=True)
class Alignment:
    """One model on a scene and on one variant of it; a pair of numbers is an interval's low and high end."""

    model: str
    scene: str
    """The base scene."""
    variant: str
    causal: bool
    outcomes: tuple[str, ...]
    """Causal: those that the change makes likelier in the reference. Empty if it is not causal."""
    n: tuple[int, int]
    """Scored clips of the scene and of the variant."""
    change: float | None
    """Causal: the model's share of `outcomes` with the variant, less without. Not causal: the total variation between
    its shares with and without."""
    change_interval: tuple[float, float] | None
    """95 %, see calibrate.stats.two_shares and two_samples."""
    change_expected: float | None
    """Not causal: what `change` is on average for a model that does not move, with so many clips."""
    reference_change: float
    """Change of the reference's share of `outcomes`, all draws of the unknown constants together; 0 if not causal."""
    reference_range: tuple[float, float]
    """Its range over all draws of the unknown constants, before and after each by itself, and the sampling error of the
    references."""
    response: float | None
    """Causal: change / reference_change. 1: as physics, 0: not at all, below 0: the wrong way."""
    response_interval: tuple[float, float] | None
    """`change_interval` / reference_change."""
    margin: float
    """Not causal: total variation within which the model counts as staying."""
    p_aligned: float | None
    """Causal: p of "the share of `outcomes` does not grow". Not causal: p of "it moves by the margin or more"."""
    p_off: float | None
    """Causal: p of "the change is within `reference_range`". Not causal: p of "one distribution stands behind both"."""
    p_aligned_holm: float | None = None
    """Adjusted by Holm over the `p_aligned` of all pairs of the record that were tested."""
    p_off_holm: float | None = None
    """Adjusted by Holm over the `p_off` of all pairs of the record that were tested."""
    finding: Moves = "not_tested"
    n_independent: tuple[int, int] | None = None
    """How many independent clips the scored ones are worth, where some of one cell hang together: interval, chance and
    p are those of so many. Seeds that both cells have make the change vary less, so that these are wider than need be.
    """

    @property
    def token(self) -> str:
        """Scene token of the variant."""
        return f"{self.scene}@{self.variant}"

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Alignment:
        """The alignment that a record holds."""
        pairs = ("n", "outcomes", "change_interval", "reference_range", "response_interval")
        kept = {k: None if data.get(k) is None else tuple(data[k]) for k in (*pairs, "n_independent")}
        return Alignment(**{**data, **kept})


def alignments(cells: Sequence[Cell], references: Mapping[str, Reference], *, seed: int) -> tuple[Alignment, ...]:
    """Every pair of a scene and a variant of it that one model has clips of, with both p-values after Holm.

    There are two families: `p_aligned` of all pairs and `p_off` of all pairs. Each claim is wrong about any pair at all
    with a probability of at most LEVEL.

    Args:
        cells: All cells of a record.
        references: Scene token -> reference.
        seed: Seed of the Monte Carlo draws.
    """
    base = {(cell.model, cell.scene): cell for cell in cells if cell.variant is None}
    found = [
        _pair(before, after, references, seed)
        for after in cells
        if after.variant is not None and (before := base.get((after.model, after.scene))) is not None
    ]
    aligned, off = holm([pair.p_aligned for pair in found]), holm([pair.p_off for pair in found])
    return tuple(
        replace(pair, p_aligned_holm=a, p_off_holm=o, finding=finding_of(pair.causal, a, o))
        for pair, a, o in zip(found, aligned, off, strict=True)
    )


def finding_of(causal: bool, p_aligned_holm: float | None, p_off_holm: float | None) -> Moves:
    """What the two p-values say, see `Moves`."""
    if p_aligned_holm is None or p_off_holm is None:
        return "not_tested"
    aligned, off = p_aligned_holm < LEVEL, p_off_holm < LEVEL
    if not causal:
        return "stays" if aligned else "moves" if off else "cannot_tell"
    if aligned:
        return "moves_otherwise" if off else "follows"
    return "does_not_follow" if off else "cannot_tell"


def _pair(before: Cell, after: Cell, references: Mapping[str, Reference], seed: int) -> Alignment:
    scene, variant = scenes.parse_token(after.token)
    causal = scene.variants[str(variant)].causal
    about: dict[str, Any] = {
        "model": after.model,
        "scene": scene.name,
        "variant": variant,
        "causal": causal,
        "n": (before.scored, after.scored),
        "margin": after.margin,
    }
    about["n_independent"] = None if _are_apart(before, after) else (worth(before), worth(after))
    if not causal:
        return _still(before, after, about, seed)
    first, second = references[before.token], references[after.token]
    gains = [o for o in scene.outcomes if _share(second, [o]) > _share(first, [o])]
    expected, reach = reference_change(first, second, gains)
    about |= {"outcomes": tuple(gains), "reference_change": expected, "reference_range": reach}
    return _moved(before, after, gains, expected, reach, about)


def _still(before: Cell, after: Cell, about: dict[str, Any], seed: int) -> Alignment:
    found = two_samples(_counts(before), _counts(after), margin=after.margin, seed=seed)
    empty = min(about["n"]) == 0
    change = math.nan if empty else 0.5 * float(np.abs(np.subtract(_shares(before), _shares(after))).sum())
    low = 0.0 if found.interval.low == 0 else max(0.0, change - (found.tv - found.interval.low))
    high = min(1.0, change + max(0.0, found.interval.high - found.tv))
    return Alignment(
        **about,
        outcomes=(),
        reference_change=0.0,
        reference_range=(0.0, 0.0),
        change=None if empty else change,
        change_interval=None if empty else (min(change, low), high),
        change_expected=None if empty else found.expected,
        response=None,
        response_interval=None,
        p_aligned=None if empty else found.p_apart,
        p_off=None if empty else found.p,
    )


def _moved(
    before: Cell, after: Cell, gains: Sequence[str], expected: float, reach: tuple[float, float], about: dict[str, Any]
) -> Alignment:
    n = (before.scored, after.scored)
    empty: dict[str, Any] = {"change": None, "change_interval": None, "response": None, "response_interval": None}
    if min(n) == 0 or not gains:
        return Alignment(**about, **empty, change_expected=None, p_aligned=None, p_off=None)
    shares = [sum(cell.counts[o] for o in gains) / cell.scored for cell in (before, after)]
    change, n = shares[1] - shares[0], (worth(before), worth(after))
    hits = (whole_counts([shares[0], 1 - shares[0]], n[0])[0], whole_counts([shares[1], 1 - shares[1]], n[1])[0])
    found, moved = change_interval(hits, n), change - (hits[1] / n[1] - hits[0] / n[0])
    ends = max(-1.0, min(change, found.low + moved)), min(1.0, max(change, found.high + moved))
    return Alignment(
        **about,
        change=change,
        change_interval=ends,
        change_expected=None,
        response=change / expected,
        response_interval=(ends[0] / expected, ends[1] / expected),
        p_aligned=change_p(hits, n, 0.0, side="above"),
        p_off=outside_p(hits, n, reach),
    )


def _are_apart(*cells: Cell) -> bool:
    return all(cell.n_independent is None for cell in cells)


def _shares(cell: Cell) -> list[float]:
    return [count / cell.scored for count in cell.counts.values()]


def _counts(cell: Cell) -> tuple[int, ...]:
    """(K,) clips by outcome, as many as they are worth."""
    return whole_counts(_shares(cell), worth(cell)) if cell.scored else tuple(cell.counts.values())


def outside_p(hits: tuple[int, int], n: tuple[int, int], reach: tuple[float, float]) -> float:
    """p-value of "the change of the share is within `reach`", two-sided, `BEYOND` added for the error of `reach`."""
    change = hits[1] / n[1] - hits[0] / n[0]
    if reach[0] <= change <= reach[1]:
        return 1.0
    side, edge = ("above", reach[1]) if change > reach[1] else ("below", reach[0])
    return min(1.0, 2 * change_p(hits, n, edge, side="above" if side == "above" else "below") + BEYOND)


def reference_change(before: Reference, after: Reference, gains: Sequence[str]) -> tuple[float, tuple[float, float]]:
    """How much the reference's share of some outcomes grows, and the least and most that may be.

    The range is over the members of both sets, each by itself, since the constants may differ from clip to clip; each
    end is moved out by the sampling error of both that is exceeded in BEYOND of cases (normal approximation).

    Args:
        before: Reference of the scene.
        after: Reference of the variant.
        gains: The outcomes.
    """
    from scipy.special import ndtri

    ends, variance, pooled = [], 0.0, []
    for reference in (before, after):
        columns = [list(reference.outcomes).index(outcome) for outcome in gains]
        shares = np.asarray(reference.member_shares)[:, columns].sum(axis=1)
        pooled.append(_share(reference, gains))
        if reference.why_point is not None:
            shares = np.array([pooled[-1]])
        ends.append((float(shares.min()), float(shares.max())))
        n = reference.n_member if reference.why_point is None else sum(reference.counts.values())
        share = (pooled[-1] * n + 0.5) / (n + 1)  # so that a share of 0 or 1 has an error too
        variance += share * (1 - share) / n
    reach = float(ndtri(1 - BEYOND / 2)) * math.sqrt(variance)
    low, high = ends[1][0] - ends[0][1] - reach, ends[1][1] - ends[0][0] + reach
    return pooled[1] - pooled[0], (max(-1.0, low), min(1.0, high))


def _share(reference: Reference, outcomes: Sequence[str]) -> float:
    """Pooled share of some outcomes in a reference."""
    return sum(reference.counts[outcome] for outcome in outcomes) / sum(reference.counts.values())
