"""What verbs on scenes and references write and say, and how they end."""

import importlib.metadata
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import scenes
from cli.faults import guarded
from cli.reference import summary
from sim.reference import Reference
from sim.rollout import simulate

ROOT = Path(__file__).resolve().parent.parent


def test_reference_json_has_the_counts_of_the_rollouts(quincunx):
    code, out, err = quincunx("reference", "die_roll", "--n", "40", "--seed", "3", "--json")
    said = json.loads(out)
    assert (code, err) == (0, "")
    assert (said["scene"], said["variant"], said["seed"], said["n"]) == ("die_roll", None, 3, 40)
    assert (said["engine"], said["engine_version"]) == ("mujoco", importlib.metadata.version("mujoco"))
    assert list(said["counts"]) == list(scenes.load("die_roll").outcomes)
    assert sum(said["counts"].values()) + sum(said["null"].values()) + said["failed"] == 40
    seen = [r.outcome for r in simulate(scenes.load("die_roll"), seed=3, indices=range(40))]
    assert said["counts"] == {o: seen.count(o) for o in said["counts"]}
    for outcome, (low, high) in said["interval"].items():
        assert low <= said["shares"][outcome] <= high


def test_a_variant_is_named_by_token_or_by_option(quincunx):
    by_token = quincunx("reference", "pencil_fall@leaning_left", "--n", "8", "--json")
    by_option = quincunx("reference", "pencil_fall", "--variant", "leaning_left", "--n", "8", "--json")
    assert by_token == by_option
    said = json.loads(by_token[1])
    assert (said["scene"], said["variant"]) == ("pencil_fall", "leaning_left")


