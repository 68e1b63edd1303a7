"""Which faults do generators show, what makes each of them, and can a person still read the clip?

The first six break training clips too (see judge.faults); the others are kept for measuring how a judge does on faults
that it was never taught.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sim import Scene, Trajectory

from . import pixel_faults, track_faults
from .faults import FAULTS, Plan, settling_s, stage
from .pixel_faults import Drawn
from .track_faults import Staging
from .truth import Lens, Sphere

if TYPE_CHECKING:
    from sim.render import Track
    from sim.studio import AnyStudio

BEGINS = 0.45
"""Share of the clip after which a fault that is not taught begins."""
_RISES = 0.25


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One kind of fault."""

    name: str
    reason: str | None
    """Null reason of the broken clip; None if it keeps its outcome, which a person can still read."""
    strength: str
    """What varies, and between which values."""
    track: Callable[[Track, Staging], Track] | None = None
    pixels: Callable[[np.ndarray, Drawn], np.ndarray] | None = None

    @property
    def taught(self) -> bool:
        """Whether training clips have it."""
        return self.name in FAULTS


def _of_track(change: Callable[[Track, Staging], Track], reason: str | None, strength: str) -> Kind:
    return Kind(name=change.__name__, reason=reason, strength=strength, track=change)


def _of_pixels(change: Callable[[np.ndarray, Drawn], np.ndarray], reason: str | None, strength: str) -> Kind:
    return Kind(name=change.__name__, reason=reason, strength=strength, pixels=change)


KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        *(Kind(name=fault.name, reason=fault.reason, strength=fault.strength) for fault in FAULTS.values()),
        _of_track(track_faults.splits, "several_objects", "a second one ends 1.2 to 2.2 diameters away"),
        _of_track(track_faults.floats, "not_settled", "hovers 0.5 to 1.2 diameters above its place"),
        _of_track(track_faults.rests_on_edge, "not_settled", "rests tilted by 30 to 45 degrees"),
        _of_track(track_faults.sinks, "object_lost", "goes 1.2 to 2 diameters into the ground"),
        _of_track(track_faults.leaves, "out_of_frame", "slides 1 to 2 widths of the picture aside"),
        _of_track(track_faults.teleports, None, "is 15 to 30 % of a width elsewhere for a while"),
        _of_pixels(pixel_faults.melts, "deformed", "waves of 0.35 to 0.7 radii"),
        _of_pixels(pixel_faults.blank_marks, "deformed", "70 to 100 % of one colour"),
        _of_pixels(pixel_faults.extra_mark, "deformed", "2 to 5 blots"),
        _of_pixels(pixel_faults.covered, "covered", "a hand 1.3 to 2.3 diameters wide"),
        _of_pixels(pixel_faults.mirrored, None, "the body alone, left to right"),
        _of_pixels(pixel_faults.changes_colour, None, "a tint of 0.40 to 0.74 in the weakest colour"),
        _of_pixels(pixel_faults.grows, None, "by 20 to 50 %"),
        _of_pixels(pixel_faults.stranger_enters, None, "a ball of 0.5 to 1 diameters rolls in"),
        _of_pixels(pixel_faults.camera_cut, None, "1.2 to 1.6 times nearer"),
        _of_pixels(pixel_faults.ghosting, None, "25 to 50 % of the frame before"),
        _of_pixels(pixel_faults.flickers, None, "brightness by up to 15 to 40 %"),
        _of_pixels(pixel_faults.drifts, None, "contrast by 15 to 40 %, colour by up to 24 levels"),
    )
}
"""Name -> kind, in a fixed order."""


def broken(
    kind: Kind,
    scene: Scene,
    studio: AnyStudio,
    trajectory: Trajectory,
    *,
    body: Sphere,
    look_at: Callable[[float], np.ndarray],
    size_px: tuple[int, int],
    strength: float,
    rng: np.random.Generator,
    donors: Sequence[Trajectory] = (),
) -> np.ndarray | None:
    """Frames (T, H, W, 3) uint8 of a broken clip; None if this rollout cannot show the fault.

    Args:
        kind: The fault.
        scene: The scene.
        studio: An open studio of the scene and of `size_px`.
        trajectory: A full rollout that has an outcome.
        body: Its main body.
        look_at: Length of the clip in seconds -> times (T,) of the frames.
        size_px: Height and width.
        strength: From 0 to 1; the taught faults draw theirs.
        rng: Source of everything else.
        donors: Other rollouts, for a second copy.

    Raises:
        ValueError: The strength is not between 0 and 1.
    """
    if not 0 <= strength <= 1:
        raise ValueError(f"strength must lie in [0, 1], got {strength}")
    duration_s = settling_s(trajectory) + 0.8
    plan: Plan | None = Plan(trajectory=trajectory, duration_s=duration_s)
    if kind.taught:
        plan = stage(
            kind.name,
            trajectory,
            duration_s=duration_s,
            size_m=body.diameter_m,
            rng=rng,
            donors=donors,
            read=scene.read,
        )
    if plan is None:
        return None
    times_s = look_at(plan.duration_s)
    track, lens = plan.track(times_s), Lens(camera=scene.camera, size_px=size_px)
    after = np.clip((times_s / plan.duration_s - BEGINS) / _RISES, 0, 1)
    if kind.track is not None:
        aside_m = _aside_m(lens, track.position_m[-1, 0])
        track = kind.track(track, Staging(strength=strength, after=after, size_m=body.diameter_m, aside_m=aside_m))
    frames = plan.finish(studio.frames(track), times_s)
    if kind.pixels is None:
        return frames
    centre_px, radius_px = _places(lens, track, body)
    return kind.pixels(frames, Drawn(strength=strength, after=after, centre_px=centre_px, radius_px=radius_px, rng=rng))


def _aside_m(lens: Lens, from_m: np.ndarray) -> np.ndarray:
    """(3,) the width of the picture at the depth of a point, to the right."""
    from sim.view import View

    view = View(camera=lens.camera, height_px=lens.size_px[0], width_px=lens.size_px[1])
    depth = float((np.asarray(lens.camera.position_m) - from_m) @ view.rotation[:, 2])
    return view.rotation[:, 0] * 2 * view.tan_half_height * depth * lens.size_px[1] / lens.size_px[0]


def _places(lens: Lens, track: Track, body: Sphere) -> tuple[np.ndarray, np.ndarray]:
    """(T, 2) middle and (T,) radius of the main body, in pixels."""
    from sim import rotation_matrices

    middle_m = track.position_m[:, 0] + rotation_matrices(track.quaternion[:, 0]) @ body.centre_m
    found = np.array([lens.where(m, body.diameter_m) for m in middle_m])
    height, width = lens.size_px
    return found[:, :2] * (width, height), np.maximum(2.0, found[:, 2] * height / 2)
