"""How far does a weighted sum of excesses move when a cluster of clips is left out?"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

from .efron_stein import Spread
from .total_variation import excess


@dataclass(frozen=True, kw_only=True)
class Part:
    """The scored clips of one cell, one or more."""

    shown: tuple[int, ...]
    """(N,) number of the outcome of each clip."""
    clusters: tuple[Hashable, ...]
    """(N,) which cluster each clip belongs to; a cluster may go over several cells."""
    n_outcomes: int
    tv: Callable[[tuple[int, ...]], float]
    """Counts (K,) -> total variation from the reference; called for every cluster, so cache a slow one."""
    expected: float
    """Of a faithful model with so many clips."""
    weight: float
    """Of this cell's excess in the sum."""
    rarefied: float | None = None
    """Total variation that fewer clips show on average (calibrate.stats.rarefaction), if the excess is to be that of
    fewer clips; `expected` is then that of as few."""


def excess_spread(parts: Sequence[Part]) -> Spread:
    """The sum of weight x excess, and its change when each cluster is left out of every cell at once.

    The expected distance stays that of the whole cell. Changes are those of all of the clips, also where the sum is of
    `Part.rarefied`. A cell that is left empty changes by as much as one can. `floor`
    is the summed square of what one clip of each cell can change at the most, 1 / n of total variation, and at least
    twice that of the cell with the most: with once the interval of a single near-collapsed cell fell short.

    >>> tv = lambda counts: abs(counts[0] / sum(counts) - 0.5)
    >>> part = Part(shown=(0, 0, 1), clusters=(0, 1, 2), n_outcomes=2, tv=tv, expected=0.0, weight=1.0)
    >>> [round(change, 3) for change in excess_spread([part]).changes]
    [-0.167, -0.167, 0.333]
    """
    total, most = 0.0, []
    changes: dict[Hashable, float] = {}
    for part in parts:
        scale = part.weight / (1 - part.expected)
        counts = [part.shown.count(k) for k in range(part.n_outcomes)]
        own = part.tv(tuple(counts))
        total += part.weight * excess(own if part.rarefied is None else part.rarefied, part.expected)
        most.append((scale / len(part.shown)) ** 2)
        members: dict[Hashable, list[int]] = {}
        for cluster, outcome in zip(part.clusters, part.shown, strict=True):
            members.setdefault(cluster, []).append(outcome)
        for cluster, gone in members.items():
            left = tuple(count - gone.count(k) for k, count in enumerate(counts))
            moved = part.tv(left) - own if sum(left) else 1.0
            changes[cluster] = changes.get(cluster, 0.0) + scale * moved
    floor = max(sum(most), 2 * max(most, default=0.0))
    return Spread(estimate=total, changes=tuple(changes.values()), floor=floor, clusters=tuple(changes))
