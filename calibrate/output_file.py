"""May this file be written without harm, and how does it appear whole or not at all?"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from sim import InputError
from sim.clip import whole_file


def checked_output(out: Path | str, *, inputs: Iterable[Path | str] = (), cure: str = "choose another --out") -> Path:
    """The path, if a file may be written there; its folder is made if need be.

    Args:
        out: The file to be written.
        inputs: Files that are read and so must not be replaced.
        cure: What to do about a file that cannot be written, for the message.

    Raises:
        InputError: It is a folder, a device or the like, one of `inputs`, or cannot be written.
    """
    path = Path(out)
    try:
        if os.path.isdir(path):
            raise InputError(f"{path} is a folder; give --out a file name, for example {path / 'record.json'}")
        there = path.exists()
        if there and not path.is_file():
            raise InputError(f"{path} is a device or a pipe, not a file; {cure}")
        if there and any(_is_same(path, source) for source in inputs):
            raise InputError(f"{path} is what is read, and would be overwritten; {cure}")
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path.parent):
            pass
        if there and not os.access(path, os.W_OK):
            raise PermissionError(13, "Permission denied")
    except (OSError, RuntimeError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise InputError(f"{path} cannot be written ({why}); {cure}") from error
    return path


def write_whole(path: Path, text: str) -> None:
    """Write a UTF-8 text file through a temporary neighbour.

    Raises:
        InputError: It cannot be written.
    """
    with whole_file(path) as part:
        part.write_text(text, encoding="utf-8")


def _is_same(path: Path, source: Path | str) -> bool:
    """Whether both are one file, by whatever links."""
    try:
        return path.samefile(source)
    except (OSError, ValueError):
        return False
