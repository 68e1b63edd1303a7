"""What are counts compared with: exact probabilities, or shares that are themselves a sample?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

ROUNDING = 1e-5
"""How far the total of probabilities may be from 1: they are often written with six digits."""


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
        """A baseline without uncertainty of its own; a total that is off by rounding is made 1.

        Raises:
            ValueError: A probability is outside 0 to 1, or their total is off by more than ROUNDING.

        >>> Baseline.exact([0.5, 0.5]).n is None
        True
        """
        shares = tuple(float(q) for q in p)
        total = math.fsum(shares)
        if all(0 <= q <= 1 for q in shares) and 1e-12 < abs(total - 1) <= ROUNDING:
            shares = tuple(q / total for q in shares)
        return Baseline(p=shares)

    @staticmethod
    def sample(counts: Sequence[int]) -> Baseline:
        """A baseline that is itself a sample, as a simulated reference is.

        Raises:
            ValueError: A count is negative or not whole, or all are zero.
        """
        if any(not math.isfinite(c) or c != int(c) for c in counts):
            raise ValueError(f"counts must be whole numbers, got {tuple(counts)}")
        whole = tuple(int(c) for c in counts)
        if any(c < 0 for c in whole) or sum(whole) == 0:
            raise ValueError(f"counts must not be negative nor all zero, got {whole}")
        return Baseline(p=tuple(c / sum(whole) for c in whole), counts=whole)

    @property
    def n(self) -> int | None:
        """How many draws stand behind `p`; None if it is exact."""
        return None if self.counts is None else sum(self.counts)
