"""How do generators break a clip, so that it has no outcome, and how is each fault staged with a known reason?

A fault edits the staging of a rollout and not its pixels: time stops, the body is no longer drawn, a second copy
appears. The reason is therefore known exactly, for training, for the judge card and for the stand-in model that
breaks its clips.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from sim import Null, Trajectory, rotation_matrices

if TYPE_CHECKING:
    from sim.render import Track

SHORTEST_CLIP_S = 0.8
"""A clip that is cut early is slowed down until it lasts this long; shorter files would be unreadable, not null."""


@dataclass(frozen=True, kw_only=True)
class Fault:
    """One way in which a clip is broken."""

    name: str
    reason: str
    """Null reason that the broken clip must get."""
    strength: str
    """What varies, and between which values."""
    weight: float = 1.0
    """How often it is staged, relative to others; faults that are hard to see are staged more often."""


FAULTS: dict[str, Fault] = {
    fault.name: fault
    for fault in (
        Fault(name="still", reason="no_motion", strength="every frame is the first one", weight=2.0),
        Fault(
            name="slow_zoom",
            reason="no_motion",
            strength="the first frame, enlarged by 5 to 25 % during the clip",
            weight=2.0,
        ),
        Fault(
            name="frozen",
            reason="not_settled",
            strength="time stops while the body is above a fifth of its fall",
            weight=3.0,
        ),
        Fault(
            name="cut",
            reason="not_settled",
            strength="the clip ends while the body is above a fifth of its fall",
            weight=1.5,
        ),
        Fault(name="vanishes", reason="object_lost", strength="not drawn after 10 to 75 % of the clip", weight=1.5),
        Fault(
            name="doubles",
            reason="several_objects",
            strength="a second one is there after 5 to 60 % of the clip",
            weight=3.0,
        ),
    )
}
"""Name -> fault, in a fixed order."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How one rollout is staged as a clip, sound or broken."""

    trajectory: Trajectory
    duration_s: float
    """Length of the clip, from its first to its last frame."""
    fault: str | None = None
    speed: float = 1.0
    """Seconds of the rollout that pass in a second of the clip."""
    stops_s: float = np.inf
    """Time in the clip after which everything stands still."""
    lost_s: float = np.inf
    """Time in the clip after which the main body is not drawn."""
    ghost: Trajectory | None = None
    """Path of the second copy of the main body."""
    ghost_s: float = np.inf
    """Time in the clip after which the copy is drawn."""
    zoom: float = 0.0
    """How much the picture is enlarged, in two dimensions, over the whole clip."""

    @property
    def reason(self) -> str | None:
        """Null reason of the staged clip, or None if the rollout's own outcome holds."""
        return None if self.fault is None else FAULTS[self.fault].reason

    def track(self, time_s: np.ndarray) -> Track:
        """What to draw at the given times (T,) of the clip."""
        from sim.render import Track

        time_s = np.asarray(time_s, dtype=float)
        source_s = np.minimum(time_s, self.stops_s) * self.speed
        track = Track.of(self.trajectory, source_s)
        visible = np.array(track.visible, dtype=bool)
        visible[time_s > self.lost_s, 0] = False
        track = replace(track, visible=visible)
        if self.ghost is None:
            return track
        copy = Track.of(self.ghost, source_s)
        there = (time_s > self.ghost_s)[:, None]
        return replace(
            track,
            ghost_position_m=np.where(there, copy.position_m[:, 0], np.nan),
            ghost_quaternion=np.where(there, copy.quaternion[:, 0], np.nan),
        )

    def enlargement(self, time_s: np.ndarray) -> np.ndarray:
        """(T,) how many times larger the picture is at the given times (T,) of the clip."""
        return 1 + self.zoom * np.minimum(1.0, np.asarray(time_s, dtype=float) / self.duration_s)

    def finish(self, frames: np.ndarray, time_s: np.ndarray) -> np.ndarray:
        """The drawn frames (T, H, W, 3) after the two-dimensional part of the fault."""
        import cv2

        if self.zoom == 0:
            return frames
        height, width = frames.shape[1:3]
        out = np.empty_like(frames)
        for k, scale in enumerate(self.enlargement(time_s)):
            matrix = np.array([[scale, 0, (1 - scale) * width / 2], [0, scale, (1 - scale) * height / 2]])
            out[k] = cv2.warpAffine(
                frames[k], matrix, (width, height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
            )
        return out


def mid_air_s(trajectory: Trajectory) -> np.ndarray:
    """(M,) times at which the main body has moved and is still higher than its end by a fifth of its fall or more."""
    position = trajectory.position_m[:, 0]
    height = position[:, 2] - position[-1, 2]
    fall = height.max()
    moved = np.linalg.norm(position - position[0], axis=1) > 0.15 * max(float(np.ptp(position, axis=0).max()), 1e-9)
    return trajectory.time_s[(height >= 0.2 * fall) & (fall > 1e-3) & moved]


def settling_s(trajectory: Trajectory) -> float:
    """Time from which on the main body stays where, and as, it ends; a body that carries it may move on."""
    turned = 1 - np.abs((trajectory.quaternion[:, 0] * trajectory.quaternion[-1, 0]).sum(axis=1))
    reach = max(float(np.ptp(trajectory.position_m[:, 0], axis=0).max()), 1e-9)
    times = [_last_change_s(trajectory.time_s, trajectory.position_m[:, 0], reach, turned > 2e-3)]
    for k in range(1, trajectory.position_m.shape[1]):  # it may roll on what carries it
        frame = rotation_matrices(trajectory.quaternion[:, k])
        place = np.einsum("tij,ti->tj", frame, trajectory.position_m[:, 0] - trajectory.position_m[:, k])
        times.append(_last_change_s(trajectory.time_s, place, reach, np.zeros(len(place), dtype=bool)))
    return min(times)


def _last_change_s(time_s: np.ndarray, place: np.ndarray, reach: float, turned: np.ndarray) -> float:
    """Time after which places (T, 3) stay within a hundredth of the reach of the last, and nothing is turned."""
    moving = np.flatnonzero((np.abs(place - place[-1]).max(axis=1) > 0.01 * reach) | turned)
    return float(time_s[min(moving[-1] + 1, len(time_s) - 1)]) if len(moving) else 0.0


def stage(
    fault: str,
    trajectory: Trajectory,
    *,
    duration_s: float,
    size_m: float,
    rng: np.random.Generator,
    donors: Sequence[Trajectory] = (),
    read: Callable[[Trajectory], str | Null] | None = None,
) -> Plan | None:
    """A plan of the broken clip, or None if this rollout cannot show the fault.

    Args:
        fault: A key of FAULTS.
        trajectory: A full rollout that has an outcome.
        duration_s: Length of the clip if the fault does not change it.
        size_m: Diameter of the main body; a second copy must end further away than that: two bodies do not overlap.
        rng: Source of the fault's strength.
        donors: Other rollouts of the scene; `doubles` takes the second copy's path from the first that ends elsewhere.
        read: The scene's rule: a clip does not stop, or end, in mid-air when it can be read already.

    Raises:
        ValueError: There is no such fault.
    """
    if fault not in FAULTS:
        raise ValueError(f"fault must be one of {', '.join(FAULTS)}, got {fault!r}")
    plan = Plan(trajectory=trajectory, duration_s=duration_s, fault=fault)
    share = float(rng.uniform())
    if fault == "still":
        return replace(plan, stops_s=0.0)
    if fault == "slow_zoom":
        return replace(plan, stops_s=0.0, zoom=0.05 + 0.20 * share)
    if fault == "vanishes":
        return replace(plan, lost_s=(0.10 + 0.65 * share) * duration_s)
    if fault == "doubles":
        ghost = next((donor for donor in donors if _gap_m(trajectory, donor) > 1.1 * size_m), None)
        return None if ghost is None else replace(plan, ghost=ghost, ghost_s=(0.05 + 0.55 * share) * duration_s)
    times = mid_air_s(trajectory)
    if read is not None:
        times = times[[isinstance(read(trajectory.until(_n_frames(trajectory, t))), Null) for t in times]]
    if not len(times):
        return None
    at_s = float(times[int(share * len(times))])
    if fault == "frozen":
        return replace(plan, stops_s=at_s) if at_s < 0.8 * duration_s else None
    return replace(plan, duration_s=max(at_s, SHORTEST_CLIP_S), speed=min(1.0, at_s / SHORTEST_CLIP_S))


def _n_frames(trajectory: Trajectory, time_s: float) -> int:
    return int(np.searchsorted(trajectory.time_s, time_s, side="right"))


def _gap_m(trajectory: Trajectory, donor: Trajectory) -> float:
    return float(np.linalg.norm(trajectory.position_m[-1, 0] - donor.position_m[-1, 0]))
