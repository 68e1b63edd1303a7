"""The verb `plan`: how many clips to ask for."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from .catalogue import Seed
from .faults import WRONG_USE, guarded, stop
from .output import Json, print_json, table

if TYPE_CHECKING:
    from calibrate.planning import Plan


def register(app: typer.Typer) -> None:
    """Add this file's verb to the command."""
    app.command("plan")(guarded(plan))


def plan(
    scene: Annotated[str, typer.Option(metavar="SCENE", help="A scene, or scene@variant.")],
    tv: Annotated[float | None, typer.Option(metavar="D", help="Find a model that is this far off.")] = None,
    prove_calibrated: Annotated[
        float | None, typer.Option(metavar="D", help="Show that a faithful model is within this margin.")
    ] = None,
    width: Annotated[
        float | None, typer.Option(metavar="W", help="Mean width that the 95 % interval of the distance is to have.")
    ] = None,
    power: Annotated[float, typer.Option(metavar="P", help="Probability of success.")] = 0.8,
    cells: Annotated[int, typer.Option(help="Models times scenes that are tested together.")] = 1,
    scorability: Annotated[float, typer.Option(help="Expected share of clips with an outcome.")] = 1.0,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Say how many clips are enough.

    Distances are total variations from the reference: 0 the same, 1 nothing in common.
    """
    from calibrate.planning import plan as planned

    if tv is None and prove_calibrated is None and width is None:
        stop("plan needs a distance to find, --tv D, a margin, --prove-calibrated D, or a --width W", code=WRONG_USE)
    asked_for = {"tv": tv, "margin": prove_calibrated, "width": width}
    found = planned(scene, **asked_for, power=power, cells=cells, scorability=scorability, seed=seed)
    if json:
        print_json(asdict(found))
        return
    print(table(("to do this with a power of " + f"{power:g}", "scored clips"), _rows(found)))
    asked = (
        "" if found.requested == found.n else f"; ask for {found.requested}, as {scorability:g} of them can be scored"
    )
    print(f"{found.scene}: {found.n} scored clips{asked}")


def _rows(found: Plan) -> list[tuple[str, str]]:
    words = {
        "collapse": "too often the likeliest outcome",
        "tilt": "too often the second likeliest",
        "missing": "the likeliest too rarely or never",
    }
    rows = [
        (f"find {words[kind]}, by {found.tv:g}", "cannot be so far off" if n is None else str(n))
        for kind, n in found.to_detect.items()
    ]
    words["faithful"] = "as physics"
    far = "" if found.tv is None else f", by {found.tv:g}"
    rows += [
        (
            f"95 % interval {found.width:g} wide on average: {words[kind]}{'' if kind == 'faithful' else far}",
            "cannot be so far off" if n is None else str(n),
        )
        for kind, n in found.to_width.items()
    ]
    if found.to_prove is not None:
        rows.append((f"show that a faithful model is within {found.margin:g}", str(found.to_prove)))
    return rows
