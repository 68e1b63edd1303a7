"""Which frames does a file show, by presentation time, or why can it not be read?

Runs in a process of its own (see judge.intake), for a file may make a decoder hang or crash. The file is decoded twice.
The first pass converts nothing: it learns the time of every frame and meets every damage, so that a truncated file is
never judged on its first frames. The second pass converts only the few frames that were asked for, so that memory does
not grow with the length of the clip.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .picture import notes, picture

if TYPE_CHECKING:
    import av

SHORTEST_S = 0.5
FEWEST_FRAMES = 4
_ALPHA_DECODERS = {"vp8": "libvpx", "vp9": "libvpx-vp9"}
"""Decoders that keep the transparency of a WebM file, which those that are used by default drop."""
_MAGIC = (
    b"ftyp",
    b"moov",
    b"mdat",
    b"\x1aE\xdf\xa3",
    b"RIFF",
    b"OggS",
    b"FLV\x01",
    b"GIF8",
    b"\x89PNG",
    b"\x00\x00\x01\xba",
)
"""Marks of container formats, looked for in the first bytes of a file that cannot be opened."""
_FORMATS = (
    "mov,matroska,webm,avi,gif,apng,webp,flv,ogg,asf,ivf,nut,mpeg,mpegts,mpegvideo,h264,hevc,mjpeg,"
    "wav,mp3,aac,flac,png_pipe,jpeg_pipe,webp_pipe"
)
"""Formats that are opened: none of them (unlike a playlist) reads any other file. Sound and still pictures are
among them so that the reason for their refusal can be told."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """How large a clip may be before it is refused, so that no file can exhaust the machine."""

    size_bytes: int = 1 << 29
    side_px: int = 4096
    duration_s: float = 60.0
    n_frames: int = 4000
    processor_s: float = 120.0
    """Processor time of decoding."""
    clock_s: float = 300.0
    """Time on the clock, for a decoder that waits; longer, because the machine may be busy with other work."""
    memory_bytes: int = 2 << 30
    """Memory of the process that decodes."""


@dataclass(frozen=True, kw_only=True)
class Unreadable:
    """Why a file cannot be read as a clip."""

    reason: str
    """One of judge.verdict.UNREADABLE_REASONS."""
    detail: str


@dataclass(frozen=True, kw_only=True)
class Sampled:
    """A few frames of a clip, upright and with square pixels."""

    frames: np.ndarray
    """(T, H, W, 3) uint8, the display shape reduced to the side that was asked for."""
    time_s: np.ndarray
    """(T,) presentation times of those frames, from the first frame of the clip on."""
    duration_s: float
    """Time from the first to the last frame."""
    n_frames: int
    """Frames in the file."""
    size_px: tuple[int, int]
    """(H, W) as displayed, before it was reduced."""
    notes: tuple[str, ...] = ()
    """What was changed in its colours, in words; see judge.picture."""


class OutOfMemory(Exception):  # noqa: N818 named for what happened
    """The process that decodes may not have more memory."""


class _Fault(Exception):
    """Ends the reading of a file; never leaves this module."""

    def __init__(self, reason: str, detail: str) -> None:
        """Keep both parts."""
        self.reason, self.detail = reason, detail


def decode(
    path: Path, times: Callable[[float], Sequence[float] | np.ndarray], *, side_px: int, limits: Limits
) -> Sampled | Unreadable:
    """As judge.intake.read, in this process.

    Raises:
        OutOfMemory: There is no more memory.
    """
    import av
    import cv2

    try:
        return _read(path, times, side_px, limits)
    except _Fault as fault:
        return Unreadable(reason=fault.reason, detail=fault.detail)
    except (MemoryError, BlockingIOError) as fault:  # the latter, when there is none left for another thread
        raise OutOfMemory from fault
    except cv2.error as fault:
        if fault.code == cv2.Error.STS_NO_MEM:
            raise OutOfMemory from fault
        return Unreadable(reason="damaged", detail=f"a picture cannot be resized: {_line(fault)}")
    except (av.FFmpegError, OSError, ValueError) as fault:
        return Unreadable(reason="damaged", detail=f"decoding stopped: {_line(fault)}")


def _line(fault: BaseException) -> str:
    return (str(fault).splitlines() or [type(fault).__name__])[0][:200]


def _read(path: Path, times: Callable[[float], Sequence[float] | np.ndarray], side_px: int, limits: Limits) -> Sampled:
    _check_file(path, limits)
    time_s = _frame_times(path, limits)
    duration_s = float(time_s[-1])
    asked = np.asarray(times(duration_s), dtype=float)
    # On show at time t is the last frame whose time does not exceed t; a microsecond covers rounded time stamps.
    wanted = np.clip(np.searchsorted(time_s, asked + 1e-6, side="right") - 1, 0, len(time_s) - 1)
    kept: dict[int, np.ndarray] = {}
    size_px = (0, 0)
    with _open(path) as container:
        stream = _video_stream(container)
        last = int(wanted.max())
        needed = {int(k) for k in wanted}
        for k, frame in enumerate(_decoded(container, stream)):
            if k in needed:
                kept[k], size_px = picture(frame, stream, side_px)
            if k >= last:
                break
        said = notes(stream)
    if len({picture.shape for picture in kept.values()}) != 1 or len(kept) != len(needed):
        raise _Fault("damaged", "the frames change their size, or differ between two readings")
    return Sampled(
        frames=np.stack([kept[int(k)] for k in wanted]),
        time_s=time_s[wanted],
        duration_s=duration_s,
        n_frames=len(time_s),
        size_px=size_px,
        notes=said,
    )


def _check_file(path: Path, limits: Limits) -> None:
    if not path.is_file():
        there = path.exists() or path.is_symlink()
        what = "not a plain file, or a link to nothing" if there else "there is no such file"
        raise _Fault("not_a_video", what)
    size = path.stat().st_size
    if size == 0:
        raise _Fault("empty_file", "the file has no bytes")
    if size > limits.size_bytes:
        raise _Fault("over_limit", f"{size} bytes; at most {limits.size_bytes}")


def _open(path: Path) -> av.container.InputContainer:
    import av

    try:
        # "file:" keeps names with colons or leading dashes from being taken for a protocol or an option
        options = {"format_whitelist": _FORMATS, "protocol_whitelist": "file"}
        return av.open(f"file:{path}", options=options, metadata_errors="replace")
    except (av.FFmpegError, OSError, ValueError) as fault:
        with path.open("rb") as handle:
            head = handle.read(12)
        if any(mark in head for mark in _MAGIC):
            raise _Fault("damaged", f"the container cannot be opened: {_line(fault)}") from fault
        raise _Fault("not_a_video", f"no accepted container format: {_line(fault)}") from fault


def _video_stream(container: Any) -> Any:
    """The largest video stream that is not the cover picture of a sound file; the first of equals."""
    import av

    cover = av.stream.Disposition.attached_pic
    streams = [stream for stream in container.streams.video if not stream.disposition & cover]
    if streams:
        return max(streams, key=lambda s: 0 if s.codec_context is None else s.width * s.height)
    if container.streams.audio or container.streams.video:
        raise _Fault("no_video_stream", "the file holds no video stream")
    raise _Fault("not_a_video", "the file holds neither video nor sound")


def _decoded(container: Any, stream: Any) -> Iterator[Any]:
    for frame in _frames(container, stream):
        if frame.is_corrupt:
            raise _Fault("damaged", "a frame is marked as corrupt by the decoder")
        yield frame


def _frames(container: Any, stream: Any) -> Iterator[Any]:
    import av

    name = _ALPHA_DECODERS.get(stream.codec_context.name) if stream.metadata.get("alpha_mode") == "1" else None
    if name is None:
        stream.thread_type = "SLICE"
        yield from container.decode(stream)
        return
    try:
        decoder: Any = av.CodecContext.create(name, "r")
    except ValueError as fault:
        raise _Fault("not_a_video", f"its transparency takes the decoder {name}; save it without") from fault
    for packet in container.demux(stream):
        yield from decoder.decode(packet if packet.size else None)


def _frame_times(path: Path, limits: Limits) -> np.ndarray:
    """(T,) ascending presentation times from the first frame on, after checking limits, damage and length."""
    with _open(path) as container:
        stream = _video_stream(container)
        if container.format.name.endswith("_pipe"):
            raise _Fault("not_a_video", _still(container.format))
        if stream.codec_context is None:
            raise _Fault("damaged", "the video stream states no known codec")
        if max(stream.width, stream.height) > limits.side_px:
            raise _Fault("over_limit", f"{stream.width}x{stream.height} pixels; at most {limits.side_px} a side")
        stated_s = _stated_duration_s(container, stream)
        if stated_s is not None and stated_s > limits.duration_s:
            raise _Fault("over_limit", f"{stated_s:.1f} s long; at most {limits.duration_s:g} s")
        rate = float(stream.average_rate or stream.guessed_rate or 25)
        times: list[float] = []
        for frame in _decoded(container, stream):
            times.append(len(times) / rate if frame.time is None else float(frame.time))
            if len(times) > limits.n_frames or times[-1] - times[0] > limits.duration_s:
                raise _Fault("over_limit", f"more than {limits.n_frames} frames or {limits.duration_s:g} s")
        stated_frames = 0 if container.format.name == "avi" else int(stream.frames)
    if not times:
        raise _Fault("damaged", "no frame can be decoded")
    time_s = np.maximum.accumulate(np.asarray(times) - times[0])
    shown_s = float(time_s[-1]) + (float(time_s[-1]) / (len(times) - 1) if len(times) > 1 else 1 / rate)
    if stated_frames > 1 and len(times) < 0.9 * stated_frames:
        raise _Fault("damaged", f"the file states {stated_frames} frames and holds {len(times)}")
    if stated_s is not None and shown_s < min(0.9 * stated_s, stated_s - 0.25):
        raise _Fault("damaged", f"the file states {stated_s:.2f} s and holds {shown_s:.2f} s")
    if len(times) < FEWEST_FRAMES or shown_s < SHORTEST_S - 1e-3:
        raise _Fault("too_short", f"{len(times)} frames, {shown_s:.2f} s; at least {FEWEST_FRAMES} and {SHORTEST_S} s")
    return time_s


def _still(form: Any) -> str:
    if form.name == "webp_pipe":
        return "WebP, still or animated, is not read; save it as mp4, WebM, GIF or APNG"
    return f"the file is {form.long_name}, a still picture"


def _stated_duration_s(container: Any, stream: Any) -> float | None:
    """Duration that the file states for its video, or None."""
    import av

    if container.format.name == "avi" and stream.frames and stream.average_rate:
        # its gaps are empty frames, which it counts; the duration is shortened to what a truncated file holds
        return float(stream.frames / stream.average_rate)
    if stream.duration is not None and stream.time_base is not None:
        return float(stream.duration * stream.time_base)
    if container.duration is not None and len(container.streams) == 1:
        # Matroska states when the clip ends, counted from zero, also if it begins later
        begin = max(container.start_time or 0, 0) if "matroska" in container.format.name else 0
        return float((container.duration - begin) / av.time_base)
    return None
