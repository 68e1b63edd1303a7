import json
import os
from pathlib import Path

import numpy as np
import pytest

from calibrate.leaderboard import leaderboard
from calibrate.leaderboard_view import chart, headline, rank_span, write_leaderboard
from calibrate.record import Record
from calibrate.score import score_verdicts
from sim import InputError
from tests.browser import CHROMIUM, Browser

GOOD = "ht" * 12
BAD = "t" * 24


@pytest.fixture
def record(tmp_path: Path, made_references):
    """Scores {(model, scene): what each clip shows}: h and t for a coin, digits for a die, x for a null."""

    def make(said: dict[tuple[str, str], str], name: str = "r") -> Record:
        lines = ["model,scene,k,outcome,reason"]
        for (model, token), shown in said.items():
            for k, c in enumerate(shown):
                outcome = {"h": "heads", "t": "tails", "x": ""}.get(c, f"face_{c}")
                lines.append(f"{model},{token},{k},{outcome},{'no_motion' if c == 'x' else ''}")
        (tmp_path / f"{name}.csv").write_text("\n".join(lines) + "\n")
        return score_verdicts(tmp_path / f"{name}.csv", out=tmp_path / f"{name}.json", references=made_references)

    return make


STUDY = {
    ("good", "coin_toss"): GOOD,
    ("good", "die_roll"): "123456" * 4,
    ("bad", "coin_toss"): BAD,
    ("bad", "die_roll"): "1" * 20 + "xxxx",
    ("as good", "coin_toss"): GOOD[::-1],
    ("as good", "die_roll"): "123456" * 4,
}


def test_models_are_ranked_and_those_that_cannot_be_told_apart_share_a_letter(record) -> None:
    board = leaderboard([record(STUDY)])
    places = {place.model: place for place in board.places}
    assert [place.model for place in board.places] == ["as good", "good", "bad"]
    assert (places["good"].rank, places["as good"].rank, places["bad"].rank) == (1, 1, 3)
    assert places["good"].group == places["as good"].group == "a" and places["bad"].group == "b"
    assert places["good"].rank_interval == (1, 2) and places["bad"].rank_interval == (3, 3)
    assert places["bad"].first < 0.01 and places["good"].first == pytest.approx(0.5, abs=0.03)
    assert places["bad"].scorability == pytest.approx((1 + 20 / 24) / 2) and places["bad"].requested == 48
    assert headline(board) == "as good, good cannot be told apart in the lead on the 2 scenes that all 3 models have."
    json.dumps(board.to_json(), allow_nan=False)


def test_the_mean_is_that_of_the_cells(record) -> None:
    made = record(STUDY)
    board = leaderboard([made])
    for place in board.places:
        own = [c.excess for c in made.cells if c.model == place.model]
        # 20 dice of "bad" were scored, 24 of the others: it keeps its excess, that of the others is as of 20
        assert (place.excess == pytest.approx(np.mean(own))) == (place.model == "bad")
        assert place.excess_interval[0] < place.excess < place.excess_interval[1]
    (pair,) = [p for p in board.pairs if {p.a, p.b} == {"bad", "good"}]
    by = {place.model: place.excess for place in board.places}
    assert pair.difference == pytest.approx(by[pair.a] - by[pair.b]) and pair.p_holm >= pair.p


def test_what_some_model_lacks_is_in_no_mean_and_is_named(record) -> None:
    board = leaderboard(
        [record({**STUDY, ("good", "roulette"): "", ("bad", "galton_board"): "x"} | {("bad", "die_roll"): "xx"})]
    )
    assert board.scenes == ("coin_toss",) and board.scorability_scenes == ("coin_toss", "die_roll")
    assert board.left_out["die_roll"] == {"bad": "no scored clip"}
    assert board.left_out["galton_board"] == {"as good": "no clips", "bad": "no scored clip", "good": "no clips"}
    assert {place.model: place.scorability for place in board.places}["bad"] == pytest.approx(0.5)


def test_models_may_come_from_several_records_and_be_left_out(record) -> None:
    one = record({key: said for key, said in STUDY.items() if key[0] == "good"}, "one")
    two = record({key: said for key, said in STUDY.items() if key[0] != "good"}, "two")
    board = leaderboard([one, two], without=["as good"])
    assert [place.model for place in board.places] == ["good", "bad"]
    assert board.warnings[0].startswith("the verdicts are from different tables")
    assert headline(board) == "good is better calibrated than every other model on the 2 scenes that all 2 models have."


