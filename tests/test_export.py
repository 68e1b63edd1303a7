"""What is exported comes back as it was, names that a spreadsheet would run stay text, and a hub takes the folder."""

import csv
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibrate.clip_row import ClipRow
from calibrate.columns import TABLES, Column, columns, rows
from calibrate.hub_data_set import write_data_set
from calibrate.layouts.pawbench_rows import pawbench_rows
from calibrate.layouts.verdict_tables import read_tables
from calibrate.published.pawbench import replicate
from calibrate.record import Record
from calibrate.results import load_results
from calibrate.score import score_study, score_verdicts
from calibrate.study import read_study
from calibrate.table_files import read_table, table_columns, write_table
from sim import InputError

ODD = "=1+1|<b>&</b>"


@pytest.fixture(scope="module")
def written(tmp_path_factory, made_references) -> tuple[Path, Record]:
    """A record of two models, one with a name that a spreadsheet would run, and the file it is in."""
    root = tmp_path_factory.mktemp("export")
    table = root / "v.csv"
    lines = [["model", "scene", "file", "outcome", "reason"]]
    lines += [[ODD, "coin_toss", f"-{k}.mp4", "heads" if k % 3 else "tails", ""] for k in range(9)]
    lines += [["m", "die_roll", "+1.mp4", "", "covered"], ["m", "die_roll", "2.mp4", "", "missing"]]
    with table.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(lines)
    out = root / "record.json"
    return out, score_verdicts(table, out=out, references=made_references)


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_a_table_comes_back_as_it_was_written(written, tmp_path: Path, table: str, suffix: str) -> None:
    """O10: every clip, cell and share, with documented columns."""
    if suffix == ".parquet":
        pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install 'quincunx[tables]'")
    path = tmp_path / f"x{suffix}"
    write_table(path, rows(written[1], table), columns(table))
    assert read_table(path, columns(table)) == rows(written[1], table)
    assert table_columns(path) == [column.name for column in columns(table)]


def test_every_number_of_the_record_is_in_a_table(written) -> None:
    record = written[1]
    cells = rows(record, "cells")
    for row, cell in zip(cells, record.cells, strict=True):
        assert (row["model"], row["scene"], row["tv"], row["p"]) == (cell.model, cell.scene, cell.tv, cell.p)
        assert (row["tv_interval_low"], row["tv_interval_high"]) == (cell.tv_interval or (None, None))
    assert [json.loads(row["counts"]) for row in cells] == [dict(cell.counts) for cell in record.cells]
    shares = {(r["model"], r["outcome"]): r for r in rows(record, "outcomes")}
    assert shares[ODD, "heads"]["count"] == 6 and shares[ODD, "heads"]["share"] == pytest.approx(2 / 3)
    assert sum(row["status"] == "missing" for row in rows(record, "clips")) == 1


@pytest.mark.parametrize("table", TABLES)
def test_every_column_says_what_it_is(table: str) -> None:
    names = [column.name for column in columns(table)]
    assert len(set(names)) == len(names)
    assert all(len(column.about.split()) > 1 for column in columns(table))
    with pytest.raises(ValueError, match="table must be one of clips, cells, outcomes, got 'x'"):
        columns("x")


TEXT, NUMBER = Column(name="a", kind="text", about=""), Column(name="b", kind="number", about="")
LABELS = st.text("=+-@\t\r\n',\"a é汉", min_size=1, max_size=6)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)


@given(st.lists(st.tuples(st.none() | LABELS, st.none() | NUMBERS), max_size=5))
def test_no_text_is_run_by_a_spreadsheet_and_none_is_changed(tmp_path_factory, pairs) -> None:
    path = tmp_path_factory.mktemp("csv") / "x.csv"
    given_rows = [{"a": text, "b": number} for text, number in pairs]
    write_table(path, given_rows, [TEXT, NUMBER])
    assert read_table(path, [TEXT, NUMBER]) == given_rows
    with path.open(encoding="utf-8", newline="") as file:
        fields = [row[0] for row in csv.reader(file)]
    assert not any(field.startswith(("=", "+", "-", "@", "\t", "\r", "\n")) for field in fields)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("x.csv", "a,c\r\n", "has other columns .b, c.; export the record again"),
        ("x.csv", "", "has other columns"),
        ("x.csv", "a,b\r\n1\r\n", "row 2 has 1 fields, the header 2"),
        ("x.csv", "a,b\r\nq,z\r\n", "row 2 is not as it was written"),
        ("x.jsonl", "{torn", "line 1 is not JSON"),
        ("x.jsonl", '{"a": 1}', "has other columns"),
        ("none.csv", None, "cannot be read"),
    ],
)
def test_a_table_that_is_damaged_is_one_line(tmp_path: Path, name: str, text: str | None, message: str) -> None:
    if text is not None:
        (tmp_path / name).write_text(text, newline="")
    with pytest.raises(InputError, match=message):
        read_table(tmp_path / name, [TEXT, NUMBER])
    with pytest.raises(InputError, match="must end in .csv, .jsonl, .parquet"):
        write_table(tmp_path / "x.xls", [], [TEXT])


