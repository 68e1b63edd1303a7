"""How does a verb speak: results on stdout, everything else on stderr?"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any, Protocol

import typer

Json = Annotated[bool, typer.Option("--json", help="Print JSON alone on stdout.")]
"""The option that every verb with a result takes."""


class Advance(Protocol):
    """Called with the number of units done and the number there are."""

    def __call__(self, done: int, total: int) -> None:
        """Move the bar."""


def print_json(value: Any) -> None:
    """Print a value as JSON, refusing NaN: no reader of ours may meet it."""
    print(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False))


def say(line: str) -> None:
    """Print one line for people on stderr."""
    print(line, file=sys.stderr)


def table(header: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """Columns aligned with spaces, for a terminal or a file."""
    widths = [max(len(row[c]) for row in (header, *rows)) for c in range(len(header))]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in (header, *rows))
    return "\n".join(line.rstrip() for line in lines)


@contextmanager
def progress(title: str, *, shown: bool) -> Iterator[Advance]:
    """A bar on stderr that the caller moves; nothing at all if not `shown` or if stderr is no terminal."""
    if not (shown and sys.stderr.isatty()):
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
