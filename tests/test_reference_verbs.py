"""`reference --indices`, `merge` and `reference-card` do what they say, and refuse in one line."""

import json
from dataclasses import replace

import pytest

import scenes
from cli.reference import doubts
from scenes import making, shipped
from sim.reference import Reference
from sim.sampling import sample


def test_parts_of_a_reference_merge_to_the_bytes_of_the_whole(quincunx, tmp_path):
    whole, merged = tmp_path / "whole.json", tmp_path / "merged.json"
    ask = ("reference", "die_roll", "--seed", 3, "--json")
    single = quincunx(*ask, "--n", 20, "--out", whole)
    parts = []
    for a, b in ((12, 20), (0, 5), (5, 12)):
        parts.append(tmp_path / f"part{a}.json")
        code, out, err = quincunx(*ask, "--indices", f"{a}:{b}", "--out", parts[-1])
        assert (code, err) == (0, "") and (json.loads(out)["first_index"], json.loads(out)["n"]) == (a, b - a)
    assert quincunx("merge", *parts, "--out", merged, "--json") == single
    assert merged.read_bytes() == whole.read_bytes()
    quincunx(*ask, "--indices", "0:20", "--out", parts[0])
    assert parts[0].read_bytes() == whole.read_bytes()


def test_merging_what_does_not_belong_together_is_one_line(quincunx, tmp_path):
    a, b, out = tmp_path / "a.json", tmp_path / "b.json", tmp_path / "whole.json"
    quincunx("reference", "die_roll", "--indices", "0:2", "--out", a)
    quincunx("reference", "die_roll", "--indices", "2:4", "--seed", 1, "--out", b)
    code, said, err = quincunx("merge", a, b, "--out", out)
    assert (code, said) == (1, "") and err.count("\n") == 1 and "has seed 1" in err and not out.exists()
    assert "is what is read, and would be overwritten" in quincunx("merge", a, "--out", a)[2]
    assert "does not exist" in quincunx("merge", tmp_path / "c.json", "--out", out)[2]
    assert quincunx("merge", a, a, "--out", out) == (2, "", f"quincunx: {a} is named twice; leave one out\n")


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("--indices", "5:5"), "--indices must be A:B with 0 <= A < B, for the rollouts A to B - 1, got '5:5'"),
        (("--n", "9" * 24), "should be less than or equal to 1000000000000000"),
        (("--threads", "1025"), "should be less than or equal to 1024"),
        (("--indices", "0:5", "--n", "5"), "--n and --indices both say which rollouts; give one"),
    ],
)
def test_ranges_that_say_nothing_are_wrong_use(quincunx, arguments, why):
    code, out, err = quincunx("reference", "die_roll", *arguments)
    assert (code, out) == (2, "") and why in err


def test_reference_card_is_a_page_or_json(quincunx, tmp_path, monkeypatch):
    monkeypatch.setattr(shipped, "REFERENCES", tmp_path / "made")
    monkeypatch.setattr(shipped, "EVIDENCE", tmp_path / "evidence")
    for name in ("N_LEAST", "N_TWIN", "N_SECOND_ENGINE", "N_NOT_CAUSAL", "N_JITTER"):
        monkeypatch.setattr(making, name, 8)
    monkeypatch.setattr("sim.sampling.CHUNK", 8)
    monkeypatch.setattr(making, "N_PENETRATION", 1)
    monkeypatch.setattr(making, "curve", lambda scene, **how: {"n": 0, "points": []})
    making.make_reference("y_fork", work=tmp_path / "work", budget_cpu_s=1e-9)
    page = tmp_path / "card.html"
    assert quincunx("reference-card", "y_fork", "--out", page) == (0, f"{page}\n", "")
    assert "Reference card: y_fork" in page.read_text()
    code, out, err = quincunx("reference-card", "y_fork@sign", "--json")
    said = json.loads(out)
    assert (code, err) == (0, "") and said["scene"] == "y_fork"
    assert {"twins", "engines", "unknown_spread", "failed_share", "ideal_distance"} <= set(said)
    assert said["twins"]["half_step"]["n"] == 8


def test_a_card_without_evidence_is_one_line(quincunx, tmp_path, monkeypatch):
    monkeypatch.setattr(shipped, "EVIDENCE", tmp_path)
    code, out, err = quincunx("reference-card", "die_roll", "--json")
    assert (code, out) == (1, "") and "make it with: quincunx references die_roll" in err
    assert quincunx("reference-card", "die_rol")[0] == 2
    assert isinstance(scenes.reference("die_roll"), Reference)


def test_bad_rollouts_are_told_with_the_rows_that_make_them_again_and_so_are_outcomes_never_seen(ball):
    found = sample(ball, n=8, seed=3)
    assert doubts(found) == []
    bad = replace(
        found, counts={"near": 120, "far": 0}, null={"not_settled": 2}, null_rows={"not_settled": [4, 9]},
        failed={"left_the_scene": [17]}, n=123,
    )  # fmt: skip
    warning, note = doubts(bad)
    assert warning.startswith("warning: 2.4% of the rollouts failed or did not settle (a shipped")
    assert warning.endswith("indices make them again: {'left_the_scene': [17], 'not_settled': [4, 9]}")
    assert "with seed 3 these" in warning and note == "note: far never came up in 123 rollouts"
