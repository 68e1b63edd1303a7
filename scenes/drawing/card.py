"""How is a drawn picture laid on a flat thing: a wooden table top, or a card with words on it?"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from .textured import add_textured_mesh

_WOOD_RGB = (196.0, 158.0, 114.0)


def slab(half_x_m: float, half_y_m: float, half_z_m: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Vertices (8, 3), faces (12, 3) and UV (12, 3, 2) of a box whose top and bottom show the whole picture.

    The picture's upper edge lies at +y and its right edge at +x; the sides repeat the picture's border.
    """
    signs = np.array([(x, y, z) for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)], dtype=float)
    quads = np.array([(4, 5, 7, 6), (2, 3, 1, 0), (0, 1, 5, 4), (3, 2, 6, 7), (1, 3, 7, 5), (2, 0, 4, 6)])
    faces = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
    uv = np.stack([0.5 + 0.5 * signs[:, 0], 0.5 - 0.5 * signs[:, 1]], axis=1)[faces]
    return signs * (half_x_m, half_y_m, half_z_m), faces, uv


@lru_cache(maxsize=4)
def wood_image(size_px: tuple[int, int] = (192, 256), *, n_planks: int = 4) -> np.ndarray:
    """(H, W, 3) uint8 picture of planks whose grain runs along the width."""
    import cv2

    rng = np.random.default_rng(20240229)  # fixed: a drawing, not a draw
    height, width = size_px
    image = np.empty((height, width, 3), dtype=np.uint8)
    edges = np.linspace(0, height, n_planks + 1).astype(int)
    for top, bottom in zip(edges[:-1], edges[1:], strict=True):
        rows = bottom - top
        grain = np.zeros((rows, width))
        for n_across, n_along, strength in ((rows // 12 + 1, 3, 9.0), (rows // 3 + 1, 7, 6.0), (rows, 24, 3.5)):
            noise = rng.standard_normal((n_across, n_along)).astype(np.float32)
            grain += strength * cv2.resize(noise, (width, rows), interpolation=cv2.INTER_CUBIC)
        tone = (grain + rng.normal(0, 6))[..., None] * (1.0, 0.85, 0.65) + _WOOD_RGB
        tone[-1] *= 0.72  # the joint between two planks
        image[top:bottom] = np.clip(tone, 0, 255)
    return image


@lru_cache(maxsize=8)
def words_image(text: str, size_px: tuple[int, int]) -> np.ndarray:
    """(H, W, 3) uint8 picture of a cream card with a frame and one line of dark words."""
    import cv2

    height, width = size_px
    image = np.full((height, width, 3), (247, 241, 222), dtype=np.uint8)
    margin = height // 12
    cv2.rectangle(image, (margin, margin), (width - 1 - margin, height - 1 - margin), (176, 58, 46), 2, cv2.LINE_AA)
    font, thick = cv2.FONT_HERSHEY_DUPLEX, 2
    (wide, high), _ = cv2.getTextSize(text, font, 1.0, thick)
    scale = min(0.78 * width / wide, 0.42 * height / high)
    (wide, high), _ = cv2.getTextSize(text, font, scale, thick)
    at = ((width - wide) // 2, (height + high) // 2)
    cv2.putText(image, text, at, font, scale, (40, 36, 44), thick, cv2.LINE_AA)
    return image


def add_table(spec: Any, *, half_x_m: float = 0.6, half_y_m: float = 0.4) -> None:
    """Adds a wooden table to the world: a drawn top, and an unseen infinite plane at height 0 that bears things."""
    import mujoco

    spec.worldbody.add_geom(name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[1, 1, 0.01], group=3)
    vertices, faces, uv = slab(half_x_m, half_y_m, 0.01)
    top = vertices - (0, 0, 0.01)
    add_textured_mesh(
        spec, spec.worldbody, name="table", vertices=top, faces=faces, uv=uv, image=wood_image(), specular=0.1
    )


def add_sign(spec: Any, text: str, *, position_m: Any, turn: np.ndarray, half_m: tuple[float, float]) -> None:
    """Adds a card with words to the world; nothing can touch it.

    Args:
        spec: The MjSpec being built.
        text: The words.
        position_m: (3,) centre of the card.
        turn: (3, 3) rotation of the card's frame (x to the right of the words, z out of the card) to the world.
        half_m: Half of its width and height.
    """
    vertices, faces, uv = slab(half_m[0], half_m[1], 0.0008)
    placed = vertices @ turn.T + position_m
    image = words_image(text, (round(160 * half_m[1] / half_m[0]), 160))
    add_textured_mesh(spec, spec.worldbody, name="sign", vertices=placed, faces=faces, uv=uv, image=image, specular=0.0)
