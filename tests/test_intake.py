"""Files of every kind that users have reported, made here with PyAV."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import av
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judge.intake import Limits, Sampled, Unreadable, read
from tests.made_videos import FPS, bar_px, encode, moving_bar, reason, refusal, sampled, three

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    path = tmp_path / "plain.mp4"
    path.write_bytes(encode(moving_bar(48)))
    return path


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


@pytest.mark.parametrize(
    ("codec", "container", "pixel_format"),
    [
        ("libx264", "mp4", "yuv420p"),
        ("libx264", "matroska", "yuv422p"),
        ("libx265", "mp4", "yuv420p"),
        ("libvpx", "webm", "yuv420p"),
        ("libvpx-vp9", "webm", "yuv420p"),
        ("libvpx-vp9", "mp4", "yuv420p"),
        ("libsvtav1", "mp4", "yuv420p"),
        ("libsvtav1", "webm", "yuv420p"),
        ("mpeg4", "avi", "yuv420p"),
        ("mjpeg", "mov", "yuvj420p"),
        ("prores_ks", "mov", "yuv422p10le"),
    ],
)
def test_reads_every_codec_to_its_last_frame(tmp_path: Path, codec: str, container: str, pixel_format: str) -> None:
    (tmp_path / "clip").write_bytes(encode(moving_bar(24), codec=codec, container=container, pixel_format=pixel_format))
    clip = sampled(tmp_path / "clip")
    assert clip.n_frames == 24 and clip.duration_s == pytest.approx(23 / 24, abs=5e-3)
    assert [round(bar_px(f) / 3) for f in clip.frames] == [0, 11, 23]


@pytest.mark.parametrize(("codec", "pixel_format"), [("gif", "rgb8"), ("apng", "rgb24")])
def test_reads_moving_pictures_of_the_web(tmp_path: Path, codec: str, pixel_format: str) -> None:
    (tmp_path / "clip").write_bytes(encode(moving_bar(24), codec=codec, container=codec, pixel_format=pixel_format))
    clip = sampled(tmp_path / "clip")
    # a GIF counts time in hundredths of a second
    assert clip.n_frames == 24 and clip.duration_s == pytest.approx(23 / 24, abs=0.01)
    assert [round(bar_px(f) / 3) for f in clip.frames] == [0, 11, 23]


@pytest.mark.parametrize(("codec", "n_frames"), [("libwebp_anim", 24), ("libwebp", 1)])
def test_webp_is_refused_by_name_with_what_to_do(tmp_path: Path, codec: str, n_frames: int) -> None:
    (tmp_path / "clip.webp").write_bytes(encode(moving_bar(n_frames), codec=codec, container="webp"))
    fault = refusal(tmp_path / "clip.webp")
    assert fault.reason == "not_a_video"
    assert fault.detail == "WebP, still or animated, is not read; save it as mp4, WebM, GIF or APNG"


@pytest.mark.parametrize("first", [(48, 64), (240, 320)])
def test_reads_the_largest_of_several_pictures(tmp_path: Path, first: tuple[int, int]) -> None:
    sizes = [first, (120, 160)]
    with av.open(str(tmp_path / "clip.mkv"), "w") as out:
        streams = [out.add_stream("libx264", rate=FPS) for _ in sizes]
        for stream, (height, width) in zip(streams, sizes, strict=True):
            stream.height, stream.width, stream.pix_fmt = height, width, "yuv420p"
        for k in range(24):
            for stream, size in zip(streams, sizes, strict=True):
                frame = av.VideoFrame.from_ndarray(moving_bar(k + 1, size)[k], format="rgb24")
                out.mux(stream.encode(frame))
        for stream in streams:
            out.mux(stream.encode())
    assert sampled(tmp_path / "clip.mkv").size_px == max(sizes)


@pytest.mark.parametrize(
    ("codec", "container", "pixel_format"),
    [
        ("libx264", "mp4", "yuv420p"),
        ("libvpx-vp9", "webm", "yuv420p"),
        ("gif", "gif", "rgb8"),
    ],
)
def test_a_single_frame_is_too_short(tmp_path: Path, codec: str, container: str, pixel_format: str) -> None:
    (tmp_path / "clip").write_bytes(encode(moving_bar(1), codec=codec, container=container, pixel_format=pixel_format))
    fault = refusal(tmp_path / "clip")
    assert fault.reason == "too_short" and fault.detail.startswith("1 frames, 0.")


def test_over_a_minute_is_over_the_limit_whether_the_file_says_so_or_not(tmp_path: Path) -> None:
    times = [60 * k for k in range(248)]  # four frames a second
    (tmp_path / "long.mp4").write_bytes(encode(moving_bar(248, (48, 64)), times=times))
    stated = refusal(tmp_path / "long.mp4")
    (tmp_path / "long.mkv").write_bytes(
        encode(moving_bar(248, (48, 64)), times=times, container="matroska", options={"live": "1"})
    )
    unstated = refusal(tmp_path / "long.mkv")
    assert stated.reason == unstated.reason == "over_limit"
    assert stated.detail.endswith("s long; at most 60 s") and unstated.detail == "more than 4000 frames or 60 s"


_PEAK = """
import resource, sys
from judge.intake import Sampled, close, read
assert isinstance(read(sys.argv[1], lambda d: [k * d / 7 for k in range(8)], side_px=384), Sampled)
close()
print(sum(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))
"""


@pytest.mark.slow
def test_a_minute_of_the_largest_pictures_takes_under_two_gibibytes(tmp_path: Path) -> None:
    times = [240 * k for k in range(60)]
    (tmp_path / "4k.mp4").write_bytes(encode(moving_bar(60, (2160, 4096)), codec="mpeg4", times=times))
    command = [sys.executable, "-c", _PEAK, str(tmp_path / "4k.mp4")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert int(done.stdout) < 2 * 1024**2  # KiB


@pytest.mark.parametrize(
    ("codec", "container", "pixel_format"),
    [
        ("libx264", "mp4", "yuv420p"),
        ("libvpx-vp9", "webm", "yuv420p"),
        ("gif", "gif", "rgb8"),
        ("apng", "apng", "rgb24"),
    ],
)
def test_looks_by_time_stamp_when_the_frame_rate_varies(
    tmp_path: Path, codec: str, container: str, pixel_format: str
) -> None:
    times = [12 * k for k in range(24)] + [288 + 48 * (k - 24) for k in range(24, 48)]
    data = encode(moving_bar(48), codec=codec, container=container, pixel_format=pixel_format, times=times)
    (tmp_path / "vfr").write_bytes(data)
    clip = sampled(tmp_path / "vfr")
    assert clip.duration_s == pytest.approx(times[-1] / 240, abs=5e-3)
    # Half of the time is long after half of the frames: 2.9 s is frame 24 + (2.9 - 1.2) * 5 = 32.
    assert round(bar_px(clip.frames[1]) / 3) == 32


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
        ("x.avi", encode(noisy, codec="mjpeg", container="avi", pixel_format="yuvj420p")),
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
