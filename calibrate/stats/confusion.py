"""How does a judge err, how sure is that, and which truth lies behind what it says?

States are a scene's K outcomes and, last, null: S = K + 1. A row of a table is what is true, a column what is said.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

_MOST_STEPS = 2_000
_STILL = 1e-6
"""Expectation-maximisation ends when no share moves by more."""
MOST_CONDITION = 1e8
"""Rates of a larger condition number cannot be undone."""


@dataclass(frozen=True, kw_only=True)
class Confusion:
    """How often a judge says each state of clips whose state is known."""

    rates: tuple[tuple[float, ...], ...]
    """(S, S) probability of each thing said, in each row summing to 1."""
    counts: tuple[tuple[int, ...], ...] | None = None
    """(S, S) clips of which `rates` are the shares; None if the rates are exact."""

    def __post_init__(self) -> None:
        """Refuse what is no table of rates."""
        table = np.asarray(self.rates, dtype=float)
        if table.ndim != 2 or table.shape[0] != table.shape[1] or len(table) < 3:
            raise ValueError(f"a confusion is a square table of two outcomes or more and null, got {table.shape}")
        if (table < 0).any() or not np.allclose(table.sum(axis=1), 1, atol=1e-9):
            raise ValueError("each row of a confusion must hold probabilities that sum to 1")

    @staticmethod
    def exact(rates: Sequence[Sequence[float]] | np.ndarray) -> Confusion:
        """Rates without an uncertainty of their own."""
        return Confusion(rates=tuple(tuple(float(p) for p in row) for row in rates))

    @staticmethod
    def sample(counts: Sequence[Sequence[int]] | np.ndarray) -> Confusion:
        """Rates that are the shares of counted clips.

        A state of which no clip was counted takes the rates of the other outcomes together: as often right, as often
        null, and wrong as often, evenly over the other outcomes. A null without clips is taken as recognised.

        Raises:
            ValueError: A count is negative or not whole, or no clip has an outcome.
        """
        table = np.asarray(counts)
        whole = table.astype(np.int64)
        if (whole != table).any() or (whole < 0).any():
            raise ValueError("the counts of a confusion must be whole and not negative")
        if whole[:-1].sum() == 0:
            raise ValueError("a confusion needs clips that have an outcome")
        sums = whole.sum(axis=1)
        rates = whole / np.maximum(1, sums)[:, None]
        for state in np.flatnonzero(sums == 0):
            rates[state] = _pooled(whole, int(state))
        return Confusion(rates=_tuples(rates), counts=tuple(tuple(int(c) for c in row) for row in whole))

    def draws(self, n_draws: int, rng: np.random.Generator) -> np.ndarray:
        """(n_draws, S, S) tables of rates that the counts are compatible with; the same one throughout if exact.

        Each row is drawn from its Dirichlet posterior. The prior has one half on what is right, one half on null and
        one half on all other outcomes together, as Jeffreys' has for two outcomes; for a row of null one half on null
        and one half on all outcomes.

        References:
            Gelman et al. 2013, Bayesian Data Analysis, 3rd ed., section 3.4 (Dirichlet posterior of a multinomial).
        """
        if self.counts is None:
            return np.broadcast_to(np.asarray(self.rates), (n_draws, *np.shape(self.rates)))
        whole = np.asarray(self.counts)
        k = len(whole) - 1
        prior = np.full((k + 1, k + 1), 0.5 / (k - 1))
        prior[:, -1], prior[-1, :-1] = 0.5, 0.5 / k
        np.fill_diagonal(prior, 0.5)
        return np.stack([rng.dirichlet(row, size=n_draws) for row in whole + prior], axis=1)


def _tuples(table: np.ndarray) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(float(p) for p in row) for row in table)


def _pooled(whole: np.ndarray, state: int) -> np.ndarray:
    """(S,) rates of a state without clips."""
    k = len(whole) - 1
    if state == k:
        return np.eye(k + 1)[k]
    rows = whole[:k]
    right, null = np.diag(rows).sum(), rows[:, k].sum()
    rates = np.full(k + 1, (rows.sum() - right - null) / max(1, k - 1))
    rates[state], rates[k] = right, null
    return np.asarray(rates / rates.sum())


def true_shares(said: Sequence[float] | np.ndarray, rates: np.ndarray) -> np.ndarray:
    """(..., S) maximum-likelihood shares of the true states behind what a judge said of some clips.

    Where the inverse of the rates gives shares, none of them negative, they are that. Else the likelihood, which is
    concave, is climbed within the simplex by expectation-maximisation.

    Args:
        said: (..., S) number or share of clips of which each state was said; the sum is above 0.
        rates: (..., S, S) a confusion's rates.

    References:
        Rogan and Gladen 1978, American Journal of Epidemiology 107, 71, eq. 2 (two outcomes: the inverse).
        Dempster, Laird and Rubin 1977, Journal of the Royal Statistical Society B 39, 1, section 4.1.1.
    """
    shares = np.asarray(said, dtype=float)
    shares = shares / shares.sum(axis=-1, keepdims=True)
    shares, tables = np.broadcast_arrays(shares[..., None], rates)
    shares, tables = shares[..., 0].reshape(-1, rates.shape[-1]), tables.reshape(-1, *rates.shape[-2:])
    out = _inverse(shares, tables)
    lacking = np.flatnonzero(~(out >= 0).all(axis=1))
    if lacking.size:
        out[lacking] = _climbed(shares[lacking], tables[lacking], out[lacking])
    return out.reshape(np.broadcast_shapes(np.shape(said)[:-1], rates.shape[:-2]) + rates.shape[-1:])


def _inverse(shares: np.ndarray, tables: np.ndarray) -> np.ndarray:
    """(B, S) shares by the inverse, with rounding errors taken off; nan where there is none."""
    out = np.full(shares.shape, np.nan)
    sound = np.linalg.cond(tables) < MOST_CONDITION
    out[sound] = np.linalg.solve(np.swapaxes(tables[sound], 1, 2), shares[sound][..., None])[..., 0]
    return np.where(np.abs(out) < 1e-12, 0.0, out)


def _climbed(shares: np.ndarray, tables: np.ndarray, inverse: np.ndarray) -> np.ndarray:
    """(B, S) shares by expectation-maximisation, from near the inverse where there is one."""
    now = np.clip(np.nan_to_num(inverse, nan=1.0), 1e-3, 1)
    now /= now.sum(axis=1, keepdims=True)
    for _ in range(_MOST_STEPS):
        expected = (now[:, None] @ tables)[:, 0]
        ratio = np.divide(shares, expected, out=np.zeros_like(shares), where=expected > 0)
        new = now * (tables @ ratio[..., None])[..., 0]  # what no state is ever said to be, falls out
        new /= new.sum(axis=1, keepdims=True)
        moved = np.abs(new - now).max()
        now = new
        if moved < _STILL:
            break
    return np.asarray(now)


def said_shares(outcomes: np.ndarray, null: np.ndarray | float, rates: np.ndarray) -> np.ndarray:
    """(..., K) shares that a judge gives the outcomes, of the clips that it gives one.

    Args:
        outcomes: (..., K) true shares of the outcomes among clips that have one.
        null: (...,) true share of clips that have none.
        rates: (..., S, S) the confusion's rates.
    """
    outcomes, null = np.asarray(outcomes, dtype=float), np.asarray(null, dtype=float)[..., None]
    said = np.einsum("...t,...ts->...s", outcomes * (1 - null), rates[..., :-1, :-1]) + null * rates[..., -1, :-1]
    return np.asarray(said / said.sum(axis=-1, keepdims=True))
