"""How does a Look light a picture?"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .scene import Look
from .view import View
from .visual_model import VisualModel

_SOFTNESS = 0.07
"""Radius of the light over its distance, in pictures that are averaged over several samples."""
_SHADOW_REACH = 1.25
"""Half side of the shadowed square over the half diagonal of what the camera sees at its target."""
_HIGHLIGHT = 0.3
"""Strength of highlights over that of the light."""


@dataclass(frozen=True, kw_only=True)
class Shot:
    """Light and pixel grid of one of the pictures that are averaged into a frame."""

    aim: np.ndarray
    """(3,) direction in which the light shines."""
    light_m: np.ndarray
    """(3,) point that the shadow map is drawn from."""
    grid_px: tuple[float, float]
    """Shift of the pixel grid, right and up."""


def shadow_reach_m(view: View) -> float:
    """Half side of the square around the camera's target in which shadows are drawn."""
    seen = view.distance_m * view.tan_half_height * math.hypot(1.0, view.width_px / view.height_px)
    return _SHADOW_REACH * seen


def light_shots(look: Look, view: View, n_samples: int) -> tuple[Shot, ...]:
    """What to average: a sunflower over the light's disc and an R2 sequence over the pixel, the same every time.

    Args:
        look: Light and background.
        view: Camera and size of the picture.
        n_samples: How many; a single one has a point light and an unshifted grid.

    Raises:
        ValueError: The light is at the camera's target.
    """
    target = np.array(view.camera.target_m, dtype=float)
    towards = target - look.light_position_m
    if not np.linalg.norm(towards) > 0:
        raise ValueError(f"light_position_m must differ from the camera's target, got {look.light_position_m}")
    aim = towards / np.linalg.norm(towards)
    aside = np.cross(aim, (1.0, 0.0, 0.0) if abs(aim[0]) < 0.9 else (0.0, 1.0, 0.0))
    aside /= np.linalg.norm(aside)
    across = np.cross(aim, aside)
    shots = []
    for k in range(n_samples):
        radius, turn = math.sqrt((k + 0.5) / n_samples) * _SOFTNESS, k * math.pi * (3 - math.sqrt(5))
        grid = ((0.5 + k * 0.7548776662466927) % 1 - 0.5, (0.5 + k * 0.5698402909980532) % 1 - 0.5)
        if n_samples == 1:
            radius, grid = 0.0, (0.0, 0.0)
        shifted = aim + radius * (math.cos(turn) * aside + math.sin(turn) * across)
        shifted /= np.linalg.norm(shifted)
        shots.append(Shot(aim=shifted, light_m=target - 2 * shadow_reach_m(view) * shifted, grid_px=grid))
    return tuple(shots)


def write_look(visual: VisualModel, look: Look) -> None:
    """Writes colours and lights into the model, where they hold from the next listing of the scene on."""
    model = visual.model
    for piece in visual.pieces:
        tint = look.tint.get(piece.part.finish.material, (1.0, 1.0, 1.0))
        rgb = np.multiply(piece.part.finish.rgba[:3], tint)
        model.mat_rgba[model.geom_matid[piece.geom], :3] = np.clip(rgb, 0.0, 1.0)
    model.vis.headlight.ambient[:] = look.ambient
    model.vis.headlight.diffuse[:] = look.headlight_diffuse
    model.vis.headlight.specular[:] = 0.0
    light = model.light("light").id
    model.light_diffuse[light] = look.light_diffuse
    model.light_specular[light] = _HIGHLIGHT * look.light_diffuse
    model.light_ambient[light] = 0.0
