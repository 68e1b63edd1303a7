"""Folders of published benchmarks are told by what lies in them, and every file of them is a clip or has a reason."""

import json
import os
from pathlib import Path

import pytest

import scenes
from calibrate.layouts.physics_iq import physics_iq
from calibrate.layouts.sorting import holes, tokens_of
from calibrate.layouts.vbench import vbench
from calibrate.published.calibench import WEIGHTS
from calibrate.study import Study, read_study
from sim import InputError

COIN = scenes.load("coin_toss").prompt
WHEEL = scenes.load("roulette").prompt


def touch(root: Path, *files: str) -> Path:
    for file in files:
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        (root / file).write_bytes(file.encode())
    return root


def cells(study: Study) -> dict[tuple[str, str], list[str]]:
    return {cell: [clip.file or f"- {clip.asked_file}" for clip in clips] for cell, clips in study.cells.items()}


def test_published_ids_name_tokens_whose_outcomes_are_as_many_and_in_order() -> None:
    assert tokens_of("calibench") == {
        "dice": "die_roll", "galton_board_real": "galton_board", "galton_board": "galton_board",
        "roulette": "roulette", "ball": "y_fork",
    }  # fmt: skip
    for published, token in tokens_of("calibench").items():
        assert len(scenes.load(token).outcomes) == len(WEIGHTS[published])
    assert scenes.load("roulette").outcomes == ("red", "black", "green") and scenes.load("y_fork").outcomes[0] == "left"
    assert tokens_of("pawbench")["A25"] == "pencil_fall@leaning_left"
    assert tokens_of("pawbench")["A23"] == "coin_toss@tails_up"


@pytest.mark.parametrize("order", ["{scene}/{model}", "{model}/{scene}", "rollouts/{scene}/{model}"])
def test_calibench_rollouts_in_either_order_with_their_seeds(tmp_path: Path, order: str) -> None:
    places = {(m, s): order.format(model=m, scene=s) for m in ("wan", "veo31") for s in ("dice", "ball")}
    touch(tmp_path, *(f"{at}/seed_{k:02d}.mp4" for at in places.values() for k in (0, 1, 3)))
    study = read_study(tmp_path)
    assert study.layout == "CaliBench" and not study.unmatched
    for (model, scene), at in places.items():
        token = {"dice": "die_roll", "ball": "y_fork"}[scene]
        assert cells(study)[model, token] == [f"{at}/seed_{k:02d}.mp4" for k in (0, 1, 3)] + ["- seed 2"]
        found = study.cells[model, token]
        assert [(c.seed, c.status) for c in found] == [(0, "found"), (1, "found"), (3, "found"), (2, "missing")]


def test_calibench_scenes_that_are_not_here_or_are_one_here_are_listed(tmp_path: Path) -> None:
    at = ("cards/wan/0.mp4", "galton_board/wan/0.mp4", "galton_board_real/wan/0.mp4", "dice/ball/wan/0.mp4")
    study = read_study(touch(tmp_path, *at, "notes.mp4"))
    assert cells(study) == {("wan", "galton_board"): ["galton_board_real/wan/0.mp4"]}
    why = {u.file: u.why for u in study.unmatched}
    assert why["cards/wan/0.mp4"].startswith("CaliBench's cards has no scene here")
    assert "galton_board_real and galton_board are both galton_board here" in why["galton_board/wan/0.mp4"]
    assert why["dice/ball/wan/0.mp4"] == "it lies in folders of two scenes of CaliBench, dice and ball"
    assert why["notes.mp4"] == "its name matches no scene"


def test_pawbench_rollouts_with_a_hole_and_a_scene_that_is_not_here(tmp_path: Path) -> None:
    touch(tmp_path, *(f"wan/A-01/r{k:03d}.mp4" for k in (0, 2)), "wan/A25/r000.webm", "wan/BM-01/r000.mp4")
    touch(tmp_path, "wan/A-01/r0001.mp4", "wan/A-01/r001.gif", "wan/A-01/r000.mov", "wan/B-77/r000.mp4")
    study = read_study(tmp_path)
    assert study.layout == "PAWBench"
    assert cells(study) == {
        ("wan", "coin_toss"): ["wan/A-01/r000.mov", "wan/A-01/r002.mp4", "- A-01/r001"],
        ("wan", "pencil_fall@leaning_left"): ["wan/A25/r000.webm"],
    }
    assert {u.file: u.why for u in study.unmatched} == {
        "wan/A-01/r000.mp4": "the same rollout as wan/A-01/r000.mov; remove one",
        "wan/A-01/r0001.mp4": "its name matches no scene",
        "wan/A-01/r001.gif": "its name matches no scene",
        "wan/B-77/r000.mp4": "its name matches no scene",
        "wan/BM-01/r000.mp4": "PAWBench's BM-01 has no scene here",
    }


