"""The verb `doctor`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from .diagnosis import GROUPS, diagnose
from .faults import FAILED, WRONG_USE, guarded, stop
from .output import Json, print_json, table


def register(app: typer.Typer) -> None:
    """Add this file's verb to the command."""
    app.command("doctor")(guarded(doctor))


def doctor(
    only: Annotated[str | None, typer.Option(help=f"Check one group alone: {', '.join(GROUPS)}.")] = None,
    json: Json = False,
) -> None:
    """Say whether this installation is whole.

    And how to mend what is not.
    """
    if only is not None and only not in GROUPS:
        stop(f"--only must be one of {', '.join(GROUPS)}, got {only!r}", code=WRONG_USE)
    checks = diagnose(only)
    if json:
        print_json([asdict(check) for check in checks])
    else:
        print(table(("check", "state", "detail"), [(c.name, c.state, c.detail) for c in checks]))
    if any(check.essential and check.state != "ok" for check in checks):
        raise typer.Exit(FAILED)
