"""Where is everything in each frame of a clip?"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .trajectory import Trajectory


@dataclass(frozen=True, kw_only=True)
class Track:
    """What to draw in each frame."""

    position_m: np.ndarray
    """(T, B, 3) world position of each moving body."""
    quaternion: np.ndarray
    """(T, B, 4) its orientation, w x y z."""
    visible: np.ndarray
    """(T, B) bool: whether it is drawn."""
    ghost_position_m: np.ndarray | None = None
    """(T, 3) world position of a second copy of the main body; nan where there is none."""
    ghost_quaternion: np.ndarray | None = None
    """(T, 4) its orientation."""

    def __post_init__(self) -> None:
        """Refuse arrays that do not belong together."""
        n_frames, n_bodies = self.position_m.shape[:2]
        shapes = {
            "position_m": (self.position_m, (n_frames, n_bodies, 3)),
            "quaternion": (self.quaternion, (n_frames, n_bodies, 4)),
            "visible": (self.visible, (n_frames, n_bodies)),
            "ghost_position_m": (self.ghost_position_m, (n_frames, 3)),
            "ghost_quaternion": (self.ghost_quaternion, (n_frames, 4)),
        }
        for name, (array, shape) in shapes.items():
            if array is not None and array.shape != shape:
                raise ValueError(f"{name} must have the shape {shape}, got {array.shape}")
        if (self.ghost_position_m is None) != (self.ghost_quaternion is None):
            raise ValueError("ghost_position_m and ghost_quaternion must be given together")

    def __len__(self) -> int:
        """Number of frames."""
        return len(self.position_m)

    def check_bodies(self, n: int) -> None:
        """Refuses a track of another number of bodies than the `n` of the scene that is drawn.

        Raises:
            ValueError: The numbers differ.
        """
        if self.position_m.shape[1] != n:
            raise ValueError(f"track must hold {n} bodies, got {self.position_m.shape[1]}")

    @staticmethod
    def of(trajectory: Trajectory, times_s: np.ndarray) -> Track:
        """The trajectory at other times: straight lines and even turns between its rows, its last state afterwards.

        Args:
            trajectory: What a rollout recorded.
            times_s: (T,) seconds since the start, not negative.

        Raises:
            ValueError: A time is negative.
        """
        times = np.asarray(times_s, dtype=float)
        if times.size and times.min() < 0:
            raise ValueError(f"times_s must not be negative, got {times.min()}")
        known = trajectory.time_s
        after = np.clip(np.searchsorted(known, times, side="right"), 1, max(len(known) - 1, 1))
        if len(known) == 1:
            after = np.zeros(len(times), dtype=int)
        before = np.maximum(after - 1, 0)
        span = np.where(after > before, known[after] - known[before], 1.0)
        part = np.clip((times - known[before]) / np.where(span > 0, span, 1.0), 0.0, 1.0)[:, None, None]
        position = trajectory.position_m
        return Track(
            position_m=position[before] + part * (position[after] - position[before]),
            quaternion=slerp(trajectory.quaternion[before], trajectory.quaternion[after], part),
            visible=np.ones((len(times), position.shape[1]), dtype=bool),
        )

    def with_ghost(self, shift_m: np.ndarray) -> Track:
        """The same track with a second copy of the main body, shifted by (3,) or (T, 3); nan hides it."""
        return replace(
            self,
            ghost_position_m=self.position_m[:, 0] + np.asarray(shift_m, dtype=float),
            ghost_quaternion=self.quaternion[:, 0].copy(),
        )


def slerp(start: np.ndarray, end: np.ndarray, part: np.ndarray) -> np.ndarray:
    """Orientations (..., 4) between two, along the shorter way.

    Args:
        start: (..., 4) unit quaternions.
        end: (..., 4) unit quaternions.
        part: (..., 1) from 0 (start) to 1 (end).

    References:
        Shoemake, Animating rotation with quaternion curves, SIGGRAPH 1985, section 3.3.
    """
    dot = (start * end).sum(-1, keepdims=True)
    end = np.where(dot < 0, -end, end)
    angle = np.arccos(np.clip(np.abs(dot), 0.0, 1.0))
    sine = np.sin(angle)
    near = sine < 1e-6
    safe = np.where(near, 1.0, sine)
    weight_start = np.where(near, 1 - part, np.sin((1 - part) * angle) / safe)
    weight_end = np.where(near, part, np.sin(part * angle) / safe)
    out = weight_start * start + weight_end * end
    return np.asarray(out / np.linalg.norm(out, axis=-1, keepdims=True))
