"""How does one decoded frame become a picture as a person would see it: upright, opaque, in ordinary colours?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .high_dynamic_range import TRANSFERS, standard_picture

if TYPE_CHECKING:
    import av

TRANSPARENT_RGB = (255, 255, 255)
"""Colour on which transparent pixels are composited."""


def picture(frame: av.VideoFrame, stream: Any, side_px: int) -> tuple[np.ndarray, tuple[int, int]]:
    """The frame as (H, W, 3) uint8, upright, with square pixels and reduced; and its full display size (H, W).

    Args:
        frame: A decoded frame.
        stream: The stream that it comes from.
        side_px: Longest side of the picture; a smaller frame is not enlarged.
    """
    import cv2

    pixels = _opaque(frame, stream)
    aspect = float(stream.sample_aspect_ratio or stream.codec_context.sample_aspect_ratio or 1)
    height, width = float(pixels.shape[0]), pixels.shape[1] * (aspect if 0.1 < aspect < 10 else 1.0)
    scale = min(1.0, side_px / max(height, width))
    target = (max(1, round(width * scale)), max(1, round(height * scale)))
    if target != (pixels.shape[1], pixels.shape[0]):
        shrinks = target[0] <= pixels.shape[1] and target[1] <= pixels.shape[0]
        pixels = cv2.resize(pixels, target, interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR)
    upright, turned = _upright(pixels, frame)
    size_px = (round(width), round(height)) if turned else (round(height), round(width))
    return np.ascontiguousarray(upright), size_px


def notes(stream: Any) -> tuple[str, ...]:
    """What is out of the ordinary in the stream's pixels, in words: more than 8 bits, high dynamic range."""
    context = stream.codec_context
    bits = max((component.bits for component in context.format.components), default=8) if context.format else 8
    said = [f"{bits} bits a colour, reduced to 8"] if bits > 8 else []
    if context.color_trc in TRANSFERS:
        said.append(f"high dynamic range ({TRANSFERS[context.color_trc]}), brought to the standard one")
    return tuple(said)


def _opaque(frame: av.VideoFrame, stream: Any) -> np.ndarray:
    """(H, W, 3) uint8 sRGB pixels as they are stored, on TRANSPARENT_RGB."""
    if stream.codec_context.color_trc in TRANSFERS:
        signal = frame.to_ndarray(format="rgb48le")
        return standard_picture(signal, stream.codec_context.color_trc, stream.codec_context.color_primaries)
    if any(component.is_alpha for component in frame.format.components):
        rgba = frame.to_ndarray(format="rgba").astype(np.float32)
        share = rgba[..., 3:] / 255
        return (rgba[..., :3] * share + np.asarray(TRANSPARENT_RGB, np.float32) * (1 - share) + 0.5).astype(np.uint8)
    return np.asarray(frame.to_ndarray(format="rgb24"))


def _upright(pixels: np.ndarray, frame: av.VideoFrame) -> tuple[np.ndarray, bool]:
    """The pixels (H, W, 3) turned and mirrored as the frame's display matrix says; and whether the sides are swapped.

    The matrix takes x, y of the stored picture to x' = a x + c y, y' = b x + d y of the shown one (ISO 14496-12,
    6.2.2); angles between quarter turns are not used by any camera and are rounded.
    """
    matrix = _display_matrix(frame)
    if matrix is None:
        return pixels, False
    (a, b), (c, d) = matrix
    turned = abs(b) + abs(c) > abs(a) + abs(d)
    across, down = (c, b) if turned else (a, d)
    shown = pixels.transpose(1, 0, 2) if turned else pixels
    return shown[:: -1 if down < 0 else 1, :: -1 if across < 0 else 1], turned


def _display_matrix(frame: av.VideoFrame) -> np.ndarray | None:
    """(2, 2) a, b and c, d of the display matrix; None if the frame has none."""
    from av.sidedata.sidedata import Type

    held: Any = frame.side_data  # its stubs say that the keys are text
    found = held.get(Type.DISPLAYMATRIX)
    return None if found is None else np.frombuffer(bytes(found), np.int32, 9).reshape(3, 3)[:2, :2]
