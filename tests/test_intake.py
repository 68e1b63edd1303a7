"""Files of every kind that users have reported, made here with PyAV."""

from __future__ import annotations

import io
import shutil
import tempfile
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judge.intake import Limits, Sampled, Unreadable, read

FPS = 24


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
    times: list[int] | None = None,
    options: dict[str, str] | None = None,
    aspect: Fraction | None = None,
    color_range: int | None = None,
) -> bytes:
    folder = Path(tempfile.mkdtemp())  # not in memory: a fast start is written by reading the file again
    path = folder / "clip"
    with av.open(str(path), "w", format=container, options=options or {}) as out:
        stream = out.add_stream(codec, rate=FPS)
        stream.height, stream.width, stream.pix_fmt = frames.shape[1], frames.shape[2], pixel_format
        stream.time_base = stream.codec_context.time_base = Fraction(1, 240)
        if aspect is not None:
            stream.codec_context.sample_aspect_ratio = aspect
        if color_range is not None:
            stream.codec_context.color_range = color_range
        for k, pixels in enumerate(frames):
            frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(pixels), format="rgb24")
            frame.pts, frame.time_base = (10 * k if times is None else times[k]), Fraction(1, 240)
            out.mux(stream.encode(frame))
        out.mux(stream.encode())
    data = path.read_bytes()
    shutil.rmtree(folder)
    return data


def three(duration_s: float) -> list[float]:
    return [0.0, duration_s / 2, duration_s]


def reason(path: Path, limits: Limits | None = None) -> str:
    answer = read(path, three, limits=limits)
    assert isinstance(answer, Unreadable), "the file was read"
    assert answer.detail and "\n" not in answer.detail
    return answer.reason


def bar_px(frame: np.ndarray) -> float:
    """Left edge of the bright bar, in pixels of a 160 pixel wide picture."""
    row = frame[int(0.75 * len(frame)), :, 1].astype(float)
    bright = np.flatnonzero(row > 160)
    return float(bright[0]) * 160 / frame.shape[1]


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    path = tmp_path / "plain.mp4"
    path.write_bytes(encode(moving_bar(48)))
    return path


def sampled(path: Path, **more: object) -> Sampled:
    answer = read(path, three, **more)  # type: ignore[arg-type]
    assert isinstance(answer, Sampled), answer
    return answer


def test_shows_the_frames_of_the_asked_times(plain: Path) -> None:
    clip = sampled(plain)
    assert clip.frames.shape == (3, 120, 160, 3)
    assert clip.n_frames == 48 and clip.duration_s == pytest.approx(47 / 24, abs=1e-3)
    assert [round(bar_px(f) / 3) for f in clip.frames] == [0, 23, 47]


def test_reads_vp9_whatever_the_name_says(tmp_path: Path) -> None:
    data = encode(moving_bar(48), codec="libvpx-vp9", container="webm")
    for name in ("clip.webm", "clip.mp4", "clip"):
        (tmp_path / name).write_bytes(data)
        clip = sampled(tmp_path / name)
        assert clip.n_frames == 48 and round(bar_px(clip.frames[-1]) / 3) == 47


def test_looks_by_time_stamp_when_the_frame_rate_varies(tmp_path: Path) -> None:
    times = [10 * k for k in range(24)] + [240 + 40 * (k - 24) for k in range(24, 48)]
    (tmp_path / "vfr.mp4").write_bytes(encode(moving_bar(48), times=times))
    clip = sampled(tmp_path / "vfr.mp4")
    assert clip.duration_s == pytest.approx(times[-1] / 240, abs=5e-3)
    # Half of the time is long after half of the frames: 2.417 s is frame 24 + (2.417 - 1) * 6 = 32.
    assert round(bar_px(clip.frames[1]) / 3) == 32


@pytest.mark.parametrize("angle", [0, 90, 180, 270])
def test_turns_the_picture_upright(plain: Path, tmp_path: Path, angle: int) -> None:
    path = tmp_path / "turned.mp4"
    path.write_bytes(with_display_rotation(plain.read_bytes(), angle))
    frame = sampled(path).frames[0]
    assert frame.shape[:2] == ((160, 120) if angle in (90, 270) else (120, 160))
    corners = {0: (5, 5), 90: (5, -6), 180: (-6, -6), 270: (-6, 5)}  # a matrix of 90 turns the picture clockwise
    y, x = corners[angle]
    assert frame[y, x, 0] > 180 and frame[y, x, 1] < 90


