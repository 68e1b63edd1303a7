"""The verb `judge`: one line for a judge that cannot be trusted, and all that decides a verdict for each clip."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from judge.weights import digest_of, read_weights, write_weights
from sim.clip import write_clip


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("clips") / "noise.mp4"
    write_clip(path, np.random.default_rng(0).integers(0, 255, (12, 64, 64, 3), dtype=np.uint8), fps=12)
    return path


def _gone(path: Path) -> None:
    path.unlink()


def _without_card(path: Path) -> None:
    path.with_name("card.json").unlink()


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _half(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _one_bit(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[-5] ^= 1
    path.write_bytes(bytes(data))


def _again(path: Path, change: Callable[[torch.Tensor], object] | None, **settings: object) -> None:
    """The weights rewritten with a card that was made for them, as if they had been trained so."""
    network, before = read_weights(path)
    if change is not None:
        with torch.no_grad():
            for parameter in network.parameters():
                change(parameter)
    write_weights(path, network, replace(before, **settings))  # type: ignore[arg-type]
    card = json.loads(path.with_name("card.json").read_text())
    path.with_name("card.json").write_text(json.dumps({**card, "weights": digest_of(path)}))


def _not_numbers(path: Path) -> None:
    _again(path, lambda parameter: parameter.fill_(float("nan")))


def _constant(path: Path) -> None:
    _again(path, lambda parameter: parameter.zero_())


def _other_version(path: Path) -> None:
    _again(path, None, versions={"die_roll": 99, "y_fork": 1})


@pytest.mark.parametrize(
    ("spoil", "line"),
    [
        (_gone, r"the judge's weights are missing: .*; run `quincunx train` or reinstall quincunx"),
        (_without_card, r"the judge has no card: .*; run `quincunx card --make` or reinstall quincunx"),
        (_empty, r".* is not a safetensors file .*; retrain or reinstall quincunx"),
        (_half, r".* is not a safetensors file .*; retrain or reinstall quincunx"),
        (_one_bit, r".*card.json was measured on other weights than judge.safetensors, which are altered or new; .*"),
        (_not_numbers, r".* holds numbers that are not finite .*; retrain or reinstall quincunx"),
        (_constant, r".* cannot judge die_roll: .* the same for everything; retrain with .* or reinstall quincunx"),
        (_other_version, r"the judge was trained on die_roll version 99, the catalogue has 1; run `quincunx train`"),
    ],
)
def test_a_judge_that_cannot_be_trusted_is_one_line_and_judges_nothing(
    quincunx, random_weights: Path, clip: Path, tmp_path: Path, spoil: Callable[[Path], None], line: str
) -> None:
    for name in ("judge.safetensors", "card.json"):
        shutil.copy(random_weights.with_name(name), tmp_path)
    weights = tmp_path / "judge.safetensors"
    spoil(weights)
    (tmp_path / "s" / "die_roll").mkdir(parents=True)
    shutil.copy(clip, tmp_path / "s" / "die_roll" / "1.mp4")
    for verb in (
        ("judge", clip, "--scene", "die_roll"),
        ("score", tmp_path / "s", "--out", tmp_path / "r.json"),
    ):
        code, out, err = quincunx(*verb, "--weights", weights, "--json")
        assert (code, out) == (1, "") and re.fullmatch(f"(quincunx: )?{line}\n", err), err
    assert not (tmp_path / "r.json").exists()


def test_label_probabilities_threshold_and_its_origin_stand_in_the_table_of_clips(
    quincunx, random_weights: Path, clip: Path
) -> None:
    verb = ("judge", clip, "--scene", "y_fork", "--weights", random_weights)
    code, out, _ = quincunx(*verb, "--json")
    (row,) = json.loads(out)
    assert code == 0 and set(row["probabilities"]) == {"left", "right"}
    assert sum(row["probabilities"].values()) == pytest.approx(1, abs=1e-5) and 0 < row["confidence"] <= 1
    assert row["detail"] == "threshold 0.000, from validation clips" and len(row["judge"]) == 32
    shown = quincunx(*verb)[1]
    for text in (row["outcome"] or row["reason"], f"{row['confidence']:.3f}", row["detail"]):
        assert text in shown
