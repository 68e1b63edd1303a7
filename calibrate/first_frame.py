"""How far is the first frame of a clip from the picture that its generator was given?"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

_WIDTHS_PX = (40, 80, 160)
"""Widths of the source picture at which the two are brought into line, from coarse to fine."""
_ZOOMS = (1.0, 1.12, 0.8)
_ROUNDS, _LEAST_GAIN = 60, 1e-5
_BLUR_PX = 5
_SURE = 0.95
"""At this correlation no other beginning is tried."""
LEAST_MATCH = 0.6
"""Below this correlation the two do not show the same picture."""
MOST_SHIFT, MOST_ZOOM, MOST_STRETCH, MOST_BRIGHTNESS = 0.02, 0.03, 0.12, 0.1
"""Up to so much of the width, of the size, of its shape and of the brightness a first frame may be off; the shape is
found least surely."""


@dataclass(frozen=True, kw_only=True)
class Drift:
    """What was done to the source picture before the first frame."""

    match: float
    """Correlation of the two, brought into line: 1 for the same picture, about 0 for another one."""
    shift: float
    """How far the middle of the picture has moved, as a share of the width."""
    zoom: float
    """Height of things, as a share of the picture's, over that in the source picture: above 1 if it was cropped on all
    sides, below 1 if it was padded above and below."""
    stretch: float
    """Width of things over their height, against the source picture: 1 unless its shape was squeezed."""
    brightness: float
    """Mean brightness over that of the source picture, where both show the same."""

    @property
    def is_likely(self) -> bool:
        """Whether a generator may have done this to a picture; a larger map is a slip of the method."""
        return self.shift < 0.2 and 0.5 < self.zoom < 2 and 0.5 < self.stretch < 2

    @property
    def faults(self) -> tuple[str, ...]:
        """What is off by more than it may be, in words; empty if nothing is."""
        if self.match < LEAST_MATCH:
            return (f"unlike the source picture (correlation {self.match:.2f})",)
        off = []
        if self.shift > MOST_SHIFT:
            off.append(f"shifted by {100 * self.shift:.0f} % of the width")
        if abs(self.zoom - 1) > MOST_ZOOM:
            off.append(f"zoomed by {self.zoom:.2f}")
        if abs(self.stretch - 1) > MOST_STRETCH:
            off.append(f"stretched by {self.stretch:.2f}")
        if abs(self.brightness - 1) > MOST_BRIGHTNESS:
            off.append(f"{self.brightness:.2f} times as bright")
        return tuple(off)


def drift(first: np.ndarray, source: np.ndarray) -> Drift:
    """The drift of a first frame from its source picture, whatever the sizes of the two.

    The map between the two is affine and maximises their correlation, which no change of brightness or contrast moves.

    Args:
        first: (H, W, 3) uint8 first frame.
        source: (H', W', 3) uint8 source picture.

    References:
        Evangelidis and Psarakis 2008, IEEE Transactions on Pattern Analysis and Machine Intelligence 30, 1858 (ECC).
    """
    levels = []
    for width in _WIDTHS_PX:
        given = _grey(source, width)
        levels.append((given, _grey(first, max(8, round(given.shape[0] * first.shape[1] / first.shape[0])))))
    best = Drift(match=0.0, shift=math.nan, zoom=math.nan, stretch=math.nan, brightness=math.nan)
    for guess in _guesses(*levels[0]):
        match, warp = 0.0, guess
        for k, (given, seen) in enumerate(levels):
            if k:
                warp[:, 2] *= _WIDTHS_PX[k] / _WIDTHS_PX[k - 1]
            match, warp = _aligned(given, seen, warp)
        found = _drift(match, warp, seen, given)
        if found.match > best.match and found.is_likely:
            best = found
        if best.match > _SURE:
            break
    return best


def _guesses(given: np.ndarray, seen: np.ndarray) -> Iterator[np.ndarray]:
    """Maps (2, 3) to begin with: the picture cut to the frame's shape, padded to it or squeezed, and then zoomed."""
    ratio = seen.shape[1] / given.shape[1]
    for across, down in dict.fromkeys([(1.0, 1.0), (ratio, ratio), (ratio, 1.0)]):
        for zoom in _ZOOMS:
            scale = zoom * np.array([across, down])
            yield np.column_stack([np.diag(scale), _middle(seen) - scale * _middle(given)])


def _aligned(given: np.ndarray, seen: np.ndarray, guess: np.ndarray) -> tuple[float, np.ndarray]:
    """Correlation and map (2, 3) of two pictures (H, W) and (H, W'); 0 and the guess if nothing is in common."""
    import cv2

    stop = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, _ROUNDS, _LEAST_GAIN)
    start = guess.astype(np.float32)
    try:
        match, warp = cv2.findTransformECC(given, seen, start, cv2.MOTION_AFFINE, stop, None, _BLUR_PX)
    except cv2.error:  # the method went astray, or a picture is of one colour
        return 0.0, guess
    return float(match), np.asarray(warp, dtype=float)


def _drift(match: float, warp: np.ndarray, seen: np.ndarray, given: np.ndarray) -> Drift:
    """From the map (2, 3) of the source picture (H, W) into the first frame (H, W')."""
    import cv2

    moved = warp[:, :2] @ _middle(given) + warp[:, 2] - _middle(seen)
    size, flags = given.shape[::-1], cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    back = cv2.warpAffine(seen, warp, size, flags=flags)
    inside = cv2.warpAffine(np.ones_like(seen), warp, size, flags=flags) > 0.99
    dark = not inside.any() or float(given[inside].mean()) < 1
    across, down = np.hypot(*warp[:, 0]), np.hypot(*warp[:, 1])
    return Drift(
        match=match,
        shift=float(np.hypot(*moved)) / seen.shape[1],
        zoom=float(down),
        stretch=float(across / down),
        brightness=math.nan if dark else float(back[inside].mean() / given[inside].mean()),
    )


def _middle(picture: np.ndarray) -> np.ndarray:
    """(2,) column and row of the middle of a picture (H, W)."""
    return (np.array(picture.shape[::-1]) - 1) / 2


def _grey(picture: np.ndarray, width: int) -> np.ndarray:
    """(H, W) float32 brightness of a picture (H', W', 3), its shape kept."""
    import cv2

    size = (width, max(8, round(width * picture.shape[0] / picture.shape[1])))
    how = cv2.INTER_AREA if picture.shape[1] >= width else cv2.INTER_LINEAR
    return np.asarray(cv2.cvtColor(cv2.resize(picture, size, interpolation=how), cv2.COLOR_RGB2GRAY), dtype=np.float32)
