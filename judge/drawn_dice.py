"""What do dice of many colours look like from above, drawn in two dimensions?

The scene's own die is ivory with dark pips. Dice in photographs are of any colour, and generators repaint them. Only
the count of the pips decides, so these drawings vary everything else: colours of body and pips, marbling, gloss,
size, tilt, ground, neighbours cut by the border, and how the die slides and spins into place.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

_GRID = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    5: ((-1, -1), (-1, 1), (1, -1), (1, 1), (0, 0)),
    6: ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
}
_FACE_PX = 96
_OVER = 2
"""The picture is drawn this many times larger and then averaged."""


@dataclass(frozen=True, kw_only=True)
class Still:
    """A drawn picture of dice at rest."""

    ground: np.ndarray
    """(H, W, 3) uint8 the ground with its neighbours, without the die."""
    die: np.ndarray
    """(H, W, 4) float32 the die and its shadow: colour times opacity, and opacity, 0 to 255 and 0 to 1."""
    column: float
    row: float
    """Centre of the die, in shares of width and height."""
    diameter: float
    """Diameter of its bounding sphere, as a share of the height."""


def _field(rng: np.random.Generator, size: int, cells: int) -> np.ndarray:
    """(size, size, 1) smooth random numbers between 0 and 1."""
    import cv2

    coarse = rng.uniform(0, 1, (cells, cells)).astype(np.float32)
    return cv2.resize(coarse, (size, size), interpolation=cv2.INTER_CUBIC).clip(0, 1)[..., None]


def _colours(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Two body colours (they mix) and the colour of the pips, which stands out from both."""
    while True:
        body = (
            rng.uniform(0, 255, 3) if rng.uniform() < 0.6 else rng.choice([20.0, 60.0, 225.0]) + rng.uniform(-20, 20, 3)
        )
        other = np.clip(body + rng.normal(0, 60, 3), 0, 255) if rng.uniform() < 0.35 else body
        kind = rng.uniform()
        pips = (
            rng.uniform(225, 255, 3)
            if kind < 0.45
            else rng.uniform(0, 35, 3)
            if kind < 0.75
            else rng.uniform(0, 255, 3)
        )
        luma = np.array([0.3, 0.59, 0.11])
        gaps = [abs(float(luma @ (pips - c))) + 0.25 * float(np.abs(pips - c).max()) for c in (body, other)]
        if min(gaps) > 55:
            return body.clip(0, 255), other, pips


@dataclass(frozen=True, kw_only=True)
class _Style:
    """What all faces of one die share."""

    body: np.ndarray
    other: np.ndarray
    pips: np.ndarray
    pip_radius: float
    spread: float
    corner: float
    gloss: float


def _style(rng: np.random.Generator) -> _Style:
    body, other, pips = _colours(rng)
    return _Style(
        body=body,
        other=other,
        pips=pips,
        pip_radius=float(rng.uniform(0.065, 0.125)),
        spread=float(rng.uniform(0.22, 0.29)),
        corner=float(rng.uniform(0.03, 0.3)),
        gloss=float(rng.uniform(0, 1)) ** 2,
    )


def _face(count: int, style: _Style, rng: np.random.Generator) -> np.ndarray:
    """(96, 96, 3) float32 one face."""
    import cv2

    mix = _field(rng, _FACE_PX, 5)
    face = (style.body * mix + style.other * (1 - mix)).astype(np.float32)
    radius = style.pip_radius * (rng.uniform(1.0, 1.5) if count == 1 else 1.0)
    turned = bool(rng.integers(2))
    mirrored = 1 if rng.integers(2) else -1
    layer = np.zeros((_FACE_PX, _FACE_PX), np.float32)
    for x, y in _GRID[count]:
        x, y = (y, x) if turned else (x, y)
        at = 0.5 + style.spread * np.array([x * mirrored, y])
        cv2.circle(layer, tuple((at * _FACE_PX * 16).astype(int)), int(radius * _FACE_PX * 16), 1.0, -1, cv2.LINE_AA, 4)
    return face * (1 - layer[..., None]) + style.pips.astype(np.float32) * layer[..., None]


