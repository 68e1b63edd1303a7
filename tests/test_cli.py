import ast
import errno
import importlib.metadata
import json
import subprocess
import sys
from pathlib import Path

import pytest

import scenes
from cli import main
from cli.faults import guarded
from cli.output import print_json, progress, table
from sim import InputError, PrerequisiteError, SceneError

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
    """G07."""
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
