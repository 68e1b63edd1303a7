"""Is this installation whole: Python, packages, pictures, weights, references, and no foreign package in our place?"""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from sim import QuincunxError

from .faults import EXTRAS

PACKAGES = ("sim", "scenes", "judge", "calibrate", "benchmarks", "cli")
"""The project's import packages; their names are generic, so that others may use them too."""
REQUIRED = {"mujoco": (3, 17), "numpy": (2, 1), "scipy": (1, 14), "av": (14,), "trimesh": (4, 5)}
"""Distribution -> lowest release that the code was written for."""
NEEDED_FOR = {"judge": "the trained judge", "bullet": "the second engine", "tables": "Parquet or a data frame"}
"""Extra -> what needs it."""
BAD_MUJOCO = "4.0.0"
"""Has a wrong sparse solve (google-deepmind/mujoco release 4.0.1)."""
MAX_OFF = 0.05
"""How far a realised restitution may lie from the asked one."""

_OWN_ENVIRONMENT = "Install quincunx into an environment of its own"

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
            well = _release(version)[: len(lowest)] >= lowest
            detail = version if well else f"{version} is too old: {cure}"
            checks.append(Check(name=name, state="ok" if well else "failed", detail=detail))
    for name, extra in EXTRAS.items():
        version = _version(name)
        cure = f"only {NEEDED_FOR[extra]} needs it: pip install 'quincunx[{extra}]'"
        state: State = "missing" if version is None else "ok"
        checks.append(Check(name=name, state=state, detail=version or cure, essential=False))
    return checks


def _version(name: str) -> str | None:
    import importlib.metadata  # slow to load, and every verb loads this file

    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def places() -> list[Check]:
    """Whether each of our packages is loaded from the place that this command is in, and is nobody else's too."""
    import importlib.metadata

    home = Path(__file__).resolve().parent.parent
    owners = importlib.metadata.packages_distributions()
    checks = []
    for name in PACKAGES:
        spec = importlib.util.find_spec(name)
        found = Path(spec.origin).resolve() if spec is not None and spec.origin is not None else None
        foreign = ", ".join(sorted(set(owners.get(name, ())) - {"quincunx"}))
        state: State = "failed"
        if found is None:
            detail = f"is not at {home / name}: {_OWN_ENVIRONMENT}"
        elif found != home / name / "__init__.py":
            whose = f" (from the distribution {foreign})" if foreign else ""
            detail = f"is shadowed by {found.parent}{whose}; ours is {home / name}. {_OWN_ENVIRONMENT}"
        elif foreign:
            detail = f"the distribution {foreign} ships a package of that name too. {_OWN_ENVIRONMENT}"
        else:
            state, detail = "ok", str(found.parent)
        checks.append(Check(name=f"package {name}", state=state, detail=detail))
    here = Path.cwd()
    for name in PACKAGES if here != home else ():
        if (here / name).is_dir():
            detail = f"{here / name} hides ours from python -m and notebooks started here; rename it or go elsewhere"
            checks.append(Check(name=f"folder {name}", state="failed", detail=detail, essential=False))
    return checks


def gl() -> list[Check]:
    """Whether a picture can be drawn without a screen."""
    from sim.gl import backend, open_context

    try:
        open_context(16, 16).free()
        return [Check(name="gl", state="ok", detail=f"{backend()} draws without a screen")]
    except QuincunxError as fault:
        return [Check(name="gl", state="failed", detail=str(fault))]


def weights() -> list[Check]:
    """Whether the shipped judge is there, and its card belongs to it."""
    from judge.card import read_card

    try:
        covered = ", ".join(sorted(read_card()["scenes"]))
    except QuincunxError as fault:
        return [Check(name="judge", state="failed", detail=str(fault))]
    return [Check(name="judge", state="ok", detail=f"its card covers {covered}")]


def references() -> list[Check]:
    """Whether each scene and each causal variant has a reference of its version; a user's own scene may lack it."""
    import scenes
    from scenes.shipped import tokens

    checks, here = [], f"{platform.system()}-{platform.machine()}"
    for name in scenes.names():
        ours = (Path(scenes.__file__).parent / f"{name}.py").is_file()
        for token in tokens(scenes.load(name)):
            try:
                found = scenes.reference(token)
            except QuincunxError as fault:
                checks.append(Check(name=f"reference {token}", state="missing", detail=str(fault), essential=ours))
                continue
            detail = f"{found.n} rollouts, {found.engine} {found.engine_version}, {found.platform}"
            if (found.engine_version, found.platform) != (_version(found.engine), here):
                detail += f"; not those of this machine ({here}): rollouts here agree in distribution, not bit by bit"
            checks.append(Check(name=f"reference {token}", state="ok", detail=detail))
    return checks


def engines() -> list[Check]:
    """Whether the second engine rebounds as asked: elsewhere its ideal bounces were seen to lose energy from 10 m."""
    from sim.bullet_check import bounce

    try:
        seen = [bounce(asked, height_m=height) for asked in (0.5, 1.0) for height in (0.5, 10.0)]
    except QuincunxError as fault:
        return [Check(name="bullet bounce", state="missing", detail=str(fault), essential=False)]
    well = all(abs(found.realised - found.asked) < MAX_OFF for found in seen)
    detail = "; ".join(f"asked {b.asked}, from {b.height_m:g} m {b.realised:.3f}" for b in seen)
    return [Check(name="bullet bounce", state="ok" if well else "failed", detail=detail, essential=False)]


GROUPS: dict[str, Callable[[], list[Check]]] = {
    "python": python,
    "packages": packages,
    "places": places,
    "gl": gl,
    "weights": weights,
    "references": references,
    "engines": engines,
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