def _cube(rng: np.random.Generator, yaw: float, lean: np.ndarray) -> np.ndarray:
    """(8, 2) corners of a unit cube seen from above, top four first, in edges from the centre of its top face."""
    square = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])
    turn = np.array([[np.cos(yaw), -np.sin(yaw)], [np.sin(yaw), np.cos(yaw)]])
    top = square @ turn.T
    squash = 1 - 0.5 * float(lean @ lean)
    way = lean / max(float(np.linalg.norm(lean)), 1e-9)
    top = top - (1 - squash) * np.outer(top @ way, way)  # the lean shortens the top face along its own direction
    return np.concatenate([top, top * rng.uniform(0.86, 1.0) + lean])


def _paint(canvas: np.ndarray, at: np.ndarray, edge: float, count: int, rng: np.random.Generator) -> None:
    """Adds a die with its shadow to the (H, W, 4) canvas of colour times opacity, and opacity."""
    import cv2

    height, width = canvas.shape[:2]
    style, lean = _style(rng), rng.uniform(0, 0.5) * _way(rng)
    corners = (_cube(rng, rng.uniform(0, 2 * np.pi), lean) * edge + at).astype(np.float32)
    hull = cv2.convexHull(corners)[:, 0]
    middle = hull.mean(axis=0)
    round_px = max(1, round(style.corner * edge * 0.5))
    shadow = np.zeros((height, width), np.float32)
    offset = edge * rng.uniform(0, 0.35) * _way(rng)
    cv2.fillConvexPoly(shadow, np.round(hull + offset).astype(np.int32), float(rng.uniform(0.1, 0.6)))
    shadow = cv2.GaussianBlur(shadow, (0, 0), float(edge * rng.uniform(0.04, 0.25)))
    mask = np.zeros((height, width), np.uint8)
    inner = middle + (hull - middle) * (1 - min(0.6, 2.4 * round_px / edge))
    cv2.fillConvexPoly(mask, np.round(inner).astype(np.int32), 255, cv2.LINE_AA)
    mask = cv2.dilate(mask, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * round_px + 1, 2 * round_px + 1)))
    solid = (mask / 255).astype(np.float32)[..., None]
    colour = np.broadcast_to((style.body * rng.uniform(0.5, 0.95)).astype(np.float32), (height, width, 3)).copy()
    sides = rng.permutation([k for k in range(1, 7) if k not in (count, 7 - count)])
    faces = [
        (np.array([k, (k + 1) % 4, 4 + (k + 1) % 4, 4 + k]), int(sides[k]), rng.uniform(0.4, 1.0)) for k in range(4)
    ]
    seen = [f for f in faces if float((corners[f[0]].mean(axis=0) - corners[:4].mean(axis=0)) @ lean) > 0]
    for index, pips, light in [*seen, (np.arange(4), count, 1.0)]:
        source = np.array([[0, 0], [_FACE_PX, 0], [_FACE_PX, _FACE_PX], [0, _FACE_PX]], np.float32)
        matrix = cv2.getPerspectiveTransform(source, np.ascontiguousarray(corners[index]))
        face = cv2.warpPerspective(_face(pips, style, rng) * light, matrix, (width, height))
        area = cv2.warpPerspective(_rounded(style.corner), matrix, (width, height))[..., None]
        colour = colour * (1 - area) + face * area
    shine = _field(rng, 16, 4)[..., 0] ** 4 * 220 * style.gloss
    colour = colour + cv2.resize(shine, (width, height), interpolation=cv2.INTER_CUBIC)[..., None]
    colour = colour.clip(0, 255)
    dark = shadow[..., None] * (1 - canvas[..., 3:])
    canvas *= 1 - solid
    canvas[..., 3:] += dark * (1 - solid) + solid
    canvas[..., :3] += colour * solid


def _way(rng: np.random.Generator) -> np.ndarray:
    angle = rng.uniform(0, 2 * np.pi)
    return np.array([np.cos(angle), np.sin(angle)])


def _rounded(corner: float) -> np.ndarray:
    """(96, 96) opacity of a face with round corners."""
    import cv2

    mask = np.zeros((_FACE_PX, _FACE_PX), np.float32)
    inset = max(2, round(corner * _FACE_PX * 0.8))
    cv2.rectangle(mask, (inset, inset), (_FACE_PX - 1 - inset, _FACE_PX - 1 - inset), 1.0, -1)
    mask = cv2.dilate(mask, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * inset - 1, 2 * inset - 1)))
    return cv2.GaussianBlur(mask, (0, 0), 2)


