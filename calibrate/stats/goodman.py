"""Between which limits do all outcomes' probabilities lie at once?"""

from __future__ import annotations

from collections.abc import Sequence

from .clopper_pearson import Interval, checked_level
from .wilson import score_interval


def goodman(counts: Sequence[int], *, level: float = 0.95) -> tuple[Interval, ...]:
    """Intervals (K,) of the probabilities of K outcomes that hold together; all ends nan if nothing was counted.

    Each is a score interval at the error divided by K (Bonferroni), so that the chance that any of them misses is about
    1 - level at most. How much they cover is measured by `python -m benchmarks.coverage`.

    References:
        Goodman 1965, Technometrics 7, 247, eq. 2.5, 2.9.

    >>> [round(share.high, 4) for share in goodman([10, 10])]
    [0.724, 0.724]
    """
    from scipy.special import chdtri

    if len(counts) < 2:
        raise ValueError(f"counts must hold two or more outcomes, got {list(counts)}")
    chi2 = float(chdtri(1, (1 - checked_level(level)) / len(counts)))
    return tuple(score_interval(int(count), sum(map(int, counts)), chi2=chi2, level=level) for count in counts)
