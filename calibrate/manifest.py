"""Which clips does a `metadata.jsonl` say were asked for?

Its rows have `file`, `model`, `scene` (a token, or the scene's id in a published benchmark), optional `seed`, `prompt`,
`status` (`refused`, `failed`, `pending`, or nothing). The manifest of a hub data set calls the file `file_name`; a row
with a file may leave out the model and the scene if its folders tell them. Other columns are not looked at.

References:
    Hugging Face Datasets, "Create a video dataset": `metadata.jsonl` with a column `file_name`.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sim import InputError

from .json_lines import json_lines

MANIFEST = "metadata.jsonl"
"""Name of the manifest in a study's folder."""
STATUSES = (None, "done", "refused", "failed", "pending")
"""What a row may say of its generation; None and `done` promise a file."""


@dataclass(frozen=True, kw_only=True)
class RequestedClip:
    """One row of a manifest."""

    line: int
    """Line number, from 1."""
    model: str | None
    scene: str | None
    """None if it is to be told from the file's folders."""
    file: str | None
    status: str | None
    seed: int | str | None
    prompt: str | None
    group: int | str | None = None
    """Clips of one group share noise, or depend on each other otherwise."""


def read_manifest(path: Path) -> tuple[RequestedClip, ...]:
    """All rows, in order.

    Raises:
        InputError: A line is not JSON, lacks a field, or names a file again.
    """
    seen: dict[str, int] = {}
    rows = []
    for line, row in json_lines(path):
        requested = _row(path, line, row)
        if requested.file is not None:
            if requested.file in seen:
                again = f"{path} line {line} names {requested.file!r} again"
                raise InputError(f"{again} (first in line {seen[requested.file]}); remove one")
            seen[requested.file] = line
        rows.append(requested)
    return tuple(rows)


def _row(path: Path, line: int, row: dict[str, Any]) -> RequestedClip:
    if "file_name" in row:
        if row.get("file", row["file_name"]) != row["file_name"]:
            raise InputError(f"{path} line {line} gives two names, in 'file' and in 'file_name'; leave one out")
        row = {**row, "file": row["file_name"]}
    for name in ("file", "model", "scene", "seed", "prompt", "group"):
        if isinstance(row.get(name), str) and not _is_plain(row[name]):
            raise InputError(f"{path} line {line} gives {name!r} with a null character or half a character; mend it")
    for name in ("model", "scene"):
        if row.get("file") and row.get(name) is None:
            continue
        if not isinstance(row.get(name), str) or not row[name]:
            raise InputError(f"{path} line {line} must give {name!r} as text, got {row.get(name)!r}")
    for name in ("file", "prompt"):
        if row.get(name) is not None and not isinstance(row[name], str):
            raise InputError(f"{path} line {line} must give {name!r} as text or leave it out, got {row[name]!r}")
    if row.get("status") not in STATUSES:
        known = ", ".join(str(s) for s in STATUSES[1:])
        raise InputError(f"{path} line {line} has status {row['status']!r}; it must be one of {known} or left out")
    for name in ("seed", "group"):
        value = row.get(name)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int | str)):
            raise InputError(f"{path} line {line} must give {name!r} as a whole number or text, got {value!r}")
    file = row.get("file") or None
    return RequestedClip(
        line=line,
        model=row.get("model"),
        scene=row.get("scene"),
        file=posixpath.normpath(file) if file else None,
        status=row.get("status"),
        seed=row.get("seed"),
        group=row.get("group"),
        prompt=row.get("prompt"),
    )


def _is_plain(text: str) -> bool:
    """Whether it can be the name of a file and be written as UTF-8."""
    return "\0" not in text and not any("\ud800" <= character <= "\udfff" for character in text)
