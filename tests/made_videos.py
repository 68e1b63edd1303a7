"""Small videos of every kind, made with PyAV, and what is read from them."""

from __future__ import annotations

import shutil
import tempfile
from fractions import Fraction
from pathlib import Path

import av
import numpy as np

from judge.intake import Limits, Sampled, Unreadable, read

FPS = 24
FAST = {"libvpx-vp9": {"deadline": "realtime", "cpu-used": "8"}, "libvpx": {"deadline": "realtime"}}
FAST |= {"libsvtav1": {"preset": "12"}, "libx265": {"x265-params": "log-level=none"}}


def moving_bar(n_frames: int, size_px: tuple[int, int] = (120, 160)) -> np.ndarray:
    """Frame k holds a bar whose left edge stands at 3k pixels, and a red corner that tells what is up."""
    height, width = size_px
    frames = np.full((n_frames, height, width, 3), 90, np.uint8)
    for k in range(n_frames):
        frames[k, height // 2 :, 3 * k : 3 * k + 12] = 230
        frames[k, : height // 4, : width // 4] = (220, 30, 30)
    return frames


def encode(
    frames: np.ndarray,
    *,
    codec: str = "libx264",
    container: str = "mp4",
    pixel_format: str = "yuv420p",
    source: str = "rgb24",
    times: list[int] | None = None,
    options: dict[str, str] | None = None,
    aspect: Fraction | None = None,
    color_range: int | None = None,
    color: tuple[int, int, int] | None = None,
) -> bytes:
    """The bytes of a video file.

    Args:
        frames: (T, H, W, C) pixels of the format `source`.
        times: (T,) presentation times in 1/240 s; 24 frames a second if None.
        options: Of the container.
        aspect: Width of a pixel over its height.
        color: Codes of matrix, primaries and transfer function (ITU-T H.273), with which the file is made and marked.
    """
    folder = Path(tempfile.mkdtemp())  # not in memory: a fast start is written by reading the file again
    path = folder / "clip"
    with av.open(str(path), "w", format=container, options=options or {}) as out:
        stream = out.add_stream(codec, rate=FPS)
        stream.height, stream.width, stream.pix_fmt = frames.shape[1], frames.shape[2], pixel_format
        stream.options = FAST.get(codec, {})
        stream.time_base = stream.codec_context.time_base = Fraction(1, 240)
        if aspect is not None:
            stream.codec_context.sample_aspect_ratio = aspect
        if color_range is not None:
            stream.codec_context.color_range = color_range
        if color is not None:
            context = stream.codec_context
            context.colorspace, context.color_primaries, context.color_trc = color
            context.color_range = 1
        for k, pixels in enumerate(frames):
            frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(pixels), format=source)
            if color is not None:
                frame = frame.reformat(format=pixel_format, dst_colorspace=color[0])
            frame.pts, frame.time_base = (10 * k if times is None else times[k]), Fraction(1, 240)
            out.mux(stream.encode(frame))
        out.mux(stream.encode())
    data = path.read_bytes()
    shutil.rmtree(folder)
    return data


def with_display_matrix(data: bytes, a: int, b: int, c: int, d: int) -> bytes:
    """The mp4 with the matrix of its track header (ISO 14496-12, 8.3.2) replaced; x' = a x + c y, y' = b x + d y."""
    matrix = [a, b, 0, c, d, 0, 0, 0]
    start = data.index(b"tkhd") + 4 + 4 + 20 + 8 + 8
    fixed = b"".join(int(v * 65536).to_bytes(4, "big", signed=True) for v in matrix) + (1 << 30).to_bytes(4, "big")
    return data[:start] + fixed + data[start + 36 :]


def three(duration_s: float) -> list[float]:
    """First, middle, last."""
    return [0.0, duration_s / 2, duration_s]


def sampled(path: Path, **more: object) -> Sampled:
    """The first, the middle and the last frame of a clip that can be read."""
    answer = read(path, three, **more)  # type: ignore[arg-type]
    assert isinstance(answer, Sampled), answer
    return answer


def refusal(path: Path, limits: Limits | None = None) -> Unreadable:
    """Why a file cannot be read, in one line."""
    answer = read(path, three, limits=limits)
    assert isinstance(answer, Unreadable), "the file was read"
    assert answer.detail and "\n" not in answer.detail
    return answer


def reason(path: Path, limits: Limits | None = None) -> str:
    """The reason why a file cannot be read."""
    return refusal(path, limits).reason


def bar_px(frame: np.ndarray) -> float:
    """Left edge of the bright bar, in pixels of a 160 pixel wide picture."""
    row = frame[int(0.75 * len(frame)), :, 1].astype(float)
    bright = np.flatnonzero(row > 160)
    return float(bright[0]) * 160 / frame.shape[1]
