"""At which points of a hull of distributions is a p-value largest?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .hull import Hull

N_FINALISTS = 3
"""Points at which the p-value is computed in full."""
_N_DRAWS = 2000
_MOST_UNIFORMS = 400_000
_N_TRIED = 6
"""Members that are tried in each round, the most promising first."""
_STEPS = (0.5, 0.25, 0.1, 0.04)


class _Likelihood:
    """Quick p-values with one set of random numbers for all points, so that points can be compared."""

    def __init__(self, counts: np.ndarray, seed: int) -> None:
        self._n = int(counts.sum())
        self._shares = counts / self._n
        n_draws = max(200, min(_N_DRAWS, _MOST_UNIFORMS // self._n))
        self._uniform = np.random.default_rng(seed).random((n_draws, self._n))

    def __call__(self, point: np.ndarray) -> float:
        """Quick p-value at a point (K,), with a small part of the standardised distance that tells where p is 0."""
        edges = np.cumsum(point)[:-1]
        below = np.stack([(self._uniform < edge).sum(axis=1) for edge in edges], axis=1)
        ends = np.concatenate([np.zeros((len(below), 1)), below, np.full((len(below), 1), self._n)], axis=1)
        tv = 0.5 * np.abs(np.diff(ends, axis=1) / self._n - point).sum(axis=1)
        own = 0.5 * np.abs(self._shares - point).sum()
        z = (own - tv.mean()) / (tv.std() + 1e-12)
        return float((tv >= own - 1e-9).mean() - 1e-3 * z)


def _promise(points: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """(P,) how much nearer to the counts than chance, roughly, each point (P, K) is."""
    n = int(counts.sum())
    chance = 0.5 * np.sqrt(2 / np.pi * points * (1 - points) / n).sum(axis=1)  # normal approximation of E|X - np| / n
    return np.asarray(chance - 0.5 * np.abs(counts / n - points).sum(axis=1))


def likely_points(counts: np.ndarray, hull: Hull, start: tuple[float, ...], seed: int) -> list[tuple[float, ...]]:
    """Up to three points of the hull at which the p-value of the counts is largest, the best first.

    The p-value is no smooth function and has no closed form. The search starts at the nearest point of the hull, its
    mean and its most promising members, and goes from the best towards members by ever smaller steps as long as that
    helps. `tests/test_hull.py` compares the largest p with that of a fine grid over the hull.

    Args:
        counts: (K,) clips per outcome, at least one.
        hull: The set.
        start: (K,) its nearest point.
        seed: Seed of the random numbers by which points are compared.
    """
    members = hull.array
    if len(members) == 1:
        return [hull.members[0]]
    quick = _Likelihood(counts, seed)
    tried: dict[tuple[float, ...], float] = {}

    def value(point: np.ndarray) -> float:
        key = tuple(point.tolist())
        if key not in tried:
            tried[key] = quick(point)
        return tried[key]

    best = np.asarray(start)
    order = np.argsort(-_promise(members, counts), kind="stable")
    for point in (hull.mean, *members[order[:_N_TRIED]]):
        best = max(best, point, key=value)
    for step in _STEPS:
        for _ in range(3):
            moved = best + step * (members - best)
            order = np.argsort(-_promise(moved, counts), kind="stable")
            new = max((best, *moved[order[:_N_TRIED]]), key=value)
            if new is best:
                break
            best = new
    value(np.asarray(start))
    ranked = sorted(tried, key=lambda key: -tried[key])
    return list(dict.fromkeys((*ranked[: N_FINALISTS - 1], start)))
