"""How is one random quantity of a scene drawn, so that nothing else ever changes the draw?

Every number comes from a keyed hash of (seed, scene, version, factor, index) and not from a stream. Adding a factor,
cutting the work in other chunks, using more threads or rendering a picture therefore cannot change another draw, and
the bytes do not depend on a library's generator.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from hashlib import blake2b
from statistics import NormalDist
from typing import Literal

Value = float | tuple[float, ...]

_MAX_UNIFORMS = 8
"""One 64-byte BLAKE2b digest holds eight 64-bit words."""


def uniforms(seed: int, scene: str, version: int, factor: str, index: int, *, n: int) -> tuple[float, ...]:
    """The `n` numbers in (0, 1) that belong to one factor of one rollout.

    Args:
        seed: Any integer.
        scene: Name of the scene.
        version: Version of the scene.
        factor: Name of the factor.
        index: Index of the rollout (for an unknown factor, of the draw of the unknown factors).
        n: How many numbers, 1 to 8.

    Raises:
        ValueError: `n` lies outside 1 to 8.
    """
    if not 1 <= n <= _MAX_UNIFORMS:
        raise ValueError(f"n must lie between 1 and {_MAX_UNIFORMS}, got {n}")
    key = f"{seed}\x1f{scene}\x1f{version}\x1f{factor}\x1f{index}".encode()
    digest = blake2b(key, digest_size=8 * n).digest()
    words = (int.from_bytes(digest[8 * k : 8 * k + 8], "little") for k in range(n))
    # 53 random bits, shifted by half a unit: never 0 and never 1, so that every quantile is finite.
    return tuple(((word >> 11) + 0.5) * 2.0**-53 for word in words)


class Law(ABC):
    """The distribution of one factor, given as a map from uniform numbers."""

    n_uniforms: int = 1

    @abstractmethod
    def value(self, u: tuple[float, ...]) -> Value:
        """The value that belongs to the uniform numbers `u`, (n_uniforms,)."""

    @abstractmethod
    def ends(self) -> tuple[Value, ...]:
        """Extreme values, at which every scene must still build."""


def _check_finite(**numbers: float) -> None:
    for name, number in numbers.items():
        if not math.isfinite(number):
            raise ValueError(f"{name} must be finite, got {number}")


@dataclass(frozen=True)
class Uniform(Law):
    """Uniform on [low, high]."""

    low: float
    high: float

    def __post_init__(self) -> None:
        """Check the order of the ends."""
        if not self.low <= self.high:
            raise ValueError(f"low must not exceed high, got {self.low} and {self.high}")
        _check_finite(low=self.low, high=self.high)

    def value(self, u: tuple[float, ...]) -> float:
        """See Law."""
        return self.low + (self.high - self.low) * u[0]

    def ends(self) -> tuple[Value, ...]:
        """See Law."""
        return (self.low, self.high)


@dataclass(frozen=True)
class LogUniform(Law):
    """Uniform in the logarithm on [low, high], both positive."""

    low: float
    high: float

    def __post_init__(self) -> None:
        """Check the order and the sign of the ends."""
        if not 0 < self.low <= self.high:
            raise ValueError(f"low must be positive and not exceed high, got {self.low} and {self.high}")
        _check_finite(low=self.low, high=self.high)

    def value(self, u: tuple[float, ...]) -> float:
        """See Law."""
        return self.low * math.exp(math.log(self.high / self.low) * u[0])

    def ends(self) -> tuple[Value, ...]:
        """See Law."""
        return (self.low, self.high)


@dataclass(frozen=True)
class Normal(Law):
    """Normal with the given mean and standard deviation."""

    mean: float
    sd: float

    def __post_init__(self) -> None:
        """Check the standard deviation."""
        if not self.sd >= 0:
            raise ValueError(f"sd must not be negative, got {self.sd}")
        _check_finite(mean=self.mean, sd=self.sd)

    def value(self, u: tuple[float, ...]) -> float:
        """See Law."""
        return self.mean + self.sd * NormalDist().inv_cdf(u[0])

    def ends(self) -> tuple[Value, ...]:
        """See Law: four standard deviations on either side."""
        return (self.mean - 4 * self.sd, self.mean + 4 * self.sd)


@dataclass(frozen=True)
class Rotation(Law):
    """Uniform over all rotations: a quaternion w x y z (Shoemake, Graphics Gems III, 1992, p. 129)."""

    n_uniforms: int = 3

    def value(self, u: tuple[float, ...]) -> tuple[float, ...]:
        """See Law."""
        a, b = math.sqrt(1 - u[0]), math.sqrt(u[0])
        s, t = 2 * math.pi * u[1], 2 * math.pi * u[2]
        return (b * math.cos(t), a * math.sin(s), a * math.cos(s), b * math.sin(t))

    def ends(self) -> tuple[Value, ...]:
        """See Law: a rotation has no extremes; the identity and a half turn stand in."""
        return ((1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0))


@dataclass(frozen=True)
class Factor:
    """One random quantity of a scene."""

    law: Law
    """Its distribution."""
    kind: Literal["hidden", "unknown"]
    """`hidden`: micro-state that the first frame cannot show. `unknown`: a constant that no picture tells."""

    def __post_init__(self) -> None:
        """Refuse what is no law."""
        if not isinstance(self.law, Law):
            raise TypeError(f"law must be a Law, as Uniform(0.2, 0.5), got {self.law!r}")


def hidden(law: Law) -> Factor:
    """A factor that the first frame cannot show: drawn anew for every rollout."""
    return Factor(law=law, kind="hidden")


def unknown(law: Law) -> Factor:
    """A physical constant that nobody can read off the picture: rollout i uses draw i mod `N_UNKNOWN_DRAWS`."""
    return Factor(law=law, kind="unknown")
