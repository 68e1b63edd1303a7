"""Which outcomes does a sample miss by chance, and how much may a model do that it has never shown?"""

from __future__ import annotations

import math
from collections.abc import Sequence

from .clopper_pearson import checked_level


def missed_p(n: int, hits: float, total: float, n_outcomes: int) -> float:
    """Probability that n clips of a faithful model never show an outcome that came up in `hits` of `total` rollouts.

    The outcome's true probability is not known exactly: as in `calibrate.stats.compositions` it follows the beta law
    that Jeffreys' prior over all outcomes leaves, so that this is the beta-binomial probability of zero.

    Args:
        n: Clips.
        hits: Rollouts that gave the outcome; a share times a number of draws need not be whole.
        total: Rollouts that gave any.
        n_outcomes: Outcomes in all.

    References:
        Mosimann 1962, Biometrika 49, 65, eq. 1, for two classes.

    >>> round(missed_p(10, 5000, 10000, 2) * 2**10, 2)
    1.0
    """
    from scipy.special import betaln

    if n < 0 or not 0 <= hits <= total:
        raise ValueError(f"n must not be negative and hits lie between 0 and total, got {n}, {hits} of {total}")
    a, b = hits + 0.5, total - hits + 0.5 * (n_outcomes - 1)
    return float(math.exp(betaln(a, b + n) - betaln(a, b)))


def good_turing(counts: Sequence[int]) -> float:
    """Good and Turing's estimate of the probability of all that was never shown: the share of outcomes shown once.

    Zero if every outcome was shown, nan without clips.

    References:
        Good 1953, Biometrika 40, 237, eq. 9.

    >>> good_turing([3, 1, 0])
    0.25
    """
    n = sum(counts)
    if n == 0:
        return math.nan
    return sum(count == 1 for count in counts) / n if min(counts) == 0 else 0.0


def never_shown_limit(counts: Sequence[int], *, level: float = 0.95) -> float:
    """Upper confidence limit of the probability of all outcomes that were never shown; nan without clips.

    The lower limit is zero. Of two limits the one that is shorter for this n and K, whatever was shown:

    *Few outcomes.* n clips miss a set of probability m with probability (1 - m)^n. There are 2^K - 2 sets of outcomes
    that can be missed, so m <= 1 - (error / (2^K - 2))^(1/n) for all of them together.

    *Many.* Good and Turing's estimate, raised by (1 + sqrt 2) sqrt(ln(2 / error) / n). The missing mass exceeds its
    mean by e with a probability of at most exp(-n e^2), the estimate falls short of its own by e with at most
    exp(-n e^2 / 2), since one clip moves it by 2/n at most, and its mean is no less than that of the missing mass.

    Args:
        counts: (K,) clips per outcome.
        level: Confidence level.

    References:
        McAllester and Schapire 2000, COLT 13, 1 (the second kind of limit); with the constants of McAllester and Ortiz
        2003, Journal of Machine Learning Research 4, 895, theorem 16, and McDiarmid 1989 for the estimate.

    >>> round(never_shown_limit([25, 0]), 3)
    0.137
    """
    error, n, k = 1 - checked_level(level), sum(counts), len(counts)
    if n == 0:
        return math.nan
    if min(counts) > 0:
        return 0.0
    few = -math.expm1((math.log(error) - k * math.log(2) - math.log1p(-(2.0 ** (1 - k)))) / n)
    raised = (1 + math.sqrt(2)) * math.sqrt(math.log(2 / error) / n)
    return min(1.0, few if few <= raised else good_turing(counts) + raised)
