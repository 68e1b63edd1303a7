"""What is a scene: which facts, which randomness and which pure functions make a chance event that can be staged?"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from .errors import SceneError
from .factor import Factor, uniforms

if TYPE_CHECKING:
    import mujoco
    import numpy as np

    from .trajectory import States, Trajectory

FRAME_RATE_HZ = 60
"""Rate at which every engine records a trajectory."""
N_UNKNOWN_DRAWS = 64
"""How many draws of the unknown factors a reference cycles through (rollout i uses draw i mod this)."""
NULL_REASONS = (
    "no_motion",
    "not_settled",
    "object_lost",
    "several_objects",
    "deformed",
    "covered",
    "out_of_frame",
    "out_of_domain",
)
"""Reasons for which a readable clip has no outcome."""

Vec3 = tuple[float, float, float]


@dataclass(frozen=True)
class Null:
    """A run or clip that has no outcome, with the reason."""

    reason: str

    def __post_init__(self) -> None:
        """Refuse reasons outside the list."""
        if self.reason not in NULL_REASONS:
            raise ValueError(f"reason must be one of {', '.join(NULL_REASONS)}, got {self.reason!r}")


@dataclass(frozen=True, kw_only=True)
class Solver:
    """Numerical settings of an engine; twins of a reference differ in these alone."""

    timestep_s: float = 1 / 4800
    """Length of a step; the 60 Hz frame must be a whole number of steps."""
    contact_frequency_rad_s: float = 1440.0
    """Undamped angular frequency of a contact."""

    def __post_init__(self) -> None:
        """Check that frames are whole steps and that contacts are resolved."""
        steps = 1 / (FRAME_RATE_HZ * self.timestep_s)
        if self.timestep_s <= 0 or abs(steps - round(steps)) > 1e-9 * steps:
            raise ValueError(f"timestep_s must divide 1/{FRAME_RATE_HZ} s, got {self.timestep_s}")
        if not 0 < self.contact_frequency_rad_s * self.timestep_s <= 0.3 + 1e-9:
            product = self.contact_frequency_rad_s * self.timestep_s
            raise ValueError(f"contact_frequency_rad_s * timestep_s must lie in (0, 0.3], got {product:.3f}")

    @property
    def steps_per_frame(self) -> int:
        """Number of steps in one frame of a trajectory."""
        return round(1 / (FRAME_RATE_HZ * self.timestep_s))


@dataclass(frozen=True)
class Params(Mapping[str, Any]):
    """One draw of all factors, the settings of the variant, and the solver to build for."""

    entries: Mapping[str, Any]
    solver: Solver

    def __getitem__(self, name: str) -> Any:
        """The value of a factor or setting."""
        return self.entries[name]

    def __iter__(self) -> Iterator[str]:
        """Names in the scene's order."""
        return iter(self.entries)

    def __len__(self) -> int:
        """Number of factors and settings."""
        return len(self.entries)


@dataclass(frozen=True, kw_only=True)
class Camera:
    """Where the picture is taken from."""

    position_m: Vec3
    target_m: Vec3
    fovy_deg: float = 40.0
    up: Vec3 = (0.0, 0.0, 1.0)
    """Direction that points up in the picture; must not be parallel to the line of sight."""


@dataclass(frozen=True, kw_only=True)
class Look:
    """Light and background of a picture."""

    light_position_m: Vec3 = (-0.5, -0.6, 1.2)
    """Position of the shadow-casting light; it aims at the camera's target."""
    light_diffuse: float = 0.6
    headlight_diffuse: float = 0.18
    ambient: float = 0.32
    background_rgb: Vec3 = (0.72, 0.76, 0.80)
    tint: Mapping[str, Vec3] = field(default_factory=dict)
    """Material name -> colour that multiplies it. Materials named `mark_...` carry the outcome."""


@dataclass(frozen=True, kw_only=True)
class Variant:
    """The same scene with one change."""

    change: str
    """What changes, in words."""
    causal: bool
    """True if physics says that the outcome distribution moves."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Settings of the scene that the variant overrides."""
    look: Look | None = None
    published: tuple[str, ...] = ()
    """Ids of the same variant, as `calibench:dice` or `pawbench:A-02`."""


