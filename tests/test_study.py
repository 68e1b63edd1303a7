import json
import os
from pathlib import Path

import pytest

from calibrate.study import read_study
from sim import InputError, SceneError


def touch(root: Path, *files: str) -> Path:
    for file in files:
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        (root / file).write_bytes(file.encode())
    return root


def sizes(root: Path) -> dict[tuple[str, str], int]:
    return {cell: len(clips) for cell, clips in read_study(root).cells.items()}


def test_finds_clips_by_folder_and_by_number(tmp_path: Path) -> None:
    touch(
        tmp_path,
        "a/coin_toss/any name.MP4",
        "a/coin_toss-7.webm",
        "b/die_roll/1.gif",
        "b/pencil_fall@leaning_left-0.mov",
    )
    cells = {("a", "coin_toss"): 2, ("b", "die_roll"): 1, ("b", "pencil_fall@leaning_left"): 1}
    assert sizes(tmp_path) == cells


def test_a_single_models_folder_is_called_like_the_folder_or_as_its_card_says(tmp_path: Path) -> None:
    touch(tmp_path / "mine", "coin_toss/1.mp4", "coin_toss-2.mp4")
    assert sizes(tmp_path / "mine") == {("mine", "coin_toss"): 2}
    assert sizes(tmp_path) == {("mine", "coin_toss"): 2}
    (tmp_path / "mine" / "study.toml").write_text('[study]\nmodel = "named"\n')
    assert sizes(tmp_path / "mine") == {("named", "coin_toss"): 2}


@pytest.mark.parametrize("name", ["汉字 #1 <b> & co.mp4", "x" * 236 + ".mp4", "-dash.mp4", "it's.mp4", "a&amp;b.mp4"])
def test_any_name_is_kept_as_it_is(tmp_path: Path, name: str) -> None:
    """G07."""
    touch(tmp_path, f"my model/coin_toss/{name}")
    (clip,) = read_study(tmp_path).clips
    assert clip.file == f"my model/coin_toss/{name}" and clip.model == "my model"


@pytest.mark.parametrize(
    ("file", "nearest"),
    [
        ("m/coin_tos/1.mp4", "m/coin_toss/1.mp4"),
        ("m/Coin_Toss/1.mp4", "m/coin_toss/1.mp4"),
        ("m/die_roll/deep/1.mp4", "m/die_roll/1.mp4"),
        ("m/dieroll-4.mp4", "m/die_roll/dieroll-4.mp4"),
        ("zzz.mp4", "<model>/<scene>/zzz.mp4"),
    ],
)
def test_lists_what_matches_no_scene_with_the_nearest_name(tmp_path: Path, file: str, nearest: str) -> None:
    """G12."""
    study = read_study(touch(tmp_path, file))
    assert not study.clips
    assert [(u.file, u.nearest) for u in study.unmatched] == [(file, nearest)]


def test_other_files_are_no_clips(tmp_path: Path) -> None:
    study = read_study(touch(tmp_path, "m/notes.txt", "m/coin_toss/.hidden.mp4", ".cache/coin_toss/1.mp4"))
    assert not study.clips and not study.unmatched


def test_a_suffix_that_no_video_has_is_listed_if_it_lies_in_a_cell(tmp_path: Path) -> None:
    study = read_study(touch(tmp_path, "m/coin_toss/1.rm", "m/coin_toss/2", "m/coin_toss-3.xyz", "m/coin_toss/4.y4m"))
    assert [c.file for c in study.clips] == ["m/coin_toss/4.y4m"]
    assert [u.file for u in study.unmatched] == ["m/coin_toss-3.xyz", "m/coin_toss/1.rm", "m/coin_toss/2"]
    assert {u.why for u in study.unmatched} == {"its suffix is not that of a video"}


def test_entries_that_are_no_files_are_listed_and_end_nothing(tmp_path: Path) -> None:
    touch(tmp_path, "m/coin_toss/1.mp4")
    cell = tmp_path / "m/coin_toss"
    os.mkfifo(cell / "pipe.mp4")
    (cell / "loop.mp4").symlink_to("loop.mp4")
    (cell / "dead.mp4").symlink_to("gone.mp4")
    (cell / "null.mp4").symlink_to("/dev/null")
    (tmp_path / "loop").symlink_to("loop")
    Path(os.fsdecode(os.fsencode(cell) + b"/caf\xe9.mp4")).write_bytes(b"")
    study = read_study(tmp_path)
    assert [c.file for c in study.clips] == ["m/coin_toss/1.mp4"]
    assert {u.file: u.why for u in study.unmatched} == {
        "m/coin_toss/pipe.mp4": "a pipe or a device, not a regular file",
        "m/coin_toss/loop.mp4": "a link that leads nowhere",
        "m/coin_toss/dead.mp4": "a link that leads nowhere",
        "m/coin_toss/null.mp4": "a link that leads outside the folder",
        "m/coin_toss/caf\\udce9.mp4": "its name is not UTF-8 text; rename it",
        "loop": "a link that leads nowhere",
    }


