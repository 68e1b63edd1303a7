"""Which tables and columns does an export have? One schema for CSV, JSON lines and Parquet.

`clips` has a row for every clip that was asked for, `cells` one for every model and scene, `outcomes` one for every
outcome of those. The columns are the fields of the record (calibrate.record): an interval is two columns, `..._low` and
`..._high`; what has parts of its own is JSON text.
"""

from __future__ import annotations

import ast
import inspect
import json
import types
import typing
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, is_dataclass
from functools import cache
from typing import Any, Literal

from .clip_row import ClipRow
from .record import Cell, Record
from .record_check import SHARE

Kind = Literal["text", "count", "number", "json"]
TABLES = ("clips", "cells", "outcomes")
"""Names of the tables."""
_PLAIN = {
    "model": "Name of the model.",
    "scene": "Name of the scene.",
    "variant": "Name of the scene's variant; empty for none.",
    "outcome": "What the clip shows; empty if it was not scored.",
    "detail": "What the judge or the reader said of it, in words.",
    "seed": "Seed that the manifest or the file's name records.",
    "scored": "Clips with an outcome.",
    "null": "Clips without an outcome, by reason.",
    "unreadable": "Files that could not be read, by reason.",
    "judge_error": "Clips on which the judge failed.",
    "refused": "Clips that the model refused to make.",
    "missing": "Clips that were asked for and are not there.",
    "missing_reasons": "The same by reason.",
    "counts": "Scored clips by outcome.",
    "p_method": "How p was computed.",
    "finding": "`calibrated` within the margin, `miscalibrated`, `cannot_tell` or `not_tested`.",
    "probabilities": "The judge's probability of every outcome.",
}
_OUTCOMES = {
    "count": "Scored clips that show it.",
    "reference": "Its share in the reference.",
    "reference_low": "Least share in the reference's set.",
    "reference_high": "Largest share in the reference's set.",
    "nearest": "Its share in the nearest point of the set.",
    "share": "Its share of the scored clips.",
    "low": "95 % Clopper-Pearson, for this outcome alone.",
    "high": "95 % Clopper-Pearson, for this outcome alone.",
    "low_together": "95 % Goodman, for all outcomes at once.",
    "high_together": "95 % Goodman, for all outcomes at once.",
    "least": "Least share of all requested clips, whatever the others showed.",
    "most": "Largest share of all requested clips, whatever the others showed.",
}


@dataclass(frozen=True, kw_only=True)
class Column:
    """One column of a table; any may be empty."""

    name: str
    kind: Kind
    about: str
    """What it says."""


@cache
def columns(table: str) -> tuple[Column, ...]:
    """The columns of `clips`, `cells` or `outcomes`, in order."""
    if table == "clips":
        return _of_fields(ClipRow)
    if table == "cells":
        return _of_fields(Cell)
    if table != "outcomes":
        raise ValueError(f"table must be one of {', '.join(TABLES)}, got {table!r}")
    place = [Column(name=name, kind="text", about=_PLAIN[name]) for name in ("model", "scene", "variant", "outcome")]
    count = Column(name="count", kind="count", about=_OUTCOMES["count"])
    return (*place, count, *(Column(name=name, kind="number", about=_OUTCOMES.get(name, name)) for name in SHARE))


def rows(record: Record, table: str) -> list[dict[str, Any]]:
    """The rows of a table, by column; JSON text where the kind is `json`."""
    if table == "outcomes":
        return [
            {"model": c.model, "scene": c.scene, "variant": c.variant, "outcome": outcome, "count": c.counts[outcome]}
            | {name: share[name] for name in SHARE}
            for c in record.cells
            for outcome, share in c.shares.items()
        ]
    parts: Sequence[Any] = record.clips if table == "clips" else record.cells
    return [_row(part, columns(table)) for part in parts]


def _of_fields(record: type) -> tuple[Column, ...]:
    hints, docs = typing.get_type_hints(record), _docs(record)
    found = []
    for field in fields(record):
        about = docs.get(field.name) or _PLAIN.get(field.name) or f"{field.name.replace('_', ' ')}."
        kind = _kind(hints[field.name])
        names = [f"{field.name}_low", f"{field.name}_high"] if kind is None else [field.name]
        found += [Column(name=name, kind=kind or "number", about=about) for name in names]
    return tuple(found)


def _kind(hint: Any) -> Kind | None:
    """The kind of a field; None for an interval."""
    is_union = typing.get_origin(hint) in (types.UnionType, typing.Union)
    options = {part for part in (typing.get_args(hint) if is_union else (hint,)) if part is not type(None)}
    if options == {tuple[float, float]}:
        return None
    if str in options or all(typing.get_origin(part) is Literal for part in options):
        return "text"
    if options <= {int, float}:
        return "number" if float in options else "count"
    return "json"


def _docs(record: type) -> dict[str, str]:
    """Field -> the text under it in the source."""
    tree = ast.parse(inspect.getsource(record)).body[0]
    body = tree.body if isinstance(tree, ast.ClassDef) else []
    return {
        field.target.id: " ".join(text.value.value.split())
        for field, text in zip(body, body[1:], strict=False)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
        and isinstance(text.value.value, str)
    }


def _row(part: Any, wanted: Sequence[Column]) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for column in wanted:
        field, _, end = column.name.rpartition("_")
        if end in ("low", "high") and not hasattr(part, column.name):
            pair = getattr(part, field)
            row[column.name] = None if pair is None else pair[end == "high"]
        else:
            row[column.name] = _plain(getattr(part, column.name), column.kind)
    return row


def _plain(value: Any, kind: Kind) -> Any:
    if value is None:
        return None
    if kind == "json":
        whole = asdict(value) if is_dataclass(value) and not isinstance(value, type) else value
        whole = dict(whole) if isinstance(whole, Mapping) else whole
        return json.dumps(whole, ensure_ascii=False, allow_nan=False)
    return str(value) if kind == "text" else value
