"""The card holds the figures of the evidence, and its page is whole and needs nothing from outside."""

import json
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

import scenes
from calibrate.reference_card import card, write_card
from calibrate.reference_card_view import curve, differences_plot, rows_text, shares_plot
from scenes import shipped
from sim import InputError, Solver
from sim.comparison import compare
from sim.evidence import Evidence, ideal_distance, unknown_spread

SCALES = (0.25, 1.0, 4.0)


class Page(HTMLParser):
    """Collects tags, attributes and text, and checks that every tag is closed."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.words, self.open = [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


def made(reference, *, base=True):
    """Evidence that nothing was simulated for."""
    scene, _ = scenes.parse_token(reference.scene)
    beside = compare(reference, reference, solver=Solver())
    points = [
        {"scale": s, "counts": dict(reference.counts), "null": {"not_settled": 1}, "failed": {}, "tv": 0.0,
         "entropy_bits": 0.5, "entropy_given_constants_bits": 0.25, "why_undefined": None}
        for s in SCALES
    ]  # fmt: skip
    return Evidence(
        scene=reference.scene, version=1, settings_hash=reference.settings_hash, code_hash=reference.code_hash, seed=1,
        n=reference.n, sampling={"half_width": 0.02, "aimed_half_width": 0.01, "reached": False, "cpu_s": 300.0,
        "budget_cpu_s": 300.0}, failed_share=0.001, undecided_share=0.0, failed={"left_the_scene": [17]}, null={},
        unknown_spread=unknown_spread(reference), ideal=scene.ideal if base else None,
        ideal_distance=ideal_distance(reference, scene.ideal) if base else None,
        twins={"half_step": beside} if base else {}, engines={"bullet": beside},
        engines_missing={"impact": "no <walls>"},
        not_causal={}, predictability={"seed": 1, "first_index": 0, "n": 9, "points": points} if base else None,
        penetration={"deepest_m": 1e-4, "geoms": ["die", "floor"], "index": 3, "median_m": 5e-5, "n": 9, "seed": 1,
        "how": "rollouts run again one step at a time"} if base else None,
    )  # fmt: skip


@pytest.fixture
def die(made_references, tmp_path, monkeypatch):
    """A made-up reference of die_roll with evidence, spread over its draws or not."""
    monkeypatch.setattr(shipped, "EVIDENCE", tmp_path / "evidence")

    def put(*, spread):
        rng = np.random.default_rng(0)
        rows = rng.dirichlet(np.full(6, 30 if spread else 1e9), size=64)
        table = np.array([rng.multinomial(80, row) for row in rows])
        found = replace(
            made_references["die_roll"],
            counts=dict(zip(made_references["die_roll"].outcomes, table.sum(axis=0).tolist(), strict=True)),
            n=5120,
            members=tuple(tuple(row) for row in table.tolist()),
        )
        monkeypatch.setattr(scenes, "reference", lambda token: found)
        monkeypatch.setattr(shipped, "reference", lambda token: found)
        made(found).write(shipped.evidence_path("die_roll"))
        return found

    return put


def test_card_has_the_figures_that_checks_rely_on(die):
    found = die(spread=True)
    figures = card("die_roll")
    wanted = {
        "twins",
        "engines",
        "unknown_spread",
        "failed_share",
        "ideal",
        "ideal_distance",
        "predictability",
        "failed",
    }
    assert wanted <= set(figures)
    assert "NaN" not in json.dumps(figures)
    assert figures["reference"]["counts"] == found.counts and figures["failed"] == {"left_the_scene": [17]}
    assert figures["twins"]["half_step"]["tv"] == 0 and len(figures["twins"]["half_step"]["differences"]) == 6
    assert len(figures["reference"]["members_shrunk"]) == 64 and not figures["unknown_spread"]["is_point"]
    assert figures["ideal_distance"]["tv_from_set"] <= figures["ideal_distance"]["tv"]


@pytest.mark.parametrize("spread", [True, False])
def test_page_is_whole_and_needs_nothing_from_outside(die, tmp_path, spread):
    die(spread=spread)
    text = write_card("die_roll", tmp_path / "card.html").read_text(encoding="utf-8")
    page = Page(text)
    assert page.open == [] and not {"script", "link", "iframe", "img"} & set(page.tags)
    assert not any(name in ("src", "href", "srcset") for name, _ in page.attributes)
    words = " ".join(" ".join(page.words).split())
    assert ("members lie" in words) == spread and "no <walls>" in words and "<walls>" not in text
    assert "1 left_the_scene: index 17" in words and "half the step" in words
    assert text.count("<polygon") == 6 and text.count('class="member"') == (64 * 6 if spread else 0)


def test_a_variant_and_an_old_reference_have_a_card_too(made_references, tmp_path, monkeypatch):
    monkeypatch.setattr(shipped, "EVIDENCE", tmp_path / "evidence")
    found = replace(made_references["coin_toss"], scene="coin_toss@tails_up")
    for module in (scenes, shipped):
        monkeypatch.setattr(module, "reference", lambda token: found)
    made(found, base=False).write(shipped.evidence_path("coin_toss@tails_up"))
    text = write_card("coin_toss@tails_up", tmp_path / "card.html").read_text(encoding="utf-8")
    assert Page(text).open == []
    for words in ("there is none", "the counts by draw were not kept", "Twins at other numerical settings are made of"):
        assert words in text


def test_missing_evidence_and_bad_places_are_told(die, tmp_path, monkeypatch):
    die(spread=False)
    with pytest.raises(InputError, match="is a folder"):
        write_card("die_roll", tmp_path)
    monkeypatch.setattr(shipped, "EVIDENCE", tmp_path / "none")
    with pytest.raises(
        InputError, match="no evidence is shipped for die_roll; make it with: quincunx references die_roll"
    ):
        card("die_roll")


@pytest.mark.parametrize("part", ["ideal", "sampling"])
def test_evidence_that_lost_a_part_is_one_line(die, part):
    die(spread=False)
    path = shipped.evidence_path("die_roll")
    data = json.loads(path.read_text())
    path.write_text(json.dumps({**data, part: {}}))
    with pytest.raises(InputError, match="is not whole.*make it again"):
        card("die_roll")


def test_marks_stand_where_their_numbers_say(die):
    die(spread=False)
    figures = card("die_roll")
    plot = shares_plot(figures)
    (zero, _), _, (end, label) = plot.ticks
    for row, share in zip(plot.rows, figures["reference"]["shares"].values(), strict=True):
        assert row.at == pytest.approx(zero + (end - zero) * share / float(label), abs=0.1)
        assert row.low < row.at < row.high and row.mark == plot.rows[0].mark
    both = differences_plot({"a": (0.01, -0.02, 0.04), "b": (-0.01, -0.04, 0.02)})
    assert both.rows[0].at + both.rows[1].at == pytest.approx(2 * both.zero, abs=0.2)
    assert [text for _, text in both.ticks] == ["-0.05", "0", "+0.05"]


def test_curve_goes_from_left_to_right_and_fills_up_to_one(die):
    die(spread=False)
    figures = card("die_roll")
    found = curve(figures["predictability"], figures["reference"]["outcomes"])
    assert [text for _, text in found.ticks] == ["1/4", "1", "4"]
    assert [x for x, _ in found.ticks] == [40, 235, 430] and found.now == 235
    first = found.layers[-1][1].split()[0]
    assert first == "40.0,20.0"  # all shares together are 1
    assert curve(None, ("a", "b")) is None


def test_long_lists_of_rows_are_cut_with_a_count():
    assert rows_text({}) == "none"
    assert rows_text({"lost": range(14)}) == f"14 lost: index {', '.join(map(str, range(12)))} and 2 more"
