"""The verbs `replicate calibench` and `replicate pawbench`, from files to what is printed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from cli.main import app


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["replicate", *map(str, arguments)])


def outcomes(folder: Path) -> Path:
    """Two models and one scene: one collapsed, one fair with an illegible clip."""
    file = folder / "outcomes.json"
    file.write_text(json.dumps({"main": {"ball": {"one": [1] * 16, "two": [1, 2] * 7 + [1, None]}}}))
    return file


def test_calibench_says_what_stands(tmp_path: Path) -> None:
    told = run("calibench", "--outcomes", outcomes(tmp_path))
    assert told.exit_code == 0, told.output
    lines = [line for line in told.stdout.splitlines() if line.startswith("ball")]
    assert len(lines) == 2 and lines[0].rstrip().endswith("stands") and lines[1].rstrip().endswith("-")
    assert "1 of 2 cells have q < 0.05 as published; by total variation with Holm's p, 1" in told.stdout
    data = json.loads(run("calibench", "--outcomes", outcomes(tmp_path), "--json").stdout)
    one = next(cell for cell in data["cells"] if cell["model"] == "one")
    assert (data["tested"], data["significant"], one["tv"]) == (2, 1, 0.5)
    assert one["p_exact"] == pytest.approx(2**-15)
    assert data["mntv"]["one"] == one["score"] and data["human_agreement"] is None


def test_pawbench_blocks_and_passes(tmp_path: Path) -> None:
    scenes, rows = tmp_path / "scenes.jsonl", tmp_path / "rows.jsonl"
    scene = {"scene_id": "s", "split": "calibration", "outcome_labels": ["a", "b"], "group": "g"}
    scenes.write_text(json.dumps({**scene, "reference_distribution": {"a": 0.5, "b": 0.5}}) + "\n")
    seen = ["a"] * 20 + ["b"] * 5 + [None] * 5
    rows.write_text(
        "".join(
            json.dumps(
                {
                    "scene_id": "s",
                    "model_or_lane": "m",
                    "repeat_index": i,
                    "observation": "null_observation" if label is None else "outcome",
                    "outcome_label": label,
                }
            )
            + "\n"
            for i, label in enumerate(seen)
        )
    )
    told = run("pawbench", "--rows", rows, "--scenes", scenes)
    assert told.exit_code == 0 and "is not the published 25 scenes of 50 clips" in told.stderr
    line = told.stdout.splitlines()[-1]
    # 20 of 25 where half are expected: tvd 30; E0 = C(25, 12) 13 / 2^25 / 25 = 0.0806; p = 2 P(X >= 20) = 0.0041
    assert line.split()[:4] == ["m", "1", "30.0", "8.1"] and line.split()[-4:] == ["1", "of", "1", "30.0"]
    data = json.loads(run("pawbench", "--rows", rows, "--scenes", scenes, "--json").stdout)
    assert data["tracks"]["calibration"]["models"]["m"]["groups"] == {"g": 30.0}  # |0.8 - 0.5| of 100


def test_a_missing_file_is_one_line(tmp_path: Path) -> None:
    told = run("calibench", "--outcomes", tmp_path / "none.json")
    assert told.exit_code == 1 and "cannot be read" in told.stderr and len(told.stderr.splitlines()) == 1
