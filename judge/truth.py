"""What is true of a staged clip: its outcome or null, and where in the last frame everything is?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sim import Camera, Null, Scene

from .faults import Plan
from .lesson import NOWHERE, STATES, Truth

if TYPE_CHECKING:
    from sim.render import Track


@dataclass(frozen=True, kw_only=True)
class Lens:
    """How a point of the scene comes into the last frame."""

    camera: Camera
    size_px: tuple[int, int]
    """Height and width."""
    zoom: float

    def shares(self, points_m: np.ndarray) -> np.ndarray:
        """(..., 2) column and row of points (..., 3), in shares; nan behind the camera."""
        from sim.view import View

        height, width = self.size_px
        pixels = View(camera=self.camera, height_px=height, width_px=width).pixels(points_m)
        return 0.5 + (pixels / (width, height) - 0.5) * self.zoom

    def where(self, centre_m: np.ndarray, diameter_m: float) -> tuple[float, float, float]:
        """Column, row and diameter of a sphere in the picture, in shares."""
        from sim.view import View

        view = View(camera=self.camera, height_px=self.size_px[0], width_px=self.size_px[1])
        depth = float((np.asarray(self.camera.position_m) - centre_m) @ view.rotation[:, 2])
        column, row = self.shares(centre_m)
        return float(column), float(row), self.zoom * diameter_m / (2 * view.tan_half_height * depth)


def truth_of(
    scene: Scene, answer: str | Null, plan: Plan, last: Track, lens: Lens, centre_m: np.ndarray, diameter_m: float
) -> Truth:
    """What is true of a staged clip whose last frame shows the track `last` (one time)."""
    from sim import rotation_matrices

    reason = answer.reason if isinstance(answer, Null) else plan.reason
    state = "sound" if reason is None else reason
    low, high = np.array(scene.bounds_m)
    where, twin, at = NOWHERE, NOWHERE, NOWHERE
    if last.visible[-1, 0]:
        middle = last.position_m[-1, 0] + rotation_matrices(last.quaternion[-1, 0]) @ centre_m
        where = lens.where(middle, diameter_m)
        x, y, z = (2 * (middle - low) / (high - low) - 1).tolist()
        at = x, y, z
    place, turn = last.ghost_position_m, last.ghost_quaternion
    if place is not None and turn is not None and np.isfinite(place[-1]).all():
        twin = lens.where(place[-1] + rotation_matrices(turn[-1]) @ centre_m, diameter_m)
    corners = lens.shares(np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]) * (high - low) + low)
    return Truth(
        state=STATES.index(state),
        outcome=scene.outcomes.index(answer) if isinstance(answer, str) and reason is None else -1,
        where=where,
        fault=plan.fault or "",
        twin=twin,
        at=at,
        corners=tuple((float(x), float(y)) for x, y in corners),
    )
