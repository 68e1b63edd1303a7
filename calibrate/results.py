"""Records and exported tables as pandas data frames."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim import InputError

from .columns import TABLES, columns, rows
from .record import Record
from .table_files import SUFFIXES, read_table, table_columns

if TYPE_CHECKING:
    import pandas

_DTYPES = {"text": "string", "json": "string", "count": "Int64", "number": "float64"}


@dataclass(frozen=True, kw_only=True)
class Results:
    """Data frames with the columns of calibrate.columns, and `source`: the path that a row is from."""

    clips: pandas.DataFrame
    """A row for every clip that was asked for."""
    cells: pandas.DataFrame
    """A row for every model and scene."""
    outcomes: pandas.DataFrame
    """A row for every outcome of those."""


def load_results(paths: Iterable[Path | str] | Path | str) -> Results:
    """The rows of records and exports, one after the other.

    Args:
        paths: Records (`record.json`), exported tables (.csv, .jsonl, .parquet), or exported data sets (folders).

    Raises:
        InputError: One is none of these, or is damaged.
        ModuleNotFoundError: pandas is not there, or pyarrow for a Parquet file; both are in quincunx[tables].
    """
    import pandas

    found: dict[str, list[dict[str, Any]]] = {table: [] for table in TABLES}
    for path in [paths] if isinstance(paths, str | Path) else paths:
        for table, some in _tables(Path(path)).items():
            found[table] += [{"source": str(path), **row} for row in some]
    frames = {}
    for table, some in found.items():
        kinds = {"source": "string"} | {column.name: _DTYPES[column.kind] for column in columns(table)}
        frames[table] = pandas.DataFrame(some, columns=list(kinds)).astype(kinds)
    return Results(**frames)


def _tables(path: Path) -> dict[str, list[dict[str, Any]]]:
    if path.is_dir():
        path = path / "record.json"
    if path.suffix.lower() not in SUFFIXES:
        record = Record.read(path)
        return {table: rows(record, table) for table in TABLES}
    if not path.is_file():
        raise InputError(f"{path} is no file; give a record or an exported table")
    names = table_columns(path)
    for table in TABLES:
        if names == [column.name for column in columns(table)]:
            return {table: read_table(path, columns(table))}
    raise InputError(f"{path} has not the columns of any table ({', '.join(TABLES)}); export the record again")
