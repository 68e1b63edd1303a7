from pathlib import Path

import numpy as np
import pytest

from calibrate.clip_facts import alike, clip_facts, same_bytes
from judge.intake import Unreadable
from sim.clip import write_clip


def film(way: int, *, size_px: tuple[int, int] = (120, 160), n_frames: int = 24) -> np.ndarray:
    """A bright square of 20 of 160 pixels falls and then slides to the right, faster for each `way`."""
    scale = size_px[1] // 160
    ramp = np.linspace(60, 110, size_px[1]).astype(np.uint8)
    frames = np.broadcast_to(ramp[None, None, :, None], (n_frames, *size_px, 3)).copy()
    for k in range(n_frames):
        row, column = min(4 * k, 90) * scale, (20 + way * max(0, k - 10)) * scale
        frames[k, row : row + 20 * scale, column : column + 20 * scale] = 230
    return frames


def facts(path: Path, frames: np.ndarray, **more):
    write_clip(path, frames, fps=12, **more)
    return path.name, clip_facts(path, None)


def test_size_rate_and_length_are_those_of_the_file(tmp_path: Path) -> None:
    _, found = facts(tmp_path / "a.mp4", film(1))
    assert (found.size_px, found.n_frames, found.drift, found.notes) == ((120, 160), 24, None, ())
    assert (found.shown_s, found.fps) == pytest.approx((2.0, 12.0), abs=1e-3)
    assert found.small.shape == (8, 24, 24)


def test_the_first_frame_is_held_against_the_source_picture(tmp_path: Path) -> None:
    write_clip(tmp_path / "a.mp4", film(1), fps=12)
    found = clip_facts(tmp_path / "a.mp4", film(1)[0])
    assert not isinstance(found, Unreadable) and found.drift is not None and found.drift.match > 0.99


def test_why_a_file_cannot_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.mp4").touch()
    found = clip_facts(tmp_path / "a.mp4", None)
    assert isinstance(found, Unreadable) and found.reason == "empty_file"


def test_a_film_encoded_again_is_alike_and_another_one_is_not(tmp_path: Path) -> None:
    clips = [
        facts(tmp_path / "a.mp4", film(3)),
        facts(tmp_path / "b.mp4", film(4)),
        facts(tmp_path / "a_again.mp4", film(3), crf=30),
        facts(tmp_path / "a_large.mp4", film(3, size_px=(240, 320)), codec="libvpx-vp9", crf=34),
        facts(tmp_path / "c.mp4", film(5)),
    ]
    assert alike(clips) == [["a.mp4", "a_again.mp4", "a_large.mp4"]]
    assert alike(clips[:2]) == alike(clips[:1]) == alike([]) == []


def test_files_of_the_same_bytes_are_one_group_and_no_near_duplicates(tmp_path: Path) -> None:
    (a, found), (b, other) = facts(tmp_path / "a.mp4", film(3)), facts(tmp_path / "b.mp4", film(4))
    pairs = [(a, found.sha256), (b, other.sha256), ("copy.mp4", found.sha256)]
    assert same_bytes(pairs) == [["a.mp4", "copy.mp4"]]
    assert alike([(a, found), (b, other), ("copy.mp4", found)]) == []
