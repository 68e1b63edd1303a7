"""Faults that users of other tools met with folders, small numbers and stopped runs cannot happen here."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from calibrate.record import Record
from calibrate.score import score_study
from calibrate.study import read_study
from sim import InputError

ROOT = Path(__file__).resolve().parents[1]


def clips(root: Path, **said: str) -> Path:
    """Files of model `m` and scene coin_toss whose bytes are what the stub judge says of them."""
    for name, outcome in said.items():
        path = root / "m" / "coin_toss" / f"{name}.mp4"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(f"{outcome}|{name}".encode())
    return root


def test_names_that_match_nothing_end_with_3_and_come_with_the_nearest_name(quincunx, tmp_path: Path) -> None:
    for file in ("m/coin_tosss/1.MP4", "free name.MP4", "m/coin_toss/deep/er/2.mp4"):
        (tmp_path / "s" / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "s" / file).write_bytes(b"x")
    code, out, _ = quincunx("validate", tmp_path / "s", "--json")
    said = json.loads(out)
    assert code == 3 and said["cells"] == []
    assert said["suggestions"]["m/coin_tosss/1.MP4"] == "m/coin_toss/1.MP4"
    assert said["suggestions"]["m/coin_toss/deep/er/2.mp4"] == "m/coin_toss/2.mp4"
    assert {row["file"] for row in said["extra"]} == set(said["suggestions"])


def test_upper_case_suffixes_are_clips(tmp_path: Path) -> None:
    (tmp_path / "m/coin_toss").mkdir(parents=True)
    (tmp_path / "m/coin_toss/1.MP4").write_bytes(b"x")
    assert [clip.file for clip in read_study(tmp_path).clips] == ["m/coin_toss/1.MP4"]


def test_plain_and_rewritten_prompts_are_two_rows_and_the_record_says_which(
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


def test_six_of_eight_are_told_with_both_numbers_and_what_the_two_could_change(
    tmp_path: Path, named_judge, made_references
) -> None:
    clips(tmp_path / "s", **{f"c{k}": "heads" if k < 2 else "tails" for k in range(6)}, x="raise", y="null:covered")
    record = score_study(tmp_path / "s", named_judge(), out=tmp_path / "r.json", references=made_references)
    (cell,) = record.cells
    assert (cell.requested, cell.scored, cell.scorability) == (8, 6, 0.75)
    heads = cell.shares["heads"]
    assert (heads["share"], heads["least"], heads["most"]) == (pytest.approx(2 / 6), 2 / 8, 4 / 8)


def test_a_folder_of_unreadable_files_is_a_valid_record_without_a_number(
    tmp_path: Path, named_judge, made_references
) -> None:
    clips(tmp_path / "s", a="unreadable:damaged", b="unreadable:empty_file")
    record = score_study(tmp_path / "s", named_judge(), out=tmp_path / "r.json", references=made_references)
    assert record.n_scored == 0 and record.cells[0].tv is None and record.cells[0].why_undefined is not None
    text = (tmp_path / "r.json").read_text()
    assert "NaN" not in text and "Infinity" not in text and Record.read(tmp_path / "r.json").n_scored == 0


def test_going_on_with_other_options_ends_like_a_fresh_run_with_them(
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


def test_it_works_from_another_folder_without_a_network_and_without_a_place_to_write(tmp_path: Path) -> None:
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


def test_the_same_record_whatever_a_seed_is_recorded_as(tmp_path: Path, named_judge, made_references) -> None:
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