def test_without_pyarrow_the_cure_is_one_line(written, tmp_path: Path) -> None:
    code = f"""import sys; sys.modules['pyarrow'] = None; sys.modules['pandas'] = None
sys.argv = ['quincunx', 'export', {str(written[0])!r}, '--to', {str(tmp_path / "x.parquet")!r}]
from cli.main import main
main()"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=Path(__file__).parents[1])
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "quincunx: this needs pyarrow, which is not installed: pip install 'quincunx[tables]'\n"
    assert not (tmp_path / "x.parquet").exists()


def test_a_data_set_has_a_header_that_names_its_tables_and_can_be_scored_again(
    tmp_path: Path, named_judge, made_references
) -> None:
    for k, said in enumerate(["heads", "tails|1", "null:covered"]):
        path = tmp_path / f"study/{ODD.replace('/', '')}/coin_toss/--{k} 骰.mp4"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(said.encode())
    out = tmp_path / "r.json"
    record = score_study(tmp_path / "study", named_judge(), out=out, references=made_references)
    write_data_set(record, out, tmp_path / "hub", videos=True)
    head, _, body = (tmp_path / "hub/README.md").read_text(encoding="utf-8").removeprefix("---\n").partition("\n---\n")
    header = {key: json.loads(value) for key, _, value in (line.partition(": ") for line in head.splitlines())}
    assert [c["config_name"] for c in header["configs"]] == ["clips", "cells", "outcomes"]
    assert all((tmp_path / "hub" / config["data_files"]).exists() for config in header["configs"])
    assert "`videos/` holds 3 of them" in body
    assert all(f"| `{column.name}` |" in body for table in TABLES for column in columns(table))
    again = score_study(tmp_path / "hub/videos", named_judge(), out=tmp_path / "2.json", references=made_references)
    assert [replace(c, seeds="") for c in again.cells] == [replace(c, seeds="") for c in record.cells]
    assert not read_study(tmp_path / "hub/videos").unmatched
    with pytest.raises(InputError, match="is there already and not empty"):
        write_data_set(record, out, tmp_path / "hub")


def test_a_data_set_is_loaded_by_the_library_of_the_hub(tmp_path: Path, named_judge, made_references) -> None:
    """Tried where `datasets` is installed: pip install datasets."""
    datasets = pytest.importorskip("datasets", reason="datasets is not installed: pip install datasets")
    (tmp_path / "study/m/coin_toss").mkdir(parents=True)
    for k in range(3):
        (tmp_path / f"study/m/coin_toss/{k}.mp4").write_bytes(f"{'heads' if k else 'null:covered'}|{k}".encode())
    record = score_study(tmp_path / "study", named_judge(), out=tmp_path / "r.json", references=made_references)
    write_data_set(record, tmp_path / "r.json", tmp_path / "hub", videos=True)
    hub, cache = str(tmp_path / "hub"), str(tmp_path / "cache")
    assert datasets.get_dataset_config_names(hub) == list(TABLES)
    for table in TABLES:
        found = datasets.load_dataset(hub, table, split="train", cache_dir=cache)
        assert found.column_names == [column.name for column in columns(table)]
        assert len(found) == len(rows(record, table))
    videos = datasets.load_dataset("videofolder", data_dir=f"{hub}/videos", split="train", cache_dir=cache)
    videos = videos.cast_column("video", datasets.Video(decode=False))
    assert [Path(row["video"]["path"]).suffix for row in videos] == [".mp4"] * 3
    assert videos["outcome"][:] == [None, "heads", "heads"] and set(videos["scene"]) == {"coin_toss"}


def test_a_data_set_does_not_copy_what_lies_outside_the_study(written, tmp_path: Path) -> None:
    out, record = written
    (tmp_path / "secret.mp4").write_text("secret")
    (tmp_path / "study").mkdir()
    lost = replace(record, study="study", clips=(replace(record.clips[0], file="../secret.mp4"),))
    write_data_set(lost, tmp_path / "r.json", tmp_path / "hub", videos=True)
    assert [path.name for path in (tmp_path / "hub/videos").iterdir()] == ["metadata.jsonl"]
    with pytest.raises(InputError, match="is no folder of clips; leave out --videos"):
        write_data_set(record, out, tmp_path / "hub2", videos=True)


def test_rows_of_pawbench_come_back_and_their_own_rules_take_them(tmp_path: Path) -> None:
    made = [
        ClipRow(model="m", scene="y_fork", file="A-07/r002.mp4", status="scored", outcome="left", judge="j"),
        ClipRow(model="m", scene="y_fork", file="x.mp4", status="scored", outcome="right", judge="j"),
        ClipRow(model="m", scene="y_fork", file="y.mp4", status="null", reason="covered", judge="j"),
        ClipRow(model="m", scene="coin_toss", file="a.mp4", status="unreadable", reason="damaged", judge="j"),
        ClipRow(model="m", scene="coin_toss", file="b.mp4", status="judge_error", judge="j"),
        ClipRow(model="m", scene="coin_toss", file=None, status="missing", reason="failed"),
        ClipRow(model="m", scene="coin_toss", file=None, status="refused"),
        ClipRow(model="m", scene="roulette", file="r.mp4", status="scored", outcome="red", judge="j"),
    ]
    text, left_out = pawbench_rows(made)
    path = tmp_path / "rows.jsonl"
    path.write_text(text)
    again, unmatched, _ = read_tables(path)
    assert (left_out, unmatched) == (1, [])
    assert sorted((r.scene, r.status, r.outcome or "") for r in again) == sorted(
        (r.scene, r.status, r.outcome or "") for r in made[:-1]
    )
    said = [json.loads(line) for line in text.splitlines()]
    assert [(r["scene_id"], r["repeat_index"], r["outcome_label"]) for r in said[:3]] == [
        ("A-07", 0, "right_path"),
        ("A-07", 1, None),
        ("A-07", 2, "left_path"),
    ]
    listed = {"scene_id": "A-07", "split": "calibration", "outcome_labels": ["left_path", "right_path"]}
    listed |= {"reference_distribution": {"left_path": 0.5, "right_path": 0.5}}
    (tmp_path / "scenes.jsonl").write_text(json.dumps(listed))
    (tmp_path / "fork.jsonl").write_text("".join(text.splitlines(keepends=True)[:3]))
    model = replicate(tmp_path / "fork.jsonl", tmp_path / "scenes.jsonl")["tracks"]["calibration"]["models"]["m"]
    assert (model["track_average"], model["scenes"]["A-07"]["nulls"]) == (0.0, 1)


def test_results_are_data_frames_from_a_record_a_table_and_a_data_set(written, tmp_path: Path) -> None:
    pytest.importorskip("pandas", reason="pandas is not installed: pip install 'quincunx[tables]'")
    out, record = written
    write_data_set(record, out, tmp_path / "hub")
    write_table(tmp_path / "cells.csv", rows(record, "cells"), columns("cells"))
    found = load_results([out, tmp_path / "hub", tmp_path / "cells.csv"])
    assert (len(found.clips), len(found.cells), len(found.outcomes)) == (2 * 11, 3 * 2, 2 * 8)
    assert found.cells["source"].unique().tolist() == [str(out), str(tmp_path / "hub"), str(tmp_path / "cells.csv")]
    assert found.cells.groupby("model")["scored"].first().to_dict() == {ODD: 9, "m": 0}
    assert found.cells.query("model == 'm'")["tv"].isna().all()
    assert found.cells.dtypes["tv"] == "float64" and found.cells.dtypes["scored"] == "Int64"
    assert len(load_results([]).clips) == 0
    (tmp_path / "other.csv").write_text("x,y\n")
    with pytest.raises(InputError, match="has not the columns of any table .clips, cells, outcomes."):
        load_results(tmp_path / "other.csv")


def test_the_verb_writes_each_kind_and_refuses_what_it_cannot(quincunx, written, tmp_path: Path) -> None:
    out, record = written
    for name, more in (("c.csv", ["--table", "cells"]), ("c.jsonl", []), ("hub", [])):
        assert quincunx("export", out, "--to", tmp_path / name, *more) == (0, f"{tmp_path / name}\n", "")
    assert read_table(tmp_path / "c.csv", columns("cells")) == rows(record, "cells")
    code, _, err = quincunx("export", out, "--to", tmp_path / "rows.jsonl", "--as", "pawbench")
    assert (code, err) == (0, "") and len((tmp_path / "rows.jsonl").read_text().splitlines()) == 11
    code, told, _ = quincunx("export", "--columns", "--json")
    assert code == 0 and set(json.loads(told)) == set(TABLES)
    assert quincunx("export", out)[0] == 2
    assert quincunx("export", out, "--to", tmp_path / "x.csv", "--videos")[0] == 2
    assert quincunx("export", out, "--to", tmp_path / "x.csv", "--as", "pawbench")[0] == 2
    code, _, err = quincunx("export", tmp_path / "none.json", "--to", tmp_path / "x.csv")
    assert code == 1 and "give the record that `score` wrote" in err


def test_a_file_of_a_kind_that_is_not_written_does_not_become_a_folder(quincunx, written, tmp_path: Path) -> None:
    code, _, err = quincunx("export", written[0], "--to", tmp_path / "x.xlsx")
    assert code == 2 and "no table is written as .xlsx; give --to a .csv, .jsonl or .parquet" in err
    assert not (tmp_path / "x.xlsx").exists()
