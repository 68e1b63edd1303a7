import csv
from dataclasses import replace

import numpy as np
import pytest

import scenes
from sim import InputError, footage
from sim.rollout import simulate

SMALL = (48, 64)


@pytest.fixture(scope="module")
def coin():
    return scenes.load("coin_toss")


def test_source_image_is_the_start_whatever_the_seed(coin):
    first, second = (footage.source_image(coin, seed=seed, size_px=SMALL) for seed in (1, 2))
    assert first.shape == (*SMALL, 3)
    assert first.dtype == np.uint8
    assert first.std() > 5
    np.testing.assert_array_equal(first, second)


def test_footage_is_a_study_with_its_true_outcomes(coin, tmp_path):
    written = footage.write_footage(coin, tmp_path, variant="tails_up", seed=5, n=2, size_px=SMALL, fps=8)
    names = [str(p.relative_to(tmp_path)) for p in written]
    clips = [f"simulator/coin_toss@tails_up/{k}.mp4" for k in (0, 1)]
    assert names == ["coin_toss@tails_up.png", *clips, "coin_toss@tails_up.csv"]
    assert all(p.stat().st_size > 0 for p in written)
    with written[-1].open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    truth = list(simulate(coin, variant="tails_up", seed=5, indices=range(2)))
    assert [(r["file"], r["outcome"], r["reason"]) for r in rows] == [
        (clip, r.outcome or "", r.null or "") for clip, r in zip(clips, truth, strict=True)
    ]
    assert {(r["model"], r["scene"]) for r in rows} == {("simulator", "coin_toss@tails_up")}


def test_the_same_footage_has_the_same_bytes(coin, tmp_path):
    for name in "ab":
        footage.write_footage(coin, tmp_path / name, seed=5, n=1, size_px=SMALL, fps=8)
    names = sorted(str(p.relative_to(tmp_path / "a")) for p in (tmp_path / "a").rglob("*") if p.is_file())
    assert len(names) == 3
    assert all((tmp_path / "a" / n).read_bytes() == (tmp_path / "b" / n).read_bytes() for n in names)


def test_odd_sizes_and_negative_counts_are_refused(coin, tmp_path):
    with pytest.raises(ValueError, match="n must not be negative, got -1"):
        footage.write_footage(coin, tmp_path, seed=5, n=-1)
    with pytest.raises(InputError, match="height and width must be even"):
        footage.write_footage(coin, tmp_path, seed=5, n=1, size_px=(47, 64), fps=8)


def test_a_failed_rollout_has_a_row_and_no_clip(ball, tmp_path):
    wrong = replace(ball, settings={"fault": "fast"})
    (table,) = footage.labelled_clips(wrong, seed=1, indices=[4], out=tmp_path, size_px=SMALL, fps=8)
    assert table.read_text() == (
        "model,scene,file,outcome,reason,detail\nsimulator,ball,simulator/ball/4.mp4,,missing,left_the_scene\n"
    )
    assert list(tmp_path.rglob("*.mp4")) == []


def test_a_picture_that_cannot_be_written_is_one_line(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot write .*; choose a folder that can be written"):
        footage.write_picture(tmp_path / "file" / "a.png", np.zeros((2, 2, 3), np.uint8))


def test_png_keeps_the_picture():
    import cv2

    picture = np.random.default_rng(1).integers(0, 256, (5, 7, 3), dtype=np.uint8)
    back = cv2.imdecode(np.frombuffer(footage.png(picture), np.uint8), cv2.IMREAD_COLOR)
    np.testing.assert_array_equal(back[..., ::-1], picture)
    with pytest.raises(ValueError, match=r"picture must be uint8 \(H, W, 3\), got float64 \(2, 2, 3\)"):
        footage.png(np.zeros((2, 2, 3)))
