"""What did a rollout record, free of any engine?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, kw_only=True)
class Trajectory:
    """Poses and velocities of the named moving bodies at 60 Hz, from the start to the last state."""

    bodies: tuple[str, ...]
    """Names, in the order of axis B."""
    time_s: np.ndarray
    """(T,) seconds since the start; the last entry may be off the 60 Hz grid."""
    position_m: np.ndarray
    """(T, B, 3) world position of the body frame's origin."""
    quaternion: np.ndarray
    """(T, B, 4) w x y z, body frame to world."""
    velocity: np.ndarray
    """(T, B, 6) linear (m/s) then angular (rad/s) velocity, both in the world frame."""

    def body(self, name: str) -> Trajectory:
        """The same trajectory reduced to one body, B = 1."""
        b = [self.bodies.index(name)]
        return Trajectory(
            bodies=(name,),
            time_s=self.time_s,
            position_m=self.position_m[:, b],
            quaternion=self.quaternion[:, b],
            velocity=self.velocity[:, b],
        )

    def until(self, n_frames: int) -> Trajectory:
        """The first `n_frames` rows."""
        return Trajectory(
            bodies=self.bodies,
            time_s=self.time_s[:n_frames],
            position_m=self.position_m[:n_frames],
            quaternion=self.quaternion[:n_frames],
            velocity=self.velocity[:n_frames],
        )


@dataclass(frozen=True, kw_only=True)
class States:
    """The present state of N rollouts of one scene."""

    bodies: tuple[str, ...]
    """Names, in the order of axis B."""
    time_s: float
    """Seconds since the start."""
    position_m: np.ndarray
    """(N, B, 3) world position of the body frame's origin."""
    quaternion: np.ndarray
    """(N, B, 4) w x y z, body frame to world."""
    velocity: np.ndarray
    """(N, B, 6) linear (m/s) then angular (rad/s) velocity, both in the world frame."""
    params: Mapping[str, np.ndarray]
    """Factor or setting -> (N, ...) its value in each rollout."""

    def body(self, name: str) -> int:
        """Position of the named body on axis B."""
        return self.bodies.index(name)


def rotation_matrices(quaternion: np.ndarray) -> np.ndarray:
    """Rotation matrices (..., 3, 3), body to world, of quaternions (..., 4) w x y z.

    References:
        Diebel, Representing Attitude, 2006, eq. 125 (transposed: body to world).
    """
    w, x, y, z = np.moveaxis(np.asarray(quaternion, dtype=float), -1, 0)
    rows = (
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
