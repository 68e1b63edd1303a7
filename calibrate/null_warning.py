"""Is one outcome likelier to be read as null than another, so that the scored clips are no fair sample?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from .stats.equal_rates import equal_rates_test

if TYPE_CHECKING:
    from .record import Cell

LEVEL = 0.05
"""A warning is given if the rates differ with a p below this."""


def null_warning(
    table: Mapping[str, Mapping[str, int]], outcomes: Sequence[str], *, about: str, seed: int
) -> str | None:
    """One line if clips of some outcome are called null oftener than those of another, else None.

    Args:
        table: Truth -> {what was said of it: clips}; what is no outcome is null.
        outcomes: The scene's outcomes.
        about: Which clips these are.
        seed: Seed of the test's draws.
    """
    n = [sum(table.get(outcome, {}).values()) for outcome in outcomes]
    nulls = [
        sum(count for said, count in table.get(outcome, {}).items() if said not in outcomes) for outcome in outcomes
    ]
    p = equal_rates_test(nulls, n, seed=seed)
    if p >= LEVEL:
        return None
    seen = [k for k in range(len(outcomes)) if n[k]]
    most, least = max(seen, key=lambda k: nulls[k] / n[k]), min(seen, key=lambda k: nulls[k] / n[k])
    told = [f"{outcomes[k]} in {nulls[k]} of {n[k]}" for k in (most, least)]
    return f"{told[0]} clips, {told[1]}: outcomes are not equally often read as null ({about}; p = {p:.2g})"


def with_null_warning(
    cells: Sequence[Cell], card: Mapping[str, Mapping[str, Any]] | None, *, seed: int
) -> tuple[Cell, ...]:
    """The cells, with `null_warning` where the judge's card shows unequal rates of nulls.

    Args:
        cells: All cells of the record.
        card: Scene -> figures of the judge's card, of which `confusion` is used.
        seed: Seed of the test's draws.
    """
    found: dict[str, str | None] = {}
    for cell in cells:
        table = (card or {}).get(cell.scene, {}).get("confusion")
        if table is not None and cell.scene not in found:
            found[cell.scene] = null_warning(table, tuple(cell.counts), about="the judge's card", seed=seed)
    return tuple(replace(cell, null_warning=found.get(cell.scene)) for cell in cells)