def _ground(size: int, rng: np.random.Generator) -> np.ndarray:
    """(size, size, 4) plain, mottled, grained or felt-like ground with light that falls off."""
    base = rng.uniform(20, 250, 3) if rng.uniform() < 0.6 else rng.uniform(90, 245) + rng.uniform(-10, 10, 3)
    picture = np.broadcast_to(base, (size, size, 3)) * (0.75 + 0.4 * _field(rng, size, int(rng.integers(2, 6))))
    if rng.uniform() < 0.4:
        grain = _field(rng, size, int(rng.integers(20, size // 3)))
        stretched = np.repeat(grain[:, :1], size, axis=1) if rng.uniform() < 0.5 else grain
        picture = picture * (0.8 + 0.3 * stretched)
    return np.concatenate([picture, np.ones((size, size, 1))], axis=2).clip(0, 255).astype(np.float32)


def still(count: int, size_px: int, rng: np.random.Generator) -> Still:
    """A die that shows `count` on top, lying near the middle of a square picture."""
    import cv2

    size = size_px * _OVER
    edge = size * float(np.exp(rng.uniform(np.log(0.2), np.log(0.6))))
    at = size * (0.5 + rng.uniform(-0.1, 0.1, 2))
    ground = _ground(size, rng)
    for _ in range(int(rng.choice([0, 0, 1, 2]))):
        # A neighbour is cut by the border: its centre lies on or beyond it, well away from the die.
        side = rng.integers(4)
        along, beyond = rng.uniform(0, size), edge * rng.uniform(-0.25, 0.45)
        neighbour = np.array([(along, -beyond), (size + beyond, along), (along, size + beyond), (-beyond, along)][side])
        if np.linalg.norm(neighbour - at) > 1.35 * edge:
            _paint(ground, neighbour, edge * rng.uniform(0.9, 1.1), int(rng.integers(1, 7)), rng)
    die = np.zeros((size, size, 4), np.float32)
    _paint(die, at, edge, count, rng)
    out = (size_px, size_px)
    share = at / size
    return Still(
        ground=cv2.resize(ground[..., :3].clip(0, 255).astype(np.uint8), out, interpolation=cv2.INTER_AREA),
        die=cv2.resize(die, out, interpolation=cv2.INTER_AREA),
        column=float(share[0]),
        row=float(share[1]),
        diameter=1.6 * edge / size,
    )


def sliding(
    scene: Still, time_s: np.ndarray, rng: np.random.Generator, *, rests_s: float
) -> tuple[np.ndarray, np.ndarray]:
    """The die, or the whole picture, slides and spins into its place until `rests_s`.

    Returns:
        Frames (T, H, W, 3) uint8, and the place of the die's centre in each, (T, 2) column and row in shares.
    """
    import cv2

    height, width = scene.ground.shape[:2]
    whole = bool(rng.uniform() < 0.4)
    start, turn = rng.uniform(0.15, 0.7) * _way(rng) * width, np.degrees(rng.uniform(-4, 4))
    centre = (scene.column * width, scene.row * height)
    border = cv2.BORDER_REFLECT_101 if whole else cv2.BORDER_CONSTANT
    ground = scene.ground.astype(np.float32)
    frames, path = [], []
    for t in np.asarray(time_s, dtype=float):
        left = max(0.0, 1 - float(t) / rests_s) ** 2 if rests_s > 0 else 0.0
        matrix = cv2.getRotationMatrix2D(centre, float(turn * left), 1.0)
        matrix[:, 2] += start * left
        layer = scene.die if whole else cv2.warpAffine(scene.die, matrix, (width, height), borderMode=border)
        picture = ground * (1 - layer[..., 3:]) + layer[..., :3]
        if whole:
            picture = cv2.warpAffine(picture, matrix, (width, height), borderMode=border)
        frames.append(picture.clip(0, 255).astype(np.uint8))
        path.append((np.array(centre) + start * left) / (width, height))
    return np.stack(frames), np.array(path)