def with_display_rotation(data: bytes, angle: int) -> bytes:
    """The file with the matrix of its track header (ISO 14496-12, 8.3.2) replaced by a clockwise rotation."""
    c, s = {0: (1, 0), 90: (0, 1), 180: (-1, 0), 270: (0, -1)}[angle]
    matrix = [c, s, 0, -s, c, 0, 0, 0]
    start = data.index(b"tkhd") + 4 + 4 + 20 + 8 + 8
    fixed = b"".join(int(v * 65536).to_bytes(4, "big", signed=True) for v in matrix) + (1 << 30).to_bytes(4, "big")
    return data[:start] + fixed + data[start + 36 :]


def test_stretches_pixels_that_are_not_square(tmp_path: Path) -> None:
    (tmp_path / "sar.mp4").write_bytes(encode(moving_bar(24), aspect=Fraction(4, 3)))
    clip = sampled(tmp_path / "sar.mp4")
    assert clip.size_px == (120, 213) and clip.frames.shape[1:3] == (120, 213)
    assert round(bar_px(clip.frames[-1]) / 3) == 23


def test_reduces_large_pictures_and_never_enlarges_small_ones(plain: Path) -> None:
    assert sampled(plain, side_px=80).frames.shape[1:3] == (60, 80)
    assert sampled(plain, side_px=1000).frames.shape[1:3] == (120, 160)


@pytest.mark.parametrize("pixel_format", ["yuvj420p", "yuv444p"])
def test_keeps_colours_of_other_pixel_formats(plain: Path, tmp_path: Path, pixel_format: str) -> None:
    more = {"color_range": 2} if pixel_format == "yuvj420p" else {}
    (tmp_path / "other.mp4").write_bytes(encode(moving_bar(48), pixel_format=pixel_format, **more))  # type: ignore[arg-type]
    one, other = sampled(plain).frames.astype(float), sampled(tmp_path / "other.mp4").frames
    assert np.abs(one.mean((0, 1, 2)) - other.mean((0, 1, 2))).max() < 3


def test_composites_transparent_pixels_on_white(tmp_path: Path) -> None:
    store = io.BytesIO()
    with av.open(store, "w", format="apng", options={"plays": "0"}) as out:
        stream = out.add_stream("apng", rate=FPS)
        stream.height, stream.width, stream.pix_fmt = 48, 64, "rgba"
        for k in range(24):
            pixels = np.zeros((48, 64, 4), np.uint8)
            pixels[:, :32] = (10, 200, 10, 255)
            pixels[0, 0, 0] = k
            out.mux(stream.encode(av.VideoFrame.from_ndarray(pixels, format="rgba")))
        out.mux(stream.encode())
    (tmp_path / "clear.png").write_bytes(store.getvalue())
    frame = sampled(tmp_path / "clear.png").frames[-1]
    assert tuple(frame[24, 50]) == (255, 255, 255) and tuple(frame[24, 10]) == (10, 200, 10)


def test_names_of_any_kind_are_only_names(plain: Path, tmp_path: Path) -> None:
    for name in ("骰子 #1 <b> & x.mp4", "-y.mp4", "http:__a?b.mp4", "a" * 240 + ".mp4"):
        path = tmp_path / name
        path.write_bytes(plain.read_bytes())
        assert sampled(path).n_frames == 48


def test_empty_file(tmp_path: Path) -> None:
    (tmp_path / "x.mp4").touch()
    assert reason(tmp_path / "x.mp4") == "empty_file"


def test_not_a_video(tmp_path: Path) -> None:
    (tmp_path / "text.mp4").write_text("this is not a video\n" * 50)
    (tmp_path / "noise.mp4").write_bytes(np.random.default_rng(3).bytes(5000))
    assert reason(tmp_path / "text.mp4") == "not_a_video"
    assert reason(tmp_path / "noise.mp4") == "not_a_video"
    assert reason(tmp_path / "absent.mp4") == "not_a_video"
    assert reason(tmp_path) == "not_a_video"


