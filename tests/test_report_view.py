from dataclasses import replace

import pytest

from calibrate import report_view as view
from calibrate.cell import adjusted, measure
from calibrate.clip_row import ClipRow
from calibrate.outlook import with_outlook


@pytest.fixture
def cell(made_references: dict):
    def make(reference=made_references["coin_toss"], **counts: int):
        rows = [
            ClipRow(model="m", scene="coin_toss", file=f"{o}{k}", status="scored", outcome=o)
            for o, n in counts.items()
            for k in range(n)
        ]
        rows.append(ClipRow(model="m", scene="coin_toss", file="x", status="null", reason="no_motion"))
        return with_outlook(adjusted([measure("m", "coin_toss", rows, reference, seed=0)]), seed=0)[0]

    return make


def test_sentences_say_what_is_known_and_what_not(cell) -> None:
    assert view.sentence(cell(heads=24)).startswith("Miscalibrated: TV 0.48 (95 % CI 0.34–0.52), p < 0.0001")
    few = cell(heads=12, tails=12)
    assert view.sentence(few).startswith("Cannot tell at n = 24: TV 0.02 (95 % CI 0.00–")
    assert f" off by {few.detectable_tv:.2f} or more would be found 4 times out of 5. With" in view.sentence(few)
    assert view.sentence(few).endswith(
        f" With {few.more_clips} more clips a faithful one would be shown to be within 0.1 as often."
    )
    near = view.sentence(cell(heads=520, tails=480))
    assert near.startswith("Calibrated within 0.1: TV 0.00") and near.endswith(
        "no difference found, p = 1.00 after Holm."
    )
    small = view.sentence(cell(heads=5700, tails=4300))
    assert small.startswith("Calibrated within 0.1: TV 0.05")
    assert small.endswith("by less it differs from the reference, p < 0.0001 after Holm.")
    assert view.sentence(cell()) == "Nothing can be said: none of 1 clips was scored."


def test_sentences_say_so_if_the_reference_is_a_set(cell, made_set) -> None:
    differs = view.sentence(cell(made_set, heads=24))
    assert differs.startswith("Miscalibrated, differs from every point of the set: TV 0.31 from its nearest")
    even = cell(made_set, heads=12, tails=12)
    assert view.sentence(even).startswith("Cannot tell at n = 24: TV 0.00 from its nearest point (95 % CI 0.00–")
    near = view.sentence(cell(made_set, heads=520, tails=480))
    assert near.startswith("Calibrated within 0.1 of the set: TV 0.00 from its nearest point (95 % CI 0.00–")
    assert "for more, from its pooled point; no difference found, p = 1.00 after Holm." in near
    assert view.about_reference(cell(made_set)) == "a set: every mixture of its 64 draws of the unknown constants"
    assert view.about_reference(cell()) == "one point: its counts are not kept by draw of the unknown constants"


def test_bars_show_the_range_of_a_set(cell, made_set) -> None:
    heads = view.chart(cell(made_set, heads=12, tails=12)).bars[0]
    assert 0 < heads.reference_low < heads.reference < heads.reference_high <= view.BAR_WIDTH
    assert heads.text.startswith("heads: reference 50 % (set: 31 % to 69 %), observed 12 of 24 = 50 %")
    heads = view.chart(cell(heads=12, tails=12)).bars[0]
    assert heads.reference_low == heads.reference == heads.reference_high


def test_bars_lie_on_the_axis_and_in_order(cell) -> None:
    chart = view.chart(cell(heads=18, tails=6))
    for bar in chart.bars:
        assert 0 <= bar.low <= bar.share <= bar.high <= view.BAR_WIDTH
        assert 0 <= bar.least <= bar.most <= view.BAR_WIDTH
    heads = chart.bars[0]
    assert heads.share == pytest.approx(0.75 * view.BAR_WIDTH) and heads.reference == pytest.approx(
        0.52 * view.BAR_WIDTH
    )
    assert heads.text.startswith("heads: reference 52 %, observed 18 of 24 = 75 % (95 % CI 53 % to 90 %; ")
    assert view.chart(cell()).bars[0].share is None


def test_doubtful_clips_come_first() -> None:
    base = ClipRow(model="m", scene="coin_toss", file="a", status="scored", outcome="heads", confidence=0.9)
    rows = [base, replace(base, file="b", confidence=0.2), replace(base, file="c", confidence=None)]
    rows.append(replace(base, file=None, status="missing", outcome=None))
    assert [row.file for row in view.doubtful_first(rows)] == ["c", "b", "a"]


def test_figures_are_written_for_people() -> None:
    assert [view.number(None), view.number(-0.126), view.percent(None), view.percent(0.5)] == [
        "–",
        "−0.13",
        "–",
        "50 %",
    ]
    assert [view.p_text(p) for p in (None, 2e-9, 0.0034, 0.034)] == [
        "p undefined",
        "p < 0.0001",
        "p = 0.003",
        "p = 0.03",
    ]
    assert [view.q_text(q) for q in (None, 1e-6, 0.03)] == ["q undefined", "q < 0.0001", "q = 0.03"]
    assert view.span((0.1, 0.255)) == "0.10–0.26" and view.span(None) == "–"


def test_captions_hold_the_verdict_and_its_reason() -> None:
    row = ClipRow(model="m", scene="coin_toss", file="a", status="judge_error")
    assert view.caption(row) == "judge error"
    assert view.caption(replace(row, status="null", reason="no_motion")) == "null: no_motion"
    assert view.caption(replace(row, status="scored", outcome="heads")) == "heads"


def test_shares_are_told_with_their_limits() -> None:
    shares = {"heads": {"share": 0.75, "low": 0.5, "high": 0.9}, "tails": {"share": 0.25, "low": 0.1, "high": 0.5}}
    assert view.told_shares(shares) == "heads 75 % (50 % to 90 %), tails 25 % (10 % to 50 %)"
    assert view.told_shares({}) == ""


def test_card_lines_carry_an_interval() -> None:
    figures = {"n": 100, "right": 98, "false_null": 1, "missed_null": 1, "wrong_label": 0}
    (line,) = view.card_lines({"coin_toss": figures})
    # scipy.stats.binomtest(98, 100).proportion_ci() -> low=0.9296161395505853, high=0.9975686476267766
    assert (line["low"], line["high"]) == pytest.approx((0.92961614, 0.99756865))
    assert view.card_lines(None) == []
