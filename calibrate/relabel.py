"""What becomes of a record if people have looked at some of its clips?"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from judge.verdict import UNREADABLE_REASONS
from sim import NULL_REASONS, InputError
from sim.reference import Reference

from .audit import audit_order
from .clip_row import ClipRow
from .conclusion import MARGIN_TV
from .output_file import checked_output
from .record import Record
from .report import UNSEEN
from .score import finish
from .study_files import Unmatched
from .verdicts_csv import csv_lines, csv_text

LISTS = ("audit", "doubtful")
"""Where in the report a label was given."""


@dataclass(frozen=True, kw_only=True)
class Relabelled:
    """A record with labels, and what they did."""

    record: Record
    n_labels: int
    n_changed: int
    """Clips whose verdict is another one now."""
    n_unused: int
    """Audit labels that lie behind the first clip of the audit without one, and so do not tell how often the judge
    errs."""


def relabel(record_path: Path | str, labels: Path | str, *, out: Path | str) -> Relabelled:
    """The record with people's labels in place of the judge's verdicts, written to `out`.

    A label corrects the verdict of its clip, from whichever list. What the judge said is kept. Only the audit tells how
    often the judge errs (calibrate.audit). A record may be relabelled again; the last label of a clip stands.

    Args:
        record_path: What `score` or `relabel` wrote.
        labels: The CSV file that the report saved: `model`, `scene`, `file`, `outcome`, `reason`, `list`.
        out: Record to write.

    Raises:
        InputError: A file cannot be read or written, or a label fits no clip.
    """
    record = Record.read(record_path)
    target = checked_output(out, inputs=[record_path, labels])
    given = _labels(Path(labels), record)
    rows = [_labelled(row, given.get(_key(row.model, row.scene, row.file or ""))) for row in record.clips]
    study = Path(os.path.abspath(record_path)).parent / record.study
    new = finish(
        rows,
        {
            token: Reference.from_json(found, origin=f"the reference of {token}")
            for token, found in record.references.items()
        },
        [_unmatched(file) for file in record.unmatched],
        study=study,
        judge=record.judge,
        cards=record.run_cards,
        seed=record.seed,
        margin=record.cells[0].margin if record.cells else MARGIN_TV,
        out=target,
    )
    order = audit_order(rows, seed=record.seed)
    first = next((k for k, row in enumerate(order) if row.label != "audit"), len(order))
    changed = sum(
        (a.status, a.outcome, a.reason) != (b.status, b.outcome, b.reason)
        for a, b in zip(record.clips, rows, strict=True)
    )
    unused = sum(row.label == "audit" for row in order[first:])
    return Relabelled(record=new, n_labels=len(given), n_changed=changed, n_unused=unused)


def _unmatched(file: Mapping[str, str | None]) -> Unmatched:
    return Unmatched(file=file["file"] or "", why=file["why"] or "", nearest=file["nearest"])


def _key(model: str, scene: str, file: str) -> tuple[str, str, str]:
    """Names as a page shows them: without control characters and spaces at the ends."""
    a, b, c = (name.translate(UNSEEN).strip() for name in (model, scene, file))
    return a, b, c


def _labels(path: Path, record: Record) -> dict[tuple[str, str, str], Mapping[str, str]]:
    """Clip -> its row of the table."""
    clips: dict[tuple[str, str, str], list[ClipRow]] = {}
    for row in record.clips:
        if row.file is not None:
            clips.setdefault(_key(row.model, row.scene, row.file), []).append(row)
    found: dict[tuple[str, str, str], Mapping[str, str]] = {}
    for line, given in csv_lines(path, csv_text(path), needed=("model", "scene", "file", "outcome", "reason", "list")):
        where, key = f"{path} line {line}", _key(given["model"], given["scene"], given["file"])
        if len(clips.get(key, ())) != 1:
            which = "no clip" if key not in clips else "several clips"
            raise InputError(
                f"{where}: the record has {which} called {' / '.join(key)}; give the record it was made from"
            )
        if key in found:
            raise InputError(f"{where} gives {' / '.join(key)} again; each clip has one label")
        _check(given, where, tuple(record.references[clips[key][0].scene]["outcomes"]))
        found[key] = given
    return found


def _check(row: Mapping[str, str], where: str, outcomes: tuple[str, ...]) -> None:
    outcome, reason = row["outcome"], row["reason"]
    if bool(outcome) == bool(reason):
        raise InputError(f"{where} must give an outcome or a reason, one of them")
    if outcome and outcome not in outcomes:
        raise InputError(f"{where}: {outcome!r} is no outcome; they are {', '.join(outcomes)}")
    if reason and reason not in (*NULL_REASONS, *UNREADABLE_REASONS):
        raise InputError(f"{where}: {reason!r} is no null reason; they are {', '.join(NULL_REASONS)}")
    if row["list"] not in LISTS:
        raise InputError(f"{where} has the list {row['list']!r}; it is audit or doubtful")


def _labelled(row: ClipRow, label: Mapping[str, str] | None) -> ClipRow:
    if label is None:
        return row
    kept = row.judged or {
        "status": row.status,
        "outcome": row.outcome,
        "reason": row.reason,
        "confidence": row.confidence,
    }
    reason = label["reason"] or None
    status = "scored" if reason is None else "unreadable" if reason in UNREADABLE_REASONS else "null"
    return replace(
        row,
        status=status,
        outcome=label["outcome"] or None,
        reason=reason,
        confidence=None,
        label="audit" if label["list"] == "audit" else "doubtful",
        judged=kept,
    )
