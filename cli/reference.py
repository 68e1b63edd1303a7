"""Verbs on references: `reference`, `merge`, `references`, `reference-card`."""

from __future__ import annotations

from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import scenes as catalogue
from sim import QuincunxError

from .catalogue import Seed, Token
from .faults import NOTHING_SCORED, WRONG_USE, guarded, stop
from .output import Json, print_json, progress, say, table

if TYPE_CHECKING:
    from sim.reference import Reference


LEAST_FOR_NEVER = 100
"""Rollouts from which on an outcome that none of them shows is told."""


class Engine(StrEnum):
    """Physics engines."""

    mujoco = "mujoco"
    bullet = "bullet"
    impact = "impact"


def register(app: typer.Typer) -> None:
    """Add this file's verbs to the command."""
    for verb in (reference, merge, references, reference_card):
        app.command(verb.__name__.replace("_", "-"))(guarded(verb))


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
    n: Annotated[int | None, typer.Option(min=1, max=10**15, help="Number of rollouts.", show_default="5000")] = None,
    seed: Seed = 0,
    engine: Annotated[Engine, typer.Option(help="Physics engine.")] = Engine.mujoco,
    variant: Annotated[str | None, typer.Option(help="The same as SCENE@VARIANT.")] = None,
    threads: Annotated[
        int | None, typer.Option(min=1, max=1024, help="Never changes a count.", show_default="all CPUs")
    ] = None,
    checkpoint: Annotated[
        Path | None, typer.Option(help="File that keeps the counts so far: a stopped command goes on from it.")
    ] = None,
    indices: Annotated[
        str | None, typer.Option(metavar="A:B", help="Rollouts A to B - 1 alone, for `merge`; instead of --n.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="File to write the counts to, as part.json.")] = None,
    cluster: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Ray cluster whose machines share the work, as auto.")
    ] = None,
    json: Json = False,
) -> None:
    """Simulate a scene and count its outcomes."""
    from calibrate.output_file import checked_output
    from sim.cluster import sample_on_cluster
    from sim.sampling import sample

    wanted = _indices(n, indices)
    if out is not None:
        checked_output(out, inputs=() if checkpoint is None else (checkpoint,))
    scene, named = catalogue.parse_token(token)
    if variant is not None and named is not None and variant != named:
        stop(f"{token} names the variant {named}, --variant another, {variant}; give one", code=WRONG_USE)
    chosen = named if variant is None else variant
    if cluster is not None and (checkpoint, threads, indices) != (None, None, None):
        stop("--cluster goes without --checkpoint, --threads and --indices", code=WRONG_USE)
    how: dict[str, Any] = {"n": len(wanted), "seed": seed, "engine": engine.value}
    with progress(f"simulating {scene.token(chosen)}", shown=not json) as advance:
        if cluster is None:
            how |= {"first_index": wanted.start, "threads": threads, "checkpoint": checkpoint}
            found = sample(scene, variant=chosen, progress=advance, **how)
        else:
            shared = token if named is not None or chosen is None else f"{token}@{chosen}"
            found = sample_on_cluster(catalogue.parse_token, shared, address=cluster, progress=advance, **how)
    if out is not None:
        found.write(out)
    tell(found, summary(found, scene=scene.name, variant=chosen), json=json)


def _indices(n: int | None, indices: str | None) -> range:
    """The rollouts that `--n` or `--indices` asks for."""
    from sim.merging import index_range

    if indices is None:
        return range(5000 if n is None else n)
    if n is not None:
        stop("--n and --indices both say which rollouts; give one", code=WRONG_USE)
    try:
        return index_range(indices)
    except QuincunxError as fault:
        stop(f"--{fault}", code=WRONG_USE)


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
    failed = {reason: len(rows) for reason, rows in found.failed.items()}
    print(f"null {dict(found.null)}, failed {failed}, of {found.n}; {found.engine} {found.engine_version}")
    for line in doubts(found):
        say(line)


