"""How do frames become a video file that has exactly the asked size and duration?"""

from __future__ import annotations

import os
import tempfile
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from .errors import InputError

CODECS = ("libx264", "libvpx-vp9", "mpeg4")
"""Codecs that `write_clip` offers: H.264, VP9 and MPEG-4 part 2."""
_CRF_LIMIT = {"libx264": 51, "libvpx-vp9": 63, "mpeg4": 31}


def frame_times_s(duration_s: float, fps: float) -> np.ndarray:
    """(T,) seconds since the start at which the frames of a clip are taken; T frames last `duration_s` to half a frame.

    Args:
        duration_s: Length of the clip.
        fps: Frames a second.

    Raises:
        ValueError: Either is not positive, or the clip would have no frame.
    """
    if not (duration_s > 0 and fps > 0):
        raise ValueError(f"duration_s and fps must be positive, got {duration_s} and {fps}")
    n_frames = round(duration_s * fps)
    if n_frames < 1:
        raise ValueError(f"duration_s * fps must be at least half a frame, got {duration_s * fps:.3f}")
    return np.arange(n_frames) / fps


def _check(frames: np.ndarray, fps: float, crf: int, codec: str) -> None:
    if frames.dtype != np.uint8 or frames.ndim != 4 or frames.shape[3] != 3 or 0 in frames.shape:
        raise ValueError(
            f"frames must be uint8 of shape (T, H, W, 3) with none of them 0, got {frames.dtype} {frames.shape}"
        )
    if not 0 < fps <= 240:
        raise ValueError(f"fps must lie in (0, 240], got {fps}")
    if codec not in CODECS:
        raise ValueError(f"codec must be one of {', '.join(CODECS)}, got {codec!r}")
    if not 0 <= crf <= _CRF_LIMIT[codec]:
        raise ValueError(f"crf must lie between 0 and {_CRF_LIMIT[codec]} for {codec}, got {crf}")
    height, width = frames.shape[1:3]
    if height % 2 or width % 2:
        raise InputError(
            f"a clip's height and width must be even (4:2:0 colour), got {height} x {width}; use "
            f"{height + height % 2} x {width + width % 2}"
        )


def _stream(container: Any, frames: np.ndarray, fps: float, crf: int, codec: str) -> Any:
    stream = container.add_stream(codec, rate=Fraction(fps).limit_denominator(1001))
    stream.height, stream.width = frames.shape[1:3]
    stream.pix_fmt = "yuv420p"
    context = stream.codec_context
    context.thread_count = 1  # more threads cut the picture into other slices: other bytes
    context.flags |= 1 << 23  # bit-exact: no encoder version in the stream
    context.colorspace = context.color_primaries = context.color_trc = 6  # BT.601, what every decoder assumes
    context.color_range = 1
    if codec == "mpeg4":
        context.qmin = context.qmax = max(1, crf)
    else:
        stream.options = {"crf": str(crf)} | ({"b": "0", "deadline": "good", "cpu-used": "4"} if "vp9" in codec else {})
    return stream


def _encode(path: Path, frames: np.ndarray, fps: float, crf: int, codec: str) -> None:
    import av

    with av.open(str(path), "w", format="mp4", options={"fflags": "+bitexact", "movflags": "+faststart"}) as container:
        stream = _stream(container, frames, fps, crf, codec)
        for number, image in enumerate(frames):
            frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(image), format="rgb24")
            frame.pts, frame.time_base = number, 1 / Fraction(fps).limit_denominator(1001)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))


def write_clip(path: Path | str, frames: np.ndarray, *, fps: float, crf: int = 20, codec: str = "libx264") -> None:
    """Writes an mp4 of exactly the frames' size that lasts T / fps; the same input gives the same bytes.

    The file appears whole or not at all.

    Args:
        path: The file to write; its folder is made if need be.
        frames: (T, H, W, 3) uint8 RGB, H and W even.
        fps: Frames a second, up to 240.
        crf: How much is lost: 0 (little) to 51 for libx264, 63 for libvpx-vp9; the quantizer 1 to 31 for mpeg4.
        codec: `libx264`, `libvpx-vp9` or `mpeg4`.

    Raises:
        ValueError: An argument is out of range.
        InputError: The size is odd, or the file cannot be written.
    """
    _check(frames, fps, crf, codec)
    path = Path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.stem[:40]}-", suffix=".part", dir=path.parent)
    except OSError as fault:
        raise InputError(f"cannot write {path}: {fault.strerror}; choose a folder that can be written") from fault
    os.close(handle)
    part = Path(name)
    try:
        _encode(part, frames, fps, crf, codec)
        part.chmod(0o644)
        part.replace(path)
    except OSError as fault:
        raise InputError(f"cannot write {path}: {fault.strerror}; choose a folder that can be written") from fault
    finally:
        part.unlink(missing_ok=True)
