"""Which shares do a few labelled and many judged clips show together?"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from .clopper_pearson import Interval, checked_level


def prediction_powered_shares(
    labelled: Sequence[Sequence[int]] | np.ndarray, rest: Sequence[int] | np.ndarray, *, level: float = 0.95
) -> tuple[tuple[float, Interval], ...] | None:
    """(K,) share of each outcome among the clips that have one, and its interval; None if nothing can be told.

    The judge's shares on the clips without a label are shifted by how far labels and judge differ on a random sample,
    so that the judge's errors cannot tilt it. With theta the shares of all S = K + 1 states so found, an
    outcome's share is theta_k over the sum of theta over the outcomes; its variance follows by the delta method from
    those of both parts. A sample without a disagreement would make the second part's variance 0, so one disagreement is
    added; Student's t stands for the normal quantile.

    Args:
        labelled: (S, S) clips of a random sample, by what is true (rows) and what the judge says; the last is null.
        rest: (S,) clips without a label by what the judge says.
        level: Confidence level.

    References:
        Angelopoulos, Bates, Fannjiang, Jordan and Zrnic 2023, Prediction-powered inference, Science 382, 669,
        algorithm 1 (mean; here an estimating equation of a ratio).
    """
    from scipy.special import stdtrit

    table, others = np.asarray(labelled, dtype=float), np.asarray(rest, dtype=float)
    checked_level(level)
    n, n_rest = table.sum(), others.sum()
    if n < 2 or n_rest < 1:
        return None
    theta = others / n_rest + (table.sum(axis=1) - table.sum(axis=0)) / n
    whole = theta[:-1].sum()
    if whole <= 0:
        return None
    quantile = float(stdtrit(n - 1, (1 + level) / 2))
    found = []
    for k in range(len(theta) - 1):
        share = theta[k] / whole
        pull = -share * np.ones(len(theta))  # what one clip of each state adds to the estimating equation
        pull[k] += 1
        pull[-1] = 0
        pull /= whole
        apart = pull[:, None] - pull[None]
        of_rest = others @ pull**2 / n_rest - (others @ pull / n_rest) ** 2
        of_labels = ((table * apart**2).sum() + 1 / whole**2) / n - ((table * apart).sum() / n) ** 2
        half = quantile * math.sqrt(max(0.0, of_rest / n_rest + of_labels / n))
        ends = Interval(low=float(max(0.0, share - half)), high=float(min(1.0, share + half)), level=level)
        found.append((float(min(1.0, max(0.0, share))), ends))
    return tuple(found)