def test_what_makes_no_leaderboard_is_refused_in_one_line(record) -> None:
    whole = record(STUDY)
    with pytest.raises(InputError, match="the model '.*' has coin_toss in two records; give the models different"):
        leaderboard([whole, whole])
    with pytest.raises(InputError, match="a leaderboard needs two models or more, got good"):
        leaderboard([whole], without=["bad", "as good"])
    with pytest.raises(InputError, match="no record has a model 'x' to leave out; they have as good, bad, good"):
        leaderboard([whole], without=["x"])
    apart = {("a", "coin_toss"): GOOD, ("b", "die_roll"): "1", ("c", "coin_toss"): GOOD, ("c", "die_roll"): "1"}
    with pytest.raises(InputError, match="no scene has scored clips of all 3 models; '.*' lacks 1 of 2: leave it out"):
        leaderboard([record(apart, "apart")])


def test_draws_follow_the_seed_and_the_order_of_records_changes_nothing(record) -> None:
    one, two = (record({k: v for k, v in STUDY.items() if (k[0] == "bad") == bad}, str(bad)) for bad in (True, False))
    a, b = leaderboard([one, two], seed=3), leaderboard([two, one], seed=3)
    assert a == b and leaderboard([one, two], seed=4).places[0].excess == a.places[0].excess


def test_the_page_is_offline_and_names_with_markup_stay_text(record, tmp_path: Path) -> None:
    """O06."""
    name = "<script>alert(1)</script>"
    board = leaderboard([record({(name, "coin_toss"): GOOD, ("b", "coin_toss"): BAD, ("b", "die_roll"): "1"})])
    page = write_leaderboard(board, tmp_path / "board.html", names=["<i>r.json"]).read_text()
    assert "<script" not in page and "&lt;script&gt;alert(1)" in page and "&lt;i&gt;r.json" in page
    assert "http:" not in page and "https:" not in page and "src=" not in page
    assert "die_roll: " in page and "has no clips" in page
    points = chart(board).points
    assert points[0].y < points[1].y and all(p.x_low <= p.x <= p.x_high and p.y_low <= p.y <= p.y_high for p in points)
    assert rank_span((1, 1)) == "1" and rank_span((1, 3)) == "1 to 3"
    with pytest.raises(InputError, match="choose another file"):
        write_leaderboard(board, tmp_path / "r.json", names=[str(tmp_path / "r.json")])


def test_equal_models_are_hardly_ever_told_apart(record, tmp_path: Path) -> None:
    rng, apart, trials = np.random.default_rng(6), 0, 40
    for t in range(trials):
        said = {(m, "coin_toss"): "".join(rng.choice(["h", "t"], size=16, p=[0.8, 0.2])) for m in "abcd"}
        board = leaderboard([record(said, str(t))])
        apart += any(place.rank_interval != (1, 4) for place in board.places)
    assert apart <= 6  # 0.05 of 40 is 2; more than 6 has a probability of 0.003


def test_a_scene_with_few_clips_of_a_model_is_warned_of(record) -> None:
    board = leaderboard([record({**STUDY, ("poor", "coin_toss"): "ht", ("poor", "die_roll"): "123456" * 4})])
    (told,) = [line for line in board.warnings if "independent" in line]
    start = "on coin_toss all models are compared as of 2 independent clips, which 'poor' has: leave it out"
    assert told.startswith(start)
    again = leaderboard([record(STUDY, name="again")])
    assert not [line for line in again.warnings if "independent" in line]


def test_the_page_in_a_browser_runs_nothing_fits_and_is_read_by_keyboard(record, tmp_path: Path) -> None:
    """Names with markup stay text; on a narrow screen the tables scroll by themselves, by keyboard too."""
    if CHROMIUM is None:
        pytest.skip("no chromium; apt-get install -y chromium")
    name = "</script><img src=x onerror=\"window.foreign=1\"><b>bold</b>"
    shown = {(name, "coin_toss"): GOOD, ("b", "coin_toss"): BAD, ("twin of b " * 4, "coin_toss"): BAD}
    page = write_leaderboard(leaderboard([record(shown)]), tmp_path / "board.html", names=["r.json"])
    for size_px in ((1200, 900), (480, 800)):
        (tmp_path / str(size_px[0])).mkdir()
        with Browser(tmp_path / str(size_px[0]), size_px=size_px) as browser:
            browser.open(page)
            assert not [line for line in browser.log if "error" in line.lower()], browser.log
            assert browser.value("window.foreign") is None
            assert browser.value("document.querySelectorAll('img, script, td b, th b').length") == 0
            assert browser.value("document.querySelector('tbody th').textContent") == name
            assert browser.value("document.documentElement.scrollWidth <= window.innerWidth")
            seen = []
            for _ in range(4):
                browser.press("Tab")
                seen.append(browser.value("(document.activeElement || {}).className"))
            assert seen.count("scroll") >= 2
            labels = browser.value(
                "[...document.querySelectorAll('svg g text')].map((each) => each.getBoundingClientRect().top)"
            )
            assert len(labels) == 3 and all(b - a > 8 for a, b in zip(labels, labels[1:], strict=False))
            if folder := os.environ.get("QUINCUNX_SCREENSHOTS"):
                Path(folder, f"leaderboard-{size_px[0]}.png").write_bytes(browser.picture())