@dataclass(frozen=True, kw_only=True)
class Scene:
    """A chance event that can be staged: facts, randomness and a few pure functions; no engine and no state."""

    name: str
    """Says what happens; equals the file's name."""
    version: int
    """Raised by every change that moves an outcome, a draw or a picture."""
    group: str
    """The mechanism: tossing, rotation, routing, draw, collision, stability."""
    prompt: str
    """What a generator is told; names none of the outcomes, or all of them in order."""
    negative_prompt: str
    outcomes: tuple[str, ...]
    """Exhaustive and exclusive labels, in a fixed order."""
    null_rules: tuple[str, ...]
    """What makes a clip unscorable, in words that a person and a rubric judge can apply."""
    duration_s: float
    """Length of a clip, at most 5 s; at least 99 % of rollouts are decided by then."""
    camera: Camera
    look: Look
    factors: Mapping[str, Factor]
    """name_with_unit -> distribution."""
    moving_bodies: tuple[str, ...]
    """Names of the bodies that a trajectory records, the main one first."""
    bounds_m: tuple[Vec3, Vec3]
    """Lowest and highest corner of the space that a moving body's centre may not leave."""
    build: Callable[[Params], mujoco.MjSpec]
    """Params -> spec of fixed topology whose keyframe `start` holds the starting pose and velocity."""
    read: Callable[[Trajectory], str | Null]
    """Trajectory -> a listed outcome, or a null; for any trajectory, also a truncated one."""
    decided: Callable[[States], np.ndarray] | None = None
    """States of N rollouts -> (N,) bool: the outcome can no longer change."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Constants of the staging that a variant may change; `build` finds them among the params."""
    ideal: Mapping[str, float] | None = None
    """The textbook distribution, if there is one."""
    exact: bool = False
    """True only where a symmetry of apparatus *and* launch forces `ideal`."""
    solver: Solver = Solver()
    published: tuple[str, ...] = ()
    """Ids of the same scene, as `calibench:dice` or `pawbench:A-02`."""
    variants: Mapping[str, Variant] = field(default_factory=dict)
    one_engine_only: str | None = None
    """Why the second engine cannot express the scene; None if it can."""

    def __post_init__(self) -> None:
        """Refuse records that contradict themselves."""
        for label in (self.name, *self.outcomes, *self.variants):
            if not (isinstance(label, str) and re.fullmatch("[a-z0-9_]+", label)):
                raise SceneError(f"{self.name}: names and outcomes may hold a-z, 0-9 and _ alone, got {label!r}")
        if not all(low < high for low, high in zip(*self.bounds_m, strict=True)):
            raise SceneError(f"{self.name}: each lower bound of bounds_m must be below its upper, got {self.bounds_m}")
        if len(self.outcomes) < 2 or len(set(self.outcomes)) != len(self.outcomes):
            raise SceneError(f"{self.name}: outcomes must be two or more different labels, got {self.outcomes}")
        if not self.moving_bodies:
            raise SceneError(f"{self.name}: moving_bodies must name one body or more")
        for name, kind in (("solver", Solver), ("camera", Camera), ("look", Look)):
            if not isinstance(getattr(self, name), kind):
                raise SceneError(f"{self.name}: {name} must be a {kind.__name__}, got {getattr(self, name)!r}")
        for name, factor in self.factors.items():
            if not isinstance(factor, Factor):
                raise SceneError(f"{self.name}: factor {name!r} must be hidden(...) or unknown(...), got {factor!r}")
        if not 0 < self.duration_s <= 5:
            raise SceneError(f"{self.name}: duration_s must lie in (0, 5], got {self.duration_s}")
        if self.ideal is not None and (
            tuple(self.ideal) != self.outcomes or not math.isclose(math.fsum(self.ideal.values()), 1, abs_tol=1e-12)
        ):
            raise SceneError(f"{self.name}: ideal must give one probability per outcome, in order, summing to 1")
        for name, variant in self.variants.items():
            if extra := set(variant.settings) - set(self.settings):
                raise SceneError(f"{self.name}@{name}: settings {sorted(extra)} are not settings of the scene")

    @property
    def n_frames(self) -> int:
        """Rows of a full trajectory, the starting frame included."""
        return round(self.duration_s * FRAME_RATE_HZ) + 1

    def token(self, variant: str | None) -> str:
        """`scene` or `scene@variant`, as used in folders, commands and manifests."""
        self.variant(variant)
        return self.name if variant is None else f"{self.name}@{variant}"

    def variant(self, name: str | None) -> Variant | None:
        """The variant of that name; None for the base scene.

        Raises:
            SceneError: There is no such variant.
        """
        if name is None:
            return None
        if name not in self.variants:
            known = ", ".join(sorted(self.variants)) or "none"
            raise SceneError(f"{self.name} has no variant {name!r}; its variants: {known}")
        return self.variants[name]

    def look_of(self, variant: str | None) -> Look:
        """Light and background of the scene or of its variant."""
        chosen = self.variant(variant)
        return chosen.look if chosen is not None and chosen.look is not None else self.look

    def params(self, seed: int, index: int, *, variant: str | None = None, solver: Solver | None = None) -> Params:
        """The draw of all factors that belongs to (seed, scene, version, index); the same for every variant.

        Args:
            seed: Any integer.
            index: Index of the rollout, not negative.
            variant: Name of a variant, or None for the base scene.
            solver: Numerical settings; the scene's own if None.

        Raises:
            ValueError: `index` is negative.
            SceneError: There is no such variant.
        """
        if index < 0:
            raise ValueError(f"index must not be negative, got {index}")
        chosen = self.variant(variant)
        values: dict[str, Any] = {**self.settings, **(chosen.settings if chosen is not None else {})}
        for name, factor in self.factors.items():
            key = index if factor.kind == "hidden" else index % N_UNKNOWN_DRAWS
            draw = uniforms(seed, self.name, self.version, name, key, n=factor.law.n_uniforms)
            values[name] = factor.law.value(draw)
        return Params(values, self.solver if solver is None else solver)

    def with_solver(self, solver: Solver) -> Scene:
        """The same scene with other numerical settings."""
        return replace(self, solver=solver)
