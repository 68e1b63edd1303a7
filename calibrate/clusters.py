"""Which clips of a cell hang together, and how many independent ones are they worth?"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

from .clip_row import ClipRow
from .stats.clustered import effective_number

if TYPE_CHECKING:
    from .record import Cell


def clusters(rows: Sequence[ClipRow]) -> list[list[int]]:
    """Places of the clips that hang together, each place in one cluster.

    Clips of one `group` hang together, and where no group is recorded those of one seed; so do clips that are one file,
    byte for byte. One seed for all of the clips is taken for that of the whole batch, of which only the first clip's
    noise is known: it says nothing.

    Args:
        rows: Clips of one cell.
    """
    batch = len({row.seed for row in rows}) == 1 and all(row.group is None for row in rows)
    above = list(range(len(rows)))  # the place that each is joined to; a cluster's first place is joined to itself
    first: dict[tuple[str, str], int] = {}
    for i, row in enumerate(rows):
        keys = [] if row.sha256 is None else [("file", row.sha256)]
        if row.group is not None:
            keys.append(("group", str(row.group)))
        elif row.seed is not None and not batch:
            keys.append(("seed", str(row.seed)))
        for key in keys:
            ends = sorted((_top(above, i), _top(above, first.setdefault(key, i))))
            above[ends[1]] = ends[0]
    found: dict[int, list[int]] = {}
    for i in range(len(rows)):
        found.setdefault(_top(above, i), []).append(i)
    return list(found.values())


def _top(above: Sequence[int], i: int) -> int:
    while above[i] != i:
        i = above[i]
    return i


def cluster_names(rows: Sequence[ClipRow]) -> list[Hashable]:
    """(N,) a name for each clip of one cell, which clips of one cluster share.

    That of a group or a seed is the same in all cells, since clips of other models and scenes with the same group or
    seed start from the same noise. Other clips have a name of their own.

    Args:
        rows: Clips of one cell.
    """
    names: list[Hashable] = [None] * len(rows)
    found = clusters(rows)
    batch = len(rows) > 1 and len({row.seed for row in rows}) == 1
    for places in found:
        some = [rows[i] for i in places]
        groups = {str(row.group) for row in some if row.group is not None}
        seeds = {row.seed for row in some if row.seed is not None}
        first: Hashable = (some[0].model, some[0].scene, places[0])
        name = ("group", min(groups)) if groups else ("seed", min(seeds, key=str)) if seeds and not batch else first
        for i in places:
            names[i] = name
    return names


def independent_clips(rows: Sequence[ClipRow]) -> float | None:
    """How many independent clips the scored ones of a cell are worth; None if nothing says that they hang together.

    Args:
        rows: The cell's clips.
    """
    scored = [row for row in rows if row.status == "scored"]
    sizes = [len(cluster) for cluster in clusters(scored)]
    return effective_number(sizes) if len(sizes) < len(scored) else None


def one_of_each(rows: Sequence[ClipRow]) -> list[ClipRow]:
    """The first scored clip of each cluster: independent draws of what the model shows.

    Which clip is first follows from the order of the rows, that of their names, and not from what they show.

    Args:
        rows: The cell's clips.
    """
    scored = [row for row in rows if row.status == "scored"]
    return [scored[places[0]] for places in clusters(scored)]


def counts_apart(rows: Sequence[ClipRow], outcomes: Sequence[str]) -> list[int] | None:
    """(K,) outcomes of one clip of each cluster; None if every scored clip is a cluster by itself."""
    apart = [row.outcome for row in one_of_each(rows)]
    if len(apart) == sum(row.status == "scored" for row in rows):
        return None
    return [apart.count(outcome) for outcome in outcomes]


def worth(cell: Cell) -> int:
    """How many independent clips the scored ones of a cell are worth, in whole numbers."""
    return cell.scored if cell.n_independent is None else max(1, math.floor(cell.n_independent + 1e-9))
