"""In what light, from where and in what colours is a training clip drawn?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from sim import Camera, Look, Scene, Trajectory

_MARK_TINT = 0.12
"""Largest change of a colour that carries the outcome."""
_MARGIN = 0.04
"""Share of the picture that must remain between the main body's centre and the border, at the start and the end."""


def random_look(base: Look, camera: Camera, materials: Sequence[str], rng: np.random.Generator) -> Look:
    """Light, background and colours of one clip.

    Args:
        base: The scene's own look.
        camera: The scene's camera; the light moves around its target.
        materials: Names of the materials that are seen.
        rng: Source of the randomness.
    """
    reach = float(np.linalg.norm(np.subtract(base.light_position_m, camera.target_m))) * rng.uniform(0.7, 1.4)
    azimuth, elevation = rng.uniform(0, 2 * np.pi), np.radians(rng.uniform(30, 88))
    way = np.array([np.cos(azimuth) * np.cos(elevation), np.sin(azimuth) * np.cos(elevation), np.sin(elevation)])
    tint: dict[str, tuple[float, float, float]] = {}
    for name in materials:
        gain = rng.uniform(1 - _MARK_TINT, 1 + _MARK_TINT, 3)
        if not name.startswith("mark_") and rng.uniform() < 0.8:
            gain = rng.uniform(0.5, 1.5) * rng.uniform(0.6, 1.4, 3)
        tint[name] = (float(gain[0]), float(gain[1]), float(gain[2]))
    if rng.uniform() < 0.15:
        return replace(base, tint=tint)
    position = np.asarray(camera.target_m) + reach * way
    return Look(
        light_position_m=(float(position[0]), float(position[1]), float(position[2])),
        light_diffuse=float(rng.uniform(0.35, 0.9)),
        headlight_diffuse=float(rng.uniform(0.05, 0.45)) if rng.uniform() < 0.7 else 0.0,
        ambient=float(rng.uniform(0.2, 0.6)),
        background_rgb=tuple(float(c) for c in rng.uniform(0.05, 1, 3)),  # type: ignore[arg-type]
        tint=tint,
    )


def _moved(camera: Camera, rng: np.random.Generator, strength: float) -> Camera:
    """The camera after a small random move around its target."""
    sight = np.subtract(camera.position_m, camera.target_m)
    distance = float(np.linalg.norm(sight))
    right = np.cross(camera.up, sight / distance)
    right /= np.linalg.norm(right)
    up = np.cross(sight / distance, right)
    swing = np.radians(strength * rng.uniform(-9, 9, 2))
    way = sight / distance + np.tan(swing[0]) * right + np.tan(swing[1]) * up
    way /= np.linalg.norm(way)
    span = distance * np.tan(np.radians(camera.fovy_deg) / 2)
    target = np.asarray(camera.target_m) + strength * span * (
        rng.uniform(-0.12, 0.12) * right + rng.uniform(-0.12, 0.12) * up
    )
    position = target + way * distance * (1 + strength * rng.uniform(-0.15, 0.2))
    roll = np.radians(strength * rng.uniform(-5, 5))
    tilted = np.cos(roll) * up + np.sin(roll) * right
    return Camera(
        position_m=(float(position[0]), float(position[1]), float(position[2])),
        target_m=(float(target[0]), float(target[1]), float(target[2])),
        fovy_deg=float(camera.fovy_deg * (1 + strength * rng.uniform(-0.08, 0.08))),
        up=(float(tilted[0]), float(tilted[1]), float(tilted[2])),
    )


def in_view(camera: Camera, points_m: np.ndarray, size_px: tuple[int, int]) -> bool:
    """Whether all points (..., 3) lie inside the picture, with a margin."""
    from sim.view import View

    height, width = size_px
    pixels = View(camera=camera, height_px=height, width_px=width).pixels(points_m)
    share = pixels / np.array([width, height])
    return bool(np.all((share > _MARGIN) & (share < 1 - _MARGIN)))  # nan (behind the camera) counts as outside


def random_camera(scene: Scene, shown_m: np.ndarray, size_px: tuple[int, int], rng: np.random.Generator) -> Camera:
    """The scene's camera after a random move that keeps the points (P, 3) in the picture."""
    for strength in np.linspace(1, 0.1, 10):
        camera = _moved(scene.camera, rng, float(strength) if rng.uniform() < 0.85 else 0.1)
        if in_view(camera, shown_m, size_px):
            return camera
    return scene.camera


def close_camera(trajectory: Trajectory, diameter_m: float, rng: np.random.Generator) -> Camera:
    """A camera right above the place where the main body comes to rest, so that its marks are seen large."""
    end = trajectory.position_m[-1, 0]
    tilt, azimuth = np.radians(rng.uniform(0, 28)), rng.uniform(0, 2 * np.pi)
    way = np.array([np.sin(tilt) * np.cos(azimuth), np.sin(tilt) * np.sin(azimuth), np.cos(tilt)])
    fovy_deg, share = rng.uniform(25, 45), rng.uniform(0.3, 0.75)
    distance = diameter_m / share / (2 * np.tan(np.radians(fovy_deg) / 2))
    target = end + diameter_m * np.append(rng.uniform(-0.4, 0.4, 2), 0)
    position, heading = target + distance * way, rng.uniform(0, 2 * np.pi)
    return Camera(
        position_m=(float(position[0]), float(position[1]), float(position[2])),
        target_m=(float(target[0]), float(target[1]), float(target[2])),
        fovy_deg=float(fovy_deg),
        up=(float(np.cos(heading)), float(np.sin(heading)), 0.0),
    )
