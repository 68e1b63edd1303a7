"""Photographs become clips that rest, and every crop counts."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from benchmarks.real_dice import FPS, RESTS_S, main, measure, read_labels, slide_in
from sim import InputError

DATA = Path("../shared/data/real_dice")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    rows = ["file,top_face,size_px"]
    for k in range(3):
        picture = np.random.default_rng(k).integers(0, 255, (95, 96, 3), dtype=np.uint8)
        cv2.imwrite(str(tmp_path / f"{k}.png"), picture)
        rows.append(f"{k}.png,{k + 1},40")
    (tmp_path / "labels.csv").write_text("\n".join(rows) + "\n")
    return tmp_path


def test_slides_in_and_rests_on_the_photograph() -> None:
    picture = np.random.default_rng(0).integers(0, 255, (96, 96, 3), dtype=np.uint8)
    clip = slide_in(picture, np.random.default_rng(1))
    n_rest = round(RESTS_S * FPS)
    assert (clip[-n_rest:] == picture).all()
    assert np.abs(clip[0].astype(int) - picture).mean() > 10


def test_every_crop_counts_also_without_an_outcome(data: Path, random_weights: Path) -> None:
    found = measure(data, weights=random_weights)
    assert found["n"] == 3 == sum(found["confusion"].values())
    assert found["interval"][0] <= found["right"] / 3 <= found["interval"][1]
    assert measure(data, weights=random_weights) == found


def test_prints_json(data: Path, random_weights: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--data", str(data), "--weights", str(random_weights), "--json", "--n", "2"]) == 0
    assert json.loads(capsys.readouterr().out)["n"] == 2


def test_missing_data_are_named(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--data", str(data / "nowhere")]) == 1
    assert "labels.csv is not there" in capsys.readouterr().err
    (data / "labels.csv").write_text("file,top_face,size_px\n0.png,7,40\n")
    with pytest.raises(InputError, match="labels 0.png as face 7; faces are 1 to 6"):
        read_labels(data)
    (data / "labels.csv").write_text("file,top_face,size_px\nx.png,1,40\n")
    with pytest.raises(InputError, match="x.png is listed in .* and is not there"):
        read_labels(data)
    (data / "labels.csv").write_text("file,top_face,size_px\n")
    with pytest.raises(InputError, match="lists no crop"):
        read_labels(data)


def test_reads_the_real_table() -> None:
    if not (DATA / "labels.csv").is_file():
        pytest.skip(f"{DATA}/labels.csv is not there")
    crops = read_labels(DATA)
    assert len(crops) == 1487 and {crop.face for crop in crops} == set(range(1, 7))


def test_the_least_sure_tenth_is_left_out_and_ties_flatter_nobody() -> None:
    from benchmarks.real_dice import right_at_cover

    sure = [(0.99, True)] * 7 + [(0.8, False), (0.6, True), (-1.0, False)]
    assert right_at_cover(sure, 0.9) == pytest.approx(8 / 9)
    assert right_at_cover(sure, 1.0) == pytest.approx(8 / 10)
    assert right_at_cover([(0.5, True), (0.5, False)], 0.5) == 0
