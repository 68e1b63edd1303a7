"""What does a pencil look like: lead, sharpened wood, a painted barrel, a metal ferrule and an eraser?"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

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


@lru_cache(maxsize=4)
def pencil_skin(
    length_m: float, radius_m: float, cone_m: float, tip_radius_m: float, *, n_sides: int = 16
) -> tuple[np.ndarray, ...]:
    """Vertices (V, 3), faces (F, 3) and UV (F, 3, 2) of a pencil along z, its middle at the origin, tip downwards.

    Args:
        length_m: From tip to eraser.
        radius_m: Radius of the barrel.
        cone_m: Length of the sharpened part.
        tip_radius_m: Radius of the blunted tip.
        n_sides: Corners of the cross-section.
    """
    round_m = 0.25 * radius_m
    profile = np.array(
        [(0, 0), (tip_radius_m, 0.3 * tip_radius_m), (radius_m, cone_m), (radius_m, length_m - round_m)]
        + [(radius_m - round_m, length_m), (0, length_m)]
    )
    turn = 2 * np.pi * np.arange(n_sides + 1) / n_sides  # the seam's vertices are doubled for the UV
    radius, height = profile[:, :1], profile[:, 1]
    vertices = np.stack(
        [radius * np.cos(turn), radius * np.sin(turn), np.repeat(height[:, None], n_sides + 1, 1)], axis=2
    )
    uv = np.stack(np.broadcast_arrays(turn / (2 * np.pi), 1 - height[:, None] / length_m), axis=2)
    bands = []
    for ring in range(len(profile) - 1):
        low = ring * (n_sides + 1) + np.arange(n_sides)
        high = low + n_sides + 1
        if ring > 0:  # the lowest ring is one point: no edge along it
            bands.append(np.stack([low, low + 1, high + 1], axis=1))
        if ring < len(profile) - 2:  # nor along the highest
            bands.append(np.stack([low, high + 1, high], axis=1))
    faces = np.concatenate(bands)
    return vertices.reshape(-1, 3) - (0, 0, length_m / 2), faces, uv.reshape(-1, 2)[faces]
