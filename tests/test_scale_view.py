from dataclasses import replace
from types import SimpleNamespace

from calibrate.cell import measure
from calibrate.clip_row import ClipRow
from calibrate.scale_view import WIDTH, scale


def cell(references: dict, n: int):
    rows = [ClipRow(model="m", scene="coin_toss", file=str(k), status="scored", outcome="heads") for k in range(n)]
    rows.append(ClipRow(model="m", scene="coin_toss", file="x", status="null", reason="no_motion"))
    return measure("m", "coin_toss", rows, references["coin_toss"], seed=0)


def test_the_scale_holds_score_interval_and_anchors_in_order(made_references) -> None:
    found = scale(cell(made_references, 20))
    (line,) = found.lines
    assert line.x == round(0.48 * WIDTH, 1) and 0 <= line.low <= line.x <= line.high <= WIDTH
    assert [mark.text for mark in found.marks] == [
        "always the likeliest 0.48",
        "faithful, by chance 0.09",
        "all outcomes alike 0.02",
    ]
    assert [mark.y for mark in found.marks] == [0, 13, 26]


def test_a_correction_gets_a_line_of_its_own_and_a_cell_of_nulls_no_scale(made_references) -> None:
    one = replace(cell(made_references, 20), corrected=SimpleNamespace(tv=0.4, tv_interval=(0.2, 0.5)))
    assert [line.text for line in scale(one).lines][1] == "corrected: TV 0.40 (95 % CI 0.20–0.50)"
    assert scale(cell(made_references, 0)) is None
