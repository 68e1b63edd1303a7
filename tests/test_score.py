import inspect
import json
import os
import signal
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from calibrate.conclusion import MARGIN_TV
from calibrate.record import Record
from calibrate.report import write_report
from calibrate.score import score_study, score_verdicts
from cli import scoring
from judge.verdict import Verdict
from sim import InputError

ODD_NAME = "汉字 #1 <b> & co's.mp4"


def make_study(root: Path, said: dict[str, str]) -> Path:
    """Clips whose bytes are what the stub judge says; a `|` makes them differ."""
    for file, text in said.items():
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        (root / file).write_text(text)
    return root


@pytest.fixture
def study(tmp_path: Path) -> Path:
    said = {f"a/coin_toss/{k}.mp4": ("heads|" if k % 3 else "tails|") + str(k) for k in range(9)}
    said |= {f"a b/die_roll-{k}.mp4": f"face_{1 + k % 6}|{k}" for k in range(7)}
    said |= {"a/coin_toss/null.mp4": "null:not_settled", "a/coin_toss/bad.webm": "unreadable:damaged"}
    said |= {"a/coin_toss/boom.mp4": "raise", f"a/coin_toss/{ODD_NAME}": "heads|odd", "a/cointoss/x.mp4": "heads"}
    return make_study(tmp_path / "study", said)


def test_every_file_has_one_row_and_every_cell_its_sum(
    study: Path, tmp_path: Path, named_judge, made_references
) -> None:
    record = score_study(study, named_judge(), out=tmp_path / "r.json", seed=0, references=made_references)
    files = sorted(p.relative_to(study).as_posix() for p in study.rglob("*.*"))
    assert sorted([str(c.file) for c in record.clips] + [str(u["file"]) for u in record.unmatched]) == files
    cell = next(c for c in record.cells if c.model == "a")
    assert (cell.requested, cell.scored, cell.null, cell.unreadable, cell.judge_error) == (
        13, 10, {"not_settled": 1}, {"damaged": 1}, 1,
    )  # fmt: skip
    assert record.unmatched[0]["nearest"] == "a/coin_toss/x.mp4"
    broken = next(c for c in record.clips if c.status == "judge_error")
    assert broken.detail == "RuntimeError: the judge fell over"
    assert any(ODD_NAME in str(c.file) for c in record.clips) and ODD_NAME in (tmp_path / "r.json").read_text()
    assert {c.judge for c in record.clips} == {"stub"} and record.judge["digest"] == "stub"


def test_record_is_the_same_whatever_the_workers(study: Path, tmp_path: Path, named_judge, made_references) -> None:
    texts = []
    for workers in (1, 4):
        out = tmp_path / f"r{workers}.json"
        score_study(study, named_judge(), out=out, workers=workers, references=made_references)
        texts.append(out.read_bytes())
    assert texts[0] == texts[1]


def test_a_second_run_judges_only_what_is_new_or_went_wrong(study: Path, tmp_path: Path, named_judge, made_references):
    first, again = named_judge(), named_judge()
    score_study(study, first, out=tmp_path / "r.json", references=made_references)
    before = (tmp_path / "r.json").read_bytes()
    (study / "a/coin_toss/1.mp4").rename(study / "a/coin_toss/renamed.mp4")
    (study / "a/coin_toss/renamed.mp4").rename(study / "a/coin_toss/1.mp4")
    calls = []
    judge = again
    score_study(study, judge, out=tmp_path / "r.json", references=made_references, progress=lambda *n: calls.append(n))
    assert again.seen == ["boom.mp4"] and len(first.seen) == 20
    assert calls[-1] == (20, 20)
    assert (tmp_path / "r.json").read_bytes() == before


