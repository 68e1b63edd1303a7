"""What do a judge's verdicts say of the truth, if the judge errs as often as it did where the truth was known?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .baseline import Baseline
from .clopper_pearson import Interval, clopper_pearson
from .clustered import whole_counts
from .confusion import MOST_CONDITION, Confusion, said_shares, true_shares
from .equivalence_test import equivalence_test
from .hull import Hull
from .total_variation import expected_total_variation

N_DRAWS = 400
"""Tables of rates that are drawn to see how far the judge's own uncertainty goes."""
N_EQUIVALENCE = 100
"""Tables of rates that are drawn for `corrected_equivalence_p`."""
_TAIL = 0.025


@dataclass(frozen=True, kw_only=True)
class Correction:
    """The truth behind one cell's verdicts."""

    shares: tuple[float, ...]
    """(K,) of the outcomes, among the clips that have one."""
    intervals: tuple[Interval, ...]
    """(K,) 95 % for each of them alone."""
    null: float
    """Share of the clips with a verdict that have no outcome."""
    n_effective: float
    """So many clips read by a judge that never errs would tell the shares as well, were the rates known exactly."""
    half_width: float
    """97.5 % quantile of the total variation by which the shares move with the judge's uncertain rates; 0 if exact."""

    @property
    def counts(self) -> tuple[int, ...]:
        """(K,) whole numbers with about these shares, `n_effective` rounded up in all."""
        return whole_counts(self.shares, _up(self.n_effective))


def correct(
    said: Sequence[int] | np.ndarray, confusion: Confusion, *, seed: int, worth: float = 1.0
) -> Correction | None:
    """The truth behind what a judge said of the clips of one cell; None if nothing can be told.

    The shares are those of the highest likelihood (`true_shares`). Their error has two parts. The first is that of few
    clips: undoing the judge's confusion widens it, as if fewer clips had been read by a judge that never errs. How many
    follows from the covariance of the shares by the delta method, V = J Sigma J' with J = d shares / d said: the
    sum of its diagonal, over that of the same number of clips without confusion. The second is that of few clips on
    the judge's card: the shares are found again for rates drawn from their posterior. Both are added in quadrature
    (MOVER).

    Args:
        said: (S,) clips by what the judge said, the last of them null.
        confusion: How it errs.
        seed: Seed of the draws.
        worth: How many independent clips one of these is worth; below 1 where they hang together.

    References:
        Rogan and Gladen 1978, American Journal of Epidemiology 107, 71, eq. 4 (variance, two outcomes).
        Zou and Donner 2008, Statistics in Medicine 27, 1693, eq. 6 (MOVER).
    """
    verdicts = np.asarray(said)
    n = int(verdicts[:-1].sum())
    truth = true_shares(verdicts, np.asarray(confusion.rates)) if n else np.zeros(len(verdicts))
    if truth[:-1].sum() <= 0:
        return None
    shares = truth[:-1] / truth[:-1].sum()
    n_effective = n * worth * _efficiency(truth, int(verdicts.sum()), np.asarray(confusion.rates))
    if confusion.counts is None:
        others = shares[None]
    else:
        found = true_shares(verdicts, confusion.draws(N_DRAWS, np.random.default_rng(seed)))[:, :-1]
        found = found[found.sum(axis=1) > 0]
        others = found / found.sum(axis=1, keepdims=True)
    moved = np.quantile(others, [_TAIL, 1 - _TAIL], axis=0).tolist()
    return Correction(
        shares=tuple(shares.tolist()),
        intervals=tuple(
            _share_interval(p, n_effective, *ends) for p, *ends in zip(shares.tolist(), *moved, strict=True)
        ),
        null=float(truth[-1]),
        n_effective=n_effective,
        half_width=float(np.quantile(0.5 * np.abs(others - shares).sum(axis=1), 1 - _TAIL)),
    )


def corrected_equivalence_p(
    said: Sequence[int] | np.ndarray,
    confusion: Confusion,
    baseline: Baseline,
    *,
    margin: float,
    seed: int,
    worth: float = 1.0,
) -> float:
    """p-value of "the model behind the verdicts is the margin or more away from the reference".

    For each table of rates drawn from what the card's clips allow, the truth behind the verdicts is tested as so many
    clips read without error as it is worth (`equivalence_test`); the p-value is the mean over the tables, as it is over
    what a sampled reference may be.

    Args:
        said: (S,) clips by what the judge said, the last of them null.
        confusion: How it errs.
        baseline: The reference, of the K = S - 1 outcomes.
        margin: Total variation, strictly between 0 and 1.
        seed: Seed of the draws.
        worth: How many independent clips one of these is worth.
    """
    verdicts, found = np.asarray(said), []
    n, n_draws = int(verdicts[:-1].sum()), 1 if confusion.counts is None else N_EQUIVALENCE
    for rates in confusion.draws(n_draws, np.random.default_rng([seed, 1])):
        truth = true_shares(verdicts, rates)
        if n == 0 or truth[:-1].sum() <= 0:
            found.append(1.0)
            continue
        left = math.floor(n * worth * _efficiency(truth, int(verdicts.sum()), rates) + 1e-9)
        counts = whole_counts(truth[:-1] / truth[:-1].sum(), left)
        found.append(equivalence_test(counts, baseline, margin=margin).p if left else 1.0)
    return float(np.mean(found))


