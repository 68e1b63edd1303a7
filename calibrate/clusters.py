"""Which clips of a cell hang together, and how many independent ones are they worth?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .stats.clustered import effective_number

if TYPE_CHECKING:
    from .record import ClipRow


def independent_clips(rows: Sequence[ClipRow]) -> float | None:
    """How many independent clips the scored ones of a cell are worth; None if nothing says that they hang together.

    Clips of one `group` hang together, and where no group is recorded those of one seed. One seed for all clips of a
    cell is taken for that of the whole batch, of which only the first clip's noise is known: it says nothing.

    Args:
        rows: The cell's clips.
    """
    scored = [row for row in rows if row.status == "scored"]
    keys = [
        ("group", str(row.group)) if row.group is not None else ("seed", str(row.seed)) if row.seed is not None else i
        for i, row in enumerate(scored)
    ]
    sizes = Counter(keys)
    one_seed = len(sizes) == 1 and next(iter(sizes), None) == ("seed", str(scored[0].seed)) if scored else False
    if one_seed or len(sizes) == len(scored):
        return None
    return effective_number(list(sizes.values()))
