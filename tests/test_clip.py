import errno
from dataclasses import replace

import av
import numpy as np
import pytest

from sim import Camera, InputError, Trajectory, world
from sim import clip as clips
from sim.clip import CODECS, frame_times_s, whole_file, write_clip
from sim.render import Studio, Track


def ramp(n_frames, height, width):
    """Smooth coloured frames that differ from each other."""
    row, column, time = np.meshgrid(np.arange(height), np.arange(width), np.arange(n_frames), indexing="ij")
    channels = (row * 200 // height, column * 200 // width, time * 150 // n_frames + 40)
    return np.stack(channels, axis=-1).transpose(2, 0, 1, 3).astype(np.uint8)


def red_ball(params):
    """Nothing but a red ball."""
    spec = world(params)
    spec.worldbody.add_body(name="ball").add_geom(name="ball", size=[0.03, 0, 0], rgba=[1, 0, 0, 1])
    spec.add_key(name="start")
    return spec


def decoded(path):
    """Times (T,) and frames of a file, and the container's duration in seconds."""
    with av.open(str(path)) as container:
        frames = list(container.decode(video=0))
        assert container.metadata.get("creation_time") is None
        return (
            np.array([f.time for f in frames]),
            np.stack([f.to_ndarray(format="rgb24") for f in frames]),
            container.duration / 1e6,
        )


@pytest.mark.parametrize("size", [(360, 640), (480, 854), (602, 1072), (64, 48), (2, 2), (1080, 1920)])
def test_decoded_size_is_the_asked_size(size, tmp_path):
    # R08: writers that silently scale 640 x 360 to 640 x 368.
    write_clip(tmp_path / "a.mp4", ramp(2, *size), fps=8)
    assert decoded(tmp_path / "a.mp4")[1].shape == (2, *size, 3)


@pytest.mark.parametrize(("size", "even"), [((480, 853), "480 x 854"), ((481, 641), "482 x 642")])
def test_odd_sizes_are_refused_up_front(size, even, tmp_path):
    with pytest.raises(InputError, match=f"height and width must be even, got .*; use {even}"):
        write_clip(tmp_path / "a.mp4", ramp(2, *size), fps=8)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("fps", [8, 16, 24, 30, 23.976])
def test_five_seconds_last_five_seconds(fps, codec, tmp_path):
    # R09: rates that are hard-coded or applied twice.
    times = frame_times_s(5, fps)
    write_clip(tmp_path / "a.mp4", ramp(len(times), 32, 32), fps=fps, codec=codec)
    at, _, duration = decoded(tmp_path / "a.mp4")
    assert abs(duration - 5) <= 1 / fps
    np.testing.assert_allclose(at, times, atol=1e-4)


@pytest.mark.parametrize(("codec", "crf"), [("libx264", 10), ("libvpx-vp9", 10), ("mpeg4", 1)])
def test_colours_come_back(codec, crf, tmp_path):
    colours = np.array([[200, 30, 20], [20, 180, 40], [30, 40, 200], [128, 128, 128], [255, 255, 255], [0, 0, 0]])
    frames = np.repeat(np.repeat(colours[:, None, None], 32, 1), 32, 2).astype(np.uint8)
    write_clip(tmp_path / "a.mp4", frames, fps=8, codec=codec, crf=crf)
    back = decoded(tmp_path / "a.mp4")[1].astype(int)
    assert np.abs(back[:, 8:24, 8:24] - frames[:, 8:24, 8:24]).max() <= 4


def test_more_loss_makes_smaller_files(tmp_path):
    frames = np.random.default_rng(1).integers(0, 256, (8, 32, 32, 3), dtype=np.uint8)
    sizes = []
    for crf in (10, 30, 50):
        write_clip(tmp_path / f"{crf}.mp4", frames, fps=8, crf=crf)
        sizes.append((tmp_path / f"{crf}.mp4").stat().st_size)
    assert sizes[0] > sizes[1] > sizes[2]


@pytest.mark.parametrize("codec", CODECS)
def test_the_same_frames_have_the_same_bytes(codec, tmp_path):
    frames = ramp(30, 64, 64)
    for name in ("a.mp4", "b.mp4"):
        write_clip(tmp_path / name, frames, fps=24, codec=codec)
    assert (tmp_path / "a.mp4").read_bytes() == (tmp_path / "b.mp4").read_bytes()


@pytest.mark.parametrize("fps", [16, 24, 30])
def test_free_fall_in_the_file_obeys_g_at_its_own_times(ball, fps, tmp_path):
    # A ball that falls from rest for 0.5 s; its height is measured in the decoded pictures.
    g, duration_s, size = 9.81, 0.5, (256, 256)
    times = frame_times_s(duration_s, fps)
    t = np.linspace(0, duration_s, 31)
    fall = Trajectory(
        bodies=("ball",),
        time_s=t,
        position_m=np.stack([0 * t, 0 * t, 1.4 - g * t**2 / 2], axis=-1)[:, None],
        quaternion=np.tile([1.0, 0, 0, 0], (len(t), 1, 1)),
        velocity=np.zeros((len(t), 1, 6)),
    )
    camera = Camera(position_m=(0, -1.0, 0.8), target_m=(0, 0, 0.8), fovy_deg=80)
    with Studio(replace(ball, build=red_ball), size_px=size) as studio:
        write_clip(tmp_path / "a.mp4", studio.frames(Track.of(fall, times), camera=camera), fps=fps, crf=8)
    at, seen, _ = decoded(tmp_path / "a.mp4")
    red = np.clip(seen[..., 0].astype(float) - seen[..., 1] - 60, 0, None)  # only the ball is red
    row = (red.sum(2) * (np.arange(size[0]) + 0.5)).sum(1) / red.sum((1, 2))
    metres_per_pixel = 2 * np.tan(np.radians(40)) * 1.0 / size[0]
    measured = 2 * np.polyfit(at, row * metres_per_pixel, 2)[0]
    assert measured == pytest.approx(g, rel=0.01)


def test_files_appear_whole_or_not_at_all(tmp_path, monkeypatch):
    def broken(path, *rest):
        path.write_bytes(b"half")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(clips, "_encode", broken)
    with pytest.raises(InputError, match=r"cannot write .*a\.mp4; choose .* \(No space left on device\)"):
        write_clip(tmp_path / "a.mp4", ramp(2, 8, 8), fps=8)
    assert not list(tmp_path.iterdir())


def test_an_old_file_stays_until_the_new_one_is_whole(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")
    with pytest.raises(RuntimeError, match="stop"), whole_file(path) as part:
        part.write_text("new")
        raise RuntimeError("stop")
    assert path.read_text() == "old"
    with whole_file(path) as part:
        part.write_text("new")
        assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]
    assert path.read_text() == "new"


def test_long_and_foreign_names_and_new_folders(tmp_path):
    for name in ("ä" * 120 + ".mp4", "вероятность 概率.mp4", "-x.mp4"):
        write_clip(tmp_path / "new folder" / name, ramp(2, 8, 8), fps=8)
        assert len(decoded(tmp_path / "new folder" / name)[0]) == 2


def test_a_place_that_cannot_be_written_is_one_line(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"cannot write .*; choose a folder that can be written"):
        write_clip(tmp_path / "file" / "a.mp4", ramp(2, 8, 8), fps=8)
    (tmp_path / "folder.mp4").mkdir()
    with pytest.raises(InputError, match=r"cannot write .*folder\.mp4"):
        write_clip(tmp_path / "folder.mp4", ramp(2, 8, 8), fps=8)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file", "folder.mp4"]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"fps": 0}, r"fps must lie in \(0, 240\], got 0"),
        ({"fps": float("nan")}, r"fps must lie in \(0, 240\], got nan"),
        ({"codec": "h265"}, "codec must be one of libx264, libvpx-vp9, mpeg4, got 'h265'"),
        ({"crf": 52}, "crf must lie between 0 and 51 for libx264, got 52"),
        ({"crf": 40, "codec": "mpeg4"}, "crf must lie between 0 and 31 for mpeg4, got 40"),
        ({"frames": np.zeros((2, 8, 8, 3))}, "frames must be uint8 .* got float64"),
        ({"frames": np.zeros((0, 8, 8, 3), np.uint8)}, r"frames must be uint8 .* got uint8 \(0, 8, 8, 3\)"),
        ({"frames": np.zeros((8, 8, 3), np.uint8)}, r"got uint8 \(8, 8, 3\)"),
    ],
)
def test_wrong_arguments_are_refused(wrong, message, tmp_path):
    arguments = {"frames": ramp(2, 8, 8), "fps": 8.0} | wrong
    frames = arguments.pop("frames")
    with pytest.raises(ValueError, match=message):
        write_clip(tmp_path / "a.mp4", frames, **arguments)


def test_frame_times_start_at_zero_and_last_as_long_as_the_clip():
    np.testing.assert_allclose(frame_times_s(0.5, 8), [0, 0.125, 0.25, 0.375])
    assert len(frame_times_s(2.5, 23.976)) == 60
    with pytest.raises(ValueError, match="duration_s and fps must be positive, got 0 and 8"):
        frame_times_s(0, 8)
    with pytest.raises(ValueError, match="must be at least half a frame, got 0.080"):
        frame_times_s(0.01, 8)
