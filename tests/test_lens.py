"""Lens, sensor and codec change pixels, never the picture."""

from __future__ import annotations

import numpy as np
import pytest

from judge.lens import h264, jpeg, through_lens


def picture(size_px: tuple[int, int] = (96, 128)) -> np.ndarray:
    height, width = size_px
    y, x = np.mgrid[:height, :width]
    frame = np.stack([255 * x / width, 255 * y / height, np.full(size_px, 90)], axis=2).astype(np.uint8)
    return np.stack([np.roll(frame, 2 * k, axis=1) for k in range(8)])


@pytest.mark.parametrize("seed", range(12))
def test_keeps_shape_and_shows_the_same(seed: int) -> None:
    frames = picture()
    seen = through_lens(frames, np.random.default_rng(seed)).frames
    assert seen.shape == frames.shape and seen.dtype == np.uint8
    green = [np.corrcoef(a[..., 1].ravel(), b[..., 1].ravel())[0, 1] for a, b in zip(frames, seen, strict=True)]
    assert min(green) > 0.9


def test_the_same_random_numbers_give_the_same_bytes() -> None:
    one, two, other = (through_lens(picture(), np.random.default_rng(seed)).frames for seed in (5, 5, 6))
    assert np.array_equal(one, two) and not np.array_equal(one, other)


def test_says_which_codec_it_was() -> None:
    frames = np.full((8, 32, 48, 3), 90, np.uint8)
    said = [through_lens(frames, np.random.default_rng(seed)).codec for seed in range(300)]
    shares = {codec: said.count(codec) / 300 for codec in ("h264", "jpeg", "none")}
    assert shares == {
        "h264": pytest.approx(0.30, abs=0.08),
        "jpeg": pytest.approx(0.55, abs=0.09),
        "none": pytest.approx(0.15, abs=0.07),
    }


def test_codecs_lose_more_when_told_to() -> None:
    frames = np.random.default_rng(0).integers(0, 255, (8, 64, 96, 3), dtype=np.uint8)
    loss = {name: np.abs(f.astype(int) - frames).mean() for name, f in (
        ("jpeg good", jpeg(frames, quality=95)), ("jpeg bad", jpeg(frames, quality=20)),
        ("h264 good", h264(frames, crf=10)), ("h264 bad", h264(frames, crf=45)),
    )}  # fmt: skip
    assert loss["jpeg good"] < loss["jpeg bad"] and loss["h264 good"] < loss["h264 bad"]
