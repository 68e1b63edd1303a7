"""`compare` speaks to people and to programs, and refuses in one line."""

import json

import pytest

from calibrate.score import score_verdicts


@pytest.fixture
def record(tmp_path, made_references):
    lines = ["model,scene,k,outcome,reason"]
    for model, shown in (("<b>a", "ht" * 12), ("b", "t" * 24), ("c", "")):
        lines += [f"{model},coin_toss,{k},{'heads' if c == 'h' else 'tails'}," for k, c in enumerate(shown)]
        lines += [f"{model},die_roll,{k},face_{k % 6 + 1}," for k in range(6)] if model == "b" else []
        lines += [] if shown else [f"{model},coin_toss,0,,no_motion"]
    (tmp_path / "v.csv").write_text("\n".join(lines) + "\n")
    score_verdicts(tmp_path / "v.csv", out=tmp_path / "r.json", references=made_references)
    return tmp_path / "r.json"


def test_compare_tells_each_scene_and_the_mean(quincunx, record):
    code, out, err = quincunx("compare", record, "--models", "<b>a", "b")
    assert code == 0 and err == "note: not in the mean, scenes of B alone: die_roll\n"
    lines = out.splitlines()
    assert lines[0].startswith("A = <b>a, B = b; differences are A less B")
    assert lines[2].split()[:5] == ["coin_toss", "24,", "24", "0.020", "0.520"] and lines[2].endswith("  a_nearer")
    assert lines[-1].startswith("mean difference of excess over 1 scenes: -0.5")


def test_compare_gives_json_alone(quincunx, record):
    code, out, err = quincunx("compare", record, record, "--models", "b", "<b>a", "--json")
    said = json.loads(out)
    assert (code, err, said["scenes"][0]["finding"], said["only_a"]) == (0, "", "b_nearer", ["die_roll"])


def test_compare_refuses_in_one_line_and_ends_with_3_if_nothing_is_scored(quincunx, record):
    code, out, err = quincunx("compare", record)
    assert (code, out) == (1, "") and err.count("\n") == 1 and "name two with --models A B" in err
    code, out, err = quincunx("compare", record, "--models", "b", "c", "--json")
    assert code == 3 and json.loads(out)["mean_over"] == [] and "no scene has scored clips of both" in err
