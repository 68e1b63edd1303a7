"""How many clips does it take to find a model that is off, or to show that a faithful one is within a margin?"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Literal

import numpy as np

from .baseline import Baseline
from .compositions import compositions, draws, n_compositions, probabilities
from .equivalence_test import MOST_OUTCOMES, bound_p, checked_margin, set_p_values, set_sums
from .tv_test import TIE_TOLERANCE

N_EXACT = 20_000
"""Up to so many possible tables of counts, power is summed over all of them."""
N_DRAWS = 10_000
"""Monte Carlo draws where there are more; a power of 0.8 then has a standard error of 0.004."""
MOST_CLIPS = 20_000
"""No more are looked for."""
_BLOCK = 256

Departure = Literal["collapse", "tilt", "missing"]
"""How a model can be off: see `departure`."""
DEPARTURES: tuple[Departure, ...] = ("collapse", "tilt", "missing")


def departure(p: Sequence[float] | np.ndarray, tv: float, kind: Departure) -> np.ndarray:
    """(K,) a distribution at a total variation from p.

    `collapse`: every outcome gives the same part of its probability to the likeliest; at the end nothing else is shown.
    `tilt`: the same, to the second likeliest. `missing`: the likeliest outcome is shown too rarely; when nothing is
    left of it, the next one too; the others gain in proportion.

    Args:
        p: (K,) reference.
        tv: The distance.
        kind: One of DEPARTURES.

    Raises:
        ValueError: No such model is that far away; the message says how far one can be.

    >>> departure([0.5, 0.3, 0.2], 0.25, "collapse").tolist()
    [0.75, 0.15, 0.1]
    """
    q = np.asarray(p, dtype=float)
    order = np.argsort(-q, kind="stable")
    reach = farthest(q, kind)
    if not 0 < tv <= reach + 1e-12:
        raise ValueError(f"tv must lie above 0 and be at most {reach:.6g} for {kind}, got {tv}")
    if kind != "missing":
        target = order[0 if kind == "collapse" else 1]
        weight = min(1.0, tv / (1 - q[target]))
        return np.asarray((1 - weight) * q + weight * np.eye(len(q))[target])
    kept, left = q.copy(), tv
    for i in order[:-1]:
        if left < 1e-12:
            break
        taken = min(left, kept[i])
        kept[i], left = kept[i] - taken, left - taken
    others = kept >= q
    gain = q * others if q[others].sum() > 0 else others * 1.0  # outcomes of probability zero gain alike
    return np.asarray(kept + tv * gain / gain.sum())


def farthest(p: Sequence[float] | np.ndarray, kind: Departure) -> float:
    """The largest total variation from p that a model of the kind can have."""
    if kind not in DEPARTURES:
        raise ValueError(f"kind must be one of {', '.join(DEPARTURES)}, got {kind!r}")
    ordered = np.sort(np.asarray(p, dtype=float))[::-1]
    return 1 - float({"collapse": ordered[0], "tilt": ordered[1], "missing": ordered[-1]}[kind])


def detection_power(n: int, baseline: Baseline, truth: np.ndarray, *, level: float, seed: int) -> float:
    """Probability that `tv_test` of n clips of a model gives a p of at most the level.

    Args:
        n: Scored clips.
        baseline: The reference.
        truth: (K,) the model's distribution.
        level: Level of the test of this cell, such as 0.05 divided by the number of cells.
        seed: Seed of the Monte Carlo draws, where power cannot be summed.
    """
    critical = _critical(n, baseline, level, seed)
    tables, weight = _tables(n, truth, seed + 1)
    return float(weight @ (_tv(tables, baseline) >= critical - TIE_TOLERANCE))


def equivalence_power(
    n: int, baseline: Baseline, truth: np.ndarray, *, margin: float, level: float, seed: int
) -> float:
    """Probability that `equivalence_test` of n clips of a model gives a p of at most the level.

    Args:
        n: Scored clips.
        baseline: The reference.
        truth: (K,) the model's distribution; the reference's own for a faithful one.
        margin: Total variation.
        level: Level of the test of this cell.
        seed: Seed of the Monte Carlo draws, where power cannot be summed.
    """
    tables, weight = _tables(n, truth, seed + 1)
    if len(baseline.p) > MOST_OUTCOMES:
        tv = _tv(tables, baseline)
        values = np.unique(tv)
        low, high = -1, len(values)  # p at values[low] is at most the level, at values[high] above it
        while high - low > 1:
            middle = (low + high) // 2
            is_small = bound_p(float(values[middle]), n, baseline, margin) <= level
            low, high = (middle, high) if is_small else (low, middle)
        return min(1.0, float(weight @ (tv <= values[low]))) if low >= 0 else 0.0
    most = _most_hits(n, baseline, checked_margin(margin), level)
    if (most < 0).any():
        return 0.0
    members = ((np.arange(1, len(most) + 1)[:, None] >> np.arange(len(baseline.p))) & 1).astype(np.float32)
    shown = np.ones(len(tables), dtype=bool)
    for start in range(0, len(most), _BLOCK):
        block = slice(start, start + _BLOCK)
        shown[shown] = (tables[shown].astype(np.float32) @ members[block].T <= most[block]).all(axis=1)
    return min(1.0, float(weight @ shown))  # rounding may lift a sum of weights above 1


def least_n(power_at: Callable[[int], float], power: float, *, scan: bool, most: int = MOST_CLIPS) -> int | None:
    """The least number of clips with a power; None if `most` are not enough.

    Found by doubling and halving. The power of a test of few outcomes rises in a saw-tooth; with `scan` the number is
    the least from which on every number of clips up to a quarter more has the power.

    Args:
        power_at: Number of clips -> power.
        power: The wanted one.
        scan: Whether to look at every number.
        most: Where the search ends.
    """
    low, high = 1, 2
    while power_at(high) < power:
        low, high = high, 2 * high
        if low >= most:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if power_at(middle) >= power else (middle, high)
    if scan:
        high = 1 + max(low, *(n for n in range(low, high + high // 4 + 8) if power_at(n) < power))
    return high if high <= most else None


def detectable(n: int, baseline: Baseline, *, power: float, level: float, seed: int) -> float | None:
    """The least total variation that `tv_test` of n clips finds with a power, for the hardest kind of departure.

    None if a kind is not found even where it is farthest. To 0.005, from above.
    """
    kinds = [kind for kind in DEPARTURES if farthest(baseline.p, kind) > 0]
    found = [_detectable(n, baseline, kind, power, level, seed) for kind in kinds]
    values = [tv for tv in found if tv is not None]
    return max(values) if len(values) == len(found) else None


def _detectable(n: int, baseline: Baseline, kind: Departure, power: float, level: float, seed: int) -> float | None:
    def found(tv: float) -> bool:
        return detection_power(n, baseline, departure(baseline.p, tv, kind), level=level, seed=seed) >= power

    low, high = 0.0, farthest(baseline.p, kind)
    if not found(high):
        return None
    while high - low > 0.005:
        middle = (low + high) / 2
        low, high = (low, middle) if found(middle) else (middle, high)
    return high


@lru_cache(maxsize=256)
def _critical(n: int, baseline: Baseline, level: float, seed: int) -> float:
    """The least total variation that has a p of at most the level; inf if none has."""
    if n_compositions(n, len(baseline.p)) <= N_EXACT:
        tables = compositions(n, len(baseline.p))
        weight, added = probabilities(tables, baseline), 0.0
    else:
        tables = draws(n, baseline, n_draws=N_DRAWS, rng=np.random.default_rng(seed))
        weight, added = np.full(len(tables), 1 / (N_DRAWS + 1)), 1 / (N_DRAWS + 1)
    tv = _tv(tables, baseline)
    order = np.argsort(tv)
    tail = np.cumsum(weight[order][::-1])[::-1]
    first = np.searchsorted(tv[order], tv[order] - TIE_TOLERANCE, side="left")
    small = np.flatnonzero(tail[first] + added <= level)
    return float(tv[order][small[0]]) if small.size else math.inf


@lru_cache(maxsize=64)
def _most_hits(n: int, baseline: Baseline, margin: float, level: float) -> np.ndarray:
    """(2^K - 2,) for each set of outcomes the most clips in it with a p of at most the level; -1 if none."""
    shares = set_sums(np.asarray(baseline.p))
    low, high = np.full(len(shares), -1), np.full(len(shares), n + 1)
    while (high - low > 1).any():
        middle = (low + high) // 2
        small = set_p_values(np.clip(middle, 0, n), n, shares, baseline, margin) <= level
        low, high = np.where(small & (middle >= 0), middle, low), np.where(small & (middle >= 0), high, middle)
    return np.minimum(low, n)


def _tables(n: int, truth: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Tables of counts (M, K) of n clips of a model, and their weights (M,)."""
    if n_compositions(n, len(truth)) <= N_EXACT:
        tables = compositions(n, len(truth))
        return tables, probabilities(tables, Baseline.exact((truth / truth.sum()).tolist()))
    tables = np.random.default_rng(seed).multinomial(n, truth / truth.sum(), size=N_DRAWS)
    return tables, np.full(N_DRAWS, 1 / N_DRAWS)


def _tv(tables: np.ndarray, baseline: Baseline) -> np.ndarray:
    return np.asarray(0.5 * np.abs(tables / tables[0].sum() - np.asarray(baseline.p)).sum(axis=1))
