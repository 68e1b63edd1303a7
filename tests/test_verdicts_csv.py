from pathlib import Path

import pytest

from calibrate.verdicts_csv import read_verdicts
from sim import InputError

HEADER = "model,scene,file,outcome,reason\n"


def table(folder: Path, text: str, *, encoding: str = "utf-8") -> Path:
    (folder / "v.csv").write_text(text, encoding=encoding)
    return folder / "v.csv"


def test_reads_outcomes_and_every_kind_of_reason(tmp_path: Path) -> None:
    text = HEADER + "m,coin_toss,1.mp4,heads,\nm,coin_toss,2.mp4,,not_settled\nm,coin_toss,3.mp4,,damaged\n"
    text += "m,coin_toss,4.mp4,,refused\nm,coin_toss,5.mp4,,missing\nm,coin_toss,6.mp4,,judge_error\n"
    rows, unmatched, digest = read_verdicts(table(tmp_path, text))
    assert [row.status for row in rows] == ["scored", "null", "unreadable", "refused", "missing", "judge_error"]
    assert rows[0].outcome == "heads" and rows[1].reason == "not_settled" and rows[4].file is None
    assert unmatched == [] and digest.startswith("csv:")


def test_accepts_a_spreadsheets_byte_order_mark_and_numbers_for_files(tmp_path: Path) -> None:
    text = "model,scene,k,outcome,reason\r\nm,die_roll,1,face_2,\r\n"
    rows, _, _ = read_verdicts(table(tmp_path, text, encoding="utf-8-sig"))
    assert (rows[0].model, rows[0].file, rows[0].outcome) == ("m", "1", "face_2")


def test_lists_rows_of_unknown_scenes(tmp_path: Path) -> None:
    rows, (one,), _ = read_verdicts(table(tmp_path, HEADER + "m,dice_roll,1,x,\nm,coin_toss,1,heads,\n"))
    assert len(rows) == 1 and (one.file, one.nearest) == ("1", "die_roll")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "lacks the column 'model'"),
        ("model,scene,outcome,reason\n", "lacks a column 'file' or 'k'"),
        (HEADER + "m,coin_toss,1,head,\n", "line 2: 'head' is no outcome of coin_toss; they are heads, tails"),
        (HEADER + "m,coin_toss,1,heads,not_settled\n", "line 2 gives both an outcome and a reason"),
        (HEADER + "m,coin_toss,1,,\n", "line 2 has no outcome and so needs a reason"),
        (HEADER + "m,coin_toss,1,,bad\n", "one of no_motion, .*; got 'bad'"),
        (HEADER + "m,coin_toss,1,heads,\nm,coin_toss,1,tails,\n", "line 3 gives m / coin_toss / 1 again"),
        (HEADER + ",coin_toss,1,heads,\n", "line 2 must give a model and a file or k"),
        ("model,scene,file,outcome,reason,outcome\n", "has more than one column 'outcome'; remove all but one"),
        (HEADER + f"m,coin_toss,1,heads,\nm,coin_toss,2,{'x' * 200_000},\n", r"line 3 is no CSV \(field larger"),
        ("x" * 200_000, r"line 1 is no CSV \(field larger"),
        (HEADER + "m,coin_toss,1\n", "line 2 has not as many fields"),
        (HEADER + "m,coin_toss,1,heads,,,\n", "line 2 has not as many fields"),
    ],
)
def test_names_the_line_that_is_wrong(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_verdicts(table(tmp_path, text))


def test_refuses_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_verdicts(tmp_path / "none.csv")
    (tmp_path / "v.csv").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="is not UTF-8"):
        read_verdicts(tmp_path / "v.csv")
