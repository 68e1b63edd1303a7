"""Which cells are worth a second look when many are screened at once?"""

from __future__ import annotations

from collections.abc import Sequence


def benjamini_hochberg(p_values: Sequence[float | None]) -> list[float | None]:
    """Adjusted p-values (q): of the cells with q below a level, the expected part that are false alarms is below it.

    This holds for independent or positively dependent cells. It is for screening; for a claim about a cell use `holm`.

    Args:
        p_values: One per cell; None for a cell that could not be tested, which stays None and outside the family.

    References:
        Benjamini and Hochberg 1995, Journal of the Royal Statistical Society B 57, 289; computed by
        `scipy.stats.false_discovery_control`.

    >>> benjamini_hochberg([0.01, None, 0.04])
    [0.02, None, 0.04]
    """
    from scipy.stats import false_discovery_control

    tested = [p for p in p_values if p is not None]
    if any(not 0 <= p <= 1 for p in tested):
        raise ValueError(f"p_values must lie in [0, 1], got {tested}")
    adjusted = iter(false_discovery_control(tested).tolist() if tested else ())
    return [None if p is None else next(adjusted) for p in p_values]
