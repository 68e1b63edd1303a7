"""What is one clip that was asked for, and which scene tokens may it be of?"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass

import scenes


@dataclass(frozen=True, kw_only=True)
class Clip:
    """One clip that was asked for."""

    model: str
    scene: str
    """Scene token."""
    file: str | None
    """Path relative to the study's folder, with `/`; None if there is no file."""
    status: str
    """`found`, `refused` or `missing`."""
    detail: str | None = None
    """Why there is no file: `failed`, `pending`, `no_file`, `outside_folder`; None if it was found or refused."""
    seed: int | str | None = None
    prompt: str | None = None
    group: int | str | None = None
    """Clips of one group depend on each other."""
    asked_file: str | None = None
    """Name under which it was asked for, also where there is no file."""


def scene_tokens() -> tuple[str, ...]:
    """Every scene token that a study may name."""
    tokens = []
    for name in scenes.names():
        scene = scenes.load(name)
        tokens += [name, *(f"{name}@{variant}" for variant in scene.variants)]
    return tuple(tokens)


def near(name: str, known: Iterable[str]) -> str | None:
    """The known name that looks most like `name`; None if none does."""
    found = difflib.get_close_matches(name.lower(), list(known), n=1, cutoff=0.5)
    return found[0] if found else None