def _efficiency(truth: np.ndarray, n: int, rates: np.ndarray) -> float:
    """How many clips read without error are worth one of n that this judge read; 0 if its rates cannot be undone."""
    if np.linalg.cond(rates) >= MOST_CONDITION:
        return 0.0
    smooth = (n * truth + 0.5) / (n + 0.5 * len(truth))  # so that a share of 0 has an error too
    said, whole = smooth @ rates, 1 - smooth[-1]
    shares = smooth[:-1] / whole
    slope = np.hstack([np.eye(len(shares)) - shares[:, None], np.zeros((len(shares), 1))]) / whole
    slope = slope @ np.linalg.inv(rates.T)
    variance = float(np.trace(slope @ (np.diag(said) - np.outer(said, said)) @ slope.T))
    return min(1.0, float((shares * (1 - shares)).sum()) / (1 - float(said[-1])) / variance)


def _up(n_effective: float) -> int:
    """`n_effective`, rounded up; a rounding error above a whole number is none."""
    return math.ceil(n_effective - 1e-9)


def _share_interval(share: float, n_effective: float, low: float, high: float) -> Interval:
    """Clopper and Pearson's interval at a share that need be no whole number of n, and the judge's own error."""
    n = _up(n_effective)
    if n == 0:
        return Interval(low=0.0, high=1.0)
    hits = round(share * n)
    few, wider = clopper_pearson(hits, n), math.sqrt(max(1.0, n / n_effective))
    below = math.hypot((hits / n - few.low) * wider, max(0.0, share - low))
    above = math.hypot((few.high - hits / n) * wider, max(0.0, high - share))
    return Interval(
        low=0.0 if hits == 0 else max(0.0, share - below), high=1.0 if hits == n else min(1.0, share + above)
    )


def widened(tv: float, few: Interval, at: float, correction: Correction) -> Interval:
    """The interval of a corrected total variation.

    Args:
        tv: Total variation of the corrected shares.
        few: Interval of the total variation of `Correction.counts`, read without error.
        at: Their total variation.
        correction: Where they come from.
    """
    wider = math.sqrt(max(1.0, sum(correction.counts) / correction.n_effective))
    below = math.hypot(wider * (at - few.low), correction.half_width)
    above = math.hypot(wider * max(0.0, few.high - at), correction.half_width)
    return Interval(low=0.0 if few.low == 0 else min(tv, max(0.0, tv - below)), high=min(1.0, tv + above))


def as_said(members: np.ndarray, n: int | None, correction: Correction, confusion: Confusion, *, seed: int) -> Hull:
    """A reference as the judge would tell it, to be compared with the verdicts as they are.

    The map of true shares to said ones takes lines to lines (it is projective), so that the hull of the mapped members
    is the mapped hull. Of uncertain rates the posterior mean is taken, so that what was never said has a chance too;
    they make each member less well known: by as many draws fewer as move it, on average, as far as rates drawn from the
    posterior do.

    Args:
        members: (M, K) members of the reference; one alone is a point.
        n: As how many draws tell it, one of them is known; None if exact.
        correction: What `correct` found; its share of nulls is used.
        confusion: How the judge errs.
        seed: Seed of the draws.
    """
    if confusion.counts is None:
        return Hull.of(said_shares(members, correction.null, np.asarray(confusion.rates)), n=n)
    rates = confusion.draws(N_DRAWS, np.random.default_rng(seed))
    middle = np.asarray(members).mean(axis=0)
    center = said_shares(middle, correction.null, rates.mean(axis=0))
    drawn = said_shares(middle, correction.null, rates)
    moved = float((0.5 * np.abs(drawn - center).sum(axis=1)).mean())
    inverse = (moved / _one_draw(center)) ** 2 + (0.0 if n is None else 1 / n)
    return Hull.of(said_shares(members, correction.null, rates.mean(axis=0)), n=max(1, round(1 / inverse)))


def _one_draw(p: np.ndarray) -> float:
    """Root of n times the expected total variation of n draws, for large n."""
    return 1e3 * expected_total_variation(10**6, Baseline.exact((p / p.sum()).tolist()))
