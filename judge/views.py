"""At which moments and at which sizes does the judge look at a clip?

Eight moments: the first frame, three spread over the clip and four in the last 0.6 s, where the outcome is. All of
them are seen small, the last one larger, and the last and an earlier one once more from close by, around the moving
object.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

N_FRAMES = 8
GLANCE_PX = 80
LAST_PX = 176
CLOSE_PX = 64
"""Side of the pictures that the network sees: small frames, the last frame, the close look."""
EARLIER = -3
"""Which of the eight frames is also seen from close by, besides the last."""
_EARLY_SHARES = (0.0, 0.25, 0.5, 0.7)
_BEFORE_END_S = (0.6, 0.4, 0.2, 0.0)
SIDE_PER_DIAMETER = 1.4
"""Side of the close look, in diameters of the object's bounding sphere ..."""
LEAST_SIDE = 0.15
"""... but at least this share of the picture's height, so that what lies around a small ball is seen."""


@dataclass(frozen=True, kw_only=True)
class Box:
    """A square part of a picture, in shares of its size."""

    column: float
    """Centre, as a share of the width."""
    row: float
    """Centre, as a share of the height."""
    side: float
    """Side, as a share of the height."""


def look_times(duration_s: float) -> np.ndarray:
    """(8,) ascending times from the first frame at which a clip of that duration (first to last frame) is looked at."""
    early = [share * duration_s for share in _EARLY_SHARES]
    late = [max(0.0, duration_s - before) for before in _BEFORE_END_S]
    return np.sort(np.array(early + late))


def around(column: float, row: float, diameter: float) -> Box:
    """The box of the close look at an object; centre and diameter are shares, as in Box."""
    return Box(column=column, row=row, side=float(np.clip(SIDE_PER_DIAMETER * diameter, LEAST_SIDE, 1.2)))


def resized(frames: np.ndarray, side_px: int) -> np.ndarray:
    """(T, side, side, 3) the frames (T, H, W, 3) squeezed into a square."""
    import cv2

    size = (side_px, side_px)
    shrinks = frames.shape[1] >= side_px and frames.shape[2] >= side_px
    how = cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR
    return np.stack([cv2.resize(frame, size, interpolation=how) for frame in frames])


def glance_and_last(frames: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The eight frames (8, H, W, 3) for the network: all but the last small (7, 80, 80, 3), the last (176, 176, 3)."""
    if len(frames) != N_FRAMES:
        raise ValueError(f"frames must be {N_FRAMES}, got {len(frames)}")
    return resized(frames[:-1], GLANCE_PX), resized(frames[-1:], LAST_PX)[0]


def close_look(frames: np.ndarray, box: Box, *, side_px: int = CLOSE_PX) -> np.ndarray:
    """(2, side, side, 3) what the box holds in the earlier frame and in the last of the eight frames (8, H, W, 3)."""
    import cv2

    height, width = frames.shape[1:3]
    scale = side_px / (box.side * height)
    out = np.empty((2, side_px, side_px, 3), np.uint8)
    for k, frame in enumerate((frames[EARLIER], frames[-1])):
        fine, ratio = frame, np.ones(2)
        if scale < 0.75:  # shrink by area first: a bare warp would skip pixels, and pips with them
            size = (max(1, round(width * scale)), max(1, round(height * scale)))
            fine = cv2.resize(frame, size, interpolation=cv2.INTER_AREA)
            ratio = np.array([size[0] / width, size[1] / height])
        zoom = scale / ratio
        shift = [side_px / 2 - box.column * width * scale, side_px / 2 - box.row * height * scale]
        matrix = np.array([[zoom[0], 0, shift[0]], [0, zoom[1], shift[1]]])
        out[k] = cv2.warpAffine(
            fine, matrix, (side_px, side_px), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        )
    return out
