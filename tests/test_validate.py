import json
import shutil
from pathlib import Path

import numpy as np
import pytest

import scenes
from calibrate.findings import named
from calibrate.planning import plan
from calibrate.run_card import RUN_CARD
from calibrate.validate import Validation, validate
from sim import InputError
from sim.clip import write_clip

FPS = 6


def film(way: int, *, duration_s: float = 3.5, zoom: int = 0) -> np.ndarray:
    """From the coin's source picture on, a square slides to the right, faster for each `way`."""
    import cv2

    picture = cv2.cvtColor(cv2.imread(str(scenes.source_image("coin_toss"))), cv2.COLOR_BGR2RGB)
    if zoom:
        picture = picture[zoom:-zoom, 2 * zoom : -2 * zoom]
    frames = np.stack([cv2.resize(picture, (160, 88), interpolation=cv2.INTER_AREA)] * round(duration_s * FPS))
    for k in range(2, len(frames)):
        frames[k, 40:60, 5 + (way * k) % 130 :][:, :20] = 250
    return frames


def clip(path: Path, way: int, *, crf: int = 20, **more) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_clip(path, film(way, **more), fps=FPS, crf=crf)
    return path


def kinds(found: Validation) -> dict[str, str]:
    return {finding.kind: finding.told for finding in found.findings}


