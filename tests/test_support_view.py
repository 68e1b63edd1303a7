from dataclasses import replace

import pytest

from calibrate.report import write_report
from calibrate.score import score_verdicts
from calibrate.support_view import lines, row, sentence, with_gaps


@pytest.fixture
def record(tmp_path, made_references):
    shown = {"<b>a": ["heads"] * 9, "b": ["heads", "tails"], "c": ["heads"] * 3, "d": [""]}
    text = "".join(
        f"{m},coin_toss,{k},{o},{'' if o else 'covered'}\n" for m, os in shown.items() for k, o in enumerate(os)
    )
    (tmp_path / "v.csv").write_text("model,scene,k,outcome,reason\n" + text)
    return score_verdicts(tmp_path / "v.csv", out=tmp_path / "r.json", references=made_references)


def test_what_is_missing_is_said_with_its_chance(record) -> None:
    cells = {cell.model: cell for cell in record.cells}
    assert [cell.model for cell in with_gaps(record.cells)] == ["<b>a", "c"]
    assert row(cells["<b>a"])[2:5] == ("1 of 2", "2.00", "tails (0.0028)")
    assert "tails was never shown in 9 clips; a faithful model misses it with p = 0.003." in sentence(cells["<b>a"])
    assert sentence(cells["c"]).endswith(": so few clips cannot tell.")
    assert sentence(cells["b"]) == "All 2 outcomes were shown." and sentence(cells["d"]) == "No clip was scored."
    assert row(replace(cells["b"], support=None))[2:] == ("-",) * 4
    assert [line["model"] for line in lines(record.cells)] == ["<b>a", "c"]


def test_the_report_has_the_table_and_names_stay_text(record, tmp_path) -> None:
    page = write_report(tmp_path / "r.json").read_text()
    assert "Outcomes never shown" in page and "tails (0.0028)" in page and "<b>a</td>" not in page