def test_verdicts_of_another_judge_are_never_mixed_in(
    study: Path, tmp_path: Path, named_judge, made_references
) -> None:
    score_study(study, named_judge("one"), out=tmp_path / "r.json", references=made_references)
    other = named_judge("two")
    record = score_study(study, other, out=tmp_path / "r.json", references=made_references)
    assert len(other.seen) == 20 and {c.judge for c in record.clips} == {"two"}


def test_half_a_folder_read_by_one_judge_is_read_again_by_the_other(study, tmp_path, named_judge, made_references):
    whole = study.rename(tmp_path / "whole")
    half = [p for p in sorted(whole.rglob("*.*")) if "die_roll" in p.name]
    for clip in half:
        (study / clip.relative_to(whole)).parent.mkdir(parents=True, exist_ok=True)
        (study / clip.relative_to(whole)).write_bytes(clip.read_bytes())
    score_study(study, named_judge("one"), out=tmp_path / "r.json", references=made_references)
    other = named_judge("two")
    record = score_study(whole, other, out=tmp_path / "r.json", references=made_references)
    assert set(p.name for p in half) < set(other.seen) and {c.judge for c in record.clips} == {"two"}
    assert record.judge["digest"] == "two"
    page = write_report(tmp_path / "r.json", tmp_path / "r.html").read_text()
    assert "digest <code>two</code>" in page and "one</code>" not in page


def test_a_judge_that_fails_unevenly_moves_no_share_and_its_failures_are_shown_as_bounds(
    tmp_path: Path, named_judge, made_references
) -> None:
    """Two models with the same clips; the judge falls over on a tenth of one's and on none of the other's."""
    said = {f"sure/coin_toss/{k}.mp4": ("heads|" if k % 2 else "tails|") + str(k) for k in range(40)}
    said |= {f"shaky/coin_toss/{k}.mp4": "raise" if k % 10 == 1 else said[f"sure/coin_toss/{k}.mp4"] for k in range(40)}
    record = score_study(
        make_study(tmp_path / "s", said), named_judge(), out=tmp_path / "r.json", references=made_references
    )
    cells = {cell.model: cell for cell in record.cells}
    shaky, sure = cells["shaky"], cells["sure"]
    assert (shaky.requested, shaky.scored, shaky.judge_error, sure.judge_error) == (40, 36, 4, 0)
    assert shaky.counts == {"heads": 16, "tails": 20} and shaky.null == {} == shaky.unreadable
    heads = shaky.shares["heads"]
    assert heads["share"] == pytest.approx(16 / 36)
    assert (heads["least"], heads["most"]) == (pytest.approx(16 / 40), pytest.approx(20 / 40))
    assert sure.shares["heads"]["least"] == sure.shares["heads"]["most"] == 0.5


SCRIPT = """
import sys, time
from pathlib import Path
sys.path[:0] = [{root!r}, {tests!r}]
from conftest import NamedJudge, made_reference
from calibrate.score import score_study
class Slow(NamedJudge):
    def verdicts(self, files, token):
        time.sleep(0.05)
        return super().verdicts(files, token)
references = {{t: made_reference(t, c) for t, c in {counts!r}.items()}}
score_study({study!r}, Slow(), out={out!r}, references=references, progress=lambda *n: print(*n, flush=True))
"""


def test_a_killed_run_goes_on_and_ends_like_an_undisturbed_one(study, tmp_path, named_judge, made_references) -> None:
    """O01: SIGKILL while clips are judged."""
    score_study(study, named_judge(), out=tmp_path / "whole" / "r.json", references=made_references)
    counts = {token: list(made_references[token].counts.values()) for token in ("coin_toss", "die_roll")}
    tests = str(Path(__file__).parent)
    out = tmp_path / "killed" / "r.json"
    code = SCRIPT.format(root=str(Path(tests).parent), tests=tests, counts=counts, study=str(study), out=str(out))
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as run:
        for line in run.stdout:
            if line.startswith("6 "):
                os.kill(run.pid, signal.SIGKILL)
                break
    assert not out.exists()
    judge = named_judge()
    score_study(study, judge, out=out, references=made_references)
    assert 0 < len(judge.seen) <= 14
    assert out.read_bytes() == (tmp_path / "whole" / "r.json").read_bytes()


