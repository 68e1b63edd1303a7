"""Which files of a study's folder look like clips, and which entries are no use as one, and why?"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

VIDEO_SUFFIXES = frozenset(
    (
        ".mp4 .m4v .mov .webm .mkv .avi .gif .apng .mpg .mpeg .ts .wmv .flv .ogv .ogg .3gp .mjpeg .webp "
        ".y4m .m2ts .asf .mxf .vob .f4v"
    ).split()
)
"""Suffixes of files that are taken for clips, in either case; what is inside is looked at by the judge."""


@dataclass(frozen=True, kw_only=True)
class Unmatched:
    """A file or a manifest row that belongs to no cell."""

    file: str
    why: str
    nearest: str | None = None
    """The nearest name that would have matched."""


@dataclass(frozen=True, kw_only=True)
class Found:
    """What lies in a folder, hidden files aside; paths relative to it, with `/`."""

    videos: tuple[str, ...]
    others: tuple[str, ...]
    """Files whose suffix is not that of a video."""
    refused: tuple[Unmatched, ...]
    """Links, devices, names that are not text."""


def find_files(root: Path) -> Found:
    """Everything in the folder that is not hidden; links to folders are not followed."""
    videos: list[str] = []
    others: list[str] = []
    refused: list[Unmatched] = []
    inside = root.resolve()

    def unreadable(error: OSError) -> None:
        file = Path(os.fsdecode(error.filename)).relative_to(root).as_posix()
        refused.append(Unmatched(file=as_text(file), why=f"a folder that cannot be opened ({error.strerror})"))

    for at, folders, names in os.walk(root, onerror=unreadable):
        folders[:] = sorted(d for d in folders if not d.startswith("."))
        links = [d for d in folders if os.path.islink(os.path.join(at, d))]
        for name in sorted(n for n in names if not n.startswith(".")) + links:
            path = Path(at, name)
            file = path.relative_to(root).as_posix()
            is_video = path.suffix.lower() in VIDEO_SUFFIXES
            why = _why_not(path, inside)
            if why is None and is_video and as_text(file) != file:
                why = "its name is not UTF-8 text; rename it"
            if why is not None:
                refused.append(Unmatched(file=as_text(file), why=why))
            else:
                (videos if is_video else others).append(file)
    return Found(videos=tuple(videos), others=tuple(others), refused=tuple(refused))


def as_text(name: str) -> str:
    """The name; bytes of it that are not UTF-8 are written as escapes."""
    return name.encode("utf-8", "backslashreplace").decode("utf-8")


def is_inside(path: Path, folder: Path) -> bool:
    """Whether the path, its links followed, lies in the folder; a path that cannot be followed does not."""
    try:
        return path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError, ValueError):
        return False


def is_regular(path: Path) -> bool:
    """Whether there is a regular file; no for pipes and devices, and for names that no file can have."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _why_not(path: Path, inside: Path) -> str | None:
    """Why an entry of a folder is no file to be read; None if it is one."""
    is_link = path.is_symlink()
    try:
        target = path.resolve(strict=True)
        mode = target.stat().st_mode
    except (OSError, RuntimeError):  # loops are a RuntimeError up to Python 3.12
        return "a link that leads nowhere" if is_link else "it cannot be opened"
    if is_link and not target.is_relative_to(inside):
        return "a link that leads outside the folder"
    if stat.S_ISDIR(mode):
        return "a link to a folder is not followed"
    return None if stat.S_ISREG(mode) else "a pipe or a device, not a regular file"
