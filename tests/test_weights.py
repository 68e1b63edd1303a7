"""Weights and settings in one file that is recognised or refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from judge.network import Network, Shape
from judge.weights import FORMAT, Scaling, Settings, digest_of, read_weights, write_weights
from sim import InputError, PrerequisiteError

SETTINGS = Settings(
    outcomes={"die_roll": tuple(f"face_{k}" for k in range(1, 7))},
    versions={"die_roll": 1},
    scaling={"die_roll": Scaling(state=1.5, outcome=1.25, bias=(0.0, -1.5, 0.5, 0.0, 0.25))},
    threshold=0.4,
    training={"seed": 3},
)


def written(path: Path, settings: Settings = SETTINGS) -> Network:
    torch.manual_seed(1)
    network = Network(Shape(outcomes={name: len(labels) for name, labels in settings.outcomes.items()}))
    write_weights(path, network, settings)
    return network


def test_comes_back_with_its_settings_in_half_precision(tmp_path: Path) -> None:
    network = written(tmp_path / "w" / "judge.safetensors")
    again, settings = read_weights(tmp_path / "w" / "judge.safetensors")
    assert settings == SETTINGS and not again.training
    for name, tensor in network.state_dict().items():
        assert torch.allclose(again.state_dict()[name].float(), tensor.float(), atol=2e-3)


def test_every_change_changes_the_digest(tmp_path: Path) -> None:
    written(tmp_path / "a.safetensors")
    written(tmp_path / "b.safetensors")
    written(tmp_path / "c.safetensors", Settings(**{**vars(SETTINGS), "threshold": 0.5}))
    a, b, c = (digest_of(tmp_path / f"{name}.safetensors") for name in "abc")
    assert a == b != c


def test_missing_weights_name_the_cure(tmp_path: Path) -> None:
    for call in (read_weights, digest_of):
        with pytest.raises(PrerequisiteError, match="weights are missing: .*x.safetensors; run `quincunx train`"):
            call(tmp_path / "x.safetensors")


def test_foreign_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    path.write_bytes(b"no weights")
    with pytest.raises(InputError, match="is not a safetensors file"):
        read_weights(path)
    save_file({"a": torch.zeros(1)}, path)
    with pytest.raises(InputError, match="holds no judge settings"):
        read_weights(path)
    written(path)
    _, settings = read_weights(path)
    other = Settings(**{**vars(settings), "outcomes": {"die_roll": ("a", "b")}})
    save_file({"a": torch.zeros(1)}, path, metadata={"settings": __import__("json").dumps(vars(other))})
    with pytest.raises(InputError, match="was written for another network"):
        read_weights(path)


def test_another_format_is_refused() -> None:
    with pytest.raises(InputError, match="have format 99, this program reads 2; retrain"):
        Settings.of('{"format": 99}')


@pytest.mark.parametrize(
    "change",
    [
        {"outcomes": 5},
        {"outcomes": {"die_roll": []}},
        {"versions": {}},
        {"scaling": {"die_roll": [0, 0, [0] * 5]}},
        {"scaling": {"die_roll": "warm"}},
        {"scaling": {"die_roll": [1, 1, [0] * 4]}},
        {"scaling": {"die_roll": [1, 1, [0, 0, 0, 0, float("inf")]]}},
        {"scaling": {}},
        {"threshold": float("nan")},
        {"threshold": 2.0},
        {"threshold": "high"},
        {"extra": 1},
    ],
)
def test_settings_that_cannot_decide_a_verdict_are_refused(change: dict[str, object]) -> None:
    good = {
        "format": FORMAT,
        "outcomes": {"die_roll": ["a", "b"]},
        "versions": {"die_roll": 1},
        "scaling": {"die_roll": [1, 1, [0] * 5]},
        "threshold": 0.3,
        "training": {},
    }
    assert Settings.of(json.dumps(good)).threshold == 0.3
    with pytest.raises(InputError, match="settings in the judge's weights are damaged; retrain or reinstall"):
        Settings.of(json.dumps(good | change))


@pytest.mark.parametrize("text", ["{not", "[]", "[" * 50_000, "null"])
def test_settings_that_are_no_table_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="settings in the judge's weights are damaged"):
        Settings.of(text)
