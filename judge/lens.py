"""What do a lens, a sensor and a codec do to a clip on its way to the judge?"""

from __future__ import annotations

import io
from fractions import Fraction
from typing import NamedTuple

import numpy as np


class Filmed(NamedTuple):
    """What comes out of a lens, a sensor and a codec."""

    frames: np.ndarray
    """(T, H, W, 3) uint8."""
    codec: str
    """`h264`, `jpeg`, or `none` for frames that were never compressed."""


def through_lens(frames: np.ndarray, rng: np.random.Generator) -> Filmed:
    """The frames (T, H, W, 3) uint8 with one random lens, sensor and codec, the same for the whole clip."""
    frames = _softened(frames, rng)
    frames = _exposed(frames, rng)
    draw = rng.uniform()
    if draw < 0.30:
        return Filmed(h264(frames, crf=int(rng.integers(16, 37))), "h264")
    if draw < 0.85:
        return Filmed(jpeg(frames, quality=int(rng.integers(25, 96))), "jpeg")
    return Filmed(frames, "none")


def _softened(frames: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Lower resolution, blur or sharpening, in a share of the clips each."""
    import cv2

    height, width = frames.shape[1:3]
    sigma = float(rng.uniform(0.3, 1.3)) if rng.uniform() < 0.5 else 0.0
    share = float(rng.uniform(0.4, 0.95)) if rng.uniform() < 0.4 else 1.0
    crisp = float(rng.uniform(0.2, 0.8)) if rng.uniform() < 0.15 else 0.0
    how = cv2.INTER_NEAREST if rng.uniform() < 0.15 else cv2.INTER_AREA
    small = (max(8, round(width * share)), max(8, round(height * share)))
    out = np.empty_like(frames)
    for k, frame in enumerate(frames):
        if sigma > 0:
            frame = cv2.GaussianBlur(frame, (0, 0), sigma)
        if share < 1:
            frame = cv2.resize(
                cv2.resize(frame, small, interpolation=how), (width, height), interpolation=cv2.INTER_LINEAR
            )
        if crisp > 0:
            frame = cv2.addWeighted(frame, 1 + crisp, cv2.GaussianBlur(frame, (0, 0), 1.5), -crisp, 0)
        out[k] = frame
    return out


def _exposed(frames: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Other exposure, white balance, gamma, saturation, darker corners and noise."""
    import cv2

    height, width = frames.shape[1:3]
    gain = rng.uniform(0.7, 1.3) * rng.uniform(0.93, 1.07, 3)
    gamma, lift = rng.uniform(0.75, 1.35), rng.uniform(-12, 18)
    level = np.arange(256)[:, None] / 255
    curve = np.clip(255 * (level * gain).clip(0, 1) ** gamma + lift, 0, 255).astype(np.uint8)  # (256, 3)
    table = np.ascontiguousarray(curve[:, None])  # (256, 1, 3)
    noise = float(rng.uniform(1, 9)) if rng.uniform() < 0.5 else 0.0
    grey = float(rng.uniform(0, 0.6)) if rng.uniform() < 0.25 else 0.0
    out = np.empty_like(frames)
    # One field of noise, shifted from frame to frame: noise that moves, at a tenth of the time.
    field = (noise * rng.standard_normal((height, width, 3), dtype=np.float32)).astype(np.int16)
    for k, frame in enumerate(frames):
        frame = cv2.LUT(frame, table)
        if grey > 0:
            dull = cv2.cvtColor(cv2.cvtColor(frame, cv2.COLOR_RGB2GRAY), cv2.COLOR_GRAY2RGB)
            frame = cv2.addWeighted(frame, 1 - grey, dull, grey, 0)
        if noise > 0:
            shift = (int(rng.integers(height)), int(rng.integers(width)))
            frame = np.clip(frame + np.roll(field, shift, axis=(0, 1)), 0, 255).astype(np.uint8)
        out[k] = frame
    return out


def jpeg(frames: np.ndarray, *, quality: int) -> np.ndarray:
    """The frames after JPEG compression of each."""
    import cv2

    out = np.empty_like(frames)
    for k, frame in enumerate(frames):
        _, data = cv2.imencode(".jpg", frame, [cv2.IMWRITE_JPEG_QUALITY, quality])
        out[k] = cv2.imdecode(data, cv2.IMREAD_COLOR)
    return out


def h264(frames: np.ndarray, *, crf: int, fps: int = 12) -> np.ndarray:
    """The frames after H.264 compression of the whole; sides must be even."""
    import av

    store = io.BytesIO()
    with av.open(store, "w", format="mp4") as container:
        stream = container.add_stream("libx264", rate=Fraction(fps))
        stream.width, stream.height, stream.pix_fmt = frames.shape[2], frames.shape[1], "yuv420p"
        stream.options = {"crf": str(crf), "preset": "ultrafast", "threads": "1"}
        for frame in frames:
            container.mux(stream.encode(av.VideoFrame.from_ndarray(np.ascontiguousarray(frame), format="rgb24")))
        container.mux(stream.encode())
    store.seek(0)
    with av.open(store, "r") as container:
        return np.stack([frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)])
