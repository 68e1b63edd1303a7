import ast
import errno
import importlib.metadata
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import scenes
from cli import main
from cli.faults import guarded
from cli.output import print_json, progress, table
from cli.reference import summary
from judge.judge import Judge
from judge.verdict import Verdict
from sim import InputError, PrerequisiteError, SceneError
from sim.reference import Reference
from sim.rollout import simulate

ROOT = Path(__file__).resolve().parent.parent
HEAVY = "torch torchvision safetensors mujoco cv2 scipy trimesh av pybullet matplotlib numba rich jinja2".split()
SLOW = ["sim.evidence", "sim.reference", "sim.rollout"]
VERBS = (
    "scenes show render kit plan reference merge references reference-card judge card train validate agree score "
    "report export replicate demo doctor"
).split()


def fresh(code: str, **options) -> subprocess.CompletedProcess:
    """Runs code in a process of its own, from the root."""
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, **options)


def test_scenes_json_tells_everything_a_program_needs(quincunx):
    code, out, err = quincunx("scenes", "--json")
    rows = json.loads(out)
    assert (code, err) == (0, "")
    assert tuple(r["name"] for r in rows) == scenes.names()
    for row in rows:
        scene = scenes.load(row["name"])
        assert (row["version"], row["group"]) == (scene.version, scene.group)
        assert row["outcomes"] == list(scene.outcomes)
        assert row["published"] == list(scene.published)
        assert set(row["variants"]) == set(scene.variants)
        for name, variant in row["variants"].items():
            assert variant["causal"] is scene.variants[name].causal
            assert variant["published"] == list(scene.variants[name].published)


def test_scenes_are_listed_for_people(quincunx):
    code, out, _ = quincunx("scenes")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == ["scene", *scenes.names()]


def test_listing_scenes_loads_nothing_heavy():
    """It shall take less than half a second; how long it takes is measured by benchmarks, not here."""
    done = fresh(
        "import sys; from cli.main import main; sys.argv = ['quincunx', 'scenes']\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        f"print(sorted(m for m in {HEAVY + SLOW!r} if m in sys.modules), file=sys.stderr)"
    )
    assert done.stderr == "[]\n"
    assert len(done.stdout.splitlines()) == 1 + len(scenes.names())


def test_no_package_loads_anything_heavy_by_itself():
    heavy = [name for name in HEAVY if name not in ("scipy", "jinja2")]
    code = "import sys, sim, scenes, judge, calibrate, benchmarks, cli.main\n"
    done = fresh(code + f"print(sorted(m for m in {heavy!r} + ['scipy.stats'] if m in sys.modules))")
    assert done.stdout == "[]\n", done.stderr


def test_the_version_is_told(quincunx):
    assert quincunx("--version") == (0, f"quincunx {importlib.metadata.version('quincunx')}\n", "")


def test_no_verb_is_wrong_use(quincunx):
    assert quincunx()[0] == 2
    code, out, err = quincunx("scene")
    assert (code, out) == (2, "")
    assert "No such command 'scene'" in err


def test_every_verb_is_there_and_explains_itself(quincunx):
    code, out, _ = quincunx("--help")
    assert code == 0
    for verb in VERBS:
        assert f"  {verb} " in out
        code, text, err = quincunx(verb, "--help")
        assert (code, err) == (0, "")
        assert "Usage: quincunx" in text


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        (SceneError("no scene is called 'x'"), 2),
        (InputError("study is empty"), 1),
        (PrerequisiteError("install it"), 1),
        (PermissionError(errno.EACCES, "Permission denied", "/out/report.html"), 1),
        (KeyboardInterrupt(), 130),
    ],
)
def test_faults_of_users_become_one_line(monkeypatch, capsys, fault, code):
    import typer

    def verb() -> None:
        raise fault

    app = typer.Typer(pretty_exceptions_enable=False)
    app.command()(guarded(verb))
    with pytest.raises(SystemExit) as stopped:
        app([])
    said = capsys.readouterr()
    assert stopped.value.code == code
    assert said.out == ""
    assert said.err.startswith("quincunx: ")
    assert said.err.count("\n") == 1
    if isinstance(fault, PermissionError):
        assert said.err == "quincunx: Permission denied: /out/report.html\n"


