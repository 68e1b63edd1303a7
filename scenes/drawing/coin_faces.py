"""What do the two sides of a coin look like: a golden crown for heads, a silver one for tails?"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from .textured import add_textured_mesh

_GOLD, _GOLD_DARK = (236, 184, 62), (128, 74, 10)
_SILVER, _SILVER_DARK = (206, 214, 224), (42, 56, 84)


@lru_cache(maxsize=2)
def face_image(side: str, size_px: int = 128) -> np.ndarray:
    """(H, W, 3) uint8 picture of one side: `heads` is gold with a crown, `tails` is silver with a large 1.

    Raises:
        ValueError: `side` is neither.
    """
    import cv2

    if side not in ("heads", "tails"):
        raise ValueError(f"side must be heads or tails, got {side!r}")
    plain, dark = (_GOLD, _GOLD_DARK) if side == "heads" else (_SILVER, _SILVER_DARK)
    n = 4 * size_px  # drawn large, then reduced
    image = np.full((n, n, 3), plain, dtype=np.uint8)
    middle, line = (n // 2, n // 2), cv2.LINE_AA
    cv2.circle(image, middle, int(0.455 * n), dark, n // 40, line)
    for k in range(36):
        at = 0.405 * n * np.array([np.cos(k * np.pi / 18), np.sin(k * np.pi / 18)]) + n / 2
        cv2.circle(image, tuple(at.astype(int).tolist()), n // 90, dark, -1, line)
    if side == "heads":
        crown = [(-0.27, 0.20), (-0.31, -0.16), (-0.14, 0.02), (0, -0.25), (0.14, 0.02), (0.31, -0.16), (0.27, 0.20)]
        cv2.fillPoly(image, [(np.array(crown) * n + n / 2).astype(np.int32)], dark, line)
        for x, y in ((-0.31, -0.19), (0, -0.28), (0.31, -0.19)):
            cv2.circle(image, (int((0.5 + x) * n), int((0.5 + y) * n)), n // 26, dark, -1, line)
        cv2.line(image, (int(0.25 * n), int(0.665 * n)), (int(0.75 * n), int(0.665 * n)), plain, n // 45, line)
    else:
        one = [(-6, 24), (-6, -12), (-15, -6), (-15, -16), (-2, -27), (7, -27), (7, 24)]
        cv2.fillPoly(image, [(np.array(one) * n / 100 + n / 2).astype(np.int32)], dark, line)
        cv2.rectangle(image, (int(0.36 * n), int(0.70 * n)), (int(0.65 * n), int(0.76 * n)), dark, -1, line)
    return np.asarray(cv2.resize(image, (size_px, size_px), interpolation=cv2.INTER_AREA))


@lru_cache(maxsize=8)
def disc(radius_m: float, low_m: float, high_m: float, *, up: bool, n_sides: int = 40) -> tuple[np.ndarray, ...]:
    """Vertices (V, 3), faces (F, 3) and UV (F, 3, 2) of a flat disc about the z axis that shows a picture on one side.

    Args:
        radius_m: Radius.
        low_m: Height of its lower side.
        high_m: Height of its upper side.
        up: The picture reads upright from above; otherwise from below, after a turn about the x axis.
        n_sides: Corners of the rim.
    """
    turn = 2 * np.pi * np.arange(n_sides) / n_sides
    ring = np.stack([np.cos(turn), np.sin(turn)], axis=1) * radius_m
    vertices = np.concatenate([np.column_stack([ring, np.full(n_sides, z)]) for z in (low_m, high_m)])
    n, k = n_sides, np.arange(n_sides)
    after, inner = (k + 1) % n, k[1:-1]
    top = np.stack([np.full(n - 2, n), n + inner, n + inner + 1], axis=1)
    bottom = np.stack([np.zeros(n - 2, dtype=int), inner + 1, inner], axis=1)
    sides = np.concatenate([np.stack([k, after, n + after], axis=1), np.stack([k, n + after, n + k], axis=1)])
    faces = np.concatenate([top, bottom, sides])
    flip = -1.0 if up else 1.0
    uv = 0.5 + 0.5 / radius_m * vertices[:, :2] * (1.0, flip)
    return vertices, faces, uv[faces]


def add_faces(spec: Any, coin: Any, *, radius_m: float, half_m: float) -> None:
    """Draws heads on the upper side of a coin's body and tails on the lower, 4 % of the half thickness proud."""
    for side, low, high in (("heads", 0.9, 1.04), ("tails", -1.04, -0.9)):
        vertices, faces, uv = disc(0.97 * radius_m, low * half_m, high * half_m, up=side == "heads")
        name, image = f"mark_{side}", face_image(side)
        add_textured_mesh(spec, coin, name=name, vertices=vertices, faces=faces, uv=uv, image=image)
