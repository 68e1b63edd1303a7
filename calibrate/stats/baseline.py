"""What are counts compared with: exact probabilities, or shares that are themselves a sample?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Baseline:
    """A reference distribution over K outcomes."""

    p: tuple[float, ...]
    """(K,) probabilities, summing to 1; a zero is allowed."""
    counts: tuple[int, ...] | None = None
    """(K,) draws of which `p` is the shares; None if `p` is exact."""

    def __post_init__(self) -> None:
        """Refuse what is not a distribution."""
        if len(self.p) < 2 or any(not 0 <= q <= 1 for q in self.p):
            raise ValueError(f"p must hold two or more probabilities in [0, 1], got {self.p}")
        if not math.isclose(math.fsum(self.p), 1, abs_tol=1e-9):
            raise ValueError(f"p must sum to 1, got {math.fsum(self.p)!r}")

    @staticmethod
    def exact(p: Sequence[float]) -> Baseline:
        """A baseline without uncertainty of its own.

        >>> Baseline.exact([0.5, 0.5]).n is None
        True
        """
        return Baseline(p=tuple(float(q) for q in p))

    @staticmethod
    def sample(counts: Sequence[int]) -> Baseline:
        """A baseline that is itself a sample, as a simulated reference is.

        Raises:
            ValueError: A count is negative, or all are zero.
        """
        whole = tuple(int(c) for c in counts)
        if any(c < 0 for c in whole) or sum(whole) == 0:
            raise ValueError(f"counts must not be negative nor all zero, got {whole}")
        return Baseline(p=tuple(c / sum(whole) for c in whole), counts=whole)

    @property
    def n(self) -> int | None:
        """How many draws stand behind `p`; None if it is exact."""
        return None if self.counts is None else sum(self.counts)
