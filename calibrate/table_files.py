"""How is a table of rows written as CSV, JSON lines or Parquet, and read back as it was?

CSV is UTF-8 with a header; an empty field is an absent value. A text that a spreadsheet would take for a formula (it
begins with `=`, `+`, `-`, `@`, a tab or a carriage return) is written with an apostrophe before it, and so is one that
begins with an apostrophe, so that taking one away gives the text back.

References:
    OWASP, "CSV Injection".
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sim import InputError
from sim.clip import whole_file

from .columns import Column
from .json_lines import json_lines
from .output_file import write_whole

SUFFIXES = (".csv", ".jsonl", ".parquet")
"""Kinds of files, by suffix."""
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "'")
_ARROW = {"text": "string", "json": "string", "count": "int64", "number": "float64"}


def write_table(path: Path, rows: Sequence[Mapping[str, Any]], columns: Sequence[Column]) -> None:
    """Write the rows; the suffix says how.

    Raises:
        InputError: The file cannot be written, or its suffix is another one.
        ModuleNotFoundError: It is Parquet and pyarrow is not there.
    """
    suffix = path.suffix.lower()
    if suffix == ".csv":
        write_whole(path, _csv(rows, columns))
    elif suffix == ".jsonl":
        lines = [json.dumps(dict(row), ensure_ascii=False, allow_nan=False) + "\n" for row in rows]
        write_whole(path, "".join(lines))
    elif suffix == ".parquet":
        import pyarrow
        from pyarrow import parquet

        schema = pyarrow.schema([(column.name, getattr(pyarrow, _ARROW[column.kind])()) for column in columns])
        with whole_file(path) as part:
            parquet.write_table(pyarrow.Table.from_pylist(list(map(dict, rows)), schema=schema), part)
    else:
        raise InputError(f"{path} must end in {', '.join(SUFFIXES)}; that says how the table is written")


def read_table(path: Path, columns: Sequence[Column]) -> list[dict[str, Any]]:
    """The rows that `write_table` wrote, with all columns.

    Raises:
        InputError: The file cannot be read, or has other columns.
        ModuleNotFoundError: It is Parquet and pyarrow is not there.
    """
    suffix = path.suffix.lower()
    try:
        if suffix == ".csv":
            return _read_csv(path, columns)
        if suffix == ".jsonl":
            rows = [row for _, row in json_lines(path)]
        else:
            from pyarrow import ArrowInvalid, parquet

            try:
                rows = parquet.read_table(path).to_pylist()
            except ArrowInvalid as error:
                raise InputError(f"{path} is no Parquet file ({' '.join(str(error).split())[:100]})") from error
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); give an exported table") from error
    for row in rows:
        _same_columns(path, list(row), columns)
    return rows


def table_columns(path: Path) -> list[str]:
    """The names of the columns of a table, of JSON lines those of the first row."""
    if path.suffix.lower() == ".csv":
        with path.open(encoding="utf-8", newline="") as file:
            return next(csv.reader(file), [])
    if path.suffix.lower() == ".jsonl":
        return next((list(row) for _, row in json_lines(path)), [])
    from pyarrow import parquet

    return list(parquet.read_schema(path).names)


def _csv(rows: Sequence[Mapping[str, Any]], columns: Sequence[Column]) -> str:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow([column.name for column in columns])
    for row in rows:
        writer.writerow([_field(row[column.name], column) for column in columns])
    return text.getvalue()


def _field(value: Any, column: Column) -> str:
    if value is None:
        return ""
    if column.kind in ("count", "number"):
        return repr(value)
    return f"'{value}" if str(value).startswith(_FORMULA) else str(value)


def _read_csv(path: Path, columns: Sequence[Column]) -> list[dict[str, Any]]:
    try:
        text = path.read_bytes().decode("utf-8-sig")
        table = list(csv.reader(io.StringIO(text, newline="")))
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path} is no CSV in UTF-8 ({error}); export it again") from error
    _same_columns(path, table[0] if table else [], columns)
    rows = []
    for k, fields in enumerate(table[1:], start=2):
        if len(fields) != len(columns):
            raise InputError(f"{path} row {k} has {len(fields)} fields, the header {len(columns)}; export it again")
        try:
            rows.append({c.name: _value(field, c) for c, field in zip(columns, fields, strict=True)})
        except ValueError as error:
            raise InputError(f"{path} row {k} is not as it was written ({error}); export it again") from error
    return rows


def _value(field: str, column: Column) -> Any:
    if field == "":
        return None
    if column.kind in ("count", "number"):
        return int(field) if column.kind == "count" else float(field)
    return field[1:] if field.startswith("'") else field


def _same_columns(path: Path, found: Sequence[str], columns: Sequence[Column]) -> None:
    wanted = [column.name for column in columns]
    if list(found) != wanted:
        odd = sorted(set(found) ^ set(wanted)) or list(found)
        raise InputError(f"{path} has other columns ({', '.join(odd[:3])}); export the record again")
