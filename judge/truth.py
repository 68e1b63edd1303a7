"""What is true of a staged clip: its outcome or null, and where in its frames everything is?"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from sim import Camera, Null, Scene

from .faults import Plan
from .lesson import NOWHERE, STATES, Truth


@dataclass(frozen=True, kw_only=True)
class Sphere:
    """The sphere around what is seen of the main body."""

    centre_m: np.ndarray
    """(3,) in the body's own frame."""
    diameter_m: float
    filled: bool
    """Whether the body is a ball."""


@dataclass(frozen=True, kw_only=True)
class Lens:
    """How a point of the scene comes into a frame."""

    camera: Camera
    size_px: tuple[int, int]
    """Height and width."""
    zoom: float = 1.0

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


def truth_of(scene: Scene, answer: str | Null, plan: Plan, time_s: np.ndarray, lens: Lens, body: Sphere) -> Truth:
    """What is true of a staged clip.

    Args:
        scene: Whose clip it is.
        answer: What the scene's rule says of the rollout.
        plan: How the rollout is staged.
        time_s: (8,) times of the frames.
        lens: How the camera sees the scene, without the plan's zoom.
        body: The main body.
    """
    from sim import rotation_matrices

    track, lenses = plan.track(time_s), [replace(lens, zoom=float(z)) for z in plan.enlargement(time_s)]
    turn = rotation_matrices(track.quaternion[:, 0])  # (8, 3, 3)
    middle = track.position_m[:, 0] + turn @ body.centre_m
    middle[~track.visible[:, 0]] = np.nan
    twin = np.full_like(middle, np.nan)
    if track.ghost_position_m is not None and track.ghost_quaternion is not None:
        there = np.isfinite(track.ghost_position_m).all(1)
        twin[there] = track.ghost_position_m[there] + rotation_matrices(track.ghost_quaternion[there]) @ body.centre_m
    reason = answer.reason if isinstance(answer, Null) else plan.reason
    low, high = np.array(scene.bounds_m)
    at = 2 * (middle[-1] - low) / (high - low) - 1
    up = turn[-1, 2] if track.visible[-1, 0] and not body.filled else np.array(NOWHERE)
    corners = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]) * (high - low) + low
    return Truth(
        state=STATES.index("sound" if reason is None else reason),
        outcome=scene.outcomes.index(answer) if isinstance(answer, str) and reason is None else -1,
        where=_where(lenses[-1], middle[-1], body.diameter_m),
        fault=plan.fault or "",
        twin=_where(lenses[-1], twin[-1], body.diameter_m),
        at=(float(at[0]), float(at[1]), float(at[2])),
        corners=tuple((float(x), float(y)) for x, y in lenses[-1].shares(corners)),
        path=_path(lenses[:-1], middle),
        twin_path=_path(lenses[:-1], twin),
        up=(float(up[0]), float(up[1]), float(up[2])),
    )


def _where(lens: Lens, middle_m: np.ndarray, diameter_m: float) -> tuple[float, float, float]:
    return lens.where(middle_m, diameter_m) if np.isfinite(middle_m).all() else NOWHERE


def _path(lenses: list[Lens], middle_m: np.ndarray) -> np.ndarray:
    """(7, 2) column and row of the places (8, 3) in the frames before the last; nan where there is none."""
    places = zip(lenses, middle_m[:-1], strict=True)
    return np.array([lens.shares(m) if np.isfinite(m).all() else NOWHERE[:2] for lens, m in places])
