"""Is one outcome likelier to be read as null than another, so that the scored clips are no fair sample?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

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
    cells: Sequence[Cell], errors: Mapping[str, tuple[Mapping[str, Mapping[str, int]], str]], *, seed: int
) -> tuple[Cell, ...]:
    """The cells, with `null_warning` where the judge is known to call one outcome null oftener than another.

    Args:
        cells: All cells of the record.
        errors: Scene -> truth -> {said: clips}, and which clips these are (calibrate.audit.error_tables).
        seed: Seed of the test's draws.
    """
    found: dict[str, str | None] = {}
    for cell in cells:
        if cell.scene in errors and cell.scene not in found:
            table, about = errors[cell.scene]
            found[cell.scene] = null_warning(table, tuple(cell.counts), about=about, seed=seed)
    return tuple(replace(cell, null_warning=found.get(cell.scene)) for cell in cells)
