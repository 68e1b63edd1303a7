import csv
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

import scenes
from calibrate.demo import Demo, check_references, run_demo, table
from judge.verdict import Verdict


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory, made_references: dict, truth_judge) -> Demo:
    """The demo on one scene and the two models that need no chosen rollouts, read by a judge without errors."""
    out = tmp_path_factory.mktemp("demo")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scenes, "reference", lambda token: made_references[token])
        patch.setattr("calibrate.demo.check_references", partial(check_references, n=32))
        steps: list[str] = []
        made = run_demo(
            out,
            truth_judge(out),
            tokens=["die_roll"],
            models=("faithful", "glitchy"),
            n_clips=6,
            workers=1,
            progress=lambda what, done, n: steps.append(what),
        )
    assert list(dict.fromkeys(steps)) == [
        "checking references",
        "drawing source images",
        "filming stand-in models",
        "judging clips",
    ]
    return made


@pytest.fixture(scope="module")
def truth_judge(named_judge):
    """A judge that looks every clip up in the table of what it truly shows."""

    class TruthJudge(named_judge):
        def __init__(self, out: Path) -> None:
            super().__init__("truth")
            self.out = out

        def verdicts(self, files, token):
            with (self.out / "truth.csv").open(encoding="utf-8") as table:
                truth = {row["file"]: row for row in csv.DictReader(table)}
            for file in files:
                row = truth[file.relative_to(self.out / "study").as_posix()]
                given = {"status": "null", "reason": row["reason"]} if row["reason"] else {
                    "status": "scored", "outcome": row["outcome"],
                }  # fmt: skip
                yield Verdict(scene=token, confidence=1.0, judge=self.digest, **given)

    return TruthJudge


def test_makes_everything_it_promises(demo: Demo) -> None:
    root = demo.record_path.parent
    assert {p.name for p in root.iterdir()} >= {"source_images", "study", "truth.csv", "record.json", "report.html"}
    assert (root / "source_images" / "die_roll.png").is_file()
    assert demo.report.stat().st_size < 10_000_000
    assert demo.report.read_text(encoding="utf-8").count("<img") == 24  # 12 clips: doubtful ones first, random ones


def test_the_record_holds_what_the_models_are(demo: Demo) -> None:
    faithful, glitchy = demo.record.cells
    assert (faithful.model, faithful.scored, faithful.requested) == ("faithful", 6, 6)
    assert (glitchy.scored, glitchy.null) == (4, {"not_settled": 1, "object_lost": 1})
    assert demo.record.unmatched == () and demo.record.warnings == ()


def test_the_table_is_short(demo: Demo) -> None:
    header, row = table(demo)
    assert header == ["scene", "reference check", "faithful", "glitchy"]
    assert row[0] == "die_roll" and row[3].endswith("4 of 6 scored")


def test_a_fresh_sample_fits_a_right_reference_and_not_a_wrong_one(tmp_path, made_references, monkeypatch) -> None:
    right = made_references["die_roll"]
    wrong = replace(right, counts=dict(zip(right.outcomes, [2500, 500, 500, 500, 500, 500], strict=True)))
    found = {}
    for name, reference in (("right", right), ("wrong", wrong)):
        monkeypatch.setattr(scenes, "reference", lambda token, kept=reference: kept)
        checks = check_references(["die_roll"], work=tmp_path, n=120)
        found[name] = Demo(checks=checks, record=None, record_path=tmp_path, report=tmp_path).doubtful
    assert found == {"right": (), "wrong": ("die_roll",)}
