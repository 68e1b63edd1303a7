"""What does a layout say of the files of a folder?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import scenes
from calibrate.study_clip import Clip, scene_tokens
from calibrate.study_files import Unmatched


@dataclass(frozen=True, kw_only=True)
class Sorted:
    """The files that a layout claims; it claims a file by giving a clip of it or saying why there is none."""

    clips: list[Clip] = field(default_factory=list)
    unmatched: list[Unmatched] = field(default_factory=list)

    @property
    def claimed(self) -> set[str]:
        """The files."""
        return {clip.file for clip in self.clips if clip.file is not None} | {u.file for u in self.unmatched}


class Layout(Protocol):
    """Sorts files (paths in `root`, with `/`) into clips; `own` is the model's name if the folder is of one model."""

    def __call__(self, root: Path, files: Sequence[str], own: str) -> Sorted:
        """The files that are of this layout."""


def tokens_of(benchmark: str) -> dict[str, str]:
    """Published id -> scene token, for one benchmark, `calibench` or `pawbench`; in the order of the catalogue."""
    found = {}
    for token in scene_tokens():
        scene, variant = scenes.parse_token(token)
        ids = scene.published if variant is None else scene.variants[variant].published
        found.update({name.partition(":")[2]: token for name in ids if name.startswith(f"{benchmark}:")})
    return found


def holes(numbers: Iterable[int], most: int) -> list[int]:
    """The numbers from 0 that are lacking before the highest; none if a number is `most` or more: then no series."""
    there = set(numbers)
    return [] if not there or max(there) >= most else [k for k in range(max(there)) if k not in there]


def model_of(parts: Sequence[str], own: str, *, not_names: Iterable[str] = ()) -> str:
    """The model's name: the folders that are left, without those that name no model."""
    left = [part for part in parts if part.lower() not in not_names]
    return "/".join(left) or own