@pytest.mark.parametrize("file", ["x" * 300 + ".mp4", "loop.mp4", "pipe.mp4"])
def test_a_manifests_impossible_file_is_missing(tmp_path: Path, file: str) -> None:
    (tmp_path / "loop.mp4").symlink_to("loop.mp4")
    os.mkfifo(tmp_path / "pipe.mp4")
    (tmp_path / "metadata.jsonl").write_text(json.dumps({"model": "m", "scene": "coin_toss", "file": file}))
    (clip,) = read_study(tmp_path).clips
    assert (clip.status, clip.detail) == ("missing", "no_file")


def test_a_manifest_that_is_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "metadata.jsonl").mkdir()
    with pytest.raises(InputError, match="metadata.jsonl cannot be read .Is a directory."):
        read_study(tmp_path)


@pytest.mark.parametrize("cards", [("a", "b"), ("a",)])
def test_two_folders_of_one_model_are_refused(tmp_path: Path, cards: tuple[str, ...]) -> None:
    touch(tmp_path, "a/coin_toss/1.mp4", "b/coin_toss/1.mp4")
    for folder in cards:
        (tmp_path / folder / "study.toml").write_text('[study]\nmodel = "b"\n')
    with pytest.raises(InputError, match="the folders 'a' and 'b' are both of the model 'b'"):
        read_study(tmp_path)


def test_links_that_lead_outside_are_refused_and_listed(tmp_path: Path) -> None:
    touch(tmp_path, "secret.mp4", "study/m/coin_toss/1.mp4", "folder/coin_toss/2.mp4")
    root = tmp_path / "study"
    (root / "m/coin_toss/out.mp4").symlink_to(tmp_path / "secret.mp4")
    (root / "m/coin_toss/in.mp4").symlink_to(root / "m/coin_toss/1.mp4")
    (root / "other").symlink_to(tmp_path / "folder")
    study = read_study(root)
    assert [c.file for c in study.clips] == ["m/coin_toss/1.mp4", "m/coin_toss/in.mp4"]
    assert {u.file: u.why for u in study.unmatched} == {
        "m/coin_toss/out.mp4": "a link that leads outside the folder",
        "other": "a link that leads outside the folder",
    }


def test_a_manifest_says_what_was_asked_for(tmp_path: Path) -> None:
    """G11."""
    touch(tmp_path, "study/x.mp4", "study/stray.mp4", "secret.mp4")
    base = {"model": "m", "scene": "coin_toss"}
    rows = [
        {**base, "file": "x.mp4", "seed": 4},
        {**base, "file": "gone.mp4"},
        {**base, "file": "../secret.mp4"},
        {**base, "file": str(tmp_path / "secret.mp4")},
        {**base, "status": "refused"},
        {**base, "status": "failed"},
        {**base, "status": "pending"},
        {"model": "m", "scene": "cointoss", "file": "y.mp4"},
    ]
    (tmp_path / "study/metadata.jsonl").write_text("\n".join(map(json.dumps, rows)))
    study = read_study(tmp_path / "study")
    assert sorted((c.status, c.detail or "") for c in study.clips) == [
        ("found", ""),
        ("missing", "failed"),
        ("missing", "no_file"),
        ("missing", "outside_folder"),
        ("missing", "outside_folder"),
        ("missing", "pending"),
        ("refused", ""),
    ]
    assert all(c.file in (None, "x.mp4") for c in study.clips)
    listed = {u.file: (u.why, u.nearest) for u in study.unmatched}
    assert listed["stray.mp4"] == ("not named in metadata.jsonl", None)
    assert listed["y.mp4"] == ("metadata.jsonl line 8: no scene is called 'cointoss'", "coin_toss")


def test_a_run_card_makes_absent_clips_missing(tmp_path: Path) -> None:
    touch(tmp_path, "m/coin_toss/1.mp4")
    card = '[study]\nmodel = "M"\nclips_per_scene = 3\nscenes = ["die_roll", "coin_toss"]\n'
    (tmp_path / "m/study.toml").write_text(card)
    study = read_study(tmp_path)
    assert {cell: [c.status for c in clips] for cell, clips in study.cells.items()} == {
        ("M", "coin_toss"): ["found", "missing", "missing"],
        ("M", "die_roll"): ["missing"] * 3,
    }
    (tmp_path / "m/study.toml").write_text(card.replace("die_roll", "dieroll"))
    with pytest.raises(SceneError, match="'dieroll', which is no scene; did you mean die_roll"):
        read_study(tmp_path)


def test_refuses_what_is_no_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not a folder"):
        read_study(tmp_path / "none")
    assert read_study(tmp_path).clips == ()
