"""How does a generator break the pixels of a clip, on the main body and everywhere?

Each function changes drawn frames (T, H, W, 3) from the moment on at which `after` begins to grow. The simulator tells
where the body is, never the pixels.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """What a fault may depend on."""

    strength: float
    """From 0 (weakest) to 1."""
    after: np.ndarray
    """(T,) 0 until the fault begins, then growing to 1."""
    centre_px: np.ndarray
    """(T, 2) column and row of the middle of the main body."""
    radius_px: np.ndarray
    """(T,) radius of the circle around it."""
    rng: np.random.Generator


def melts(frames: np.ndarray, drawn: Drawn) -> np.ndarray:
    """The body flows, and its marks with it."""
    phase = drawn.rng.uniform(0, 2 * np.pi, 4)

    def waved(at: np.ndarray, share: float) -> np.ndarray:  # at (H, W, 2), in radii
        depth = (0.35 + 0.35 * drawn.strength) * share
        bent = np.stack([np.sin(4 * at[..., 1] + phase[0]), np.sin(5 * at[..., 0] + phase[1])], axis=-1)
        return at + depth * bent

    return _warped(frames, drawn, waved)


def grows(frames: np.ndarray, drawn: Drawn) -> np.ndarray:
    """The body changes its size."""
    return _warped(frames, drawn, lambda at, share: at / (1 + (0.2 + 0.3 * drawn.strength) * share))


def mirrored(frames: np.ndarray, drawn: Drawn) -> np.ndarray:
    """The body becomes its own mirror image."""

    def turned(at: np.ndarray, share: float) -> np.ndarray:
        return np.where((share > 0.5) & (np.linalg.norm(at, axis=-1, keepdims=True) < 1.1), at * [-1, 1], at)

    return _warped(frames, drawn, turned, fading=False)


def changes_colour(frames: np.ndarray, drawn: Drawn) -> np.ndarray:
    """The body takes on a tint."""
    tint = np.roll([1.0, 0.55, 0.4], drawn.rng.integers(3)) ** (0.5 + drawn.strength)
    return _painted(frames, drawn, lambda part, share: part * (1 - share + share * tint))


def blank_marks(frames: np.ndarray, drawn: Drawn) -> np.ndarray:
    """The marks vanish from the body, which becomes of one colour."""

    def plain(part: np.ndarray, share: float) -> np.ndarray:
        mean = np.median(part.reshape(-1, 3), axis=0)
        return part + min(1.0, share * (0.7 + 0.3 * drawn.strength)) * (mean - part)

    return _painted(frames, drawn, plain, reach=0.62)


def extra_mark(frames: np.ndarray, drawn: Drawn) -> np.ndarray:
    """Blots that no such body has appear on it."""
    import cv2

    out = frames.copy()
    n = 2 + round(3 * drawn.strength)
    places = drawn.rng.uniform(-0.4, 0.4, (n, 2))
    for k in np.flatnonzero(drawn.after > 0):
        for place in places:
            column, row = drawn.centre_px[k] + place * drawn.radius_px[k]
            radius = max(1, round(0.16 * drawn.radius_px[k] * drawn.after[k]))
            cv2.circle(out[k], (round(column), round(row)), radius, (150, 20, 120), -1, cv2.LINE_AA)
    return out


def covered(frames: np.ndarray, drawn: Drawn) -> np.ndarray:
    """A hand, drawn as a blot of its colour, comes in and stays over the body."""
    import cv2

    out, (height, width) = frames.copy(), frames.shape[1:3]
    skin = drawn.rng.uniform((150, 100, 75), (230, 185, 160))
    for k in np.flatnonzero(drawn.after > 0):
        end = drawn.centre_px[k]
        start = np.array([width * 1.2, height * 0.5])
        column, row = start + drawn.after[k] * (end - start)
        thick = drawn.radius_px[k] * (1.3 + drawn.strength)
        cv2.line(out[k], (round(width * 1.2), round(height * 0.5)), (round(column), round(row)), skin, round(2 * thick))
    return out


def stranger_enters(frames: np.ndarray, drawn: Drawn) -> np.ndarray:
    """Another object rolls in and stops beside the body."""
    import cv2

    out, (height, width) = frames.copy(), frames.shape[1:3]
    colour = drawn.rng.uniform(40, 220, 3)
    for k in np.flatnonzero(drawn.after > 0):
        radius = drawn.radius_px[k] * (0.5 + 0.5 * drawn.strength)
        side = 1 if drawn.centre_px[k, 0] < width / 2 else -1
        gap = side * (1.2 * drawn.radius_px[k] + radius + (1 - drawn.after[k]) * width)
        centre = (round(drawn.centre_px[k, 0] + gap), round(min(drawn.centre_px[k, 1], height)))
        cv2.circle(out[k], centre, max(2, round(radius)), colour.tolist(), -1, cv2.LINE_AA)
    return out


def camera_cut(frames: np.ndarray, drawn: Drawn) -> np.ndarray:
    """From one frame to the next the camera is nearer."""
    import cv2

    out, size = frames.copy(), frames.shape[2:0:-1]
    scale = 1.2 + 0.4 * drawn.strength
    for k in np.flatnonzero(drawn.after > 0):
        column, row = drawn.centre_px[-1]
        matrix = np.array([[scale, 0, (1 - scale) * column], [0, scale, (1 - scale) * row]])
        out[k] = cv2.warpAffine(frames[k], matrix, size, borderMode=cv2.BORDER_REPLICATE)
    return out


def ghosting(frames: np.ndarray, drawn: Drawn) -> np.ndarray:
    """Each frame still shows the one before, but for the last, where all is at rest."""
    share = 0.25 + 0.25 * drawn.strength
    out = frames.copy()
    out[1:-1] = ((1 - share) * frames[1:-1] + share * frames[:-2] + 0.5).astype(np.uint8)
    return out


def flickers(frames: np.ndarray, drawn: Drawn) -> np.ndarray:
    """The brightness changes from frame to frame."""
    gain = 1 + (0.15 + 0.25 * drawn.strength) * drawn.rng.uniform(-1, 1, len(frames))
    return np.clip(frames * gain[:, None, None, None], 0, 255).astype(np.uint8)


def drifts(frames: np.ndarray, drawn: Drawn) -> np.ndarray:
    """Colours and contrast drift away from the first frame."""
    grown = (0.3 + 0.5 * drawn.strength) * np.linspace(0, 1, len(frames))[:, None, None, None]
    grey, tint = frames.mean(axis=(1, 2), keepdims=True), drawn.rng.uniform(-30, 30, 3)
    return np.clip(frames + grown * (0.5 * (frames - grey) + tint), 0, 255).astype(np.uint8)


def _warped(
    frames: np.ndarray, drawn: Drawn, source: Callable[[np.ndarray, float], np.ndarray], *, fading: bool = True
) -> np.ndarray:
    """Frames whose circle around the body is taken from elsewhere in it.

    Args:
        frames: (T, H, W, 3).
        drawn: Where the body is.
        source: Places (H, W, 2) in radii from the middle, share of the fault -> places from which the pixels come.
        fading: Whether the change fades out at one and a half radii.
    """
    import cv2

    out = frames.copy()
    rows, columns = np.mgrid[: frames.shape[1], : frames.shape[2]].astype(np.float32)
    grid = np.stack([columns, rows], axis=-1)
    for k in np.flatnonzero(drawn.after > 0):
        at = (grid - drawn.centre_px[k]) / drawn.radius_px[k]
        inside = np.clip(4 * (1.5 - np.linalg.norm(at, axis=-1)), 0, 1)[..., None] if fading else 1.0
        taken = at + inside * (source(at, float(drawn.after[k])) - at)
        sought = (drawn.centre_px[k] + drawn.radius_px[k] * taken).astype(np.float32)
        out[k] = cv2.remap(frames[k], sought[..., 0], sought[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return out


def _painted(
    frames: np.ndarray, drawn: Drawn, painted: Callable[[np.ndarray, float], np.ndarray], *, reach: float = 0.9
) -> np.ndarray:
    """Frames whose circle around the body, of `reach` radii, is painted over: pixels (n, 3), share -> pixels."""
    out = frames.copy()
    rows, columns = np.mgrid[: frames.shape[1], : frames.shape[2]]
    for k in np.flatnonzero(drawn.after > 0):
        column, row = drawn.centre_px[k]
        inside = np.hypot(columns - column, rows - row) < reach * drawn.radius_px[k]
        if inside.any():
            out[k][inside] = np.clip(painted(frames[k][inside].astype(float), float(drawn.after[k])), 0, 255)
    return out