@pytest.mark.parametrize(
    "text",
    [
        "ffconcat version 1.0\nfile plain.mp4\n",
        "ffconcat version 1.0\nfile link.mp4\n",
        "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\nplain.mp4\n#EXT-X-ENDLIST\n",
    ],
)
def test_a_text_that_names_another_file_is_not_a_video(plain: Path, text: str) -> None:
    (plain.parent / "link.mp4").symlink_to(plain)
    (plain.parent / "list.mp4").write_text(text)
    assert reason(plain.parent / "list.mp4") == "not_a_video"


@pytest.mark.parametrize("suffix", ["png", "jpg"])
def test_a_still_picture_is_not_a_video(tmp_path: Path, suffix: str) -> None:
    import cv2

    cv2.imwrite(str(tmp_path / f"still.{suffix}"), moving_bar(1)[0])
    (tmp_path / f"still.{suffix}").rename(tmp_path / "still.mp4")
    assert reason(tmp_path / "still.mp4") == "not_a_video"


@pytest.mark.parametrize("container", ["matroska", "mp4", "mpegts", "flv"])
def test_a_clip_that_begins_late_is_read_whole(tmp_path: Path, container: str) -> None:
    times = [10 * k for k in range(120, 168)]  # from half a second on
    (tmp_path / "late").write_bytes(encode(moving_bar(48), container=container, times=times))
    clip = sampled(tmp_path / "late")
    assert clip.n_frames == 48 and clip.duration_s == pytest.approx(47 / 24, abs=5e-3)


def test_sound_without_pictures(tmp_path: Path) -> None:
    store = io.BytesIO()
    with av.open(store, "w", format="mp4") as out:
        stream = out.add_stream("aac", rate=44100, layout="mono")
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 1024), np.float32), format="fltp", layout="mono")
        frame.rate = 44100
        for k in range(60):
            frame.pts = 1024 * k
            out.mux(stream.encode(frame))
        out.mux(stream.encode())
    (tmp_path / "sound.mp4").write_bytes(store.getvalue())
    assert reason(tmp_path / "sound.mp4") == "no_video_stream"


@pytest.mark.parametrize("share", [0.3, 0.5, 0.8])
def test_a_truncated_file_is_damaged_and_not_judged_on_its_first_frames(tmp_path: Path, share: float) -> None:
    noisy = np.random.default_rng(0).integers(0, 255, (48, 120, 160, 3), dtype=np.uint8)
    fast_start = encode(noisy, options={"movflags": "+faststart"})
    for name, data in (
        ("fast.mp4", fast_start),
        ("late.mp4", encode(noisy)),
        ("x.webm", encode(noisy, codec="libvpx-vp9", container="webm")),
    ):
        (tmp_path / name).write_bytes(data[: int(share * len(data))])
        assert reason(tmp_path / name) == "damaged", name


@pytest.mark.parametrize(("n_frames", "readable"), [(1, False), (3, False), (9, False), (11, False), (12, True)])
def test_under_half_a_second_is_too_short(tmp_path: Path, n_frames: int, readable: bool) -> None:
    (tmp_path / "short.mp4").write_bytes(encode(moving_bar(n_frames)))
    answer = read(tmp_path / "short.mp4", three)
    assert isinstance(answer, Sampled) if readable else reason(tmp_path / "short.mp4") == "too_short"


@pytest.mark.parametrize(
    "limits", [Limits(size_bytes=100), Limits(side_px=100), Limits(duration_s=1.0), Limits(n_frames=20)]
)
def test_over_limit(plain: Path, limits: Limits) -> None:
    assert reason(plain, limits) == "over_limit"


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_damaged_bytes_never_raise(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    rng = np.random.default_rng(seed)
    data = bytearray(_small_file())
    for at in rng.integers(0, len(data), 20):
        data[int(at)] = int(rng.integers(256))
    path = tmp_path_factory.mktemp("damaged") / "x.mp4"
    path.write_bytes(bytes(data))
    assert isinstance(read(path, three), Sampled | Unreadable)


def _small_file(store: list[bytes] = []) -> bytes:  # noqa: B006 made once
    if not store:
        store.append(encode(moving_bar(16, (48, 64))))
    return store[0]
