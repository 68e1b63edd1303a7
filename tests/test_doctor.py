import importlib.metadata
import importlib.util
import json
import platform
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import sim.gl
from cli import diagnosis, main
from cli.faults import EXTRAS
from sim import PrerequisiteError
from sim.bullet_check import bounce

ROOT = Path(__file__).resolve().parent.parent


def by_name(checks):
    return {check.name: check for check in checks}


def versions(monkeypatch, changed: dict[str, str | None]):
    real = importlib.metadata.version

    def version(name):
        found = changed.get(name, "")
        if found is None:
            raise importlib.metadata.PackageNotFoundError(name)
        return found or real(name)

    monkeypatch.setattr(importlib.metadata, "version", version)


def test_packages_are_named_with_their_versions():
    checks = by_name(diagnosis.diagnose("packages"))
    assert checks["numpy"].detail == importlib.metadata.version("numpy")
    assert set(diagnosis.REQUIRED) | set(EXTRAS) == set(checks)


def test_mujoco_4_0_0_is_known_to_be_bad(monkeypatch):
    versions(monkeypatch, {"mujoco": "4.0.0"})
    check = by_name(diagnosis.packages())["mujoco"]
    assert check.state == "failed"
    assert check.essential
    assert check.detail == "4.0.0 has a wrong sparse solve: pip install 'mujoco>=3.17,!=4.0.0'"


@pytest.mark.parametrize("good", ["3.17.0", "3.18.0rc1", "4.0.1"])
def test_other_releases_of_mujoco_are_well(monkeypatch, good):
    versions(monkeypatch, {"mujoco": good})
    assert by_name(diagnosis.packages())["mujoco"].state == "ok"


def test_an_old_release_is_told_with_its_cure(monkeypatch):
    versions(monkeypatch, {"mujoco": "3.9.0"})
    check = by_name(diagnosis.packages())["mujoco"]
    assert (check.state, check.detail) == ("failed", "3.9.0 is too old: pip install 'mujoco>=3.17'")


def test_missing_second_engine_is_no_fault(monkeypatch):
    versions(monkeypatch, {"pybullet": None})
    check = by_name(diagnosis.packages())["pybullet"]
    assert (check.state, check.essential) == ("missing", False)
    assert check.detail == "only the second engine needs it: pip install 'quincunx[bullet]'"


def test_our_packages_come_from_one_place():
    checks = by_name(diagnosis.diagnose("places"))
    assert checks["package sim"].detail == str(ROOT / "sim")
    assert {c.state for c in checks.values()} == {"ok"}


def test_a_foreign_package_in_our_place_is_named(monkeypatch, tmp_path):
    foreign = tmp_path / "sim" / "__init__.py"
    foreign.parent.mkdir()
    foreign.write_text("", encoding="utf-8")
    real = importlib.util.find_spec

    def find_spec(name, *rest):
        return importlib.util.spec_from_file_location(name, foreign) if name == "sim" else real(name, *rest)

    monkeypatch.setattr(importlib.util, "find_spec", find_spec)
    monkeypatch.setattr(importlib.metadata, "packages_distributions", lambda: {"sim": ["simtools", "quincunx"]})
    check = by_name(diagnosis.places())["package sim"]
    assert check.state == "failed"
    assert f"is shadowed by {foreign.parent} (from the distribution simtools)" in check.detail


def test_a_distribution_that_wrote_into_our_folder_is_named(monkeypatch):
    monkeypatch.setattr(importlib.metadata, "packages_distributions", lambda: {"sim": ["simtools", "quincunx"]})
    check = by_name(diagnosis.places())["package sim"]
    assert check.state == "failed"
    assert "the distribution simtools ships a package of that name too" in check.detail


def test_a_folder_of_the_users_that_would_hide_ours_is_told(monkeypatch, tmp_path):
    (tmp_path / "judge").mkdir()
    monkeypatch.chdir(tmp_path)
    check = by_name(diagnosis.places())["folder judge"]
    assert (check.state, check.essential) == ("failed", False)
    assert "hides ours from python -m and notebooks" in check.detail


def test_no_gl_is_told_with_the_command_that_installs_it(monkeypatch, capsys):
    def nothing(*size):
        raise PrerequisiteError("no OpenGL; install one: apt-get install -y libegl1 libgl1-mesa-dri")

    monkeypatch.setattr(sim.gl, "open_context", nothing)
    (check,) = diagnosis.gl()
    assert (check.state, check.essential) == ("failed", True)
    monkeypatch.setattr(sys, "argv", ["quincunx", "doctor", "--only", "gl"])
    with pytest.raises(SystemExit) as stopped:
        main.main()
    assert stopped.value.code == 1
    assert "apt-get install -y libegl1 libgl1-mesa-dri" in capsys.readouterr().out


def test_the_bounce_of_the_second_engine_is_shown_beside_the_asked_one(monkeypatch):
    """S17: ideal bounces were seen to lose energy from 10 m."""
    (check,) = diagnosis.diagnose("engines")
    assert (check.state, check.essential) == ("ok", False)
    shown = re.findall(r"asked ([\d.]+), from ([\d.]+) m ([\d.]+)", check.detail)
    assert {(asked, height) for asked, height, _ in shown} >= {("1.0", "0.5"), ("1.0", "10")}
    assert all(float(asked) == pytest.approx(float(seen), abs=0.002) for asked, _, seen in shown)
    lossy = replace(bounce(1.0, height_m=0.5), realised=0.93)
    monkeypatch.setattr("sim.bullet_check.bounce", lambda asked, height_m: lossy)
    assert diagnosis.engines()[0].state == "failed"

    def absent(asked, height_m):
        raise PrerequisiteError("run: pip install pybullet")

    monkeypatch.setattr("sim.bullet_check.bounce", absent)
    assert (diagnosis.engines()[0].state, diagnosis.engines()[0].detail) == ("missing", "run: pip install pybullet")


@pytest.mark.parametrize("changed", [{"engine_version": "3.16.1"}, {"platform": "Darwin-arm64"}])
def test_a_reference_of_another_engine_version_or_machine_is_well_with_a_note(monkeypatch, changed):
    """S13: it is compared in distribution, never bit by bit."""
    import scenes

    of_here = replace(
        scenes.reference("coin_toss"),
        engine_version=importlib.metadata.version("mujoco"),
        platform=f"{platform.system()}-{platform.machine()}",
    )
    for found, note in ((of_here, False), (replace(of_here, **changed), True)):
        monkeypatch.setattr(scenes, "reference", lambda token, found=found: found)
        check = by_name(diagnosis.references())["reference coin_toss"]
        assert check.state == "ok" and all(value in check.detail for value in changed.values()) >= note
        assert ("rollouts here agree in distribution, not bit by bit" in check.detail) == note


def test_json_holds_every_check(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["quincunx", "doctor", "--json", "--only", "python"])
    with pytest.raises(SystemExit) as stopped:
        main.main()
    assert stopped.value.code == 0
    (check,) = json.loads(capsys.readouterr().out)
    assert set(check) == {"name", "state", "detail", "essential"}
    assert check["state"] == "ok"


def test_an_unknown_group_is_wrong_use(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["quincunx", "doctor", "--only", "graphics"])
    with pytest.raises(SystemExit) as stopped:
        main.main()
    assert stopped.value.code == 2
    assert "--only must be one of python, packages, places, " in capsys.readouterr().err
    with pytest.raises(ValueError, match="only must be one of python, packages, places, .* got 'graphics'"):
        diagnosis.diagnose("graphics")
