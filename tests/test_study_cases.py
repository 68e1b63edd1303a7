"""Faults that users of other tools met with folders, small numbers and stopped runs cannot happen here."""

import html
import json
import math
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import scenes
from calibrate.columns import columns, rows
from calibrate.leaderboard import leaderboard
from calibrate.record import Record
from calibrate.report import write_report
from calibrate.score import score_study, score_verdicts
from calibrate.stats import Baseline, expected_total_variation, total_variation, tv_test
from calibrate.study import read_study
from calibrate.table_files import read_table, write_table
from judge import load_judge
from sim import InputError
from sim.clip import write_clip

ROOT = Path(__file__).resolve().parents[1]


def clips(root: Path, **said: str) -> Path:
    """Files of model `m` and scene coin_toss whose bytes are what the stub judge says of them."""
    for name, outcome in said.items():
        path = root / "m" / "coin_toss" / f"{name}.mp4"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(f"{outcome}|{name}".encode())
    return root


def test_g12_names_that_match_nothing_end_with_3_and_come_with_the_nearest_name(quincunx, tmp_path: Path) -> None:
    for file in ("m/coin_tosss/1.MP4", "free name.MP4", "m/coin_toss/deep/er/2.mp4"):
        (tmp_path / "s" / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "s" / file).write_bytes(b"x")
    code, out, _ = quincunx("validate", tmp_path / "s", "--json")
    said = json.loads(out)
    assert code == 3 and said["cells"] == []
    assert said["suggestions"]["m/coin_tosss/1.MP4"] == "m/coin_toss/1.MP4"
    assert said["suggestions"]["m/coin_toss/deep/er/2.mp4"] == "m/coin_toss/2.mp4"
    assert {row["file"] for row in said["extra"]} == set(said["suggestions"])


def test_g12_upper_case_suffixes_are_clips(tmp_path: Path) -> None:
    (tmp_path / "m/coin_toss").mkdir(parents=True)
    (tmp_path / "m/coin_toss/1.MP4").write_bytes(b"x")
    assert [clip.file for clip in read_study(tmp_path).clips] == ["m/coin_toss/1.MP4"]


def test_g04_plain_and_rewritten_prompts_are_two_rows_and_the_record_says_which(
    tmp_path: Path, named_judge, made_references
) -> None:
    for variant in ("plain", "extended"):
        folder = tmp_path / f"study/m {variant}"
        (folder / "coin_toss").mkdir(parents=True)
        (folder / "coin_toss/1.mp4").write_bytes(f"heads|{variant}".encode())
        (folder / "study.toml").write_text(f'[study]\nprompt_variant = "{variant}"\n')
    record = score_study(tmp_path / "study", named_judge(), out=tmp_path / "r.json", references=made_references)
    assert [cell.model for cell in record.cells] == ["m extended", "m plain"]
    cards = Record.read(tmp_path / "r.json").run_cards
    assert {m: card["rest"]["prompt_variant"] for m, card in cards.items()} == {
        "m plain": "plain",
        "m extended": "extended",
    }


def test_t02_six_of_eight_are_told_with_both_numbers_and_what_the_two_could_change(
    tmp_path: Path, named_judge, made_references
) -> None:
    clips(tmp_path / "s", **{f"c{k}": "heads" if k < 2 else "tails" for k in range(6)}, x="raise", y="null:covered")
    record = score_study(tmp_path / "s", named_judge(), out=tmp_path / "r.json", references=made_references)
    (cell,) = record.cells
    assert (cell.requested, cell.scored, cell.scorability) == (8, 6, 0.75)
    heads = cell.shares["heads"]
    assert (heads["share"], heads["least"], heads["most"]) == (pytest.approx(2 / 6), 2 / 8, 4 / 8)


def test_t04_a_folder_of_unreadable_files_is_a_valid_record_without_a_number(
    tmp_path: Path, named_judge, made_references
) -> None:
    clips(tmp_path / "s", a="unreadable:damaged", b="unreadable:empty_file")
    record = score_study(tmp_path / "s", named_judge(), out=tmp_path / "r.json", references=made_references)
    assert record.n_scored == 0 and record.cells[0].tv is None and record.cells[0].why_undefined is not None
    text = (tmp_path / "r.json").read_text()
    assert "NaN" not in text and "Infinity" not in text and Record.read(tmp_path / "r.json").n_scored == 0


