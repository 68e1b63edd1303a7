"""`validate` says what is to be mended and judges nothing; `agree` sets two judges side by side."""

import json
import shutil

import numpy as np
import pytest

from calibrate.planning import plan
from sim.clip import write_clip


@pytest.fixture
def study(tmp_path):
    """One clip of a coin twice, one that cannot be read, and one of a scene whose name is misspelt."""
    cell = tmp_path / "a study" / "<b>mødel" / "coin_toss"
    cell.mkdir(parents=True)
    frames = np.random.default_rng(0).integers(0, 255, (28, 48, 64, 3), dtype=np.uint8)
    write_clip(cell / "骰子 #1.mp4", frames, fps=8, crf=40)
    shutil.copy(cell / "骰子 #1.mp4", cell / "2.mp4")
    (cell / "text.mp4").write_text("no video\n" * 20)
    shutil.copy(cell / "2.mp4", cell.parent / "con_toss-3.mp4")
    return tmp_path / "a study"


def test_validate_tells_findings_for_people(quincunx, study):
    code, out, err = quincunx("validate", study)
    lines = out.splitlines()
    assert (code, err) == (0, "decoding\n") or (code, err) == (0, "")
    assert lines[0].split() == "model scene requested found readable distinct seeds size rate length more".split()
    assert lines[1].split()[:8] == ["<b>mødel", "coin_toss", "3", "3", "2", "1", "none", "64x48"]
    told = "\n".join(lines[2:])
    assert "<b>mødel/con_toss-3.mp4: its name matches no scene; rename, for example to <b>mødel/coin_toss/con_" in told
    assert "2 clips are the same file, byte for byte: <b>mødel/coin_toss/2.mp4, <b>mødel/coin_toss/骰子 #1.mp4;" in told
    assert "1 of 3 files cannot be read, not_a_video: <b>mødel/coin_toss/text.mp4 (no accepted container" in told
    assert lines[-1].endswith(" findings")


def test_validate_gives_json_alone_and_the_margin_is_heeded(quincunx, study):
    code, out, err = quincunx("validate", study, "--json", "--margin", "0.2", "--workers", "2")
    said = json.loads(out)
    assert (code, err, said["margin"]) == (0, "", 0.2)
    assert {"missing", "extra", "unreadable", "duplicates", "near_duplicates", "suggestions"} <= set(said)
    assert said["cells"][0]["clips_for_margin"] == plan("coin_toss", margin=0.2, cells=len(said["cells"])).to_prove


def test_nothing_readable_ends_with_3_and_no_folder_with_1(quincunx, tmp_path):
    code, out, err = quincunx("validate", tmp_path, "--json")
    assert (code, json.loads(out)["cells"], err) == (3, [], f"quincunx: no clip of {tmp_path} can be scored\n")
    code, out, err = quincunx("validate", tmp_path / "none")
    assert (code, out) == (1, "")
    assert err.endswith("is not a folder; give the folder that holds <model>/<scene>/<clip>.mp4\n")
    assert quincunx("validate", tmp_path, "--margin", "0")[0] == 2


def verdicts(path, *said):
    lines = [f"m,coin_toss,{k}.mp4,{o},{'' if o else 'covered'}" for k, o in enumerate(said)]
    path.write_text("\n".join(["model,scene,file,outcome,reason", *lines, "m,coin_toss,9.mp4,,missing"]) + "\n")
    return path


def test_agree_lists_disagreements_first_and_then_the_table(quincunx, tmp_path):
    a = verdicts(tmp_path / "people.csv", "heads", "heads", "tails", "tails", "")
    b = verdicts(tmp_path / "judge.csv", "heads", "tails", "tails", "", "", "heads")
    code, out, err = quincunx("agree", a, b, "--most", "1")
    assert (code, err) == (0, "note: 1 clips of B alone: not compared\n")
    lines = out.splitlines()
    assert lines[0].split() == ["scene", "model", "file", "A", "B"]
    assert lines[1].split() == ["coin_toss", "m", "1.mp4", "heads", "tails"]
    assert lines[2] == "2 disagreements, 1 of them listed"
    # by hand: p_o = 3/5, p_e = (2 x 1 + 2 x 2 + 1 x 2) / 25 = 8/25, kappa = (15 - 8) / (25 - 8)
    assert "coin_toss  5  0.600 (0.147 to 0.947)  0.412 (" in out
    assert "all        5  0.600 (0.147 to 0.947)  0.412 (" in out
    assert "coin_toss: A \\ B  heads  tails  null\nheads             1      1      0\n" in out
    code, out, err = quincunx("agree", a, b, "--json")
    said = json.loads(out)
    assert code == 0 and said["kappa"] == pytest.approx(7 / 17) and len(said["disagreements"]) == 2


def test_agree_warns_of_one_judge_and_ends_with_3_without_common_clips(quincunx, tmp_path):
    a = verdicts(tmp_path / "people.csv", "heads", "tails")
    code, _, err = quincunx("agree", a, a)
    assert code == 0 and "are of one judge; that it agrees with itself says nothing" in err
    b = tmp_path / "b.csv"
    b.write_text("model,scene,file,outcome,reason\nother,coin_toss,0.mp4,heads,\n")
    code, out, err = quincunx("agree", a, b, "--json")
    assert code == 3 and json.loads(out)["n"] == 0
    assert "no clip has a verdict in both" in err.replace("\n", " ")
    code, out, err = quincunx("agree", a, tmp_path / "none.json")
    assert (code, out) == (1, "") and "give the record that `score` wrote" in err
