"""How do frames become a video file that has exactly the asked size and duration?"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from hashlib import blake2b
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
    check_clip_size(*frames.shape[1:3])


def check_clip_size(height_px: int, width_px: int) -> None:
    """Refuses a size that a clip cannot have, before anything is drawn.

    Raises:
        InputError: A side is odd, which 4:2:0 colour cannot store.
    """
    if height_px % 2 or width_px % 2:
        even = f"{height_px + height_px % 2} x {width_px + width_px % 2}"
        raise InputError(f"a clip's height and width must be even, got {height_px} x {width_px}; use {even}")


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A temporary neighbour of `path` to write; it takes the place of `path` at the end, or vanishes after a fault.

    Raises:
        InputError: The file cannot be written.
    """
    refusal = f"cannot write {path}; choose a folder that can be written"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Not the clip's name, which may be as long as the file system allows.
        part = path.with_name(f".{os.getpid()}-{blake2b(os.fsencode(path.name), digest_size=6).hexdigest()}.part")
        part.touch()
    except OSError as fault:
        raise InputError(f"{refusal} ({fault.strerror})") from fault
    try:
        yield part
        part.replace(path)
    except OSError as fault:
        raise InputError(f"{refusal} ({fault.strerror})") from fault
    finally:
        part.unlink(missing_ok=True)


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
    with whole_file(Path(path)) as part:
        _encode(part, frames, fps, crf, codec)
