"""Where one cannot tell: what would have been found with these clips, and how many more would decide?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from .clusters import worth
from .conclusion import LEVEL
from .planning import POWER, clips_to_prove, clips_to_request
from .record import Cell
from .stats import Baseline
from .stats.power import detectable


def with_outlook(cells: Sequence[Cell], *, seed: int) -> tuple[Cell, ...]:
    """The cells, with `detectable_tv` and `more_clips` where one cannot tell.

    Both are for a power of 0.8 at LEVEL divided by the number of tested cells, from the reference's shares alone: its
    own error, of 5,000 rollouts or more, is left out. Clips that hang together count as what they are worth, and
    further clips are taken to hang together as much.

    Args:
        cells: All cells of the record.
        seed: Seed of the draws, where power cannot be summed.
    """
    tested = sum(cell.p is not None for cell in cells)
    return tuple(
        replace(cell, **_outlook(cell, LEVEL / tested, seed)) if cell.finding == "cannot_tell" else cell
        for cell in cells
    )


def _outlook(cell: Cell, level: float, seed: int) -> dict[str, Any]:
    shares = [share["reference"] or 0.0 for share in cell.shares.values()]
    baseline = Baseline.exact([share / math.fsum(shares) for share in shares])
    n = clips_to_prove(baseline, margin=cell.margin, power=POWER, level=level, seed=seed)
    scored = None if n is None else math.ceil(n * cell.scored / (cell.n_independent or cell.scored))
    more = None if scored is None else max(0, clips_to_request(scored, cell.scorability) - cell.requested)
    return {"detectable_tv": _detectable(worth(cell), baseline, level, seed), "more_clips": more}


@lru_cache(maxsize=256)
def _detectable(n: int, baseline: Baseline, level: float, seed: int) -> float | None:
    return detectable(n, baseline, power=POWER, level=level, seed=seed)
