"""What does a die look like to a camera: rounded, shining, its sides in view?

One ray for each pixel walks towards a cube with round edges until it meets it (sphere tracing: Hart, The Visual
Computer 12, 527, 1996). There the pips of the face, the lamps' reflections and the shade of the surface decide the
colour. Lengths are in half edges; the camera looks down along -z.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .dice_style import GRID, Style

_STEPS, _NEAR = 18, 0.003
REACH = 1.8
"""No part of a die is further from its centre, in the picture."""


@dataclass(frozen=True, kw_only=True)
class Stand:
    """How a die lies before the camera, and in what light."""

    turn: np.ndarray
    """(3, 3) rotation from the die's axes to the camera's; the last column is the way its upper face looks."""
    distance: float
    """From the camera to the die's centre."""
    faces: tuple[int, int, int, int, int, int]
    """Pips of the faces towards +x, -x, +y, -y, +z and -z."""
    ambient: float
    lamps: tuple[tuple[np.ndarray, float, float, float], ...]
    """Direction (3,), angle and width of the bright ring around it (a disc if wider than that), strength."""


def random_stand(count: int, rng: np.random.Generator) -> Stand:
    """A die that shows `count` on top, in any light; opposite faces add up to seven."""
    tilt = np.radians(min(abs(rng.normal(0, 14)), 36) if rng.uniform() < 0.85 else rng.uniform(0, 36))
    yaw, way = rng.uniform(0, 2 * np.pi, 2)
    faces = list(rng.permutation([k for k in (1, 2, 3) if k not in (count, 7 - count)]))
    x, y = (int(k if rng.integers(2) else 7 - k) for k in faces)
    lamps = []
    for k in range(int(rng.integers(1, 4))):
        # Lamps that a level face mirrors stand near the camera; the first one lights the die, wherever it is.
        lean = np.radians(abs(rng.normal(0, 12)) if k and rng.uniform() < 0.7 else rng.uniform(5, 65))
        angle = np.radians(rng.uniform(2, 22))
        width = angle * (rng.uniform(0.08, 0.4) if rng.uniform() < 0.7 else 1.5)
        lamps.append((_towards(lean, rng.uniform(0, 2 * np.pi)), float(angle), float(width), float(rng.uniform(0, 1))))
    return Stand(
        turn=_about(2, way) @ _about(0, tilt) @ _about(2, yaw),
        distance=float(rng.uniform(7, 30)),
        faces=(x, 7 - x, y, 7 - y, count, 7 - count),
        ambient=float(rng.uniform(0.3, 0.75)),
        lamps=tuple(lamps),
    )


def die_picture(style: Style, stand: Stand, size: int, scale: float, rng: np.random.Generator) -> np.ndarray:
    """(size, size, 4) float32 colour, 0 to 255, and opacity of a die in the middle of a picture.

    Args:
        style: Its make.
        stand: How it lies.
        size: Side of the picture in pixels.
        scale: Pixels in half an edge.
        rng: Source of clouds, speckles and the way the pips of a face are turned.
    """
    across = ((np.arange(size) + 0.5 - size / 2) / scale).astype(np.float32)
    x, y = (part.ravel() for part in np.meshgrid(across, across))
    rays = np.stack([x, y, np.full_like(x, -stand.distance)], 1)
    rays /= np.linalg.norm(rays, axis=1, keepdims=True)
    turn = stand.turn.astype(np.float32)
    rays, eye = rays @ turn, np.array([0, 0, stand.distance], np.float32) @ turn  # in the die's own axes
    walking = np.flatnonzero(x**2 + y**2 < REACH**2)
    walked, ways = np.full(len(walking), stand.distance - REACH, np.float32), [rays[walking, k] for k in range(3)]
    least, at = np.full(len(rays), REACH, np.float32), np.zeros(len(rays), np.float32)
    for _ in range(_STEPS):
        gap = _gap([e + way * walked for e, way in zip(eye, ways, strict=True)], style)
        nearer = gap < least[walking]
        least[walking[nearer]], at[walking[nearer]] = gap[nearer], walked[nearer]
        on = gap > _NEAR
        walking, walked, ways = walking[on], (walked + gap)[on], [way[on] for way in ways]
    points = eye + rays * at[:, None]  # where the ray is nearest to the die
    opacity = np.clip(1 - (least - _NEAR) * scale, 0, 1)
    seen = opacity > 0
    colour = np.zeros((size * size, 4), np.float32)
    if seen.any():
        colour[seen, :3] = _shaded(points[seen], rays[seen], style, stand, 1 / scale, rng)
    colour[:, 3] = opacity
    return colour.reshape(size, size, 4)


def _gap(points: list[np.ndarray], style: Style) -> np.ndarray:
    """(N,) how far points, three times (N,), are from the surface, at least."""
    beyond = [np.abs(part) - np.float32(1 - style.corner) for part in points]
    outside = [np.maximum(part, 0) ** 2 for part in beyond]
    inside = np.minimum(np.maximum(np.maximum(beyond[0], beyond[1]), beyond[2]), 0)
    gap = np.sqrt(outside[0] + outside[1] + outside[2]) + inside - np.float32(style.corner)
    if style.ball < np.sqrt(3):
        gap = np.maximum(gap, np.sqrt(points[0] ** 2 + points[1] ** 2 + points[2] ** 2) - np.float32(style.ball))
    return np.asarray(gap)


