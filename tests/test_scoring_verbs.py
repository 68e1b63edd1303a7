"""From clips or verdicts to a record, a page and a table, by the command."""

import json
import os
from pathlib import Path

import pytest

import scenes
from judge.judge import Judge
from judge.verdict import Verdict
from sim.reference import Reference

CELL = "model scene variant requested scored null unreadable judge_error refused missing counts scorability tv "
CELL_KEYS = (CELL + "tv_expected excess p").split()
FACES = tuple(f"face_{k}" for k in range(1, 7))


@pytest.fixture
def fair_die(monkeypatch):
    """The shipped reference of die_roll, fair and made up; its version is the scene's."""
    scene = scenes.load("die_roll")
    fair = Reference(
        scene="die_roll",
        version=scene.version,
        outcomes=FACES,
        counts=dict.fromkeys(FACES, 1000),
        null={},
        failed={},
        n=6000,
        seed=0,
        engine="mujoco",
        engine_version="3.17.0",
        platform="Linux-x86_64",
        settings_hash="0",
    )
    monkeypatch.setattr(scenes, "reference", lambda token: fair)


def table_of(path: Path, rows: list[str]) -> str:
    path.write_text("model,scene,file,outcome,reason\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return str(path)


def test_verdicts_become_a_record_and_a_page(quincunx, fair_die, tmp_path):
    rows = [f"my model,die_roll,{k}.mp4,{FACES[k % 6]}," for k in range(12)]
    rows += [f"my model,die_roll,{row}" for row in ("12.mp4,,no_motion", "13.mp4,,refused")]
    rows += ["my model,di_roll,0.mp4,face_1,"]
    verdicts, record = table_of(tmp_path / "-v.csv", rows), tmp_path / "out" / "record.json"
    code, out, err = quincunx("score", "--verdicts", verdicts, "--out", str(record), "--json")
    said = json.loads(out)
    assert code == 0
    (cell,) = said["cells"]
    assert set(CELL_KEYS) <= set(cell)
    assert (cell["model"], cell["scene"], cell["variant"]) == ("my model", "die_roll", None)
    assert (cell["requested"], cell["scored"], cell["null"], cell["refused"]) == (14, 12, {"no_motion": 1}, 1)
    assert cell["counts"] == dict.fromkeys(FACES, 2)
    assert cell["tv"] == pytest.approx(0, abs=1e-9)
    assert cell["scorability"] == pytest.approx(12 / 14)
    assert [file["nearest"] for file in said["unmatched"]] == ["die_roll"]
    code, out, err = quincunx("score", "--verdicts", verdicts, "--out", str(record))
    assert code == 0
    assert "my model" in out and "a point" in out
    assert "nearest: die_roll" in err
    code, out, _ = quincunx("report", str(record))
    page = tmp_path / "out" / "record.html"
    assert (code, out) == (0, f"{page}\n")
    assert "my model" in page.read_text(encoding="utf-8")


def test_nothing_scored_is_told_with_valid_json(quincunx, fair_die, tmp_path):
    verdicts = table_of(tmp_path / "v.csv", ["m,die_roll,0.mp4,,no_motion"])
    code, out, err = quincunx("score", "--verdicts", verdicts, "--out", str(tmp_path / "record.json"), "--json")
    assert code == 3
    assert json.loads(out)["cells"][0]["tv"] is None
    assert err == "quincunx: nothing was scored: no clip has an outcome\n"


class EverySix(Judge):
    """Says six, and keeps its promise of one verdict per file."""

    digest = "every-six"

    def covers(self, scene):
        return scene == "die_roll"

    def verdicts(self, files, token):
        for file in files:
            if file.stat().st_size == 0:
                yield Verdict(scene=token, status="unreadable", reason="empty_file", judge=self.digest)
            else:
                yield Verdict(scene=token, status="scored", outcome="face_6", confidence=0.9, judge=self.digest)


@pytest.fixture
def six(monkeypatch):
    monkeypatch.setattr("judge.load_judge", lambda weights, versions: EverySix())
    monkeypatch.setattr("judge.card.read_card", lambda weights: {"scenes": {"die_roll": {"n": 1, "right": 1}}})


def test_a_folder_is_scored_and_what_does_not_match_is_listed(quincunx, fair_die, six, tmp_path):
    cell = tmp_path / "a study" / "<b>mødel & co" / "die_roll"
    cell.mkdir(parents=True)
    for k, name in enumerate(("-1.mp4", "骰子 #1.MP4", "x" * 200 + ".mp4")):
        (cell / name).write_bytes(bytes([k]))
    (cell / "empty.mp4").write_bytes(b"")
    (cell.parent / "die_rol-3.mp4").write_bytes(b"a")
    code, out, _ = quincunx("score", str(tmp_path / "a study"), "--out", str(tmp_path / "r.json"), "--json")
    said = json.loads(out)
    (found,) = said["cells"]
    assert code == 0
    assert (found["model"], found["requested"], found["scored"]) == ("<b>mødel & co", 4, 3)
    assert found["unreadable"] == {"empty_file": 1}
    assert [Path(file["file"]).name for file in said["unmatched"]] == ["die_rol-3.mp4"]


def test_verdicts_of_files_are_told_one_by_one(quincunx, six, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("-1.mp4").write_bytes(b"a")
    Path("empty.mp4").write_bytes(b"")
    code, out, err = quincunx("judge", "-1.mp4", "empty.mp4", "--scene", "die_roll", "--json")
    rows = json.loads(out)
    assert (code, err) == (0, "")
    assert [(r["file"], r["outcome"], r["reason"]) for r in rows] == [
        ("-1.mp4", "face_6", None),
        ("empty.mp4", None, "empty_file"),
    ]
    assert {"confidence", "probabilities"} <= set(rows[0])
    code, _, err = quincunx("judge", "empty.mp4", "--scene", "die_roll")
    assert code == 3
    assert err == "quincunx: nothing was judged: no clip could be read\n"


def test_dead_links_and_pipes_in_a_folder_are_told(quincunx, random_weights, tmp_path):
    (tmp_path / "dead.mp4").symlink_to(tmp_path / "gone")
    os.mkfifo(tmp_path / "pipe.mp4")
    (tmp_path / "folder.mp4").mkdir()
    (tmp_path / "notes.txt").touch()
    code, out, _ = quincunx(
        "judge", str(tmp_path), "--scene", "y_fork", "--weights", str(random_weights), "--json"
    )  # fmt: skip
    rows = json.loads(out)
    assert code == 3
    assert [(Path(row["file"]).name, row["status"], row["reason"]) for row in rows] == [
        ("dead.mp4", "unreadable", "not_a_video"),
        ("pipe.mp4", "unreadable", "not_a_video"),
    ]
    assert {row["detail"] for row in rows} == {"not a plain file, or a link to nothing"}


def test_a_record_that_cannot_be_written_is_told_before_any_work(quincunx, tmp_path):
    (tmp_path / "file").write_bytes(b"")
    verdicts = table_of(tmp_path / "v.csv", ["m,die_roll,0.mp4,face_1,"])
    code, out, err = quincunx("score", "--verdicts", verdicts, "--out", str(tmp_path / "file" / "record.json"))
    assert (code, out) == (1, "")
    assert "cannot be written" in err
    code, _, err = quincunx("report", str(tmp_path / "no.json"))
    assert code == 1
    assert "cannot be read" in err
