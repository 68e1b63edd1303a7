"""From which hidden jitter on does the picture no longer tell the outcome?

Every hidden factor's spread is multiplied by one scale: 1 is the scene as it is, 0 would be a machine that repeats
itself. The random numbers are the same at every scale, so that the curve moves with the scale alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from .errors import SceneError
from .factor import Factor, Law, LogUniform, Rotation, Value
from .sampling import sample
from .scene import Scene

SCALES = (1 / 64, 1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0, 2.0, 4.0)
"""Scales of a shipped curve."""
LEAST_PER_DRAW = 8
"""Outcomes that a draw of the unknown factors must have, on average, for an entropy of its own."""


@dataclass(frozen=True)
class Scaled(Law):
    """A law with its spread about its middle (the value at the median of its numbers) multiplied by a scale.

    A rotation turns by a multiple of its angle, at most a half turn; a log-uniform law is scaled in the logarithm.
    """

    law: Law
    scale: float

    def __post_init__(self) -> None:
        """Check the scale."""
        if not (self.scale >= 0 and math.isfinite(self.scale)):
            raise ValueError(f"scale must be finite and not negative, got {self.scale}")

    @property
    def n_uniforms(self) -> int:  # type: ignore[override]
        """See Law."""
        return self.law.n_uniforms

    def value(self, u: tuple[float, ...]) -> Value:
        """See Law."""
        return self._scaled(self.law.value(u))

    def ends(self) -> tuple[Value, ...]:
        """See Law."""
        return tuple(self._scaled(end) for end in self.law.ends())

    def _scaled(self, value: Value) -> Value:
        if isinstance(self.law, Rotation) and isinstance(value, tuple):
            return _turned(value, self.scale)
        middle = self.law.value((0.5,) * self.law.n_uniforms)
        if isinstance(value, tuple) and isinstance(middle, tuple):
            return tuple(m + self.scale * (v - m) for v, m in zip(value, middle, strict=True))
        if isinstance(value, tuple) or isinstance(middle, tuple):
            raise TypeError(f"{type(self.law).__name__} gives a number here and several there")
        if isinstance(self.law, LogUniform):
            return middle * (value / middle) ** self.scale
        return middle + self.scale * (value - middle)


def _turned(quaternion: tuple[float, ...], scale: float) -> tuple[float, ...]:
    """The rotation about the same axis by `scale` times its angle, at most a half turn."""
    w, *axis = quaternion if quaternion[0] >= 0 else tuple(-c for c in quaternion)
    length = math.hypot(*axis)
    if length == 0:
        return (1.0, 0.0, 0.0, 0.0)
    half = min(math.pi / 2, scale * math.atan2(length, w))
    return (math.cos(half), *(math.sin(half) * c / length for c in axis))


def with_jitter(scene: Scene, scale: float) -> Scene:
    """The scene with the spread of every hidden factor multiplied by a scale; the unknown factors stay."""
    factors = {
        name: Factor(law=Scaled(factor.law, scale), kind="hidden") if factor.kind == "hidden" and scale != 1 else factor
        for name, factor in scene.factors.items()
    }
    return replace(scene, factors=factors)


def entropy_bits(counts: Sequence[int] | np.ndarray) -> float:
    """Entropy of the shares, with the first-order correction of its bias, at most that of equal shares; nan for none.

    References:
        Miller 1955, Note on the bias of information estimates: + (outcomes seen - 1) / 2n nats.
    """
    array = np.asarray(counts, dtype=float)
    n = float(array.sum())
    if n == 0:
        return math.nan
    seen = array[array > 0] / n
    nats = -float((seen * np.log(seen)).sum()) + (len(seen) - 1) / (2 * n)
    return min(nats, math.log(len(array))) / math.log(2) + 0.0


@dataclass(frozen=True, kw_only=True)
class Point:
    """The outcomes at one scale of the hidden jitter."""

    scale: float
    counts: Mapping[str, int]
    null: Mapping[str, int]
    failed: Mapping[str, int]
    entropy_bits: float | None
    """Of the outcome, given the picture; None if there is no outcome."""
    entropy_given_constants_bits: float | None
    """Of the outcome, given the picture and the unknown factors: the mean over their draws.

    None also where the draws have fewer than `LEAST_PER_DRAW` outcomes each on average: too few to tell.
    """
    tv: float | None
    """Total variation from the distribution at scale 1."""
    why_undefined: str | None = None
    """Why the scene cannot be staged at this scale."""


def curve(
    scene: Scene,
    *,
    variant: str | None = None,
    seed: int,
    n: int,
    first_index: int = 0,
    scales: Sequence[float] = SCALES,
    threads: int | None = None,
    work: Path | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Any]:
    """The distribution of the outcome, and its entropy, against the size of the hidden jitter, as JSON can hold it.

    Args:
        scene: The scene.
        variant: Name of a variant; None for the base scene.
        seed: Any integer.
        n: Rollouts at each scale.
        first_index: Index of the first one.
        scales: What the spread of every hidden factor is multiplied by; 1 is added if it is not there.
        threads: Number of threads; None for all CPUs.
        work: Folder for checkpoints, so that an interrupted call goes on.
        progress: Called with (done, number of all rollouts) after every scale.
    """
    every = sorted({*scales, 1.0})
    base = None
    points: dict[float, Point] = {}
    for done, scale in enumerate(sorted(every, key=lambda s: (s != 1, s)), start=1):
        path = None if work is None else work / f"{scene.token(variant)}-jitter-{scale:g}-{seed}-{first_index}-{n}.json"
        try:
            found = sample(
                with_jitter(scene, scale),
                variant=variant,
                n=n,
                seed=seed,
                first_index=first_index,
                threads=threads,
                checkpoint=path,
            )
        except (SceneError, ValueError) as fault:  # a scale may ask for what cannot be
            if scale == 1:
                raise
            points[scale] = Point(scale=scale, counts={}, null={}, failed={}, **_UNDEFINED, why_undefined=str(fault))
            continue
        counts = np.array([found.counts[o] for o in scene.outcomes])
        shares = counts / counts.sum() if counts.sum() else None
        base = shares if scale == 1 else base
        gap = None if shares is None or base is None else round(0.5 * float(np.abs(shares - base).sum()), 6)
        points[scale] = Point(
            scale=scale,
            counts=found.counts,
            null=found.null,
            failed={reason: len(rows) for reason, rows in found.failed.items()},
            entropy_bits=None if shares is None else round(entropy_bits(counts), 5),
            entropy_given_constants_bits=_given_constants(found.members or ()),
            tv=gap,
        )
        if progress is not None:
            progress(done * n, len(every) * n)
    return {"seed": seed, "first_index": first_index, "n": n, "points": [asdict(points[scale]) for scale in every]}


_UNDEFINED: dict[str, Any] = {"entropy_bits": None, "entropy_given_constants_bits": None, "tv": None}


def _given_constants(table: Sequence[Sequence[int]]) -> float | None:
    """Mean entropy over the draws of the unknown factors, weighted by their counts; None if these are too few."""
    rows = [row for row in table if sum(row)]
    total = sum(map(sum, rows))
    if total < LEAST_PER_DRAW * max(1, len(rows)):
        return None
    return round(sum(sum(row) / total * entropy_bits(row) for row in rows), 5)