def test_o04_going_on_with_other_options_ends_like_a_fresh_run_with_them(
    tmp_path: Path, named_judge, made_references
) -> None:
    study = clips(tmp_path / "s", a="heads", b="tails", c="heads")
    judge, how = named_judge(), {"references": made_references}
    score_study(study, judge, out=tmp_path / "r.json", **how)
    seen = len(judge.seen)
    again = score_study(study, judge, out=tmp_path / "r.json", margin=0.3, seed=5, workers=2, **how)
    fresh = score_study(study, named_judge(), out=tmp_path / "fresh.json", margin=0.3, seed=5, **how)
    assert len(judge.seen) == seen and again == fresh
    assert (again.seed, again.cells[0].margin) == (5, 0.3)


@pytest.mark.parametrize("edit", [lambda r: {**r, "counts": {"heads": 1.5, "tails": 1}}, lambda r: {**r, "n": -1}])
def test_an_edited_reference_is_refused_in_one_line(tmp_path: Path, named_judge, made_references, edit) -> None:
    out = tmp_path / "r.json"
    score_study(clips(tmp_path / "s", a="heads"), named_judge(), out=out, references=made_references)
    data = json.loads(out.read_text())
    data["references"]["coin_toss"] = edit(data["references"]["coin_toss"])
    out.write_text(json.dumps(data))
    with pytest.raises(InputError, match="was edited or is damaged") as told:
        Record.read(out)
    assert "\n" not in str(told.value)


def test_o08_it_works_from_another_folder_without_a_network_and_without_a_place_to_write(tmp_path: Path) -> None:
    table = tmp_path / "v.csv"
    lines = [f"m,coin_toss,{k}.mp4,{'heads' if k % 2 else 'tails'}," for k in range(8)]
    table.write_text("\n".join(["model,scene,file,outcome,reason", *lines]) + "\n")
    code = f"""import socket, sys
def refuse(*a, **k): raise OSError('no network here')
socket.socket.connect = socket.create_connection = refuse
sys.path.insert(0, {str(ROOT)!r})
sys.dont_write_bytecode = True
sys.argv = ['quincunx', 'score', '--verdicts', {str(table)!r}, '--out', {str(tmp_path / "out" / "r.json")!r}, '--json']
from cli.main import main
main()"""
    (tmp_path / "elsewhere").mkdir()
    env = {**os.environ, "HOME": str(tmp_path / "no such home"), "NUMBA_DISABLE_JIT": "0"}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path / "elsewhere", env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    (cell,) = json.loads(done.stdout)["cells"]
    assert cell["counts"] == {"heads": 4, "tails": 4}
    assert not any((tmp_path / "elsewhere").iterdir())


def test_g03_the_same_record_whatever_a_seed_is_recorded_as(tmp_path: Path, named_judge, made_references) -> None:
    clips(tmp_path / "s", a="heads", b="tails")
    how = {"references": made_references}
    records = {}
    for name, seeds in {"none": [None, None], "shared": [1, 1], "per_clip": [1, "x"]}.items():
        rows = [
            {"file": f"m/coin_toss/{f}.mp4", "model": "m", "scene": "coin_toss"} | ({} if s is None else {"seed": s})
            for f, s in zip("ab", seeds, strict=True)
        ]
        (tmp_path / "s/metadata.jsonl").write_text("\n".join(map(json.dumps, rows)))
        (records[name],) = score_study(tmp_path / "s", named_judge(), out=tmp_path / f"{name}.json", **how).cells
    assert {name: cell.seeds for name, cell in records.items()} == {k: k for k in records}
    assert replace(records["none"], seeds="") == replace(records["per_clip"], seeds="")


def test_g03_which_seeds_are_known_is_said_before_and_after_scoring(
    quincunx, tmp_path: Path, named_judge, made_references
) -> None:
    clips(tmp_path / "s", a="heads", b="tails")
    rows = [{"file": f"m/coin_toss/{f}.mp4", "model": "m", "scene": "coin_toss", "seed": 5} for f in "ab"]
    (tmp_path / "s/metadata.jsonl").write_text("\n".join(map(json.dumps, rows)))
    assert "shared" in quincunx("validate", tmp_path / "s")[1]
    score_study(tmp_path / "s", named_judge(), out=tmp_path / "r.json", references=made_references)
    page = write_report(tmp_path / "r.json").read_text(encoding="utf-8")
    assert '<th scope="row">seeds recorded</th><td>shared</td>' in page