@pytest.fixture(scope="module")
def poor(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study with every fault once."""
    root = tmp_path_factory.mktemp("poor")
    cell = root / "m" / "coin_toss"
    for k in range(3):
        clip(cell / f"{k}.mp4", k + 3)
    shutil.copy(cell / "0.mp4", cell / "copy.mp4")
    clip(cell / "again.mp4", 4, crf=30)
    clip(cell / "short.mp4", 7, duration_s=2.0)
    clip(cell / "zoomed.mp4", 9, zoom=50)
    (cell / "empty.mp4").touch()
    (root / "m" / "coin_tos").mkdir()
    shutil.copy(cell / "0.mp4", root / "m" / "coin_tos" / "9.mp4")
    (root / "m" / RUN_CARD).write_text('[study]\nclips_per_scene = 10\nsize = "160x88"\nfps = ""\n')
    return root


@pytest.fixture(scope="module")
def found(poor: Path) -> Validation:
    return validate(poor)


def test_every_fault_is_found_and_comes_with_its_cure(found: Validation) -> None:
    told = kinds(found)
    assert told == {
        "extra": "m/coin_tos/9.mp4: its name matches no scene; rename, for example to m/coin_toss/9.mp4",
        "duplicates": "2 clips are the same file, byte for byte: m/coin_toss/0.mp4, m/coin_toss/copy.mp4; "
        "keep one, and make the others with seeds of their own",
        "near_duplicates": "2 clips show the same to the eye: m/coin_toss/1.mp4, m/coin_toss/again.mp4; "
        "look at them, and keep one of each film",
        "missing": "m / coin_toss: 2 of 10 clips are missing (no_file 2); make them, or they are counted as missing",
        "unreadable": "m / coin_toss: 1 of 8 files cannot be read, empty_file: m/coin_toss/empty.mp4 "
        "(the file has no bytes); make or copy it again",
        "too_short": "m / coin_toss: 1 of 10 clips last 2.00 s, the scene 3.5 s: m/coin_toss/short.mp4; "
        "make clips of 3.5 s or more, or the outcome may not be seen",
        "first_frame": told["first_frame"],
        "not_recorded": "m: its study.toml does not record revision, seeds, prompt_variant, frames, fps, steps, "
        "guidance; fill it in",
    }
    assert told["first_frame"].startswith("m / coin_toss: 1 of 10 first frames are not the source picture, as m/coin_")
    assert "zoomed.mp4: zoomed by 1.1" in told["first_frame"]
    assert len(found.findings) == len(told) and all("\n" not in line for line in told.values())


def test_the_cell_is_counted(found: Validation) -> None:
    (cell,) = found.cells
    assert (cell.requested, cell.found, cell.readable, cell.distinct) == (10, 8, 7, 6)
    assert (cell.seeds, cell.sizes, cell.frame_rates) == ("none", {"160x88": 7}, {"6 fps": 7})
    assert cell.shown_s == pytest.approx((2.0, 3.5), abs=0.01)
    # two one-sided tests of a share of 0.557, normal limit: (1.6449 + 1.2816)^2 p (1 - p) / 0.1^2
    assert cell.clips_for_margin == pytest.approx(211, rel=0.08) and cell.more == cell.clips_for_margin - 6
    assert cell.clips_for_margin == plan("coin_toss", margin=0.1).to_prove


def test_json_names_every_file_once(found: Validation) -> None:
    said = json.loads(json.dumps(found.to_json(), allow_nan=False))
    assert said["missing"] == [{"model": "m", "scene": "coin_toss", "file": None, "why": "no_file"}] * 2
    assert [row["file"] for row in said["extra"]] == ["m/coin_tos/9.mp4"]
    assert said["suggestions"] == {"m/coin_tos/9.mp4": "m/coin_toss/9.mp4"}
    assert [(row["file"], row["reason"]) for row in said["unreadable"]] == [("m/coin_toss/empty.mp4", "empty_file")]
    assert said["duplicates"] == [["m/coin_toss/0.mp4", "m/coin_toss/copy.mp4"]]
    assert said["near_duplicates"] == [["m/coin_toss/1.mp4", "m/coin_toss/again.mp4"]]
    files = [row["file"] for part in ("clips", "unreadable", "extra") for row in said[part]]
    assert len(files) == len(set(files)) == 9


def test_workers_and_margin_change_what_they_should(poor: Path, found: Validation) -> None:
    seen: list[tuple[int, int]] = []
    other = validate(poor, workers=3, margin=0.2, progress=lambda done, n: seen.append((done, n)))
    assert kinds(other) == kinds(found) and seen == [(k, 8) for k in range(1, 9)]
    assert other.cells[0].clips_for_margin == pytest.approx(found.cells[0].clips_for_margin / 4, rel=0.1)
    with pytest.raises(ValueError, match="workers must be at least 1, got 0"):
        validate(poor, workers=0)


def test_a_manifest_tells_missing_files_refusals_and_seeds(tmp_path: Path) -> None:
    clip(tmp_path / "0.mp4", 3)
    base = {"model": "m", "scene": "coin_toss", "seed": 5}
    rows = [{**base, "file": "0.mp4"}, {**base, "file": "1.mp4"}, {**base, "status": "refused"}]
    (tmp_path / "metadata.jsonl").write_text("\n".join(map(json.dumps, rows)))
    found = validate(tmp_path)
    told = kinds(found)
    assert told["refused"] == "m / coin_toss: 1 of 3 clips are refused (refused 1); they stay in the sum"
    assert told["shared_seed"].startswith("m / coin_toss: several clips have the same seed; give each")
    assert told["not_recorded"].startswith("m: it has no study.toml: how its clips were made is not recorded; fill in")
    assert found.to_json()["missing"] == [{"model": "m", "scene": "coin_toss", "file": "1.mp4", "why": "no_file"}]
    assert found.cells[0].seeds == "shared"


def test_other_sizes_and_rates_in_a_cell_are_told(tmp_path: Path) -> None:
    for k in range(3):
        clip(tmp_path / "m" / "coin_toss" / f"{k}.mp4", 3 + k)
    write_clip(tmp_path / "m" / "coin_toss" / "odd.mp4", film(6).repeat(2, axis=2).repeat(2, axis=1), fps=FPS - 1)
    lines = [finding.line for finding in validate(tmp_path).findings if finding.kind == "mixed"]
    assert lines == [
        "2 sizes: 160x88 (3 clips), 320x176 (1 clips); look at m/coin_toss/odd.mp4",
        "2 frame rates: 6 fps (3 clips), 5 fps (1 clips); look at m/coin_toss/odd.mp4",
    ]


def test_a_sound_study_has_nothing_to_mend(tmp_path: Path) -> None:
    clip(tmp_path / "m" / "coin_toss" / "0.mp4", 3)
    names = ("revision", "seeds", "prompt_variant", "frames", "fps", "size", "steps", "guidance")
    card = "[study]\n" + "".join(f'{name} = "x"\n' for name in names)
    (tmp_path / "m" / RUN_CARD).write_text(card)
    assert validate(tmp_path).findings == ()


def test_an_empty_folder_has_nothing_readable_and_no_folder_is_refused(tmp_path: Path) -> None:
    found = validate(tmp_path)
    assert found.n_readable == 0 and found.to_json()["cells"] == []
    with pytest.raises(InputError, match="is not a folder"):
        validate(tmp_path / "none")


def test_many_files_are_counted_and_a_few_named() -> None:
    assert named(["a", "b", "c"]) == "a, b, c"
    assert named(list("abcde")) == "a, b, c and 2 more"
