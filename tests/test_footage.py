import csv

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


def test_films_are_the_rollouts_of_their_indices(coin):
    indices = [3, 0]
    shown = list(footage.films(coin, seed=5, indices=indices, size_px=SMALL, fps=8))
    early = list(simulate(coin, seed=5, indices=indices))
    assert [(f.index, f.outcome, f.null) for f in shown] == [(r.index, r.outcome, r.null) for r in early]
    assert {f.frames.shape for f in shown} == {(round(coin.duration_s * 8), *SMALL, 3)}
    assert (shown[0].frames[0] != shown[0].frames[-1]).any()


def test_contact_sheet_has_a_row_for_each_outcome(coin):
    steps = []
    sheet = footage.contact_sheet(coin, n_columns=2, size_px=SMALL, progress=lambda *step: steps.append(step))
    n = len(footage.one_of_each(coin))
    assert n == len(coin.outcomes)
    assert sheet.shape[0] == n * (SMALL[0] + 22)
    assert steps == [(k + 1, n) for k in range(n)]


def test_one_of_each_finds_rollouts_with_those_outcomes_in_their_order(coin):
    indices = footage.one_of_each(coin, seed=3)
    assert [r.outcome for r in simulate(coin, seed=3, indices=indices)] == list(coin.outcomes)


def test_a_sheet_needs_a_start_and_an_end(coin):
    with pytest.raises(ValueError, match="n_columns must be at least 2, got 1"):
        footage.contact_sheet(coin, n_columns=1)


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


def test_png_keeps_the_picture():
    import cv2

    picture = np.random.default_rng(1).integers(0, 256, (5, 7, 3), dtype=np.uint8)
    back = cv2.imdecode(np.frombuffer(footage.png(picture), np.uint8), cv2.IMREAD_COLOR)
    np.testing.assert_array_equal(back[..., ::-1], picture)
