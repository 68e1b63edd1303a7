"""Which p-values remain small when many cells are tested at once?"""

from __future__ import annotations

from collections.abc import Sequence


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Adjusted p-values that keep the chance of any false alarm in the family below the level, whatever the dependence.

    Args:
        p_values: One per cell; None for a cell that could not be tested, which stays None and outside the family.

    References:
        Holm 1979, Scandinavian Journal of Statistics 6, 65.

    >>> holm([0.01, None, 0.04])
    [0.02, None, 0.04]
    """
    tested = [(p, i) for i, p in enumerate(p_values) if p is not None]
    if any(not 0 <= p <= 1 for p, _ in tested):
        raise ValueError(f"p_values must lie in [0, 1], got {[p for p, _ in tested]}")
    adjusted: list[float | None] = [None] * len(p_values)
    largest = 0.0
    for rank, (p, i) in enumerate(sorted(tested)):
        largest = max(largest, min(1.0, (len(tested) - rank) * p))
        adjusted[i] = largest
    return adjusted