def _normals(points: np.ndarray, style: Style) -> np.ndarray:
    """(N, 3) ways in which the surface looks at points on it."""
    away = np.sign(points) * np.maximum(np.abs(points) - (1 - style.corner), 0)
    if style.ball < np.sqrt(3):
        on_ball = np.linalg.norm(points, axis=1) > style.ball - 0.02
        away[on_ball] = points[on_ball]
    away += 1e-4 * points
    return away / np.linalg.norm(away, axis=1, keepdims=True)


def _shaded(
    points: np.ndarray, rays: np.ndarray, style: Style, stand: Stand, pixel: float, rng: np.random.Generator
) -> np.ndarray:
    """(N, 3) colours of points on the surface that the rays (N, 3) meet; `pixel` is the side of a pixel."""
    clouds = _clouds(points, style.clouds, rng)
    paint = style.body * clouds + style.other * (1 - clouds)
    if style.speckles:
        grain = rng.uniform(size=(len(points), 1)) < style.speckles
        paint = np.where(grain, paint * 0.4 + 0.6 * rng.choice([0.0, 255.0]), paint)
    normals, axis = _normals(points, style), np.abs(points).argmax(axis=1)
    bent = normals + style.dome * points * (np.arange(3) != axis[:, None])
    for face, count in enumerate(stand.faces):
        rows = (axis == face // 2) & ((points[:, face // 2] > 0) == (face % 2 == 0))
        if rows.any():
            u, v = (k for k in range(3) if k != face // 2)
            _mark(paint, bent, rows, points[:, [u, v]], (u, v), count, style, pixel, rng)
    bent /= np.linalg.norm(bent, axis=1, keepdims=True)
    mirrored = rays - 2 * np.einsum("na,na->n", rays, bent)[:, None] * bent
    facing = np.clip(-np.einsum("na,na->n", rays, bent), 0, 1)
    light, shine = np.full(len(points), stand.ambient), np.zeros(len(points))
    for k, (way, angle, width, strength) in enumerate(stand.lamps):
        towards = way @ stand.turn
        light = light + (0.45 if k == 0 else 0.2 * strength) * np.clip(bent @ towards, 0, 1)
        off = np.abs(np.arccos(np.clip(mirrored @ towards, -1, 1)) - angle)
        shine += strength * np.clip(1.5 - off / (0.5 * width), 0, 1)
    shine = np.minimum(shine, 1) * style.gloss * 230 + style.gloss * 90 * (1 - facing) ** 3
    return np.clip(paint * light[:, None] + shine[:, None], 0, 255)


def _mark(
    paint: np.ndarray,
    bent: np.ndarray,
    rows: np.ndarray,
    places: np.ndarray,
    axes: tuple[int, int],
    count: int,
    style: Style,
    pixel: float,
    rng: np.random.Generator,
) -> None:
    """Puts the pips of one face on `paint` (N, 3) and bends the surface `bent` (N, 3) to their hollows."""
    rows, places = np.flatnonzero(rows), places[rows]
    flip, swap = rng.choice([-1, 1]), bool(rng.integers(2))
    radius, ink = (style.one_radius, style.ones) if count == 1 else (style.pip_radius, style.pips)
    for at in GRID[count]:
        middle = style.spread * np.array(at[::-1] if swap else at) * (flip, 1)
        gap = places - middle
        off = np.sqrt(gap[:, 0] ** 2 + gap[:, 1] ** 2)
        near = off < 1.5 * radius
        gap, off, at_pip = gap[near], off[near], rows[near]
        inside = np.clip(0.5 - (off - radius) / max(pixel, 0.02), 0, 1)[:, None]
        ring = np.clip(1 - np.abs(off - 1.15 * radius) / (0.25 * radius), 0, 1)[:, None]
        paint[at_pip] = (paint[at_pip] * (1 + style.rim * ring)) * (1 - inside) + ink * inside
        bent[at_pip[:, None], axes] -= style.hollow * inside * gap / radius


def _clouds(points: np.ndarray, per_edge: float, rng: np.random.Generator) -> np.ndarray:
    """(N, 1) from 0 to 1: waves in the solid, bent by other waves."""
    way = rng.normal(size=(3, 3)) * per_edge * 2
    phase = rng.uniform(0, 2 * np.pi, 3)
    bend = np.sin(points @ way[0] + phase[0]) + np.sin(points @ way[1] + phase[1])
    return np.clip(0.5 + rng.uniform(0.4, 1.5) * np.sin(points @ way[2] + 1.5 * bend + phase[2]), 0, 1)[:, None]


def _towards(lean: float, way: float) -> np.ndarray:
    """(3,) unit vector that leans from the camera's axis."""
    return np.array([np.sin(lean) * np.cos(way), np.sin(lean) * np.sin(way), np.cos(lean)])


def _about(axis: int, angle: float) -> np.ndarray:
    """(3, 3) rotation about a coordinate axis."""
    u, v = ((1, 2), (2, 0), (0, 1))[axis]
    turn = np.eye(3)
    turn[u, u] = turn[v, v] = np.cos(angle)
    turn[u, v], turn[v, u] = -np.sin(angle), np.sin(angle)
    return turn
