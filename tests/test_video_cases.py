"""A verdict belongs to what a file shows, and not to how the file was made: the same film in files of every kind."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import scenes
from judge import NetworkJudge, load_judge
from judge.verdict import Verdict
from sim.film import films
from tests.made_videos import encode, with_display_matrix

SCENE, FPS, SIZE_PX = "die_roll", 24, (240, 416)
STEP = 240 // FPS


@pytest.fixture(scope="module")
def judge() -> NetworkJudge:
    return load_judge(versions=None)


@pytest.fixture(scope="module")
def film() -> np.ndarray:
    """(T, H, W, 3) a rollout that ends with an outcome."""
    (drawn,) = films(scenes.load(SCENE), seed=5, indices=[0], size_px=SIZE_PX, fps=FPS)
    assert drawn.outcome is not None
    return drawn.frames


@pytest.fixture(scope="module")
def plain(judge: NetworkJudge, film: np.ndarray, tmp_path_factory: pytest.TempPathFactory) -> Verdict:
    return said_of(judge, encode(film), tmp_path_factory.mktemp("plain"))


def said_of(judge: NetworkJudge, data: bytes, folder: Path, name: str = "clip.mp4") -> Verdict:
    (folder / name).write_bytes(data)
    (verdict,) = judge.verdicts([folder / name], SCENE)
    return verdict


def wide(film: np.ndarray, height: int, width: int) -> np.ndarray:
    """The film at another size, its shape kept, between black bars where it does not fit."""
    import cv2

    scale = min(height / film.shape[1], width / film.shape[2])
    h, w = round(film.shape[1] * scale), round(film.shape[2] * scale)
    out = np.zeros((len(film), height, width, 3), np.uint8)
    top, left = (height - h) // 2, (width - w) // 2
    for k, frame in enumerate(film):
        out[k, top : top + h, left : left + w] = cv2.resize(frame, (w, h), interpolation=cv2.INTER_AREA)
    return out


def squeezed(film: np.ndarray) -> np.ndarray:
    import cv2

    return np.stack([cv2.resize(f, (312, 240), interpolation=cv2.INTER_AREA) for f in film])


def thinned(film: np.ndarray) -> tuple[np.ndarray, list[int]]:
    """The second half at a quarter of the frame rate: frames, and their times in 1/240 s."""
    kept = [k for k in range(len(film)) if k < len(film) // 2 or k % 4 == 0 or k == len(film) - 1]
    return film[kept], [STEP * k for k in kept]


CASES = {
    "V01 stored on its side": lambda f: with_display_matrix(encode(np.rot90(f, 1, axes=(1, 2))), 0, 1, -1, 0),
    "V04 VP9": lambda f: encode(f, codec="libvpx-vp9", container="webm"),
    "V05 frame rate that varies": lambda f: encode(thinned(f)[0], times=thinned(f)[1]),
    "V12 full range": lambda f: encode(f, pixel_format="yuvj420p", color_range=2),
    "V12 all of the colour": lambda f: encode(wide(f, 241, 417), pixel_format="yuv444p"),
    "V26 pixels that are not square": lambda f: encode(squeezed(f), aspect=Fraction(4, 3)),
    "frame rate of 12": lambda f: encode(f[::2], times=[2 * STEP * k for k in range(len(f[::2]))]),
    "AV1": lambda f: encode(f, codec="libsvtav1"),
    "twice the size": lambda f: encode(wide(f, 480, 832), codec="libx264"),
    "black bars above and below": lambda f: encode(wide(f, 320, 416)),
}


@pytest.mark.parametrize("case", CASES)
def test_the_same_film_has_the_same_verdict(
    case: str, judge: NetworkJudge, film: np.ndarray, plain: Verdict, tmp_path: Path
) -> None:
    found = said_of(judge, CASES[case](film), tmp_path)
    assert (found.status, found.outcome) == (plain.status, plain.outcome) and plain.status == "scored"


def test_v04_the_name_of_a_file_changes_nothing(judge: NetworkJudge, film: np.ndarray, tmp_path: Path) -> None:
    data = encode(film, codec="libvpx-vp9", container="webm")
    names = ("clip.webm", "clip.mp4", "骰子 #1 <b> & x.mp4")
    assert len({str(said_of(judge, data, tmp_path, name)) for name in names}) == 1


@pytest.mark.parametrize(("n_frames", "status"), [(1, "unreadable"), (3, "unreadable"), (9, "unreadable")])
def test_v19_a_clip_under_half_a_second_is_too_short(
    judge: NetworkJudge, film: np.ndarray, tmp_path: Path, n_frames: int, status: str
) -> None:
    found = said_of(judge, encode(film[:n_frames]), tmp_path)
    assert (found.status, found.reason) == (status, "too_short")


@pytest.mark.parametrize("length_s", [4.96, 6.125])
def test_v20_any_length_will_do(
    judge: NetworkJudge, film: np.ndarray, plain: Verdict, tmp_path: Path, length_s: float
) -> None:
    shown = np.concatenate([film, np.repeat(film[-1:], 5 * FPS, axis=0)])[: round(length_s * FPS)]
    assert said_of(judge, encode(shown), tmp_path).outcome == plain.outcome


def test_v23_a_picture_that_the_generator_moved_is_read_the_same_or_not_at_all(
    judge: NetworkJudge, film: np.ndarray, plain: Verdict, tmp_path: Path
) -> None:
    h, w = SIZE_PX
    cropped = film[:, round(0.05 * h) : round(0.95 * h), round(0.05 * w) : round(0.95 * w)]
    moved = np.roll(cropped, round(0.04 * w), axis=2)[:, :, : w // 2 * 2]
    changed = np.clip(1.15 * moved.astype(np.float32), 0, 255).astype(np.uint8)
    for shown in (cropped, changed):
        even = shown[:, : shown.shape[1] // 2 * 2, : shown.shape[2] // 2 * 2]
        assert said_of(judge, encode(even), tmp_path).outcome in (plain.outcome, None)
