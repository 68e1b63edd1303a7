"""How is a square tray made whose flanks slope outwards, so that nothing can lean against them?"""

from __future__ import annotations

from typing import Any

import numpy as np

_THICK_HALF_M = 0.005


def add_flared_tray(spec: Any, *, floor_half_m: float, slope_rad: float, slope_length_m: float, lip_m: float) -> None:
    """Adds the tray to the world; its floor is drawn on the plane at height 0 that the table brings.

    Args:
        spec: The MjSpec being built.
        floor_half_m: Half the edge of the flat floor.
        slope_rad: Rise of the flanks.
        slope_length_m: Length of the flanks along the slope.
        lip_m: Height of the upright rim above the flanks.
    """
    import mujoco

    box, ground = mujoco.mjtGeom.mjGEOM_BOX, spec.worldbody
    colours = {"felt": (0.20, 0.34, 0.47, 1), "flank": (0.24, 0.39, 0.53, 1), "rim": (0.42, 0.26, 0.15, 1)}
    for name, rgba in colours.items():
        spec.add_material(name=name, rgba=rgba, specular=0.05)
    unseen: dict[str, Any] = {"contype": 0, "conaffinity": 0, "mass": 0, "group": 1}
    size = [floor_half_m, floor_half_m, 0.001]
    ground.add_geom(name="felt", type=box, size=size, pos=[0, 0, -0.0008], material="felt", **unseen)
    flat, rise, thick = np.cos(slope_rad), np.sin(slope_rad), _THICK_HALF_M
    reach, top = floor_half_m + slope_length_m * flat, slope_length_m * rise
    for k, name in enumerate(("right", "back", "left", "front")):
        turn = k * np.pi / 2
        out = np.array([np.cos(turn), np.sin(turn), 0])
        middle = out * (floor_half_m + slope_length_m / 2 * flat + thick * rise)
        middle[2] = slope_length_m / 2 * rise - thick * flat
        c, s = np.cos(turn / 2), np.sin(turn / 2)
        ch, sh = np.cos(slope_rad / 2), np.sin(slope_rad / 2)
        tilted = [c * ch, s * sh, -c * sh, s * ch]  # a turn about z after a tilt about y
        size = [slope_length_m / 2, reach, thick]
        ground.add_geom(name=f"flank_{name}", type=box, size=size, pos=middle, quat=tilted, material="flank")
        # the front and back rims lie between the others: no two faces coincide
        size = [thick, reach + (2 * thick if k % 2 == 0 else 0), (top + lip_m) / 2]
        at = out * (reach + thick) + (0, 0, size[2])
        ground.add_geom(name=f"rim_{name}", type=box, size=size, pos=at, quat=[c, 0, 0, s], material="rim")
