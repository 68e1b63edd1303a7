import json
from dataclasses import replace
from pathlib import Path

import pytest

from calibrate.corrected import with_correction
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
    with pytest.raises(InputError, match="no record of format 2 .it says 99."):
        Record.read(path)
    path.write_text("[]")
    with pytest.raises(InputError, match="no record of format 2"):
        Record.read(path)


def test_many_files_with_one_reason_share_a_line(tmp_path: Path, made_references: dict) -> None:
    record = Record.read(scored(tmp_path, made_references))
    files = [{"file": f"{k}.mp4", "why": "no", "nearest": None} for k in range(5)]
    files.append({"file": "x.mp4", "why": "no", "nearest": "die_roll/x.mp4"})
    lines = replace(record, unmatched=tuple(files)).unmatched_lines()
    assert lines == ["0.mp4, 1.mp4, 2.mp4 and 2 more: no", "x.mp4: no; nearest: die_roll/x.mp4"]


def edited(place: str, value: object, data: dict) -> None:
    """Sets the value at a path like `cells.0.tv`; `-` as value removes it."""
    *parents, last = [int(key) if key.isdigit() else key for key in place.split(".")]
    for key in parents:
        data = data[key]
    if value == "-":
        del data[last]
    else:
        data[last] = value


def test_a_correction_that_does_not_fit_its_cell_is_refused(tmp_path: Path, made_references: dict) -> None:
    record = Record.read(scored(tmp_path, made_references))
    errors = {"coin_toss": ({"heads": {"heads": 9}, "tails": {"tails": 9}}, "these clips")}
    rows = {(c.model, c.token): [r for r in record.clips if r.scene == c.token] for c in record.cells}
    cells = with_correction(record.cells, made_references, errors, rows, seed=0)
    replace(record, cells=cells).write(tmp_path / "r.json")
    data = json.loads((tmp_path / "r.json").read_text())
    assert Record.from_json(data).cells == cells
    for place, value in (("tv", 2), ("shares", {}), ("shares.heads", {}), ("p", "0"), ("shares.heads.low", -1)):
        edited(f"cells.0.corrected.{place}", value, bad := json.loads(json.dumps(data)))
        with pytest.raises(InputError, match="was edited or is damaged"):
            Record.from_json(bad)


@pytest.mark.parametrize(
    ("place", "value", "why"),
    [
        ("cells", None, "not iterable"),
        ("clips", "-", "it lacks 'clips'"),
        ("cells.0.tv", "-", "missing 1 required .* 'tv'"),
        ("cells.0.more", 1, "unexpected keyword argument 'more'"),
        ("cells.0.tv", "0.1", "cell has tv = '0.1'"),
        ("cells.0.tv", 1.5, "outside 0 to 1"),
        ("cells.0.tv_interval", [0.1], "cell has tv_interval"),
        ("cells.0.finding", "odd", "cell has finding = 'odd'"),
        ("cells.0.reference_kind", "hull", "cell has reference_kind = 'hull'"),
        ("cells.0.reference_kind", "set", "has a set that is not kept"),
        ("cells.0.tv_point", 1.5, "outside 0 to 1"),
        ("cells.0.shares", {}, "has other outcomes than its reference"),
        ("cells.0.shares.heads", {}, "has odd shares"),
        ("cells.0.shares.heads.most", None, "has odd shares"),
        ("cells.0.counts.heads", 2, "has other counts than its clips"),
        ("cells.0.requested", 9, "does not add up to its clips"),
        ("cells.0.null", {}, "has other reasons"),
        ("cells.0.scorability", 0.9, "another scorability"),
        ("cells.0.model", "x", "its cells are not those of its clips"),
        ("clips.0.scene", "die_roll", "does not add up|its cells are not|has clips with other outcomes"),
        ("clips.0.status", "lost", "status 'lost'"),
        ("clips.0.judge", "another", "a clip was read by another judge, 'another'"),
        ("clips.0", None, "argument after .* must be a mapping"),
        ("judge", {}, "it lacks 'digest'"),
        ("judge.card", {"coin_toss": {"n": 0, "right": 0}}, "it lacks 'false_null'"),
        ("references", {}, "it lacks 'coin_toss'"),
        ("references.coin_toss.counts.heads", 1, "counts do not match"),
        ("unmatched", [{}], "odd unmatched"),
        ("warnings", [3], "record has warnings"),
        ("seed", True, "record has seed"),
    ],
)
def test_an_edited_record_is_refused_in_one_line(tmp_path, made_references, place, value, why) -> None:
    path = scored(tmp_path, made_references)
    data = json.loads(path.read_text())
    edited(place, value, data)
    path.write_text(json.dumps(data))
    with pytest.raises(InputError, match=rf"r.json was edited or is damaged \(.*({why}).*\); score again"):
        Record.read(path)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[" * 100_000, "maximum recursion"),
        ('{"a": Infinity}', "Infinity is no finite number"),
        ('{"a": 1e999}', "1e999 is no finite number"),
        ('{"a": "\\ud800"}', "surrogates not allowed"),
        ("1" * 5_000, "Exceeds the limit"),
    ],
)
def test_json_that_is_not_strict_is_no_record(tmp_path: Path, text: str, why: str) -> None:
    (tmp_path / "r.json").write_text(text)
    with pytest.raises(InputError, match=rf"is not a record: .*{why}.*; give what `score` wrote, or score again"):
        Record.read(tmp_path / "r.json")