def test_a_judge_that_breaks_its_word_is_a_judge_error(tmp_path: Path, named_judge, made_references) -> None:
    class Liar(named_judge):
        def verdicts(self, files, token):
            kind = files[0].read_text()
            if kind == "nan":
                yield Verdict(scene=token, status="scored", outcome="heads", confidence=float("nan"), judge="stub")
            elif kind == "label":
                yield Verdict(scene=token, status="scored", outcome="edge", judge="stub")
            elif kind == "judge":
                yield Verdict(scene=token, status="scored", outcome="heads", judge="another")

    study = make_study(tmp_path / "s", {f"m/coin_toss/{kind}.mp4": kind for kind in ("nan", "label", "judge", "none")})
    record = score_study(study, Liar(), out=tmp_path / "r.json", references=made_references)
    assert record.cells[0].judge_error == 4 and record.n_scored == 0
    details = " ".join(str(c.detail) for c in record.clips)
    for text in ("not a number", "'edge', which is no outcome", "by another", "StopIteration"):
        assert text in details


def test_scenes_that_the_card_does_not_cover_are_listed_and_not_scored(tmp_path, named_judge, made_references) -> None:
    study = make_study(tmp_path / "s", {"m/coin_toss/1.mp4": "heads", "m/galton_board/1.mp4": "bin_1"})
    record = score_study(study, named_judge(), out=tmp_path / "r.json", references=made_references)
    assert [c.scene for c in record.cells] == ["coin_toss"]
    assert "card does not cover the scene galton_board" in str(record.unmatched[0]["why"])


def test_copies_are_named_in_a_warning(tmp_path: Path, named_judge, made_references) -> None:
    said = {f"m/coin_toss/{k}.mp4": "heads|same" if k < 5 else f"heads|{k}" for k in range(25)}
    record = score_study(
        make_study(tmp_path / "s", said), named_judge(), out=tmp_path / "r.json", references=made_references
    )
    assert record.cells[0].n_distinct == 21
    (warning,) = record.warnings
    assert warning.startswith("5 clips are the same file") and "m/coin_toss/4.mp4" in warning


def test_an_empty_folder_gives_a_record_that_scored_nothing(tmp_path: Path, named_judge) -> None:
    (tmp_path / "s").mkdir()
    record = score_study(tmp_path / "s", named_judge(), out=tmp_path / "r.json")
    assert record.n_scored == 0 and record.cells == ()
    json.loads((tmp_path / "r.json").read_text())


def test_an_output_that_cannot_be_written_is_found_out_before_any_work(
    study: Path, tmp_path: Path, named_judge
) -> None:
    judge = named_judge()
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written .*; choose another --out"):
        score_study(study, judge, out=tmp_path / "file" / "r.json")
    with pytest.raises(InputError, match="is a folder; give --out a file name"):
        score_study(study, judge, out=tmp_path)
    with pytest.raises(ValueError, match="workers must be at least 1, got 0"):
        score_study(study, judge, out=tmp_path / "r.json", workers=0)
    assert judge.seen == []


def test_what_is_read_and_devices_are_never_overwritten(study: Path, tmp_path, named_judge, made_references) -> None:
    (tmp_path / "v.csv").write_text("model,scene,file,outcome,reason\nm,coin_toss,1,heads,\n")
    with pytest.raises(InputError, match="v.csv is what is read, and would be overwritten"):
        score_verdicts(tmp_path / "v.csv", out=tmp_path / "v.csv", references=made_references)
    with pytest.raises(InputError, match="1.mp4 is what is read, and would be overwritten"):
        score_study(study, named_judge(), out=study / "a/coin_toss/1.mp4", references=made_references)
    with pytest.raises(InputError, match="/dev/null is a device or a pipe"):
        score_verdicts(tmp_path / "v.csv", out="/dev/null", references=made_references)
    assert (study / "a/coin_toss/1.mp4").read_text() == "heads|1" and "heads" in (tmp_path / "v.csv").read_text()


