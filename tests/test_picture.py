"""Pictures of every orientation, shape, transparency and colour, in real files."""

from __future__ import annotations

import io
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest

from judge.picture import TRANSPARENT_RGB
from tests.made_videos import FPS, bar_px, encode, moving_bar, reason, sampled, with_display_matrix


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    path = tmp_path / "plain.mp4"
    path.write_bytes(encode(moving_bar(24)))
    return path


@pytest.mark.parametrize(
    ("matrix", "shown"),
    [
        ((1, 0, 0, 1), lambda p: p),
        ((0, 1, -1, 0), lambda p: np.rot90(p, -1)),  # a quarter turn clockwise
        ((-1, 0, 0, -1), lambda p: np.rot90(p, 2)),
        ((0, -1, 1, 0), lambda p: np.rot90(p, 1)),
        ((-1, 0, 0, 1), lambda p: p[:, ::-1]),  # mirrored left to right
        ((1, 0, 0, -1), lambda p: p[::-1]),
        ((0, 1, 1, 0), lambda p: p.transpose(1, 0, 2)),
        ((0, -1, -1, 0), lambda p: np.rot90(p, 2).transpose(1, 0, 2)),
    ],
)
def test_turns_and_mirrors_as_the_file_says(plain: Path, tmp_path: Path, matrix: tuple[int, ...], shown) -> None:
    (tmp_path / "turned.mp4").write_bytes(with_display_matrix(plain.read_bytes(), *matrix))
    stored, clip = sampled(plain), sampled(tmp_path / "turned.mp4")
    assert clip.size_px == clip.frames.shape[1:3]
    for before, after in zip(stored.frames, clip.frames, strict=True):
        assert np.array_equal(after, shown(before))


def test_stretches_pixels_that_are_not_square(tmp_path: Path) -> None:
    (tmp_path / "sar.mp4").write_bytes(encode(moving_bar(24), aspect=Fraction(4, 3)))
    clip = sampled(tmp_path / "sar.mp4")
    assert clip.size_px == (120, 213) and clip.frames.shape[1:3] == (120, 213)
    assert round(bar_px(clip.frames[-1]) / 3) == 23
    (tmp_path / "both.mp4").write_bytes(with_display_matrix((tmp_path / "sar.mp4").read_bytes(), 0, 1, -1, 0))
    turned = sampled(tmp_path / "both.mp4")
    assert turned.size_px == (213, 120) and np.array_equal(turned.frames[0], np.rot90(clip.frames[0], -1))


def test_reduces_large_pictures_and_never_enlarges_small_ones(plain: Path) -> None:
    assert sampled(plain, side_px=80).frames.shape[1:3] == (60, 80)
    assert sampled(plain, side_px=1000).frames.shape[1:3] == (120, 160)


@pytest.mark.parametrize(
    ("codec", "pixel_format", "size"),
    [
        ("libx264", "yuv444p", (121, 161)),
        ("libx264", "yuv444p", (241, 321)),
        ("libvpx-vp9", "yuv420p", (121, 161)),
        ("libvpx-vp9", "yuv420p", (67, 119)),
        ("ffv1", "yuv420p", (123, 87)),
        ("libx264", "yuv420p", (34, 2000)),
    ],
)
def test_keeps_odd_sizes(tmp_path: Path, codec: str, pixel_format: str, size: tuple[int, int]) -> None:
    data = encode(moving_bar(16, size), codec=codec, container="matroska", pixel_format=pixel_format)
    (tmp_path / "odd").write_bytes(data)
    clip = sampled(tmp_path / "odd", side_px=4000)
    assert clip.size_px == size and clip.frames.shape[1:3] == size
    assert np.abs(clip.frames[-1].astype(float) - moving_bar(16, size)[-1]).mean() < 3


@pytest.mark.parametrize(
    ("codec", "pixel_format", "more"),
    [
        ("libx264", "yuvj420p", {"color_range": 2}),
        ("libx264", "yuv444p", {}),
        ("libx264", "yuv420p", {"color": (1, 1, 1)}),  # BT.709
        ("libx264", "yuv420p", {"color": (6, 6, 6)}),  # BT.601
        ("libx265", "yuv420p10le", {"color": (9, 9, 14)}),  # BT.2020, 10 bits
        ("libx264", "yuv420p10le", {}),
        ("libx265", "yuv422p12le", {}),
        ("libsvtav1", "yuv420p10le", {}),
        ("ffv1", "yuv444p16le", {}),
    ],
)
def test_keeps_colours_of_other_pixel_formats(tmp_path: Path, codec: str, pixel_format: str, more: dict) -> None:
    data = encode(moving_bar(24), codec=codec, pixel_format=pixel_format, container="matroska", **more)
    (tmp_path / "other.mkv").write_bytes(data)
    clip = sampled(tmp_path / "other.mkv")
    for k, frame in zip((0, 11, 23), clip.frames, strict=True):
        assert np.abs(frame.astype(float) - moving_bar(24)[k]).mean() < 3
    bits = int(pixel_format[-4:-2]) if pixel_format.endswith("le") else 8
    assert clip.notes == ((f"{bits} bits a colour, reduced to 8",) if bits > 8 else ())


