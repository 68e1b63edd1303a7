"""The verb on the faults of generators: `faults`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import scenes as catalogue

from .faults import WRONG_USE, guarded, stop
from .output import Json, print_json, progress, table


def register(app: typer.Typer) -> None:
    """Add this file's verb to the command."""
    app.command("faults")(guarded(faults))


def faults(
    scene: Annotated[str, typer.Option(help="The scene that shows them.")] = "die_roll",
    out: Annotated[Path, typer.Option(help="Picture to write.")] = Path("faults.png"),
    strength: Annotated[float, typer.Option(min=0, max=1, help="From weakest to strongest.")] = 0.6,
    measure: Annotated[
        int, typer.Option(min=0, help="Draw no picture: judge this many clips of each kind with the shipped judge.")
    ] = 0,
    seed: Annotated[int, typer.Option(help="Seed of rollouts and faults.")] = 0,
    json: Json = False,
) -> None:
    """Draw every kind of fault that generators show on one picture, or say how often the judge gets each right.

    A broken clip has no outcome, for the reason that is told, or keeps it where a person can still read it.
    """
    from judge.fault_library import KINDS
    from judge.fault_trial import fault_sheet, measured
    from judge.weights import SHIPPED
    from sim.footage import write_picture

    base, variant = catalogue.parse_token(scene)
    if variant is not None:
        stop(f"give a scene without a variant, got {scene}", code=WRONG_USE)
    if measure:
        with progress(f"judging broken clips of {scene}", shown=not json) as advance:
            found = measured(SHIPPED, base, n=measure, seed=seed, progress=advance)
        if json:
            print_json({"scene": base.name, "seed": seed, "by_fault": found})
            return
        cells = [
            (
                name,
                row["reason"] or "keeps its outcome",
                "yes" if row["taught"] else "no",
                f"{row['right']} of {row['n']}",
            )
            for name, row in found.items()
        ]
        print(table(("fault", "null reason", "taught", "right"), cells))
        return
    with progress(f"drawing the faults of {scene}", shown=not json) as advance:
        write_picture(out, fault_sheet(base, seed=seed, strength=strength, progress=advance))
    if json:
        kinds = [
            {"name": k.name, "reason": k.reason, "strength": k.strength, "taught": k.taught} for k in KINDS.values()
        ]
        print_json({"scene": base.name, "file": str(out), "kinds": kinds})
    else:
        print(out)