def test_a_folder_whose_name_is_not_utf8_can_be_scored(tmp_path: Path, named_judge, made_references) -> None:
    study = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9"))
    make_study(study, {"coin_toss/1.mp4": "heads", "coin_toss/2.mp4": "raise"})
    record = score_study(study, named_judge(), out=tmp_path / "r.json", references=made_references)
    assert record.study == "caf\\udce9" and [c.model for c in record.clips] == ["caf\\udce9"] * 2


def test_a_small_reference_is_used_with_a_warning_and_an_old_one_refused(tmp_path, made_references) -> None:
    (tmp_path / "v.csv").write_text("model,scene,file,outcome,reason\nm,coin_toss,1,heads,\n")
    small = replace(made_references["coin_toss"], counts={"heads": 50, "tails": 50}, n=100)
    record = score_verdicts(tmp_path / "v.csv", out=tmp_path / "r.json", references={"coin_toss": small})
    assert record.warnings == ("coin_toss: the reference rests on 100 rollouts, fewer than 5000",)
    old = replace(small, version=small.version + 1)
    record = score_verdicts(tmp_path / "v.csv", out=tmp_path / "r.json", references={"coin_toss": old})
    assert record.n_scored == 0 and "the reference of coin_toss is of version" in str(record.unmatched[0]["why"])


def test_a_reference_of_another_engine_version_and_machine_scores_alike_and_says_so(tmp_path, made_references) -> None:
    """S13: its counts are what they are; the record keeps where they come from."""
    (tmp_path / "v.csv").write_text("model,scene,file,outcome,reason\nm,coin_toss,1,heads,\nm,coin_toss,2,tails,\n")
    elsewhere = replace(made_references["coin_toss"], engine_version="2.3.7", platform="Darwin-arm64")
    records = [
        score_verdicts(tmp_path / "v.csv", out=tmp_path / "r.json", references={"coin_toss": reference})
        for reference in (made_references["coin_toss"], elsewhere)
    ]
    assert records[0].cells == records[1].cells
    kept = records[1].references["coin_toss"]
    assert (kept["engine_version"], kept["platform"]) == ("2.3.7", "Darwin-arm64")


def test_a_table_of_verdicts_needs_neither_judge_nor_clips(tmp_path: Path, made_references) -> None:
    rows = [f"m,die_roll,{k},face_{1 + k % 6}," for k in range(30)] + [f"n,die_roll,{k},face_6," for k in range(30)]
    (tmp_path / "v.csv").write_text("model,scene,k,outcome,reason\n" + "\n".join(rows))
    record = score_verdicts(tmp_path / "v.csv", out=tmp_path / "sub" / "r.json", references=made_references)
    assert Counter(c.finding for c in record.cells) == {"cannot_tell": 1, "miscalibrated": 1}
    assert record.judge["kind"] == "table of verdicts" and record.study == "../v.csv"


def test_the_margin_decides_what_counts_as_calibrated_and_must_be_a_distance(tmp_path: Path, made_references) -> None:
    rows = [f"m,coin_toss,{k},{'heads' if k % 2 else 'tails'}," for k in range(60)]
    (tmp_path / "v.csv").write_text("model,scene,k,outcome,reason\n" + "\n".join(rows))
    asked = {"out": tmp_path / "r.json", "references": made_references}
    findings = [score_verdicts(tmp_path / "v.csv", margin=m, **asked).cells[0].finding for m in (0.1, 0.2)]
    assert findings == ["cannot_tell", "calibrated"]
    with pytest.raises(InputError, match="the margin is a total variation between 0 and 1, as 0.1, not 10"):
        score_verdicts(tmp_path / "v.csv", margin=10, **asked)
    assert inspect.signature(scoring.score).parameters["margin"].default == MARGIN_TV


