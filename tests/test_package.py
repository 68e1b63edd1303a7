import fnmatch
import subprocess
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SETUPTOOLS = PROJECT["tool"]["setuptools"]
TOPS = sorted({name.split(".")[0] for name in SETUPTOOLS["packages"]})


def test_every_package_is_listed_and_every_listed_package_is_there():
    found = {".".join(p.parent.relative_to(ROOT).parts) for top in TOPS for p in (ROOT / top).rglob("__init__.py")}
    assert set(SETUPTOOLS["packages"]) == found
    tops_in_tree = {p.parent.name for p in ROOT.glob("*/__init__.py")}
    assert set(TOPS) == tops_in_tree


def test_every_python_file_lies_in_a_package():
    lost = [p for top in TOPS for p in (ROOT / top).rglob("*.py") if not (p.parent / "__init__.py").is_file()]
    assert lost == []


def _tracked_data() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z", "--", *TOPS], cwd=ROOT, capture_output=True, check=True).stdout
    files = [Path(p) for p in listed.decode().split("\0") if p and not p.endswith(".py")]
    return [p for p in files if (ROOT / p).is_file()]


def _is_listed(path: Path) -> bool:
    for package, patterns in SETUPTOOLS["package-data"].items():
        folder = Path(*package.split("."))
        if path.is_relative_to(folder):
            inside = path.relative_to(folder)
            for pattern in patterns:
                same_depth = len(Path(pattern).parts) == len(inside.parts)
                if same_depth and fnmatch.fnmatch(str(inside), pattern):
                    return True
    return False


def test_every_tracked_data_file_is_package_data():
    data = _tracked_data()
    assert data, "git tracks no data file: nothing was compared"
    assert [str(p) for p in data if not _is_listed(p)] == []


def test_a_file_that_is_not_listed_is_noticed():
    assert not _is_listed(Path("scenes/references/die_roll.txt"))
    assert not _is_listed(Path("scenes/references/old/die_roll.json"))


def test_every_package_is_typed():
    assert [top for top in TOPS if not (ROOT / top / "py.typed").is_file()] == []


def test_mujoco_4_0_0_is_excluded():
    (wanted,) = [d for d in PROJECT["project"]["dependencies"] if d.startswith("mujoco")]
    assert "!=4.0.0" in wanted


def test_second_engine_is_optional():
    assert not any("pybullet" in d for d in PROJECT["project"]["dependencies"])
    assert any("pybullet" in d for d in PROJECT["project"]["optional-dependencies"]["bullet"])


def test_checkers_look_at_every_package():
    assert sorted(PROJECT["tool"]["mypy"]["files"]) == TOPS
