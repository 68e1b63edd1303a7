"""Does the wheel hold every tracked file of the packages, nothing else, and does it work from a read-only place?"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD_FILES = ("pyproject.toml", "README.md", "LICENSE")
SMOKE = """
import scenes, sim
names = scenes.names()
assert names, "the installed catalogue is empty"
for name in names:
    scenes.load(name)
assert sim.__file__.startswith({target!r}), f"the tree was imported instead of the wheel: {{sim.__file__}}"
print(f"wheel: {{len(names)}} scenes load from it")
"""


def tracked() -> list[str]:
    """Paths of the packages' files that git tracks and that still exist, relative to the root."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    tops = sorted({name.split(".")[0] for name in settings["packages"]})
    listed = subprocess.run(["git", "ls-files", "-z", "--", *tops], cwd=ROOT, capture_output=True, check=True).stdout
    return [path for path in listed.decode().split("\0") if path and (ROOT / path).is_file()]


def digest(data: bytes) -> str:
    """Hash by which two files are compared."""
    return hashlib.sha256(data).hexdigest()


def build(files: list[str], work: Path) -> Path:
    """The wheel built from a copy that holds the tracked files alone: no stale build folder can leak into it."""
    source = work / "source"
    for path in (*files, *BUILD_FILES):
        (source / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / path, source / path)
    command = [sys.executable, "-m", "build", "--wheel", "--outdir", str(work / "dist"), str(source)]
    done = subprocess.run(command, cwd=work, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"the wheel does not build:\n{done.stdout}\n{done.stderr}")
    (wheel,) = (work / "dist").glob("*.whl")
    return wheel


def differences(wheel: Path, files: list[str]) -> list[str]:
    """What is missing from the wheel, changed in it, or there though not tracked."""
    with zipfile.ZipFile(wheel) as archive:
        inside = {
            name: digest(archive.read(name))
            for name in archive.namelist()
            if ".dist-info/" not in name and not name.endswith("/")
        }
    wanted = {path: digest((ROOT / path).read_bytes()) for path in files}
    found = [f"missing from the wheel: {path}" for path in sorted(set(wanted) - set(inside))]
    found += [f"in the wheel but not tracked: {path}" for path in sorted(set(inside) - set(wanted))]
    return found + [f"differs: {path}" for path in sorted(set(wanted) & set(inside)) if wanted[path] != inside[path]]


def smoke(wheel: Path, work: Path) -> None:
    """Install the wheel alone, take away write permission and list the scenes from another working directory."""
    target, elsewhere = work / "installed", work / "elsewhere"
    elsewhere.mkdir()
    install = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(target), str(wheel)]
    subprocess.run(install, check=True, cwd=work)
    subprocess.run(["chmod", "-R", "a-w", str(target)], check=True)
    environment = {**os.environ, "PYTHONPATH": str(target), "PYTHONDONTWRITEBYTECODE": "1"}
    environment.pop("QUINCUNX_SCENES", None)
    try:
        code = SMOKE.format(target=str(target))
        subprocess.run([sys.executable, "-c", code], check=True, cwd=elsewhere, env=environment)
        subprocess.run([str(target / "bin" / "quincunx"), "scenes"], check=True, cwd=elsewhere, env=environment)
    finally:
        subprocess.run(["chmod", "-R", "u+w", str(target)], check=True)


def main() -> None:
    """Build, compare, try."""
    files = tracked()
    if not files:
        raise SystemExit("git tracks no file of the packages: nothing was compared")
    with tempfile.TemporaryDirectory(prefix="quincunx-wheel-") as folder:
        work = Path(folder)
        wheel = build(files, work)
        if found := differences(wheel, files):
            raise SystemExit("\n".join(found))
        print(f"{wheel.name}: {len(files)} files, the same as the tree ({wheel.stat().st_size / 1e6:.1f} MB)")
        smoke(wheel, work)


if __name__ == "__main__":
    main()
