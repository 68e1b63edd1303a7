"""The verb `export`: a record as a table, a data set, or rows of PAWBench."""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from .faults import WRONG_USE, guarded, stop
from .output import Json, print_json, say, table


class Table(StrEnum):
    """Tables that an export may hold."""

    CLIPS = "clips"
    CELLS = "cells"
    OUTCOMES = "outcomes"


class Layout(StrEnum):
    """What an export is written as."""

    TABLE = "table"
    PAWBENCH = "pawbench"


_OTHER_FILES = (".json", ".tsv", ".txt", ".xls", ".xlsx", ".pq", ".html", ".feather", ".gz", ".zip", ".db")
"""Endings of a file that somebody means, and not of a folder."""


def register(app: typer.Typer) -> None:
    """Add this file's verb to the command."""
    app.command("export")(guarded(export))


def export(
    record: Annotated[Path | None, typer.Argument(metavar="[RECORD]", help="What `score` wrote.")] = None,
    to: Annotated[
        Path | None,
        typer.Option(help="File ending in .csv, .jsonl or .parquet; another name is a folder for a whole data set."),
    ] = None,
    which: Annotated[Table, typer.Option("--table", help="Rows of the file.")] = Table.CLIPS,
    layout: Annotated[Layout, typer.Option("--as", help="pawbench: its rows.jsonl.")] = Layout.TABLE,
    videos: Annotated[bool, typer.Option("--videos", help="Copy the clips into the data set.")] = False,
    columns: Annotated[bool, typer.Option("--columns", help="List the columns of every table, and stop.")] = False,
    json: Json = False,
) -> None:
    """Write a record as a table or a data set.

    A folder is written with README, tables and record, as a hub takes it; Parquet needs quincunx[tables].
    """
    if columns:
        _list_columns(json)
        return
    if record is None or to is None:
        stop("export needs a RECORD and --to FILE, or --columns", code=WRONG_USE)
    from calibrate.output_file import checked_output, write_whole
    from calibrate.record import Record
    from calibrate.table_files import SUFFIXES

    is_file = _is_file(to, SUFFIXES)
    if videos and is_file:
        stop("--videos is for a data set; give --to a folder", code=WRONG_USE)
    read = Record.read(record)
    if layout is Layout.PAWBENCH:
        from calibrate.layouts.pawbench_rows import pawbench_rows

        if to.suffix.lower() != ".jsonl":
            stop("--as pawbench writes --to a file that ends in .jsonl", code=WRONG_USE)
        text, left_out = pawbench_rows(read.clips)
        write_whole(checked_output(to, inputs=[record], cure="choose another --to"), text)
        if left_out:
            say(f"note: {left_out} clips are of scenes that PAWBench does not have; they are left out")
    elif is_file:
        from calibrate.columns import columns as columns_of
        from calibrate.columns import rows
        from calibrate.table_files import write_table

        out = checked_output(to, inputs=[record], cure="choose another --to")
        write_table(out, rows(read, which.value), columns_of(which.value))
    else:
        from calibrate.hub_data_set import write_data_set

        write_data_set(read, record, to, videos=videos)
    if json:
        print_json({"file": str(to)})
    else:
        print(to)


def _is_file(to: Path, suffixes: Collection[str]) -> bool:
    """Whether a table is to be written, and not a folder."""
    if to.suffix.lower() in _OTHER_FILES:
        stop(f"no table is written as {to.suffix}; give --to a .csv, .jsonl or .parquet", code=WRONG_USE)
    return to.suffix.lower() in suffixes


def _list_columns(json: bool) -> None:
    from dataclasses import asdict

    from calibrate.columns import TABLES
    from calibrate.columns import columns as columns_of

    if json:
        print_json({name: [asdict(column) for column in columns_of(name)] for name in TABLES})
        return
    rows = [(name, c.name, c.kind, c.about) for name in TABLES for c in columns_of(name)]
    print(table(("table", "column", "kind", "what it says"), rows))