def test_the_card_in_the_record_holds_only_its_scenes(tmp_path, named_judge, made_references) -> None:
    figures = {"n": 100, "right": 99, "false_null": 1, "missed_null": 0, "wrong_label": 0}
    card = {"scenes": {"coin_toss": figures, "die_roll": figures}}
    study = make_study(tmp_path / "s", {"m/coin_toss/1.mp4": "heads"})
    record = score_study(study, named_judge(), out=tmp_path / "r.json", card=card, references=made_references)
    assert record.judge["card"] == {"coin_toss": figures}


def test_the_cards_errors_are_carried_through_record_and_page(tmp_path, named_judge, made_references) -> None:
    figures = {"n": 100, "right": 97, "false_null": 1, "missed_null": 1, "wrong_label": 1}
    figures["confusion"] = {"heads": {"heads": 39, "tails": 1}, "tails": {"tails": 38, "out_of_domain": 1}}
    figures["confusion"]["not_settled"] = {"not_settled": 20, "heads": 1}
    study = make_study(tmp_path / "s", {f"m/coin_toss/{k}.mp4": f"heads|{k}" for k in range(12)})
    judged = {"out": tmp_path / "r.json", "references": made_references}
    record = score_study(study, named_judge(), card={"scenes": {"coin_toss": figures}}, **judged)
    found = record.cells[0].corrected
    assert Record.read(tmp_path / "r.json").cells[0].corrected == found
    assert found.tv_interval[1] >= found.tv >= found.tv_interval[0] > 0 and found.confusion_from.startswith("100 clips")
    assert scoring.summary(record, tmp_path / "r.json")["cells"][0]["corrected"]["p"] == found.p
    text = write_report(tmp_path / "r.json").read_text(encoding="utf-8")
    assert "heads 100 % (" in text and "simulated, kept from its training, not this model&#39;s" in text
    record = score_study(study, named_judge(), **judged)
    assert record.cells[0].corrected is None


def test_uneven_nulls_are_warned_of_in_record_and_page(tmp_path, named_judge, made_references) -> None:
    figures = {"n": 140, "right": 130, "false_null": 10, "missed_null": 0, "wrong_label": 0}
    figures["confusion"] = {"heads": {"heads": 60, "out_of_domain": 10}, "tails": {"tails": 70}}
    study = make_study(tmp_path / "s", {f"m/coin_toss/{k}.mp4": f"heads|{k}" for k in range(12)})
    judged = {"out": tmp_path / "r.json", "references": made_references}
    cell = score_study(study, named_judge(), card={"scenes": {"coin_toss": figures}}, **judged).cells[0]
    assert "heads in 10 of 70 clips, tails in 0 of 70" in str(cell.null_warning)
    assert cell.anchors["likeliest"]["tv"] == pytest.approx(0.48) and cell.anchors["faithful"]["tv"] == cell.tv_expected
    text = write_report(tmp_path / "r.json").read_text(encoding="utf-8")
    assert "Nulls are not even:" in text and "always the likeliest 0.48" in text


def test_a_scene_without_a_reference_is_listed_and_the_others_are_scored(
    tmp_path, made_references, monkeypatch
) -> None:
    import scenes

    def none_shipped(token: str) -> None:
        raise InputError(f"no reference is shipped for {token}; make one with: quincunx references {token}")

    monkeypatch.setattr(scenes, "reference", none_shipped)
    (tmp_path / "v.csv").write_text("model,scene,file,outcome,reason\nm,coin_toss,1,heads,\nm,y_fork,1,left,\n")
    record = score_verdicts(tmp_path / "v.csv", out=tmp_path / "r.json", references=made_references)
    assert [c.token for c in record.cells] == ["coin_toss"]
    assert "no reference is shipped for y_fork; make one with" in str(record.unmatched[0]["why"])
