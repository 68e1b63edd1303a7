"""What does the command `quincunx` accept? One file per verb or small group; each verb calls one Python function."""

from __future__ import annotations

import os
import re
import sys
from typing import Annotated

import typer

from . import (
    catalogue,
    checking,
    comparing,
    demo,
    doctor,
    exporting,
    fault_sheet,
    judging,
    planning,
    reference,
    replication,
    scoring,
)

_OPTION = re.compile(r"--?[a-z][a-z-]*(=.*)?", re.DOTALL)

HELP = """
When a video generator shows a chance event again and again, do the outcomes come in the proportions that physics gives?

Every verb takes --help. Exit codes: 0 done, 1 failed, 2 wrong use, 3 nothing scored.
"""

app = typer.Typer(
    help=HELP, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None
)
for group in (
    catalogue,
    planning,
    reference,
    judging,
    fault_sheet,
    checking,
    scoring,
    exporting,
    comparing,
    replication,
    demo,
    doctor,
):
    group.register(app)


def _version(asked: bool) -> None:
    if asked:
        from importlib import metadata

        print(f"quincunx {metadata.version('quincunx')}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[bool, typer.Option("--version", is_eager=True, callback=_version, help="Say which.")] = False,
) -> None:
    """Options that stand before the verb."""


def with_paths(arguments: list[str]) -> list[str]:
    """The arguments, with `./` before each name of an existing file that begins with a dash and is no option.

    A clip called `-1.mp4` is then a file, as its owner meant, and not five options.
    """
    out: list[str] = []
    for k, argument in enumerate(arguments):
        if argument == "--":
            return out + arguments[k:]
        is_file = argument.startswith("-") and not _OPTION.fullmatch(argument) and os.path.lexists(argument)
        out.append(f"./{argument}" if is_file else argument)
    return out


def main() -> None:
    """Run the command with the arguments it was started with."""
    app(args=with_paths(sys.argv[1:]), prog_name="quincunx")


if __name__ == "__main__":
    main()
