"""Do two models show outcomes from one distribution, whatever the reference says?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .clip_row import ClipRow
from .clusters import clusters

N_DRAWS = 10_000
_TIE = 1e-9


@dataclass(frozen=True, kw_only=True)
class SameOutcomes:
    """p-values of "one distribution of outcomes stands behind both"."""

    p: Mapping[str, float]
    """Scene token -> p on this scene."""
    p_all: float | None
    """Of the mean over scenes; None without scenes."""
    n_pairs: Mapping[str, int]
    """Scene token -> scored clips of both with one seed, swapped together."""


def same_outcomes(
    rows: Mapping[str, tuple[Sequence[ClipRow], Sequence[ClipRow]]], outcomes: Mapping[str, Sequence[str]], *, seed: int
) -> SameOutcomes:
    """Permutation test of two models, for the statistic total variation between their shares.

    A pair of scored clips with one seed, which no other clip of its cell has, is swapped or not, and all pairs of that
    seed together over all scenes; the other scored clips are dealt out anew between the models, those that hang
    together (calibrate.clusters) as one. Under the hypothesis all of these are as likely as what was seen.
    p = (b + 1) / (draws + 1), ties counted.

    Args:
        rows: Scene token -> the clips of A and of B, some of each scored.
        outcomes: Scene token -> its outcomes.
        seed: Seed of the draws.

    References:
        Good 2005, Permutation, Parametric, and Bootstrap Tests of Hypotheses, chapters 3 and 5 (matched pairs, blocks);
        Phipson and Smyth 2010, Permutation p-values should never be zero, eq. 2 (add-one).
    """
    rng = np.random.default_rng(seed)
    swapped: dict[object, np.ndarray] = {}
    p, pairs, sums, total = {}, {}, np.zeros(N_DRAWS), 0.0
    for token, both in rows.items():
        a, b = ([row for row in side if row.outcome is not None] for side in both)
        sides = [(side, _by_seed(side)) for side in (a, b)]
        one, other = sides[0][1], sides[1][1]
        matched = sorted((s for s in one if s in other), key=repr)
        for s in matched:
            if s not in swapped:
                swapped[s] = rng.random(N_DRAWS) < 0.5
        pairs[token] = len(matched)
        position = {outcome: k for k, outcome in enumerate(outcomes[token])}
        eye = np.eye(len(position), dtype=np.int64)
        first = eye[[position[str(one[s].outcome)] for s in matched]].reshape(-1, len(position))
        second = eye[[position[str(other[s].outcome)] for s in matched]].reshape(-1, len(position))
        flips = np.stack([swapped[s] for s in matched], axis=1) if matched else np.zeros((N_DRAWS, 0), dtype=bool)
        counts_a = np.array([sum(row.outcome == o for row in a) for o in position])
        counts_b = np.array([sum(row.outcome == o for row in b) for o in position])
        rest = [[row for row in side if row.seed not in matched or row is not own[row.seed]] for side, own in sides]
        dealt = _dealt(rest[0], rest[1], position, rng)
        drawn = dealt + first.sum(axis=0) + flips @ (second - first)  # (D, K) counts of A
        by_chance = _tv(drawn, counts_a + counts_b - drawn)
        own = float(_tv(counts_a[None], counts_b[None])[0])
        p[token] = _p(by_chance, own)
        sums, total = sums + by_chance, total + own
    return SameOutcomes(p=p, p_all=_p(sums, total) if rows else None, n_pairs=pairs)


def _by_seed(rows: Sequence[ClipRow]) -> dict[object, ClipRow]:
    """Seed -> the row, of seeds that but one row has, and that hangs together with no other."""
    times = Counter(row.seed for row in rows)
    alone = [rows[places[0]] for places in clusters(rows) if len(places) == 1]
    return {row.seed: row for row in alone if row.seed is not None and times[row.seed] == 1}


def _dealt(
    a: Sequence[ClipRow], b: Sequence[ClipRow], position: Mapping[str, int], rng: np.random.Generator
) -> np.ndarray:
    """(D, K) counts of A after its clusters and those of B were dealt out anew."""
    units = []
    for side in (a, b):
        found = clusters(side)
        units.append(np.zeros((len(found), len(position)), dtype=np.int64))
        for i, places in enumerate(found):
            np.add.at(units[-1][i], [position[str(side[k].outcome)] for k in places], 1)
    both = np.concatenate(units)
    if (both.sum(axis=1) == 1).all():
        return rng.multivariate_hypergeometric(both.sum(axis=0), len(units[0]), size=N_DRAWS)
    chosen = rng.permuted(np.tile(np.arange(len(both)) < len(units[0]), (N_DRAWS, 1)), axis=1)
    return np.asarray(chosen.astype(np.int64) @ both)


def _tv(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(D,) total variation between the shares of two tables (D, K)."""
    return np.asarray(0.5 * np.abs(a / a.sum(axis=1, keepdims=True) - b / b.sum(axis=1, keepdims=True)).sum(axis=1))


def _p(by_chance: np.ndarray, own: float) -> float:
    return (float((by_chance >= own - _TIE).sum()) + 1) / (len(by_chance) + 1)
