"""Files in, verdicts out: every file has one, and none touches another."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import torch

from judge import NetworkJudge, load_judge
from judge.weights import read_weights, write_weights
from sim import InputError, PrerequisiteError
from sim.clip import write_clip


@pytest.fixture(scope="module")
def judge(random_weights: Path) -> NetworkJudge:
    return load_judge(random_weights)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Three readable clips of noise, an empty file and a text."""
    folder, rng = tmp_path_factory.mktemp("clips"), np.random.default_rng(0)
    for k, size in enumerate([(64, 64), (48, 96), (90, 160)]):
        coarse = rng.integers(0, 255, (12, *size, 3), dtype=np.uint8)
        write_clip(folder / f"{k}.mp4", coarse, fps=12)
    (folder / "3.mp4").touch()
    (folder / "4.mp4").write_text("text")
    return sorted(folder.iterdir())


def test_one_verdict_per_file_in_order(judge: NetworkJudge, files: list[Path]) -> None:
    verdicts = list(judge.verdicts(files, "die_roll"))
    assert [v.reason for v in verdicts[3:]] == ["empty_file", "not_a_video"]
    for verdict in verdicts[:3]:
        assert verdict.status in ("scored", "null") and verdict.judge == judge.digest
        assert verdict.probabilities is not None and set(verdict.probabilities) == {f"face_{k}" for k in range(1, 7)}
        assert sum(verdict.probabilities.values()) == pytest.approx(1, abs=1e-5)
        assert verdict.confidence is not None and 0 < verdict.confidence < 1


def test_neighbours_order_and_threads_change_nothing(judge: NetworkJudge, files: list[Path]) -> None:
    together = list(judge.verdicts(files, "die_roll"))
    backwards = list(judge.verdicts(files[::-1], "die_roll"))[::-1]
    with ThreadPoolExecutor(3) as pool:
        alone = list(pool.map(lambda file: next(judge.verdicts([file], "die_roll")), files))
    assert together == backwards == alone


def test_a_variant_is_read_like_its_scene(judge: NetworkJudge, files: list[Path]) -> None:
    (base,), (variant,) = (list(judge.verdicts(files[:1], token)) for token in ("y_fork", "y_fork@sign"))
    assert variant.scene == "y_fork@sign" and variant.probabilities == base.probabilities


def test_a_scene_that_the_card_lacks_is_refused(judge: NetworkJudge, files: list[Path]) -> None:
    assert judge.covers("die_roll") and not judge.covers("coin_toss")
    with pytest.raises(InputError, match="card does not cover 'coin_toss', only die_roll, y_fork"):
        list(judge.verdicts(files, "coin_toss"))


@pytest.mark.parametrize(("value", "message"), [(float("nan"), "not a number"), (0.0, "is the same for everything")])
def test_a_broken_network_is_a_judge_error_and_never_an_outcome(
    random_weights: Path, files: list[Path], value: float, message: str
) -> None:
    network, settings = read_weights(random_weights)
    for parameter in network.parameters():
        torch.nn.init.constant_(parameter, value)
    broken = NetworkJudge(network, settings, covered=["die_roll"], digest="x")
    verdicts = list(broken.verdicts(files, "die_roll"))
    assert [v.status for v in verdicts] == ["judge_error"] * 3 + ["unreadable"] * 2
    assert all(v.outcome is None and message in (v.detail or "") for v in verdicts[:3])


def test_missing_altered_or_outdated_weights_are_refused(random_weights: Path, tmp_path: Path) -> None:
    with pytest.raises(PrerequisiteError, match="weights are missing"):
        load_judge(tmp_path / "judge.safetensors")
    for name in ("judge.safetensors", "card.json"):
        shutil.copy(random_weights.with_name(name), tmp_path)
    network, settings = read_weights(random_weights)
    with torch.no_grad():
        next(network.parameters())[0] += 1
    write_weights(tmp_path / "judge.safetensors", network, settings)
    with pytest.raises(InputError, match="was measured on other weights"):
        load_judge(tmp_path / "judge.safetensors")
    with pytest.raises(
        InputError, match="was trained on die_roll version 1, the catalogue has 2; run `quincunx train`"
    ):
        load_judge(random_weights, versions={"die_roll": 2})


def test_the_digest_covers_weights_and_rules(random_weights: Path) -> None:
    network, settings = read_weights(random_weights)
    one, same, other = (NetworkJudge(network, settings, covered=[], digest=digest).digest for digest in ("a", "a", "b"))
    assert one == same != other