def test_pawbench_folder_of_one_model_is_called_as_its_card_says(tmp_path: Path) -> None:
    touch(tmp_path / "run 7", "A-07/r000.mp4")
    assert set(read_study(tmp_path / "run 7").cells) == {("run 7", "y_fork")}
    (tmp_path / "run 7/study.toml").write_text('[study]\nmodel = "wan"\nclips_per_scene = 3\n')
    study = read_study(tmp_path / "run 7")
    assert cells(study) == {("wan", "y_fork"): ["A-07/r000.mp4", "- None", "- None"]}


def scene_row(name: str, *labels: str) -> str:
    q = {label: 1 / len(labels) for label in labels}
    row = {"scene_id": name, "split": "calibration", "outcome_labels": labels, "reference_distribution": q}
    return json.dumps(row) + "\n"


def test_pawbench_package_with_other_labels_is_not_scored_on_ours(tmp_path: Path) -> None:
    touch(tmp_path, "wan/A-02/r000.mp4", "wan/A-07/r000.mp4")
    listed = scene_row("A-02", "odd", "even") + scene_row("A-07", "left_path", "right_path")
    (tmp_path / "scenes.jsonl").write_text(listed)
    study = read_study(tmp_path)
    assert set(study.cells) == {("wan", "y_fork")}
    (stray,) = study.unmatched
    assert stray.why == "scenes.jsonl gives A-02 the labels odd, even; die_roll has others"


def test_pawbench_package_is_not_read_outside_the_folder_and_a_bad_one_is_one_line(tmp_path: Path) -> None:
    touch(tmp_path, "study/wan/A-02/r000.mp4")
    (tmp_path / "outside.jsonl").write_text(scene_row("A-02", "odd", "even"))
    (tmp_path / "study/scenes.jsonl").symlink_to(tmp_path / "outside.jsonl")
    with pytest.raises(InputError, match="scenes.jsonl is a link that leads outside the folder"):
        read_study(tmp_path / "study")
    (tmp_path / "study/scenes.jsonl").unlink()
    (tmp_path / "study/scenes.jsonl").write_text("{torn")
    with pytest.raises(InputError, match="scenes.jsonl line 1 is not JSON"):
        read_study(tmp_path / "study")


def test_vbench_names_are_prompts_cut_or_whole(tmp_path: Path) -> None:
    cut = WHEEL[:200]
    touch(tmp_path, f"wan/{COIN}-0.mp4", f"wan/{COIN.lower().rstrip('.')}-12.MP4", f"wan/{cut}-1.mp4")
    touch(tmp_path, f"wan/{COIN.replace('tray', 'trey')}-3.mp4", "wan/a dog runs over a green field-0.mp4")
    study = read_study(tmp_path)
    assert study.layout == "VBench"
    assert [(*cell, len(clips)) for cell, clips in study.cells.items()] == [
        ("wan", "coin_toss", 2),
        ("wan", "roulette", 1),
    ]
    listed = {u.file: (u.why, u.nearest) for u in study.unmatched}
    why, nearest = listed[f"wan/{COIN.replace('tray', 'trey')}-3.mp4"]
    assert why == "its name is nearly, but not quite, the prompt of coin_toss" and nearest == f"wan/{COIN}-3.mp4"
    assert listed["wan/a dog runs over a green field-0.mp4"][0] == "its name matches no scene"


def test_vbench_prompts_tell_the_scenes_apart_and_short_beginnings_do_not(tmp_path: Path) -> None:
    names = [f"{scenes.load(name).prompt[:240]}-0.mp4" for name in scenes.names()]
    assert [clip.scene for clip in vbench(tmp_path, names, "m").clips] == list(scenes.names())
    assert vbench(tmp_path, ["A red ball is released at-0.mp4", f"{COIN}.mp4", "coin_toss-3.mp4"], "m").claimed == set()


