import json
from dataclasses import replace
from pathlib import Path

import pytest

from calibrate.record import Record
from calibrate.score import score_verdicts
from sim import InputError


def scored(folder: Path, references: dict) -> Path:
    text = "model,scene,file,outcome,reason\nm,coin_toss,1,heads,\nm,coin_toss,2,,not_settled\nm,die_roll,1,,damaged\n"
    (folder / "v.csv").write_text(text)
    score_verdicts(folder / "v.csv", out=folder / "r.json", references=references)
    return folder / "r.json"


def test_survives_being_written_and_read(tmp_path: Path, made_references: dict) -> None:
    path = scored(tmp_path, made_references)
    record = Record.read(path)
    record.write(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == path.read_bytes()
    assert Record.read(tmp_path / "again.json") == record
    assert record.n_scored == 1


def test_json_is_strict_and_has_the_promised_keys(tmp_path: Path, made_references: dict) -> None:
    def refuse(name: str) -> None:
        raise AssertionError(name)

    data = json.loads(scored(tmp_path, made_references).read_text(), parse_constant=refuse)
    keys = "model scene variant requested scored null unreadable judge_error refused missing counts scorability tv"
    for cell in data["cells"]:
        assert set(keys.split()) | {"tv_expected", "excess", "p"} <= set(cell)
    nothing = data["cells"][1]
    assert (nothing["tv"], nothing["p"], nothing["why_undefined"]) == (None, None, "no clip was scored")


def test_refuses_what_is_no_record(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    with pytest.raises(InputError, match="cannot be read"):
        Record.read(path)
    path.write_text("{")
    with pytest.raises(InputError, match="is not a record"):
        Record.read(path)
    path.write_text('{"format": 99}')
    with pytest.raises(InputError, match="no record of format 1 .it says 99."):
        Record.read(path)
    path.write_text("[]")
    with pytest.raises(InputError, match="no record of format 1"):
        Record.read(path)


def test_many_files_with_one_reason_share_a_line(tmp_path: Path, made_references: dict) -> None:
    record = Record.read(scored(tmp_path, made_references))
    files = [{"file": f"{k}.mp4", "why": "no", "nearest": None} for k in range(5)]
    files.append({"file": "x.mp4", "why": "no", "nearest": "die_roll/x.mp4"})
    lines = replace(record, unmatched=tuple(files)).unmatched_lines()
    assert lines == ["0.mp4, 1.mp4, 2.mp4 and 2 more: no", "x.mp4: no; nearest: die_roll/x.mp4"]