@pytest.mark.parametrize("pixel_format", ["gray", "gray10le"])
def test_grey_is_grey(tmp_path: Path, pixel_format: str) -> None:
    (tmp_path / "grey.mp4").write_bytes(encode(moving_bar(24), pixel_format=pixel_format, color_range=2))
    frame = sampled(tmp_path / "grey.mp4").frames[-1].astype(float)
    assert np.ptp(frame, axis=2).max() <= 1
    luma = moving_bar(24)[-1] @ np.array([0.299, 0.587, 0.114])  # ITU-R BT.601
    assert np.abs(frame[..., 0] - luma).mean() < 3


def seen_through(n: int = 24) -> np.ndarray:
    """(T, H, W, 4) the left half green, the right half red and wholly transparent."""
    pixels = np.zeros((n, 48, 64, 4), np.uint8)
    pixels[:, :, :32] = (10, 200, 10, 255)
    pixels[:, :, 32:] = (200, 0, 0, 0)
    pixels[np.arange(n), 0, 0, 0] = np.arange(n)
    return pixels


def assert_on_white(frame: np.ndarray, *, within: int) -> None:
    assert np.abs(frame[24, 50].astype(int) - TRANSPARENT_RGB).max() <= within
    assert np.abs(frame[24, 10].astype(int) - (10, 200, 10)).max() <= within


@pytest.mark.parametrize(
    ("codec", "container", "pixel_format"),
    [
        ("apng", "apng", "rgba"),
        ("libvpx-vp9", "webm", "yuva420p"),
        ("prores_ks", "mov", "yuva444p10le"),
        ("ffv1", "matroska", "bgra"),
    ],
)
def test_composites_transparent_pixels_on_white(tmp_path: Path, codec: str, container: str, pixel_format: str) -> None:
    data = encode(seen_through(), codec=codec, container=container, pixel_format=pixel_format, source="rgba")
    (tmp_path / "clear").write_bytes(data)
    clip = sampled(tmp_path / "clear")
    assert clip.n_frames == 24 and clip.duration_s == pytest.approx(23 / 24, abs=5e-3)
    assert_on_white(clip.frames[-1], within=0 if codec in ("apng", "ffv1") else 8)


def test_composites_a_transparent_gif_on_white(tmp_path: Path) -> None:
    palette = np.zeros((256, 4), np.uint8)
    palette[:] = (255, 10, 200, 10)  # alpha, red, green, blue
    palette[0] = 0
    store = io.BytesIO()
    with av.open(store, "w", format="gif") as out:
        stream = out.add_stream("gif", rate=FPS)
        stream.height, stream.width, stream.pix_fmt = 48, 64, "pal8"
        for k in range(24):
            marks = np.zeros((48, 64), np.uint8)
            marks[:, :32] = 1 + k
            out.mux(stream.encode(av.VideoFrame.from_ndarray((marks, palette), format="pal8")))
        out.mux(stream.encode())
    (tmp_path / "clear.gif").write_bytes(store.getvalue())
    assert_on_white(sampled(tmp_path / "clear.gif").frames[-1], within=0)


def test_a_damaged_transparent_clip_is_damaged(tmp_path: Path) -> None:
    noise = np.random.default_rng(0).integers(0, 255, (48, 120, 160, 4), dtype=np.uint8)
    data = encode(noise, codec="libvpx-vp9", container="webm", pixel_format="yuva420p", source="rgba")
    (tmp_path / "half.webm").write_bytes(data[: len(data) // 2])
    assert reason(tmp_path / "half.webm") == "damaged"


def high_dynamic_range(pixels: np.ndarray, transfer: int) -> np.ndarray:
    """(T, H, W, 3) uint16 signal in BT.2020 of sRGB pixels whose white has 203 candela (ITU-R BT.2100, BT.2087)."""
    share = pixels / 255
    light = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    wide = np.array([[0.6274, 0.3293, 0.0433], [0.0691, 0.9195, 0.0114], [0.0164, 0.0880, 0.8956]])
    nits = np.clip(light @ wide.T, 0, 1) * 203
    if transfer == 16:
        power = np.power(nits / 10_000, 0.1593017578125)
        signal = np.power((0.8359375 + 18.8515625 * power) / (1 + 18.6875 * power), 78.84375)
    else:
        luminance = (nits / 1000) @ np.array([0.2627, 0.6780, 0.0593])
        scene = nits / 1000 * np.power(np.maximum(luminance, 1e-9), (1 - 1.2) / 1.2)[..., None]
        log = 0.17883277 * np.log(np.maximum(12 * scene - 0.28466892, 1e-9)) + 0.55991073
        signal = np.where(scene <= 1 / 12, np.sqrt(3 * scene), log)
    return (65535 * np.clip(signal, 0, 1)).astype(np.uint16)


@pytest.mark.parametrize(("transfer", "name"), [(16, "PQ"), (18, "HLG")])
@pytest.mark.parametrize(("codec", "container"), [("libx265", "mp4"), ("libsvtav1", "webm")])
def test_high_dynamic_range_looks_as_on_an_ordinary_screen_and_is_noted(
    tmp_path: Path, transfer: int, name: str, codec: str, container: str
) -> None:
    bar = moving_bar(24)
    data = encode(
        high_dynamic_range(bar, transfer),
        codec=codec,
        container=container,
        pixel_format="yuv420p10le",
        source="rgb48le",
        color=(9, 9, transfer),
    )
    (tmp_path / "hdr").write_bytes(data)
    clip = sampled(tmp_path / "hdr")
    assert np.abs(clip.frames[-1].astype(float) - bar[-1]).mean() < 3
    told = f"high dynamic range ({name}), brought to the standard one"
    assert clip.notes == ("10 bits a colour, reduced to 8", told)
