"""Which judge the command line chooses, and that two judges never share a record."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import typer

from calibrate.record import Record
from cli.choosing import Asked, Kind, chosen_judge
from cli.judging import judge
from cli.scoring import score
from sim import PrerequisiteError
from sim.clip import write_clip
from tests.rubric_server import FIRST, reply, serving

NOTHING = Asked(endpoint=None, model=None, key_env=None, votes=None, per_minute=None, cache=None)


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two clips of noise of one model."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "study" / "m" / "coin_toss"
    folder.mkdir(parents=True)
    for k in range(2):
        noise = np.random.default_rng(k).integers(0, 255, (12, 48, 64, 3), dtype=np.uint8)
        write_clip(folder / f"{k}.mp4", noise, fps=12)
    return tmp_path / "study"


def test_a_study_scored_by_rubric_has_no_card_and_the_cost_in_every_row(study: Path) -> None:
    with serving() as server:
        score(study, Path("r.json"), kind=Kind.RUBRIC, endpoint=server.url, model="seer", votes=1)
        first = Record.read("r.json")
        score(study, Path("other.json"), kind=Kind.RUBRIC, endpoint=server.url, model="other", votes=1)
        n_calls = len(server.seen)
        score(study, Path("r.json"), kind=Kind.RUBRIC, endpoint=server.url, model="other", votes=1)
    assert [row.outcome for row in first.clips] == [FIRST, FIRST]
    assert first.judge["kind"] == "RubricJudge" and first.judge["card"] is None
    assert all("100 + 10 tokens, 0.001000 dollars" in str(row.detail) for row in first.clips)
    again = Record.read("r.json")  # the log beside it holds verdicts of both judges
    assert n_calls == len(server.seen) == 4
    for record in (first, again):
        assert {row.judge for row in record.clips} == {record.judge["digest"]}
    assert first.judge["digest"] != again.judge["digest"]


def test_a_failing_endpoint_scores_nothing(study: Path) -> None:
    with serving() as server:
        server.script = lambda k: (401, {})
        with pytest.raises(typer.Exit) as end:
            score(study, Path("r.json"), kind=Kind.RUBRIC, endpoint=server.url, model="seer", votes=1)
    record = Record.read("r.json")
    assert end.value.exit_code == 3 and [row.status for row in record.clips] == ["judge_error"] * 2
    assert record.cells[0].judge_error == 2 and record.cells[0].requested == 2


def test_judge_by_rubric(study: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEER_KEY", "secret")
    with serving() as server:
        server.script = lambda k: reply(None)
        judge([study], "coin_toss", None, Kind.RUBRIC, server.url, "seer", "SEER_KEY", 1, json=True)
    rows = json.loads(capsys.readouterr().out)
    assert [(row["status"], row["reason"]) for row in rows] == [("null", "covered")] * 2
    assert server.seen[0][1]["Authorization"] == "Bearer secret" and Path("runs/rubric").is_dir()


@pytest.mark.parametrize(
    ("kind", "changes", "weights", "words"),
    [
        (Kind.RUBRIC, {}, None, "needs --endpoint URL and --model NAME"),
        (Kind.RUBRIC, {"endpoint": "http://localhost/v1"}, None, "needs --endpoint URL and --model NAME"),
        (Kind.RUBRIC, {}, Path("w"), "--weights is for --judge network"),
        (Kind.NETWORK, {"endpoint": "http://localhost/v1"}, None, "--endpoint is for --judge rubric"),
        (Kind.NETWORK, {"key_env": "K"}, None, "--key-env is for --judge rubric"),
    ],
)
def test_options_of_the_other_judge_are_refused(
    kind: Kind, changes: dict, weights: Path | None, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(typer.Exit) as end:
        chosen_judge(kind, Asked(**{**vars(NOTHING), **changes}), weights, {})
    assert end.value.exit_code == 2 and words in capsys.readouterr().err


def test_a_key_that_is_not_set_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    asked = Asked(**{**vars(NOTHING), "endpoint": "https://host/v1", "model": "m", "key_env": "NO_SUCH_KEY"})
    with pytest.raises(PrerequisiteError, match="NO_SUCH_KEY holds no key"):
        chosen_judge(Kind.RUBRIC, asked, None, {})


def test_a_table_of_verdicts_needs_no_judge(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit):
        score(None, Path("r.json"), Path("v.csv"), kind=Kind.RUBRIC)
    assert "--verdicts needs no judge" in capsys.readouterr().err