def test_faults_of_ours_keep_their_traceback():
    def verb() -> None:
        raise ZeroDivisionError("a bug")

    with pytest.raises(ZeroDivisionError, match="a bug"):
        guarded(verb)()


def test_a_reader_that_goes_away_is_no_fault():
    command = f"{sys.executable} -m cli.main scenes --json | true"
    done = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, text=True)
    assert done.stderr == ""


def test_a_file_whose_name_begins_with_a_dash_is_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("-1.mp4", "--odd name.mp4", "-clip.mp4"):
        Path(name).write_bytes(b"")
    given = ["judge", "-1.mp4", "--odd name.mp4", "-clip.mp4", "--json", "-not-there.mp4", "--", "-1.mp4"]
    assert main.with_paths(given) == [
        "judge", "./-1.mp4", "./--odd name.mp4", "./-clip.mp4", "--json", "-not-there.mp4", "--", "-1.mp4",
    ]  # fmt: skip


def test_an_option_stays_an_option_even_beside_a_file_of_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("--json", "--n=3"):
        Path(name).write_bytes(b"")
    assert main.with_paths(["reference", "--json", "--n=3"]) == ["reference", "--json", "--n=3"]


def test_a_users_scene_that_cannot_be_loaded_is_named(quincunx, tmp_path, monkeypatch):
    (tmp_path / "my_scene.py").write_text("SCENE = 1 / 0", encoding="utf-8")
    monkeypatch.setenv("QUINCUNX_SCENES", str(tmp_path))
    code, out, err = quincunx("scenes")
    assert (code, out) == (2, "")
    assert "my_scene.py cannot be loaded: ZeroDivisionError: division by zero" in err


def test_json_is_alone_on_stdout_though_a_users_scene_prints(quincunx, tmp_path, monkeypatch):
    (tmp_path / "my_scene.py").write_text(
        "from dataclasses import replace\nfrom scenes.y_fork import SCENE as FORK\nprint('loading')\n"
        "SCENE = replace(FORK, name='my_scene', read=lambda t: print('reading') or 'left')\n",
        encoding="utf-8",
    )
    monkeypatch.setenv("QUINCUNX_SCENES", str(tmp_path))
    code, out, err = quincunx("reference", "my_scene", "--n", "1", "--json")
    assert (code, json.loads(out)["counts"]) == (0, {"left": 1, "right": 0})
    assert "loading\n" in err and "reading\n" in err


@pytest.mark.parametrize("verb", [("render", "die_roll", "--n"), ("kit", "kit", "--clips"), ("demo", "--clips")])
def test_no_more_clips_than_a_run_card_may_ask_for(quincunx, tmp_path, monkeypatch, verb):
    monkeypatch.chdir(tmp_path)
    code, out, err = quincunx(*verb, "1000001")
    assert (code, out, list(tmp_path.iterdir())) == (2, "", []) and "less than or equal to 1000000" in err


def test_json_holds_no_nan():
    with pytest.raises(ValueError, match="not JSON compliant"):
        print_json({"tv": float("nan")})


def test_a_log_gets_titles_and_no_bar(capsys):
    with progress("rollouts", shown=True) as advance:
        advance(1, 2)
        advance.titled("judging", 1, 2)
        advance.titled("judging", 2, 2)
    assert capsys.readouterr() == ("", "judging\n")


def test_with_json_nothing_is_shown(capsys):
    with progress("rollouts", shown=False) as advance:
        advance(1, 2)
        advance.titled("judging", 1, 2)
    assert capsys.readouterr() == ("", "")


