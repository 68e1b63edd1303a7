"""Is this installation whole: Python, packages, pictures, weights, references, and no foreign package in our place?"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import platform
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from sim import QuincunxError

PACKAGES = ("sim", "scenes", "judge", "calibrate", "benchmarks", "cli")
"""The project's import packages; their names are generic, so that others may use them too."""
REQUIRED = {"mujoco": (3, 17), "numpy": (2, 1), "scipy": (1, 14), "av": (14,), "trimesh": (4, 5)}
"""Distribution -> lowest release that the code was written for."""
OPTIONAL = {
    "torch": ("judge", "the trained judge"),
    "torchvision": ("judge", "the trained judge"),
    "safetensors": ("judge", "the trained judge"),
    "pybullet": ("bullet", "the second engine"),
}
"""Distribution -> (extra that installs it, what needs it)."""
BAD_MUJOCO = "4.0.0"
"""Has a wrong sparse solve (google-deepmind/mujoco release 4.0.1)."""

State = Literal["ok", "missing", "failed"]


@dataclass(frozen=True, kw_only=True)
class Check:
    """One thing that was looked at."""

    name: str
    state: State
    detail: str
    """What was found and, if it is not well, how to mend it."""
    essential: bool = True
    """False for what only some commands need."""


def python() -> list[Check]:
    """The interpreter."""
    well = sys.version_info >= (3, 11)
    detail = f"{platform.python_version()} at {sys.executable}"
    return [Check(name="python", state="ok" if well else "failed", detail=detail if well else f"{detail}; needs 3.11")]


def _release(version: str) -> tuple[int, ...]:
    parts = (part for part in version.split("+")[0].split("."))
    return tuple(int("".join(c for c in part if c.isdigit()) or 0) for part in parts)


def packages() -> list[Check]:
    """The libraries, with their versions; MuJoCo 4.0.0 is refused by name."""
    checks = []
    for name, lowest in REQUIRED.items():
        version = _version(name)
        cure = f"pip install '{name}>={'.'.join(map(str, lowest))}'"
        if version is None:
            checks.append(Check(name=name, state="missing", detail=cure))
        elif name == "mujoco" and version == BAD_MUJOCO:
            detail = f"{version} has a wrong sparse solve: pip install 'mujoco>=3.17,!={BAD_MUJOCO}'"
            checks.append(Check(name=name, state="failed", detail=detail))
        else:
            well = _release(version) >= lowest
            checks.append(Check(name=name, state="ok" if well else "failed", detail=version if well else cure))
    for name, (extra, needed_for) in OPTIONAL.items():
        version = _version(name)
        cure = f"only {needed_for} needs it: pip install 'quincunx[{extra}]'"
        state: State = "missing" if version is None else "ok"
        checks.append(Check(name=name, state=state, detail=version or cure, essential=False))
    return checks


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def places() -> list[Check]:
    """Whether each of our packages is loaded from the place that this command is in."""
    home = Path(__file__).resolve().parent.parent
    checks = []
    for name in PACKAGES:
        spec = importlib.util.find_spec(name)
        found = Path(spec.origin).resolve() if spec is not None and spec.origin is not None else None
        if found == home / name / "__init__.py":
            checks.append(Check(name=f"package {name}", state="ok", detail=str(found.parent)))
            continue
        what = "is not there" if found is None else f"is shadowed by {found.parent}{_owner(name)}"
        detail = f"{name} {what}; expected {home / name}. Install quincunx into an environment of its own"
        checks.append(Check(name=f"package {name}", state="failed", detail=detail))
    return checks


def _owner(name: str) -> str:
    owners = set(importlib.metadata.packages_distributions().get(name, ())) - {"quincunx"}
    return f" (from the distribution {', '.join(sorted(owners))})" if owners else ""


def gl() -> list[Check]:
    """Whether a picture can be drawn without a screen."""
    from sim.gl import backend

    try:
        return [Check(name="gl", state="ok", detail=f"{backend()} draws without a screen")]
    except QuincunxError as fault:
        return [Check(name="gl", state="failed", detail=str(fault))]


GROUPS: dict[str, Callable[[], list[Check]]] = {
    "python": python,
    "packages": packages,
    "places": places,
    "gl": gl,
}


def diagnose(only: str | None = None) -> list[Check]:
    """Every check, or those of one group.

    Args:
        only: Name of a group in `GROUPS`; None for all.

    Raises:
        ValueError: There is no such group.
    """
    if only is not None and only not in GROUPS:
        raise ValueError(f"only must be one of {', '.join(GROUPS)}, got {only!r}")
    return [check for name, group in GROUPS.items() if only in (None, name) for check in group()]
