"""What do dice of many makes look like from above, on any ground?

The scene's own die is ivory with dark pips. Dice in photographs are of any colour, and generators repaint them. Only
the count of the pips decides, so these drawings vary everything else: colours of body and pips, marbling, gloss,
shape, size, tilt, light, ground, neighbours, and how the die slides and spins into place.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .dice_rays import REACH, die_picture, random_stand
from .dice_style import random_style
from .lens import through_lens
from .lesson import CLOSE_STORED_PX, STORED_PER_SEEN
from .views import SIDE_PER_DIAMETER

_OVER = 2
"""The picture is drawn this many times larger and then averaged."""
_FINEST_EDGE_PX = 50.0
_DIAMETER = 1.6
"""Of a die's bounding sphere, in edges: its corners are round."""
_MISJUDGED = 0.28
"""Spread of the logarithm of the size at which a close look shows a die."""


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


def _paint(canvas: np.ndarray, at: np.ndarray, edge: float, count: int, rng: np.random.Generator) -> None:
    """Adds a die with its shadow to the (H, W, 4) canvas of colour times opacity, and opacity."""
    import cv2

    height, width = canvas.shape[:2]
    coarse = max(1.0, edge / _FINEST_EDGE_PX)  # a large die is drawn smaller: its pips are large enough
    size = 2 * int(np.ceil(REACH * edge / 2 / coarse)) + 2
    picture = die_picture(random_style(rng), random_stand(count, rng), size, edge / 2 / coarse, rng)
    picture[..., :3] *= picture[..., 3:]
    matrix = np.array([[coarse, 0, at[0] - coarse * size / 2], [0, coarse, at[1] - coarse * size / 2]])
    layer = cv2.warpAffine(picture, matrix, (width, height), flags=cv2.INTER_LINEAR)
    colour, solid = layer[..., :3], layer[..., 3:]
    shadow = np.zeros((height, width), np.float32)
    for strength, far, soft in ((rng.uniform(0.1, 0.6), 0.35, rng.uniform(0.06, 0.3)), (0.5, 0.05, 0.06)):
        shift = edge * rng.uniform(0, far) * _way(rng)
        moved = cv2.warpAffine(layer[..., 3], np.array([[1, 0, shift[0]], [0, 1, shift[1]]]), (width, height))
        shadow = np.maximum(shadow, float(strength) * cv2.GaussianBlur(moved, (0, 0), float(edge * soft)))
    dark = shadow[..., None] * (1 - canvas[..., 3:])
    canvas *= 1 - solid
    canvas[..., 3:] += dark * (1 - solid) + solid
    canvas[..., :3] += colour


def _way(rng: np.random.Generator) -> np.ndarray:
    angle = rng.uniform(0, 2 * np.pi)
    return np.array([np.cos(angle), np.sin(angle)])


def _ground(size: int, rng: np.random.Generator) -> np.ndarray:
    """(size, size, 4) plain, mottled, grained or felt-like ground with light that falls off."""
    base = rng.uniform(20, 250, 3) if rng.uniform() < 0.6 else rng.uniform(90, 245) + rng.uniform(-10, 10, 3)
    picture = np.broadcast_to(base, (size, size, 3)) * (0.75 + 0.4 * _field(rng, size, int(rng.integers(2, 6))))
    if rng.uniform() < 0.4:
        grain = _field(rng, size, int(rng.integers(20, size // 3)))
        stretched = np.repeat(grain[:, :1], size, axis=1) if rng.uniform() < 0.5 else grain
        picture = picture * (0.8 + 0.3 * stretched)
    if rng.uniform() < 0.25:  # the shade of a wall, or the end of the table
        across = np.arange(size) - size / 2
        far = np.add.outer(*(across * _way(rng)[:, None])) - rng.uniform(-0.5, 0.5) * size
        wall = 1 / (1 + np.exp(-np.clip(far / (size * rng.uniform(0.005, 0.1)), -30, 30)))[..., None]
        picture = picture * (1 + rng.uniform(-0.5, 0.4) * wall)
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
        diameter=_DIAMETER * edge / size,
    )


def close_die(count: int, rng: np.random.Generator) -> np.ndarray:
    """(96, 96, 3) uint8 a stored close look at a die that shows `count`; its size and place are not quite right."""
    import cv2

    size_px = CLOSE_STORED_PX
    size = size_px * _OVER
    edge = size / (_DIAMETER * SIDE_PER_DIAMETER * STORED_PER_SEEN) * float(np.exp(rng.normal(0, _MISJUDGED)))
    edge = min(edge, 0.55 * size)
    at = size / 2 + 0.08 * edge * rng.normal(size=2)
    picture = _ground(size, rng)
    for _ in range(int(rng.choice([0, 0, 1, 2, 3]))):
        neighbour = at + edge * rng.uniform(1.2, 2.0) * _way(rng)
        _paint(picture, neighbour, edge * rng.uniform(0.85, 1.15), int(rng.integers(1, 7)), rng)
    _paint(picture, at, edge, count, rng)
    picture = picture[..., :3].clip(0, 255).astype(np.uint8)
    if rng.uniform() < 0.6:  # most cameras have more pixels than the close look
        picture = through_lens(picture[None], rng).frames[0]
        return cv2.resize(picture, (size_px, size_px), interpolation=cv2.INTER_AREA)
    picture = cv2.resize(picture, (size_px, size_px), interpolation=cv2.INTER_AREA)
    return np.asarray(through_lens(picture[None], rng).frames[0])


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
