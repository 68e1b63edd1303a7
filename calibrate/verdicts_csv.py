"""What does a table of verdicts say that people or another judge have given?

Columns: `model`, `scene` (a token), `file` or `k`, `outcome` (empty for none), `reason`. A clip without an outcome has
as reason a null reason, an unreadable reason, or one of `judge_error`, `refused`, `missing`.
"""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Iterator, Sequence
from pathlib import Path

import scenes
from judge.verdict import UNREADABLE_REASONS
from sim import NULL_REASONS, InputError

from .clip_row import ClipRow
from .study_clip import near, scene_tokens
from .study_files import Unmatched

_OTHER = ("judge_error", "refused", "missing")
_STATUS = {**dict.fromkeys(NULL_REASONS, "null"), **dict.fromkeys(UNREADABLE_REASONS, "unreadable")}


def read_verdicts(path: Path) -> tuple[list[ClipRow], list[Unmatched], str]:
    """The rows, those that match no scene, and the digest of the table.

    Raises:
        InputError: The file cannot be read, lacks a column, or a row contradicts itself.
    """
    text = csv_text(path)
    digest = f"csv:{hashlib.sha256(path.read_bytes()).hexdigest()}"
    tokens, seen = scene_tokens(), set()
    rows: list[ClipRow] = []
    unmatched: list[Unmatched] = []
    needed, like = ("model", "scene", "outcome"), "model, scene, file or k, outcome, reason"
    for line, plain in csv_lines(path, text, needed=needed, any_of=("file", "k"), like=like):
        where = f"{path} line {line}"
        name = plain.get("file") or plain.get("k") or ""
        key = (plain["model"], plain["scene"], name)
        if not plain["model"] or not name:
            raise InputError(f"{where} must give a model and a file or k")
        if key in seen:
            raise InputError(f"{where} gives {' / '.join(key)} again; each clip has one verdict")
        seen.add(key)
        if plain["scene"] not in tokens:
            why = f"line {line}: no scene is called {plain['scene']!r}"
            unmatched.append(Unmatched(file=name, why=why, nearest=near(plain["scene"], tokens)))
        else:
            rows.append(_clip_row(plain, name, where, digest))
    return rows, unmatched, digest


def csv_text(path: Path) -> str:
    """The text of a CSV file.

    Raises:
        InputError: It cannot be read.
    """
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); give a CSV file of verdicts") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 text (byte {error.start}); save it as UTF-8") from error


def csv_lines(
    path: Path, text: str, *, needed: Sequence[str], any_of: Sequence[str] = (), like: str | None = None
) -> Iterator[tuple[int, dict[str, str]]]:
    """Line number and fields of every row, without spaces at their ends.

    Args:
        path: Where the table comes from, for messages.
        text: The table.
        needed: Columns without which it is refused.
        any_of: Columns of which it needs one.
        like: Which columns it should have, for the message; `needed` if None.

    Raises:
        InputError: It is no CSV, or lacks a column.
    """
    table = csv.DictReader(io.StringIO(text, newline=""))
    try:
        columns = list(table.fieldnames or ())
        for column in needed:
            if column not in columns:
                raise InputError(f"{path} lacks the column {column!r}; it needs {like or ', '.join(needed)}")
        if any_of and not set(any_of) & set(columns):
            which = " or ".join(repr(column) for column in any_of)
            raise InputError(f"{path} lacks a column {which} that tells the clips of a cell apart")
        if twice := [column for column in columns if columns.count(column) > 1]:
            raise InputError(f"{path} has more than one column {twice[0]!r}; remove all but one")
        for row in table:
            if None in row or None in row.values():
                raise InputError(f"{path} line {table.line_num} has not as many fields as the header")
            yield table.line_num, {str(k): str(v).strip() for k, v in row.items()}
    except csv.Error as error:
        line = table.reader.line_num
        raise InputError(f"{path} line {line} is no CSV ({error}); look for a quote that is not closed") from error


def _clip_row(row: dict[str, str], name: str, where: str, digest: str) -> ClipRow:
    outcome, reason = row["outcome"], row.get("reason", "")
    scene, _ = scenes.parse_token(row["scene"])
    if outcome and reason:
        raise InputError(f"{where} gives both an outcome and a reason; a clip has one or the other")
    if outcome and outcome not in scene.outcomes:
        raise InputError(f"{where}: {outcome!r} is no outcome of {scene.name}; they are {', '.join(scene.outcomes)}")
    if not outcome and reason not in (*_STATUS, *_OTHER):
        known = ", ".join((*_STATUS, *_OTHER))
        raise InputError(f"{where} has no outcome and so needs a reason, one of {known}; got {reason!r}")
    status = "scored" if outcome else _STATUS.get(reason, reason)
    return ClipRow(
        model=row["model"],
        scene=row["scene"],
        file=name if status not in ("refused", "missing") else None,
        status=status,
        outcome=outcome or None,
        reason=reason if status in ("null", "unreadable") else ("no_file" if status == "missing" else None),
        judge=digest if status not in ("refused", "missing") else None,
    )