def test_g07_any_name_is_scored_and_comes_back_whole(tmp_path: Path, named_judge, made_references) -> None:
    names = ["x" * 236, "it's", "-dash", "汉字 #1 <b> & co", "a&amp;b", "--help"]
    clips(tmp_path / "s", **dict.fromkeys(names, "heads"))
    record = score_study(tmp_path / "s", named_judge(), out=tmp_path / "r.json", references=made_references)
    files = {f"m/coin_toss/{name}.mp4" for name in names}
    assert {row.file for row in record.clips} == files and record.n_scored == len(names)
    write_table(tmp_path / "c.csv", rows(record, "clips"), columns("clips"))
    assert {row["file"] for row in read_table(tmp_path / "c.csv", columns("clips"))} == files
    page = html.unescape(write_report(tmp_path / "r.json").read_text(encoding="utf-8"))
    assert all(f'title="{file}"' in page for file in files)


@pytest.mark.parametrize("kind", ["still", "zoom"])
def test_g09_a_still_picture_is_never_read_as_what_it_shows(tmp_path: Path, kind: str) -> None:
    """All frames are the source image, or a slow zoom into it."""
    import cv2

    judge = load_judge(versions=None)
    for token in scenes.names():
        picture = cv2.cvtColor(cv2.imread(str(scenes.source_image(token))), cv2.COLOR_BGR2RGB)
        picture = cv2.resize(picture, (480, 270) if picture.shape[1] > picture.shape[0] else (270, 480))
        h, w = picture.shape[:2]
        n = round(16 * scenes.load(token).duration_s)
        ends = np.linspace(1, 1.1 if kind == "zoom" else 1, n)
        turns = [cv2.getRotationMatrix2D((w / 2, h / 2), 0, float(zoom)) for zoom in ends]
        write_clip(tmp_path / "clip.mp4", np.stack([cv2.warpAffine(picture, m, (w, h)) for m in turns]), fps=16)
        (verdict,) = judge.verdicts([tmp_path / "clip.mp4"], token)
        assert (verdict.status, verdict.reason) == ("null", "no_motion"), token


def test_g11_holes_are_counted_by_reason_and_are_no_error(tmp_path: Path, named_judge, made_references) -> None:
    clips(tmp_path / "s", a="heads")
    made = [{"file": "m/coin_toss/a.mp4", "model": "m", "scene": "coin_toss"}]
    lost = [{"model": "m", "scene": "coin_toss", "status": s} for s in ("refused", "failed", "pending", "refused")]
    (tmp_path / "s/metadata.jsonl").write_text("\n".join(map(json.dumps, made + lost)))
    record = score_study(tmp_path / "s", named_judge(), out=tmp_path / "r.json", references=made_references)
    (cell,) = record.cells
    assert (cell.requested, cell.scored, cell.refused, cell.missing) == (5, 1, 2, 2)
    assert dict(cell.missing_reasons) == {"failed": 1, "pending": 1}


def test_t01_outcomes_that_the_reference_never_gave_and_totals_off_by_rounding() -> None:
    off = [0.5 + 1e-8, 0.5, 0.0]
    for baseline in (Baseline.exact(off), Baseline.sample([2500, 2500, 0])):
        test = tv_test([6, 5, 1], baseline, seed=0)
        assert 0 < test.p <= 1 and math.isfinite(total_variation([6, 5, 1], baseline))
    # of a sample a third outcome may be too rare to have been seen; of exact probabilities it is impossible
    assert (
        tv_test([6, 5, 1], Baseline.exact([0.5, 0.5, 0.0]), seed=0).p
        < tv_test([6, 5, 1], Baseline.sample([5, 5, 0]), seed=0).p
    )
    with pytest.raises(ValueError, match="sum"):
        Baseline.exact([0.5, 0.6])