def doubts(found: Reference) -> list[str]:
    """What keeps counts from being a reference: bad rollouts, with rows that make them again, and missing outcomes."""
    from sim.evidence import MAX_BAD_SHARE

    lines = []
    if found.bad_share > MAX_BAD_SHARE:
        rows = {reason: list(each[:5]) for reason, each in found.failed.items()}
        rows |= {reason: list(each[:5]) for reason, each in (found.null_rows or {}).items() if reason == "not_settled"}
        lines.append(
            f"warning: {found.bad_share:.1%} of the rollouts failed or did not settle (a shipped reference may have "
            f"{MAX_BAD_SHARE:.1%}); with seed {found.seed} these indices make them again: {rows}"
        )
    never = [outcome for outcome, count in found.counts.items() if not count]
    if never and found.n >= LEAST_FOR_NEVER:
        lines.append(f"note: {', '.join(never)} never came up in {found.n} rollouts")
    return lines


def references(
    only: Annotated[list[str] | None, typer.Argument(metavar="[SCENE]...", help="Scenes.", show_default="all")] = None,
    work: Annotated[Path, typer.Option(help="Folder for checkpoints: a stopped command goes on from them.")] = Path(
        "runs/references"
    ),
    evidence: Annotated[
        bool, typer.Option(help="With twins, jitter curve and penetration, for `reference-card`; off is quicker.")
    ] = True,
    minutes: Annotated[
        float, typer.Option(min=0.01, help="CPU minutes for the sampling of each, if 0.01 is not reached before.")
    ] = 5.0,
) -> None:
    """Make the shipped references and source images again.

    References with their evidence (twins, second engine, variants that should not matter); writes into the package.
    """
    from scenes.making import make_references, make_source_images
    from sim.sampling import AIM_HALF_WIDTH

    for name in only or ():
        catalogue.load(name)
    with progress("references", shown=True) as advance:
        made = make_references(
            tuple(only or ()),
            work=work,
            evidence=evidence,
            budget_cpu_s=60 * minutes,
            progress=advance.titled,
        )
        make_source_images(tuple(only or ()), progress=lambda _, done, n: advance(done, n))
    for found in made:
        aim = "" if found.half_width <= AIM_HALF_WIDTH else f" (aim {AIM_HALF_WIDTH}; the CPU minutes ran out)"
        say(f"{found.scene}: {found.n} rollouts, half-width {found.half_width:.4f}{aim}")


def merge(
    parts: Annotated[list[Path], typer.Argument(metavar="PART...", help="What `reference --indices --out` wrote.")],
    out: Annotated[Path, typer.Option(help="File to write, as whole.json.")],
    json: Json = False,
) -> None:
    """Put the counts of several machines together.

    The file is, byte for byte, the one that a single `reference --out` would have written.
    """
    from calibrate.output_file import checked_output
    from sim.merging import merge as merged
    from sim.reference import Reference

    if twice := [path for path in parts if parts.count(path) > 1]:
        stop(f"{twice[0]} is named twice; leave one out", code=WRONG_USE)
    checked_output(out, inputs=parts)
    found = merged({str(path): Reference.read(path) for path in parts})
    found.write(out)
    scene, _, variant = found.scene.partition("@")
    tell(found, summary(found, scene=scene, variant=variant or None), json=json)


def reference_card(
    token: Token,
    out: Annotated[Path | None, typer.Option(help="Page to write.", show_default="SCENE.html")] = None,
    json: Json = False,
) -> None:
    """Show what stands behind a scene's reference.

    One self-contained page with plots; with --json the figures alone, and a page only if --out is given.
    """
    from calibrate.reference_card import card, write_card

    catalogue.parse_token(token)
    if out is not None or not json:
        page = write_card(token, Path(f"{token}.html") if out is None else out)
        if not json:
            print(page)
    if json:
        print_json(card(token))