def test_physics_iq_run_folders(tmp_path: Path) -> None:
    touch(tmp_path, "wan/30FPS/0001_perspective-left_trimmed-coin-toss.mp4", "wan/0002_perspective-center_y-fork.mp4")
    touch(tmp_path, "wan/0003_full-videos_30FPS_perspective-left_take-2_trimmed-pencil-fall@leaning-left.mp4")
    touch(tmp_path, "wan/0004_perspective-right_trimmed-ball-and-block-fall.mp4", "wan/0005_coin-toss.mp4")
    study = read_study(tmp_path)
    assert study.layout == "Physics-IQ"
    assert sorted(cell for cell in study.cells) == [
        ("wan", "coin_toss"),
        ("wan", "pencil_fall@leaning_left"),
        ("wan", "y_fork"),
    ]
    why = {u.file: u.why for u in study.unmatched}
    other = "Physics-IQ's scenario ball-and-block-fall has no scene here"
    assert why["wan/0004_perspective-right_trimmed-ball-and-block-fall.mp4"] == other
    assert why["wan/0005_coin-toss.mp4"] == "its name matches no scene"
    (near,) = physics_iq(tmp_path, ["0001_perspective-left_trimmed-coin-tos.mp4"], "m").unmatched
    assert near.nearest == "0001_perspective-left_trimmed-coin-toss.mp4"


def test_two_layouts_in_one_folder_are_refused_in_one_line(tmp_path: Path) -> None:
    touch(tmp_path, "wan/A-01/r000.mp4", "dice/wan/seed_0.mp4", "dice/wan/seed_1.mp4")
    with pytest.raises(InputError) as told:
        read_study(tmp_path)
    assert str(told.value).endswith(
        "holds files of two layouts, CaliBench (as dice/wan/seed_0.mp4) and of PAWBench (as wan/A-01/r000.mp4); "
        "give each a folder of its own"
    )


def test_our_own_layout_goes_first_and_says_what_a_published_name_is_here(tmp_path: Path) -> None:
    study = read_study(touch(tmp_path, "m/coin_toss/1.mp4", "m/roulette/seed_0.mp4", "m/dice/2.mp4"))
    assert study.layout == "folders" and set(study.cells) == {("m", "coin_toss"), ("m", "roulette")}
    assert [(u.file, u.nearest) for u in study.unmatched] == [("m/dice/2.mp4", "m/die_roll/2.mp4")]


def test_links_of_a_published_layout_that_lead_outside_are_listed(tmp_path: Path) -> None:
    touch(tmp_path, "secret.mp4", "study/wan/A-01/r000.mp4")
    os.symlink(tmp_path / "secret.mp4", tmp_path / "study/wan/A-01/r001.mp4")
    study = read_study(tmp_path / "study")
    assert cells(study) == {("wan", "coin_toss"): ["wan/A-01/r000.mp4"]}
    assert [u.why for u in study.unmatched] == ["a link that leads outside the folder"]


def test_holes_are_of_series_alone() -> None:
    assert holes([3, 0], 32) == [1, 2] and holes([], 32) == [] and holes([1, 40], 32) == []


def test_a_hub_data_set_is_read_by_its_manifest(tmp_path: Path) -> None:
    touch(tmp_path, "data/x.mp4", "wan/coin_toss/1.mp4", "wan/coin_toss/2.mp4", "secret/y.mp4")
    rows = [
        {"file_name": "data/x.mp4", "model": "veo", "scene": "pawbench-less", "label": 3},
        {"file_name": "data/x2.mp4", "model": "veo", "scene": "A-09", "seed": 4, "fps": 24.0},
        {"file_name": "wan/coin_toss/1.mp4", "text": "a coin"},
        {"file_name": "wan/nothing/1.mp4"},
        {"file_name": "../secret/y.mp4", "model": "veo", "scene": "coin_toss"},
        {"file_name": "/etc/passwd", "model": "veo", "scene": "coin_toss"},
    ]
    (tmp_path / "metadata.jsonl").write_text("\n".join(map(json.dumps, rows)))
    study = read_study(tmp_path)
    assert study.layout == "manifest"
    told = {(c.model, c.scene): (c.file, c.detail) for c in study.clips}
    assert told == {
        ("veo", "pencil_fall"): (None, "no_file"),
        ("veo", "coin_toss"): (None, "outside_folder"),
        ("wan", "coin_toss"): ("wan/coin_toss/1.mp4", None),
    }
    why = {u.file: u.why for u in study.unmatched}
    assert why["data/x.mp4"] == "metadata.jsonl line 1: no scene is called 'pawbench-less'"
    assert why["wan/nothing/1.mp4"] == "metadata.jsonl line 4 gives no scene, and the name of its file matches none"
    assert why["wan/coin_toss/2.mp4"] == "not named in metadata.jsonl"
