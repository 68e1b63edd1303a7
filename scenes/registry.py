"""Which scenes are there, and what does a scene token mean?"""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import os
import sys
from functools import cache
from pathlib import Path

from sim import Scene, SceneError
from sim.errors import one_line

_HERE = Path(__file__).parent
_NOT_SCENES = {"__init__", "making", "registry", "shipped"}
USER_SCENES_VARIABLE = "QUINCUNX_SCENES"
"""Environment variable that names a folder with scenes of the user's own, one file each."""


def _user_folder() -> Path | None:
    named = os.environ.get(USER_SCENES_VARIABLE)
    if not named:
        return None
    folder = Path(named)
    if not folder.is_dir():
        raise SceneError(f"{USER_SCENES_VARIABLE} names {named!r}, which is not a folder; correct or unset it")
    return folder


def _files() -> dict[str, Path]:
    files = {p.stem: p for p in sorted(_HERE.glob("*.py")) if p.stem not in _NOT_SCENES}
    folder = _user_folder()
    for path in sorted(folder.glob("*.py")) if folder is not None else ():
        if path.stem.startswith("_"):
            continue
        if path.stem in files:
            raise SceneError(f"{path} has the name of a scene that exists already; rename it")
        files[path.stem] = path
    return files


def names() -> tuple[str, ...]:
    """Names of all scenes, sorted: the catalogue's and those in the folder that QUINCUNX_SCENES names."""
    return tuple(sorted(_files()))


def user_folder_of(name: str) -> Path | None:
    """The user's folder that holds the scene of that name; None for a scene of the catalogue, or of nobody."""
    folder = _user_folder()
    return folder if folder is not None and (folder / f"{name}.py").is_file() else None


@cache
def _load_file(name: str, path: Path) -> Scene:
    if path.parent == _HERE:
        module = importlib.import_module(f"scenes.{name}")
    else:
        spec = importlib.util.spec_from_file_location(f"_user_scene_{name}", path)
        if spec is None or spec.loader is None:
            raise SceneError(f"{path} cannot be read as a Python file")
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        try:
            spec.loader.exec_module(module)
        except SceneError:
            raise
        except (Exception, SystemExit) as fault:  # a user's file may raise anything
            raise SceneError(f"{path} cannot be loaded: {one_line(fault)}") from fault
    scene = getattr(module, "SCENE", None)
    if not isinstance(scene, Scene):
        raise SceneError(f"{path} must define SCENE = Scene(...)")
    if scene.name != name:
        raise SceneError(f"{path} defines a scene named {scene.name!r}; file and scene must have one name")
    return scene


def load(name: str) -> Scene:
    """The scene of that name.

    Raises:
        SceneError: There is no such scene; the message lists the nearest name and all names.
    """
    files = _files()
    if name not in files:
        near = difflib.get_close_matches(name, files, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else "."
        raise SceneError(f"no scene is called {name!r}{hint} All: {', '.join(sorted(files))}")
    return _load_file(name, files[name])


def parse_token(token: str) -> tuple[Scene, str | None]:
    """The scene and the variant's name (or None) that a token `scene` or `scene@variant` means.

    Raises:
        SceneError: The scene or the variant does not exist.
    """
    name, at, variant = token.partition("@")
    scene = load(name)
    if at:
        scene.variant(variant)
    return scene, variant if at else None
