"""How does a verb speak: results on stdout, everything else on stderr?"""

from __future__ import annotations

import json
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from contextvars import ContextVar
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

if TYPE_CHECKING:
    from rich.progress import Progress

Json = Annotated[bool, typer.Option("--json", help="Print JSON alone on stdout.")]
"""The option that every verb with a result takes."""
_results: ContextVar[TextIO | None] = ContextVar("_results", default=None)
_TURNING = frozenset(map(chr, [*range(0x202A, 0x202F), *range(0x2066, 0x206A)]))


class Bar:
    """A progress bar; every call moves it. This one shows nothing."""

    def __call__(self, done: int, total: int) -> None:
        """Show that `done` of `total` units are done."""

    def titled(self, title: str, done: int, total: int) -> None:
        """The same, under another title."""


class _Lines(Bar):
    """For a log: a line for each new title."""

    def __init__(self) -> None:
        self._title = ""

    def titled(self, title: str, done: int, total: int) -> None:
        if title != self._title:
            say(title)
        self._title = title


class _Shown(Bar):
    """A bar on a terminal."""

    def __init__(self, bar: Progress, title: str) -> None:
        self._bar, self._task, self._title = bar, bar.add_task(title, total=None), title

    def __call__(self, done: int, total: int) -> None:
        self._bar.update(self._task, description=self._title, completed=done, total=total)

    def titled(self, title: str, done: int, total: int) -> None:
        self._title = title
        self(done, total)


def print_json(value: Any) -> None:
    """Print a value as JSON, refusing NaN: no reader of ours may meet it."""
    text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")  # half a character, as JSON writes it
    print(text, file=_results.get())


@contextmanager
def json_alone(wanted: bool) -> Iterator[None]:
    """Whatever else is printed meanwhile, as by a scene of the user's own, goes to stderr; nothing if not `wanted`."""
    if not wanted:
        yield
        return
    before = _results.set(sys.stdout)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        _results.reset(before)


def say(line: str) -> None:
    """Print one line for people on stderr."""
    print(visible(line), file=sys.stderr)


def visible(text: str) -> str:
    """The text with control characters, which could move the cursor or hide what follows, written as escapes."""
    return "".join(c.encode("unicode_escape").decode("ascii") if _is_control(c) else c for c in text)


def _is_control(character: str) -> bool:
    """Whether it breaks the line, steers a terminal, turns the direction of writing, or is half a character."""
    return unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") or character in _TURNING


def table(header: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """Columns aligned with spaces, for a terminal or a file."""
    header, rows = tuple(map(visible, header)), [tuple(map(visible, row)) for row in rows]
    widths = [max(len(row[c]) for row in (header, *rows)) for c in range(len(header))]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in (header, *rows))
    return "\n".join(line.rstrip() for line in lines)


@contextmanager
def progress(title: str, *, shown: bool) -> Iterator[Bar]:
    """A bar on stderr that the caller moves; nothing if not `shown`, lines for new titles if stderr is no terminal."""
    if not (shown and sys.stderr.isatty()):
        yield _Lines() if shown else Bar()
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        yield _Shown(bar, title)
