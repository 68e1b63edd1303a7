"""Between which limits does a model's total variation lie, if one may look at them after every clip?

All distributions q with P(clips | q) > a x P(clips | mixture) hold the model's own at every number of clips at once,
with a probability of 1 - a at least: those against which `log_e_value` has never reached log(1 / a). Of a set of
outcomes A, of which the clips show the share s, these q give A a probability between the two at which
n kl(s, q(A)) = r, with r the logarithm of the largest probability of the clips, divided by a x that under the mixture.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from .clopper_pearson import Interval, checked_level
from .dirichlet_e_value import log_mixture
from .equivalence_test import MOST_OUTCOMES, set_sums

_HALVINGS = 50


def confidence_sequence(
    counts: Sequence[float] | np.ndarray, point: Sequence[float], most: np.ndarray | None = None, *, level: float = 0.95
) -> Interval:
    """Limits of the total variation from a reference, which hold at every number of clips at once; nan without clips.

    *Upper.* The largest upper limit of q(A) less the reference's p(A), over the sets A. *Lower.* The largest lower
    limit of q(A) less p(A); of a set-valued reference, the largest p(A) that it has. Both hold for every A together.

    Args:
        counts: (K,) clips per outcome.
        point: (K,) the reference, or for the upper limit a point of it.
        most: (M, K) members of a set-valued reference; None if it is the point alone.
        level: Confidence level.

    References:
        Robbins 1970, Annals of Mathematical Statistics 41, 1397, section 3; Waudby-Smith and Ramdas 2024, Journal of
        the Royal Statistical Society B 86, 1, section 2 (confidence sequences by inversion of martingales); Kaufmann
        and Koolen 2021, Journal of Machine Learning Research 22, 246 (the largest probability as the common bound).

    >>> found = confidence_sequence([90, 10], [0.5, 0.5])
    >>> round(found.low, 2), round(found.high, 2)
    (0.27, 0.47)
    """
    c, p = np.asarray(counts, dtype=float), np.asarray(point, dtype=float)
    n = float(c.sum())
    if n == 0:
        return Interval(low=math.nan, high=math.nan, level=level)
    reach = _advantage(c) - math.log(1 - checked_level(level))
    members = p[None] if most is None else most
    shares, offsets = _sets(c / n, p)
    high = float((_limit(shares, reach / n, up=True) - offsets).max())
    if len(c) <= MOST_OUTCOMES:
        largest = np.max([set_sums(member) for member in members], axis=0)
        low = float((_limit(set_sums(c / n), reach / n, up=False) - largest).max())
    else:
        above = c / n > p
        low = float(
            _limit(np.array([(c / n)[above].sum()]), reach / n, up=False)[0] - members[:, above].sum(axis=1).max()
        )
    return Interval(low=max(0.0, low), high=min(1.0, high), level=level)


def within_p(counts: Sequence[float] | np.ndarray, point: Sequence[float], margin: float) -> float:
    """P of "the model's total variation from a point is the margin or more", valid at every number of clips at once.

    The least a at which the upper limit of `confidence_sequence` is below the margin; 1 without clips.
    """
    c, p = np.asarray(counts, dtype=float), np.asarray(point, dtype=float)
    n = float(c.sum())
    if n == 0:
        return 1.0
    shares, offsets = _sets(c / n, p)
    edge = offsets + margin
    inside = edge < 1
    if (shares[inside] >= edge[inside]).any():
        return 1.0
    least = float((n * _kl(shares[inside], edge[inside])).min()) if inside.any() else math.inf
    return float(min(1.0, math.exp(min(0.0, _advantage(c) - least))))


def _advantage(counts: np.ndarray) -> float:
    """Logarithm of the largest probability of the clips, less that under the mixture."""
    from scipy.special import xlogy

    return float(xlogy(counts, counts / counts.sum()).sum()) - log_mixture(counts)


def _sets(shares: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(S,) shares of sets of outcomes and their p(A); of too many, the worst that they could be."""
    if len(p) <= MOST_OUTCOMES:
        return set_sums(shares), set_sums(p)
    tv = 0.5 * float(np.abs(shares - p).sum())
    grid = np.linspace(0, 1, 2001)  # q(A) - p(A) <= limit(s) - max(0, s - tv), whatever s is; steps are of 0.0005
    return grid, np.maximum(0.0, grid - tv - 0.0005)


def _kl(shares: np.ndarray, q: np.ndarray) -> np.ndarray:
    """kl(s, q) of two outcomes."""
    from scipy.special import rel_entr

    return np.asarray(rel_entr(shares, q) + rel_entr(1 - shares, 1 - q))


def _limit(shares: np.ndarray, reach: float, *, up: bool) -> np.ndarray:
    """The q above (or below) each share at which kl(s, q) is `reach`."""
    inside, outside = shares.copy(), np.full(len(shares), 1.0 if up else 0.0)
    for _ in range(_HALVINGS):
        middle = (inside + outside) / 2
        near = _kl(shares, middle) <= reach
        inside, outside = np.where(near, middle, inside), np.where(near, outside, middle)
    return outside
