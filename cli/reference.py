"""Verbs on references: `reference`, `references`."""

from __future__ import annotations

from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import scenes as catalogue

from .catalogue import Seed, Token
from .faults import NOTHING_SCORED, WRONG_USE, guarded, stop
from .output import Json, print_json, progress, say, table

if TYPE_CHECKING:
    from sim.reference import Reference


class Engine(StrEnum):
    """Physics engines."""

    mujoco = "mujoco"
    bullet = "bullet"


def register(app: typer.Typer) -> None:
    """Add this file's verbs to the command."""
    for verb in (reference, references):
        app.command(verb.__name__)(guarded(verb))


def summary(found: Reference, *, scene: str, variant: str | None) -> dict[str, Any]:
    """What `quincunx reference --json` says: counts, and shares with intervals if anything has an outcome."""
    out = {**asdict(found), "scene": scene, "variant": variant}
    out["failed_rows"] = out["failed"]
    out["failed"] = found.n_failed
    if sum(found.counts.values()):
        out["shares"] = dict(zip(found.outcomes, found.shares.tolist(), strict=True))
        out["interval"] = {outcome: list(ends) for outcome, ends in found.intervals().items()}
        out["half_width"] = found.half_width
    return out


def reference(
    token: Token,
    n: Annotated[int, typer.Option(min=1, help="Number of rollouts.")] = 5000,
    seed: Seed = 0,
    engine: Annotated[Engine, typer.Option(help="Physics engine.")] = Engine.mujoco,
    variant: Annotated[str | None, typer.Option(help="The same as SCENE@VARIANT.")] = None,
    threads: Annotated[int | None, typer.Option(min=1, help="Never changes a count.", show_default="all CPUs")] = None,
    checkpoint: Annotated[
        Path | None, typer.Option(help="File that keeps the counts so far: a stopped command goes on from it.")
    ] = None,
    json: Json = False,
) -> None:
    """Simulate a scene and count its outcomes."""
    from sim.sampling import sample

    scene, named = catalogue.parse_token(token)
    if variant is not None and named is not None and variant != named:
        stop(f"{token} names the variant {named}, --variant another, {variant}; give one", code=WRONG_USE)
    chosen = named if variant is None else variant
    with progress(f"simulating {scene.token(chosen)}", shown=not json) as advance:
        found = sample(
            scene,
            variant=chosen,
            n=n,
            seed=seed,
            engine=engine.value,
            threads=threads,
            checkpoint=checkpoint,
            progress=advance,
        )
    tell(found, summary(found, scene=scene.name, variant=chosen), json=json)


def tell(found: Reference, said: dict[str, Any], *, json: bool) -> None:
    """Print a reference; nothing but nulls and failures is told with its reasons and exit code 3."""
    if json:
        print_json(said)
    elif "interval" in said:
        _print_table(found, said)
    if "interval" not in said:
        failed = {reason: len(rows) for reason, rows in found.failed.items()}
        reasons = f"null {dict(found.null)}, failed {failed}, of {found.n}"
        stop(f"nothing was scored: no rollout has an outcome; {reasons}", code=NOTHING_SCORED)


def _print_table(found: Reference, said: dict[str, Any]) -> None:
    intervals = said["interval"]
    cells = [
        (o, str(c), f"{said['shares'][o]:.4f}", "{:.4f} to {:.4f}".format(*intervals[o]))
        for o, c in found.counts.items()
    ]
    print(table(("outcome", "count", "share", "95 % interval"), cells))
    print(f"null {dict(found.null)}, failed {found.n_failed}, of {found.n}; {found.engine} {found.engine_version}")


def references(
    only: Annotated[list[str] | None, typer.Argument(metavar="[SCENE]...", help="Scenes.", show_default="all")] = None,
    work: Annotated[Path, typer.Option(help="Folder for checkpoints: a stopped command goes on from them.")] = Path(
        "runs/references"
    ),
) -> None:
    """Make the shipped references and source images again.

    References with their evidence (second engine, variants that should not matter); writes into the package.
    """
    for name in only or ():
        catalogue.load(name)
    with progress("references", shown=True) as advance:
        made = catalogue.make_references(tuple(only or ()), work=work, progress=lambda _, done, n: advance(done, n))
        catalogue.make_source_images(tuple(only or ()), progress=lambda _, done, n: advance(done, n))
    for found in made:
        say(f"{found.scene}: {found.n} rollouts, half-width {found.half_width:.4f}")
