import json
from dataclasses import replace

import numpy as np
import pytest

import scenes
from calibrate.anytime import LEVEL, check_anytime, with_anytime
from calibrate.anytime_view import MOST_LINES, lines, told
from calibrate.cell import measure
from calibrate.clip_row import ClipRow
from calibrate.record import Record
from calibrate.report import write_report
from calibrate.score import score_verdicts
from calibrate.stats import Baseline
from calibrate.stats.dirichlet_e_value import log_e_value
from sim import InputError


def cell(counts, reference, *, model: str = "m", margin: float = 0.1):
    outcomes = scenes.parse_token("coin_toss")[0].outcomes
    shown = [o for o, n in zip(outcomes, counts, strict=True) for _ in range(n)]
    rows = [
        ClipRow(model=model, scene="coin_toss", file=str(k), status="scored", outcome=o) for k, o in enumerate(shown)
    ]
    rows += [] if shown else [ClipRow(model=model, scene="coin_toss", file="x", status="null", reason="no_motion")]
    return measure(model, "coin_toss", rows, reference, seed=0, margin=margin)


@pytest.fixture
def coin(made_references):
    return made_references["coin_toss"]


def advised(coin, *counts, margin: float = 0.1):
    cells = [cell(each, coin, model=str(i), margin=margin) for i, each in enumerate(counts)]
    return [each.anytime for each in with_anytime(cells, {"coin_toss": coin})]


def test_it_says_when_to_stop_and_what_more_would_take(coin) -> None:
    off, near, few = advised(coin, (0, 30), (1560, 1440), (13, 12))
    assert [off.advice, near.advice, few.advice] == ["stop_miscalibrated", "stop_calibrated", "go_on"]
    assert off.more_clips == near.more_clips == 0 and few.more_clips > 100
    e = log_e_value([0, 30], Baseline.sample([2600, 2400]))
    assert off.log10_e == pytest.approx(e / np.log(10)) and off.p == pytest.approx(np.exp(-e))
    assert off.p_holm == pytest.approx(3 * off.p) and few.p_holm == 1
    assert off.tv_interval[0] > 0.2 and near.tv_interval[1] < 0.1 < few.tv_interval[1]


def test_the_clips_that_are_foretold_decide_if_the_shares_stay(coin) -> None:
    (one,) = advised(coin, (20, 10))
    n = 30 + one.more_clips
    grown = (round(n * 2 / 3), n - round(n * 2 / 3))
    assert one.advice == "go_on" and advised(coin, grown)[0].advice == "stop_miscalibrated"
    short = 30 + one.more_clips * 2 // 3
    assert advised(coin, (round(short * 2 / 3), short - round(short * 2 / 3)))[0].advice == "go_on"


def test_a_set_has_a_weaker_claim_than_its_points(coin, made_set) -> None:
    (of_set,) = [c.anytime for c in with_anytime([cell((24, 6), made_set)], {"coin_toss": made_set})]
    point = replace(made_set, members=None)
    (of_point,) = [c.anytime for c in with_anytime([cell((24, 6), point)], {"coin_toss": point})]
    assert of_set.log10_e < of_point.log10_e and of_set.tv_interval[0] <= of_point.tv_interval[0]


def test_nothing_scored_has_no_figures_and_is_in_no_family(coin) -> None:
    nothing, off = advised(coin, (0, 0), (0, 30))
    assert nothing is None and off.p_holm == off.p


def test_false_claims_under_optional_stopping_are_rare(coin) -> None:
    # whoever stops at the first claim, of a faithful model or of one at the margin, is wrong in at most 5 %
    rng, trials = np.random.default_rng(8), 60
    for q, wrong in ((0.52, "stop_miscalibrated"), (0.63, "stop_calibrated")):
        false = 0
        for _ in range(trials):
            heads = np.cumsum(rng.random(400) < q)
            for n in range(25, 401, 25):
                k = int(heads[n - 1])
                if advised(coin, (k, n - k))[0].advice == wrong:
                    false += 1
                    break
        assert false <= 8  # of 60 at 5 %: more than 8 has a probability of 0.003


def test_a_record_keeps_it_and_one_that_was_edited_is_refused(tmp_path, made_references) -> None:
    text = "".join(f"<b>{m},coin_toss,{k},tails\n" for m in range(MOST_LINES + 3) for k in range(4))
    text += "".join(f"off,coin_toss,{k},tails\n" for k in range(60))
    (tmp_path / "v.csv").write_text("model,scene,k,outcome\n" + text)
    record = score_verdicts(tmp_path / "v.csv", out=tmp_path / "r.json", references=made_references)
    assert Record.read(tmp_path / "r.json").cells == record.cells
    said = told(record.cells)
    assert said[0] == "looking again is free: 1 of 16 cells may stop now (1 miscalibrated, 0 calibrated)"
    assert (
        said[1].startswith("go on with <b>0 coin_toss: about ") and said[-1] == "and with 3 cells more, see the record"
    )
    assert {line["advice"] for line in lines(record.cells)} == {"go on", "stop: miscalibrated"}
    page = write_report(tmp_path / "r.json").read_text()
    assert "May one stop paying for clips?" in page and "<b>0</td>" not in page
    data = json.loads((tmp_path / "r.json").read_text())
    for name, value in (("advice", "stop_calibrated"), ("p", 0.5), ("tv_interval", [0.9, 0.1]), ("p_within", 2)):
        kept = json.loads(json.dumps(data))
        kept["cells"][0]["anytime"][name] = value
        with pytest.raises(InputError, match="was edited or is damaged"):
            Record.from_json(kept)
    for each in data["cells"]:
        del each["anytime"]
    assert told(Record.from_json(data).cells) == []
    with pytest.raises(ValueError, match="the advice 'go_on' does not follow from its p-values"):
        check_anytime(replace(next(c.anytime for c in record.cells if c.model == "off"), advice="go_on"))
    assert LEVEL == 0.05
