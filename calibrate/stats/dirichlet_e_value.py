"""How strong is the evidence against a reference, if one may look at it after every clip?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .baseline import Baseline
from .hull import Hull

PRIOR = 0.5
"""Of every outcome, in the mixture that stands for models that are off: Jeffreys' and Krichevsky and Trofimov's."""
_ROUNDS = 500
_ENOUGH = 1e-3
"""Of the logarithm: what may be left of the search."""


def log_e_value(counts: Sequence[float] | np.ndarray, reference: Baseline | Hull) -> float:
    """Natural logarithm of the e-value against "the clips are draws from the reference".

    The probability of the clips in their order under a Dirichlet mixture of all distributions, divided by that under
    the reference. For a faithful model it is a martingale that starts at 1, so that it ever exceeds 1 / a with a
    probability of at most a, however often one looks and for whatever reason one stops (Ville 1939).

    A reference that is itself a sample enters as the Dirichlet-multinomial law of `compositions.probabilities`. Of a
    hull the largest probability over its points counts, so that the value is none too large for any of them.

    Args:
        counts: (K,) clips per outcome; they need not be whole, for planning.
        reference: What they are held against.

    References:
        Robbins 1970, Annals of Mathematical Statistics 41, 1397, section 3 (mixtures); Ville 1939; Krichevsky and
        Trofimov 1981, IEEE Transactions on Information Theory 27, 199, eq. 2 (this mixture); Wasserman, Ramdas and
        Balakrishnan 2020, PNAS 117, 16880, section 8 (the largest probability over a set).

    >>> round(log_e_value([10, 0], Baseline.exact([0.5, 0.5])), 3)
    5.195
    """
    c = np.asarray(counts, dtype=float)
    return log_mixture(c) - _log_probability(c, reference)


def log_mixture(counts: np.ndarray) -> float:
    """Logarithm of the probability of clips in their order under Dirichlet(1/2, ..., 1/2)."""
    return _log_dirichlet(counts, np.full(len(counts), PRIOR))


def _log_dirichlet(counts: np.ndarray, alpha: np.ndarray) -> float:
    from scipy.special import gammaln

    n, a = counts.sum(), alpha.sum()
    return float(gammaln(a) - gammaln(a + n) + (gammaln(alpha + counts) - gammaln(alpha)).sum())


def _log_probability(counts: np.ndarray, reference: Baseline | Hull) -> float:
    if isinstance(reference, Hull):
        point, short_of = likeliest(counts, reference)
        exact = _log_multinomial(counts, point) + short_of
        return exact if reference.n is None else max(exact, _log_probability(counts, reference.baseline(point)))
    if reference.counts is None:
        return _log_multinomial(counts, np.asarray(reference.p))
    return _log_dirichlet(counts, np.asarray(reference.counts) + PRIOR)


def _log_multinomial(counts: np.ndarray, p: np.ndarray) -> float:
    from scipy.special import xlogy

    return float(xlogy(counts, p).sum())


def likeliest(counts: np.ndarray, hull: Hull) -> tuple[np.ndarray, float]:
    """(K,) the point of a hull under which the clips are likeliest, and by how much others can be likelier at most.

    The logarithm of the probability is concave in the weights of the members; each round raises it, and its slopes
    bound what is left.

    References:
        Dempster, Laird and Rubin 1977, Journal of the Royal Statistical Society B 39, 1, section 4.3 (weights of a
        finite mixture); Lindsay 1983, Annals of Statistics 11, 86, theorem 4.1 (the bound).
    """
    members, n = hull.array, counts.sum()
    point, left = hull.mean, 0.0
    if n == 0 or len(members) == 1:
        return point, left
    weights = np.full(len(members), 1 / len(members))
    for _ in range(_ROUNDS):
        shown = counts > 0
        if not (point[shown] > 0).all():  # an outcome that no member gives
            return point, 0.0
        gain = (counts[shown] / point[shown]) @ members[:, shown].T / n  # (M,)
        left = float(n * max(0.0, gain.max() - 1))
        if left < _ENOUGH:
            break
        weights = weights * gain
        weights /= weights.sum()
        point = weights @ members
    return np.asarray(point), left
