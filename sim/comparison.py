"""Do two samples of the same outcomes come from one distribution, and how far apart can the two be?"""

from __future__ import annotations

from dataclasses import asdict

import numpy as np

from .intervals import newcombe, tv_limits
from .reference import Comparison, Reference
from .scene import Solver

_N_DRAWS = 20_000
"""Random divisions behind a p-value."""


def compare(reference: Reference, other: Reference, *, seed: int = 0, solver: Solver | None = None) -> Comparison:
    """How far a second sample of the same outcomes is from a reference, beside what chance alone gives.

    The p-value is that of the two-sample permutation test: with both samples thrown together, divisions at random into
    two of these sizes are at least as far apart with probability p, whatever the common distribution is. It takes the
    rollouts of the two to be independent: other indices, another engine or other settings.

    Args:
        reference: The one sample.
        other: The other.
        seed: Seed of the random divisions.
        solver: Numerical settings of the other, where they differ from the scene's own.

    Raises:
        ValueError: The two have other outcomes.
        InputError: One of them has no outcome at all.
    """
    if reference.outcomes != other.outcomes:
        raise ValueError(f"outcomes must agree, got {reference.outcomes} and {other.outcomes}")
    tv = float(0.5 * np.abs(reference.shares - other.shares).sum())
    a, b = (np.array([r.counts[o] for o in r.outcomes]) for r in (reference, other))
    n_a, n_b = int(a.sum()), int(b.sum())
    rng = np.random.default_rng(seed)
    drawn = rng.multivariate_hypergeometric(a + b, n_b, size=_N_DRAWS, method="marginals")
    null = 0.5 * np.abs((a + b - drawn) / n_a - drawn / n_b).sum(axis=1)
    low, high = tv_limits(a, b, seed=seed)
    return Comparison(
        engine=other.engine,
        engine_version=other.engine_version,
        n=other.n,
        counts=other.counts,
        null=other.null,
        failed=other.failed,
        tv=round(tv, 6),
        tv_expected=round(float(null.mean()), 6),
        p=share_as_far(null, tv),
        tv_interval=(round(low, 6), round(high, 6)),
        differences={
            o: _difference(int(x), n_a, int(y), n_b) for o, x, y in zip(reference.outcomes, a, b, strict=True)
        },
        solver=None if solver is None else asdict(solver),
        seed=other.seed,
        first_index=other.first_index,
    )


def share_as_far(null: np.ndarray, tv: float) -> float:
    """Monte Carlo p-value of a distance among distances (N,) that chance gives: ties counted, add-one."""
    return float((np.sum(null >= tv - 1e-9) + 1) / (len(null) + 1))


def _difference(x: int, n_a: int, y: int, n_b: int) -> tuple[float, float, float]:
    """Share in the second sample less share in the first, with its limits."""
    low, high = newcombe(x, n_a, y, n_b)
    return round(y / n_b - x / n_a, 6), round(low, 6), round(high, 6)
