"""What does a pencil look like: lead, sharpened wood, a painted barrel, a metal ferrule and an eraser?"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from .textured import add_textured_mesh

LENGTH_M, RADIUS_M, CONE_M = 0.15, 0.0055, 0.020
TIP_M = 0.0008
"""Radius of the blunt tip."""
_N_ROWS = 128
_LEAD, _WOOD, _PAINT, _STRIPE = (52, 50, 56), (226, 190, 142), (242, 178, 38), (214, 140, 22)
_METAL, _METAL_DARK, _ERASER = (186, 190, 194), (138, 142, 148), (226, 112, 122)


@lru_cache(maxsize=1)
def pencil_image() -> np.ndarray:
    """(H, W, 3) uint8 picture of the pencil's skin: around it along the width, tip at the bottom."""
    rows = np.empty((_N_ROWS, 16, 3), dtype=np.uint8)
    rows[:] = _PAINT
    rows[:, ::4] = _STRIPE
    for low, high, rgb in ((0.0, 0.045, _LEAD), (0.045, 0.155, _WOOD), (0.86, 0.915, _METAL), (0.915, 1.0, _ERASER)):
        rows[round(low * _N_ROWS) : round(high * _N_ROWS)] = rgb
    for middle in (0.872, 0.902):
        rows[round(middle * _N_ROWS)] = _METAL_DARK
    return rows[::-1].copy()


@lru_cache(maxsize=1)
def pencil_skin(*, n_sides: int = 16) -> tuple[np.ndarray, ...]:
    """Vertices (V, 3), faces (F, 3) and UV (F, 3, 2) of the pencil's skin, `n_sides` corners around."""
    round_m = 0.25 * RADIUS_M
    profile = np.array(
        [(0, 0), (TIP_M, 0.3 * TIP_M), (RADIUS_M, CONE_M), (RADIUS_M, LENGTH_M - round_m)]
        + [(RADIUS_M - round_m, LENGTH_M), (0, LENGTH_M)]
    )
    turn = 2 * np.pi * np.arange(n_sides + 1) / n_sides  # the seam's vertices are doubled for the UV
    radius, height = profile[:, :1], profile[:, 1]
    vertices = np.stack(
        [radius * np.cos(turn), radius * np.sin(turn), np.repeat(height[:, None], n_sides + 1, 1)], axis=2
    )
    uv = np.stack(np.broadcast_arrays(turn / (2 * np.pi), 1 - height[:, None] / LENGTH_M), axis=2)
    bands = []
    for ring in range(len(profile) - 1):
        low = ring * (n_sides + 1) + np.arange(n_sides)
        high = low + n_sides + 1
        if ring > 0:  # the lowest ring is one point: no edge along it
            bands.append(np.stack([low, low + 1, high + 1], axis=1))
        if ring < len(profile) - 2:  # nor along the highest
            bands.append(np.stack([low, high + 1, high], axis=1))
    faces = np.concatenate(bands)
    return vertices.reshape(-1, 3) - (0, 0, LENGTH_M / 2), faces, uv.reshape(-1, 2)[faces]


def add_pencil(spec: Any, *, barrel: dict[str, Any], tip: dict[str, Any]) -> None:
    """Adds a free body `pencil`, its middle at the origin and its tip downwards, and draws it.

    Args:
        spec: The MjSpec being built.
        barrel: Contact of the barrel, a cylinder.
        tip: Contact of the blunt tip, a sphere.
    """
    import mujoco

    pencil = spec.worldbody.add_body(name="pencil")
    pencil.add_freejoint(name="pencil")
    given: dict[str, Any] = {"density": 800, "group": 3}
    size, at = [RADIUS_M, (LENGTH_M - CONE_M) / 2, 0], [0, 0, CONE_M / 2]
    pencil.add_geom(name="barrel", type=mujoco.mjtGeom.mjGEOM_CYLINDER, size=size, pos=at, **given, **barrel)
    size, at = [TIP_M, 0, 0], [0, 0, TIP_M - LENGTH_M / 2]
    pencil.add_geom(name="tip", type=mujoco.mjtGeom.mjGEOM_SPHERE, size=size, pos=at, **given, **tip)
    vertices, faces, uv = pencil_skin()
    add_textured_mesh(spec, pencil, name="skin", vertices=vertices, faces=faces, uv=uv, image=pencil_image())