def test_a_terminal_gets_a_bar(monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    with progress("rollouts", shown=True) as advance:
        advance.titled("judging [red]x[/red]", 3, 7)
        advance(4, 7)
    out, err = capsys.readouterr()
    assert out == ""
    assert "judging [red]x[/red]" in err
    assert "4/7" in err


def test_tables_are_aligned():
    assert table(("a", "b"), [("long", "1"), ("x", "")]) == "a     b\nlong  1\nx"


def test_a_broken_scene_of_the_users_is_named(quincunx, tmp_path, monkeypatch):
    monkeypatch.setenv("QUINCUNX_SCENES", str(tmp_path / "nowhere"))
    code, out, err = quincunx("scenes")
    assert (code, out) == (2, "")
    assert "QUINCUNX_SCENES names" in err
    assert "which is not a folder; correct or unset it" in err


@pytest.mark.parametrize("path", sorted((ROOT / "cli").glob("*.py")), ids=lambda p: p.name)
def test_the_command_parses_and_prints_and_does_nothing_else(path: Path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    froms = [n.module or "" for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and n.level == 0]
    names = [alias.name for n in ast.walk(tree) if isinstance(n, ast.Import) for alias in n.names]
    tops = {name.split(".")[0] for name in froms + names} - set(sys.stdlib_module_names)
    assert tops <= {"typer", "rich", "sim", "scenes", "judge", "calibrate", "benchmarks"}


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


CELL = "model scene variant requested scored null unreadable judge_error refused missing counts scorability tv "
CELL_KEYS = (CELL + "tv_expected excess p").split()
FACES = tuple(f"face_{k}" for k in range(1, 7))


@pytest.fixture
def fair_die(monkeypatch):
    """The shipped reference of die_roll, fair and made up; its version is the scene's."""
    scene = scenes.load("die_roll")
    fair = Reference(
        scene="die_roll",
        version=scene.version,
        outcomes=FACES,
        counts=dict.fromkeys(FACES, 1000),
        null={},
        failed={},
        n=6000,
        seed=0,
        engine="mujoco",
        engine_version="3.17.0",
        platform="Linux-x86_64",
        settings_hash="0",
    )
    monkeypatch.setattr(scenes, "reference", lambda token: fair)


def table_of(path: Path, rows: list[str]) -> str:
    path.write_text("model,scene,file,outcome,reason\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return str(path)


def test_verdicts_become_a_record_and_a_page(quincunx, fair_die, tmp_path):
    rows = [f"my model,die_roll,{k}.mp4,{FACES[k % 6]}," for k in range(12)]
    rows += [f"my model,die_roll,{row}" for row in ("12.mp4,,no_motion", "13.mp4,,refused")]
    rows += ["my model,di_roll,0.mp4,face_1,"]
    verdicts, record = table_of(tmp_path / "-v.csv", rows), tmp_path / "out" / "record.json"
    code, out, err = quincunx("score", "--verdicts", verdicts, "--out", str(record), "--json")
    said = json.loads(out)
    assert code == 0
    (cell,) = said["cells"]
    assert set(CELL_KEYS) <= set(cell)
    assert (cell["model"], cell["scene"], cell["variant"]) == ("my model", "die_roll", None)
    assert (cell["requested"], cell["scored"], cell["null"], cell["refused"]) == (14, 12, {"no_motion": 1}, 1)
    assert cell["counts"] == dict.fromkeys(FACES, 2)
    assert cell["tv"] == pytest.approx(0, abs=1e-9)
    assert cell["scorability"] == pytest.approx(12 / 14)
    assert [file["nearest"] for file in said["unmatched"]] == ["die_roll"]
    code, out, err = quincunx("score", "--verdicts", verdicts, "--out", str(record))
    assert code == 0
    assert "my model" in out and "a point" in out
    assert "nearest: die_roll" in err
    code, out, _ = quincunx("report", str(record))
    page = tmp_path / "out" / "record.html"
    assert (code, out) == (0, f"{page}\n")
    assert "my model" in page.read_text(encoding="utf-8")


def test_nothing_scored_is_told_with_valid_json(quincunx, fair_die, tmp_path):
    verdicts = table_of(tmp_path / "v.csv", ["m,die_roll,0.mp4,,no_motion"])
    code, out, err = quincunx("score", "--verdicts", verdicts, "--out", str(tmp_path / "record.json"), "--json")
    assert code == 3
    assert json.loads(out)["cells"][0]["tv"] is None
    assert err == "quincunx: nothing was scored: no clip has an outcome\n"


class EverySix(Judge):
    """Says six, and keeps its promise of one verdict per file."""

    digest = "every-six"

    def covers(self, scene):
        return scene == "die_roll"

    def verdicts(self, files, token):
        for file in files:
            if file.stat().st_size == 0:
                yield Verdict(scene=token, status="unreadable", reason="empty_file", judge=self.digest)
            else:
                yield Verdict(scene=token, status="scored", outcome="face_6", confidence=0.9, judge=self.digest)


@pytest.fixture
def six(monkeypatch):
    monkeypatch.setattr("judge.load_judge", lambda weights, versions: EverySix())
    monkeypatch.setattr("judge.card.read_card", lambda weights: {"scenes": {"die_roll": {"n": 1, "right": 1}}})


def test_a_folder_is_scored_and_what_does_not_match_is_listed(quincunx, fair_die, six, tmp_path):
    cell = tmp_path / "a study" / "<b>mødel & co" / "die_roll"
    cell.mkdir(parents=True)
    for k, name in enumerate(("-1.mp4", "骰子 #1.MP4", "x" * 200 + ".mp4")):
        (cell / name).write_bytes(bytes([k]))
    (cell / "empty.mp4").write_bytes(b"")
    (cell.parent / "die_rol-3.mp4").write_bytes(b"a")
    code, out, _ = quincunx("score", str(tmp_path / "a study"), "--out", str(tmp_path / "r.json"), "--json")
    said = json.loads(out)
    (found,) = said["cells"]
    assert code == 0
    assert (found["model"], found["requested"], found["scored"]) == ("<b>mødel & co", 4, 3)
    assert found["unreadable"] == {"empty_file": 1}
    assert [Path(file["file"]).name for file in said["unmatched"]] == ["die_rol-3.mp4"]


def test_verdicts_of_files_are_told_one_by_one(quincunx, six, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("-1.mp4").write_bytes(b"a")
    Path("empty.mp4").write_bytes(b"")
    code, out, err = quincunx("judge", "-1.mp4", "empty.mp4", "--scene", "die_roll", "--json")
    rows = json.loads(out)
    assert (code, err) == (0, "")
    assert [(r["file"], r["outcome"], r["reason"]) for r in rows] == [
        ("-1.mp4", "face_6", None),
        ("empty.mp4", None, "empty_file"),
    ]
    assert {"confidence", "probabilities"} <= set(rows[0])
    code, _, err = quincunx("judge", "empty.mp4", "--scene", "die_roll")
    assert code == 3
    assert err == "quincunx: nothing was judged: no clip could be read\n"


def test_dead_links_and_pipes_in_a_folder_are_told(quincunx, random_weights, tmp_path):
    (tmp_path / "dead.mp4").symlink_to(tmp_path / "gone")
    os.mkfifo(tmp_path / "pipe.mp4")
    (tmp_path / "folder.mp4").mkdir()
    (tmp_path / "notes.txt").touch()
    code, out, _ = quincunx(
        "judge", str(tmp_path), "--scene", "y_fork", "--weights", str(random_weights), "--json"
    )  # fmt: skip
    rows = json.loads(out)
    assert code == 3
    assert [(Path(row["file"]).name, row["status"], row["reason"]) for row in rows] == [
        ("dead.mp4", "unreadable", "not_a_video"),
        ("pipe.mp4", "unreadable", "not_a_video"),
    ]
    assert {row["detail"] for row in rows} == {"not a plain file, or a link to nothing"}


def test_a_record_that_cannot_be_written_is_told_before_any_work(quincunx, tmp_path):
    (tmp_path / "file").write_bytes(b"")
    verdicts = table_of(tmp_path / "v.csv", ["m,die_roll,0.mp4,face_1,"])
    code, out, err = quincunx("score", "--verdicts", verdicts, "--out", str(tmp_path / "file" / "record.json"))
    assert (code, out) == (1, "")
    assert "cannot be written" in err
    code, _, err = quincunx("report", str(tmp_path / "no.json"))
    assert code == 1
    assert "cannot be read" in err
