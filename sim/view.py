"""Where does a camera put a point of the world in the picture?"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .scene import Camera


@dataclass(frozen=True, kw_only=True)
class View:
    """A camera together with the size of its picture; every renderer and every projection uses this one."""

    camera: Camera
    height_px: int
    width_px: int

    @property
    def rotation(self) -> np.ndarray:
        """(3, 3) columns right, up, backward of the camera in the world frame.

        Raises:
            ValueError: The camera looks along its own `up`, or at its own position.
        """
        sight = np.subtract(self.camera.target_m, self.camera.position_m)
        right = np.cross(sight, self.camera.up)
        if np.linalg.norm(right) < 1e-9 * max(self.distance_m, 1e-9):
            raise ValueError(f"up must not be parallel to the line of sight, got {self.camera}")
        sight = sight / np.linalg.norm(sight)
        right = right / np.linalg.norm(right)
        return np.stack([right, np.cross(right, sight), -sight], axis=1)

    @property
    def distance_m(self) -> float:
        """From the camera to its target."""
        return float(np.linalg.norm(np.subtract(self.camera.target_m, self.camera.position_m)))

    @property
    def tan_half_height(self) -> float:
        """Tangent of half the vertical angle of view; in an upright picture `fovy_deg` spans the width instead."""
        tan = math.tan(math.radians(self.camera.fovy_deg) / 2)
        return tan * max(1.0, float(self.height_px) / float(self.width_px))

    def pixels(self, points_m: np.ndarray) -> np.ndarray:
        """(..., 2) column and row, in pixels from the picture's upper left corner, of points (..., 3).

        Points behind the camera give nan.
        """
        local = (np.asarray(points_m, dtype=float) - self.camera.position_m) @ self.rotation
        depth = np.where(local[..., 2] < 0, -local[..., 2], np.nan)
        scale = self.height_px / 2 / (self.tan_half_height * depth)
        column = self.width_px / 2 + scale * local[..., 0]
        row = self.height_px / 2 - scale * local[..., 1]
        return np.stack([column, row], axis=-1)
