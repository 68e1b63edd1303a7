"""How far does a weighted sum of excesses move when a cluster of clips is left out?"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cache

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
    """Counts (K,) -> total variation from the reference."""
    expected: float
    """Of a faithful model with so many clips."""
    weight: float
    """Of this cell's excess in the sum."""


def excess_spread(parts: Sequence[Part]) -> Spread:
    """The sum of weight x excess, and its change when each cluster is left out of every cell at once.

    The expected distance stays that of the whole cell. A cell that is left empty changes by as much as one can. `floor`
    takes one clip of a cell for what it can change at the most, 1 / n of total variation.

    >>> tv = lambda counts: abs(counts[0] / sum(counts) - 0.5)
    >>> part = Part(shown=(0, 0, 1), clusters=(0, 1, 2), n_outcomes=2, tv=tv, expected=0.0, weight=1.0)
    >>> [round(change, 3) for change in excess_spread([part]).changes]
    [-0.167, -0.167, 0.333]
    """
    total, floor = 0.0, 0.0
    changes: dict[Hashable, float] = {}
    for part in parts:
        scale = part.weight / (1 - part.expected)
        distance = cache(part.tv)
        counts = [part.shown.count(k) for k in range(part.n_outcomes)]
        own = distance(tuple(counts))
        total += part.weight * excess(own, part.expected)
        floor += (scale / len(part.shown)) ** 2
        members: dict[Hashable, list[int]] = {}
        for cluster, outcome in zip(part.clusters, part.shown, strict=True):
            members.setdefault(cluster, []).append(outcome)
        for cluster, gone in members.items():
            left = tuple(count - gone.count(k) for k, count in enumerate(counts))
            moved = distance(left) - own if sum(left) else 1.0
            changes[cluster] = changes.get(cluster, 0.0) + scale * moved
    return Spread(estimate=total, changes=tuple(changes.values()), floor=floor)