@pytest.mark.parametrize("unreadable", [False, True])
def test_t04_nothing_to_score_is_exit_code_3_and_valid_json(quincunx, tmp_path: Path, unreadable: bool) -> None:
    (tmp_path / "s/m/coin_toss").mkdir(parents=True)
    if unreadable:
        (tmp_path / "s/m/coin_toss/1.mp4").write_bytes(b"no video")
    code, out, err = quincunx("score", tmp_path / "s", "--out", tmp_path / "r.json", "--json")
    assert code == 3 and "nothing was scored" in err and "Traceback" not in err

    def refuse(name: str) -> None:
        raise ValueError(name)

    said = json.loads(out, parse_constant=refuse)
    assert len(said["cells"]) == int(unreadable)
    json.loads((tmp_path / "r.json").read_text(), parse_constant=refuse)


def test_t06_small_samples_do_not_lose_by_their_noise(tmp_path: Path, made_references) -> None:
    """Draws of 10 and of 1,000 clips from the reference itself: rank by excess, which chance alone does not move."""
    rng, n_repeats, excess, tv = np.random.default_rng(5), 200, {10: [], 1000: []}, {10: [], 1000: []}
    point = Baseline.exact([1 / 6] * 6)
    for n in excess:
        expected = expected_total_variation(n, point)
        for counts in rng.multinomial(n, [1 / 6] * 6, size=n_repeats):
            tv[n].append(total_variation(counts, point))
            excess[n].append((tv[n][-1] - expected) / (1 - expected))
        assert np.mean(tv[n]) == pytest.approx(expected, abs=4 * np.std(tv[n]) / math.sqrt(n_repeats))
    assert np.mean(tv[10]) > np.mean(tv[1000]) + 0.2
    few, many = (np.mean(excess[n]) for n in (10, 1000))
    assert abs(few - many) < 4 * np.std(excess[10]) / math.sqrt(n_repeats)
    lines = ["model,scene,k,outcome,reason"]
    # `few` is as even as 12 clips can be but one; `many` is a little off
    uneven = [1 + k % 6 if k % 10 else 1 for k in range(300)]
    for model, faces in {"few": [1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 6, 6], "many": uneven}.items():
        lines += [f"{model},die_roll,{k},face_{face}," for k, face in enumerate(faces)]
    (tmp_path / "v.csv").write_text("\n".join(lines) + "\n")
    record = score_verdicts(tmp_path / "v.csv", out=tmp_path / "r.json", references=made_references)
    shown = {cell.model: cell for cell in record.cells}
    assert shown["few"].tv > shown["many"].tv and shown["few"].excess < shown["many"].excess
    assert [place.model for place in leaderboard([record]).places] == ["few", "many"]
    page = write_report(tmp_path / "r.json").read_text(encoding="utf-8")
    assert f"chance {shown['few'].tv_expected:.2f}" in page


def test_t08_every_interval_of_the_page_says_what_it_is(tmp_path: Path, named_judge, made_references) -> None:
    study = clips(tmp_path / "s", **{f"c{k}": "heads" if k % 3 else "tails" for k in range(12)}, x="null:covered")
    score_study(study, named_judge(), out=tmp_path / "r.json", references=made_references)
    text = re.sub(
        r"<(style|script)>.*?</\1>", "", write_report(tmp_path / "r.json").read_text(encoding="utf-8"), flags=re.S
    )
    assert "±" not in text and "+-" not in text
    text = html.unescape(re.sub(r"<[^>]+>", " ", text))
    spans = list(re.finditer(r"\d(?:\.\d+)?(?: %)?(?:–| to )\d", text))
    assert len(spans) > 8
    for found in spans:
        before = text[max(0, found.start() - 90) : found.start()]
        assert re.search(r"95 %|Wilson|set:|bounds|whatever|of the set|scale from|TV of all|reference ", before), (
            before + found.group()
        )


def test_o11_validate_needs_neither_weights_nor_torch(tmp_path: Path) -> None:
    (tmp_path / "m/coin_toss").mkdir(parents=True)
    write_clip(tmp_path / "m/coin_toss/1.mp4", np.zeros((16, 64, 64, 3), np.uint8), fps=16)
    code = f"""import sys
sys.path.insert(0, {str(ROOT)!r})
sys.modules["torch"] = sys.modules["safetensors"] = None
sys.argv = ["quincunx", "validate", {str(tmp_path)!r}, "--json"]
from cli.main import main
main()"""
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["cells"][0]["readable"] == 1
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert all(word in readme for word in ("quincunx validate study", "study/<model>/<scene>/<any name>.mp4"))