def test_without_an_outcome_there_are_counts_and_no_shares(quincunx, monkeypatch):
    nothing = Reference(
        scene="a",
        version=1,
        outcomes=("x", "y"),
        counts={"x": 0, "y": 0},
        null={"not_settled": 2},
        failed={"left_the_scene": [0]},
        n=3,
        seed=0,
        engine="mujoco",
        engine_version="3.17.0",
        platform="Linux-x86_64",
        settings_hash="0",
    )
    said = summary(nothing, scene="a", variant=None)
    assert (said["failed"], said["failed_rows"], said["null"]) == (1, {"left_the_scene": [0]}, {"not_settled": 2})
    assert "shares" not in said
    monkeypatch.setattr("sim.sampling.sample", lambda scene, **more: nothing)
    code, out, err = quincunx("reference", "die_roll", "--n", "3", "--json")
    assert (code, json.loads(out)["null"], json.loads(out)["failed"]) == (3, {"not_settled": 2}, 1)
    assert err.startswith("quincunx: nothing was scored: no rollout has an outcome; null")
    assert quincunx("reference", "die_roll", "--n", "3") == (3, "", err)
    assert err.endswith("null {'not_settled': 2}, failed {'left_the_scene': 1}, of 3\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("reference", "die_rol"), "no scene is called 'die_rol'; did you mean 'die_roll'?"),
        (("reference", "pencil_fall@up"), "pencil_fall has no variant 'up'"),
        (("reference", "pencil_fall@leaning_left", "--variant", "other_light"), "names the variant leaning_left"),
        (("reference", "die_roll", "--n", "0"), "'--n'"),
        (("reference", "die_roll", "--engine", "newton"), "'newton'"),
        (("references", "die_rol"), "no scene is called 'die_rol'"),
        (("show", "die_rol"), "no scene is called 'die_rol'"),
        (("render", "die_roll", "--size", "big"), "--size must be WIDTHxHEIGHT, as 832x480, got 'big'"),
        (("render", "die_roll", "--size", "64X48x2"), "--size must be WIDTHxHEIGHT, as 832x480, got '64X48x2'"),
        (("render", "die_roll", "--size", "x48"), "--size must be WIDTHxHEIGHT, as 832x480, got 'x48'"),
        (("render", "die_roll", "--size", "9" * 5000 + "x48"), "--size must be WIDTHxHEIGHT, as 832x480, got '999"),
        (("render", "die_roll", "--size", "0x0"), "--size must be two even numbers from 2 to 4096, got 0x0; use 2x2"),
        (("render", "die_roll", "--size", "100000x480"), "got 100000x480; use 4096x480"),
        (("render", "die_roll", "--size", "833x481"), "got 833x481; use 834x482"),
        (("kit", "out", "--scene", "die_rol"), "no scene is called 'die_rol'"),
        (("kit", "out", "--clips", "0"), "'--clips'"),
        (("judge", "no-such.mp4", "--scene", "die_roll"), "no-such.mp4 does not exist"),
        (("judge", "no-such.mp4", "--scene", "die_rol"), "no scene is called 'die_rol'"),
        (("score",), "score needs a FOLDER, or --verdicts FILE.csv"),
    ],
)
def test_wrong_use_is_one_line_and_exit_code_2(quincunx, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    code, out, err = quincunx(*arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert "Traceback" not in err
    assert list(tmp_path.iterdir()) == []


def test_a_sheet_and_a_kit_are_written(quincunx, tmp_path, monkeypatch):
    monkeypatch.setattr("sim.footage.contact_sheet", lambda *a, **k: np.zeros((4, 4, 3), np.uint8))
    monkeypatch.setattr("calibrate.kit.source_image", lambda token: b"PNG")
    sheet = tmp_path / "sheet.png"
    code, out, _ = quincunx("show", "die_roll", "--out", str(sheet), "--json")
    assert (code, json.loads(out)) == (0, {"scene": "die_roll", "variant": None, "file": str(sheet)})
    assert sheet.read_bytes().startswith(b"\x89PNG")
    code, out, _ = quincunx("kit", str(tmp_path / "kit"), "--scene", "die_roll", "--clips", "2", "--json")
    assert (code, json.loads(out)["n_clips"]) == (0, 2)
    assert (tmp_path / "kit" / "study.toml").is_file()
    code, out, _ = quincunx("kit", str(tmp_path / "2"), *["--scene", "die_roll"] * 2, "--clips", "2", "--json")
    assert (code, json.loads(out)["scenes"], json.loads(out)["n_clips"]) == (0, ["die_roll"], 2)
    code, out, err = quincunx("kit", str(tmp_path / "kit"), "--scene", "die_roll", "--clips", "3")
    assert (code, out) == (1, "")
    assert "is not overwritten; choose an empty or new folder" in err


def test_clips_with_their_truth_are_written(quincunx, tmp_path):
    code, out, _ = quincunx(
        "render", "coin_toss", "--n", "1", "--out", str(tmp_path / "o ü"), "--size", "64x48", "--fps", "8", "--json"
    )
    files = json.loads(out)["files"]
    assert code == 0
    assert [Path(f).name for f in files] == ["coin_toss.png", "0.mp4", "coin_toss.csv"]
    assert all(Path(f).is_file() for f in files)


def test_an_empty_folder_is_nothing_scored(quincunx, tmp_path):
    code, out, err = quincunx("judge", str(tmp_path), "--scene", "die_roll", "--json")
    assert (code, out) == (3, "")
    assert f"no clip in {tmp_path}" in err


def test_missing_weights_are_one_line(quincunx, tmp_path):
    clip = tmp_path / "a.mp4"
    clip.write_bytes(b"")
    gone = str(tmp_path / "gone.safetensors")
    for arguments in (("judge", str(clip), "--scene", "die_roll"), ("score", str(tmp_path)), ("card",)):
        code, out, err = quincunx(*arguments, "--weights", gone)
        assert (code, out) == (1, "")
        assert err.count("\n") == 1
        assert "gone.safetensors" in err or "the judge has no card" in err


@pytest.mark.parametrize(
    ("module", "arguments"),
    [
        ("safetensors", ("judge", "a.mp4", "--scene", "die_roll", "--weights", "a.safetensors")),
        ("torch", ("train", "--work", "work", "--out", "new.safetensors", "--clips", "1", "--steps", "1")),
    ],
)
def test_a_missing_extra_is_one_line_with_its_cure(quincunx, tmp_path, monkeypatch, module, arguments):
    monkeypatch.chdir(tmp_path)
    for name in ("a.mp4", "a.safetensors"):
        Path(name).write_bytes(b"")
    monkeypatch.setitem(sys.modules, module, None)
    code, out, err = quincunx(*arguments)
    assert (code, out) == (1, "")
    assert err == f"quincunx: this needs {module}, which is not installed: pip install 'quincunx[judge]'\n"


def test_a_missing_module_of_ours_keeps_its_traceback():
    def verb() -> None:
        import sim.no_such_module  # noqa: F401

    with pytest.raises(ModuleNotFoundError, match=r"sim\.no_such_module"):
        guarded(verb)()


def test_a_reference_stopped_by_ctrl_c_goes_on_and_ends_the_same(quincunx, tmp_path):
    checkpoint = tmp_path / "counts.json"
    n = "512"
    arguments = ["reference", "die_roll", "--n", n, "--seed", "2", "--threads", "1", "--json"]
    # a job that a shell put into the background ignores Ctrl-C, and so would all that it starts
    heed = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    code = heed + "import sim.sampling; sim.sampling.CHUNK = 16; from cli.main import main; main()"
    command = [sys.executable, "-c", code, *arguments, "--checkpoint", str(checkpoint)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not checkpoint.exists() and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert err == "quincunx: stopped by Ctrl-C; nothing that was written is lost\n"
    assert 0 < json.loads(checkpoint.read_text(encoding="utf-8"))["done"] < int(n)
    resumed = quincunx(*arguments, "--checkpoint", str(checkpoint))
    assert resumed == quincunx(*arguments)
    assert resumed[0] == 0
