"""Verbs that set models side by side: `compare`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .faults import NOTHING_SCORED, guarded, stop
from .output import Json, print_json, say, table

if TYPE_CHECKING:
    from calibrate.model_difference import ModelDifference


def register(app: typer.Typer) -> None:
    """Add this file's verbs to the command."""
    app.command("compare")(guarded(compare))


def compare(
    a: Annotated[Path, typer.Argument(metavar="A", help="A record that `score` wrote.")],
    b: Annotated[Path | None, typer.Argument(metavar="[B]", help="Another one; A again if left out.")] = None,
    models: Annotated[
        tuple[str, str] | None,
        typer.Option(metavar="A B", help="Their names, where a record has several models.", show_default=False),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the Monte Carlo draws.")] = 0,
    json: Json = False,
) -> None:
    """Compare two models on the scenes that both have.

    Says for each scene which of the two is nearer to the reference, with the interval of the difference and p after
    Holm; then the mean over the scenes. Exit code 3 if no scene has scored clips of both.
    """
    from calibrate.model_difference import chosen
    from calibrate.model_difference import compare as compared
    from calibrate.record import Record

    names = models or (None, None)
    first = Record.read(a)
    second = first if b is None else Record.read(b)
    found = compared(chosen(first, names[0], str(a)), chosen(second, names[1], str(b or a)), seed=seed)
    if json:
        print_json(found.to_json())
    else:
        _tell(found)
    if not found.mean_over:
        stop("no scene has scored clips of both models", code=NOTHING_SCORED)


def _tell(found: ModelDifference) -> None:
    print(f"A = {found.a}, B = {found.b}; differences are A less B: below 0, A is nearer to the reference")
    figures = ("tv A", "tv B", "difference (95 %)", "excess (95 %)", "p (Holm)", "same (Holm)", "pairs")
    rows = [
        (
            each.scene,
            f"{each.scored[0]}, {each.scored[1]}",
            *(_number(tv) for tv in each.tv),
            _spanned(each.difference, each.interval),
            _spanned(each.excess_difference, each.excess_interval),
            _number(each.p_holm),
            _number(each.p_same_holm),
            str(each.n_pairs),
            each.finding,
        )
        for each in found.scenes
    ]
    print(table(("scene", "scored", *figures, "finding"), rows))
    print("p: both equally far from the reference; same: both have one distribution of outcomes\n")
    if found.mean_over:
        mean = _spanned(found.excess_difference, found.excess_interval)
        print(
            f"mean difference of excess over {len(found.mean_over)} scenes: {mean}, p = {_number(found.p)}; "
            f"one distribution on each: p = {_number(found.p_same)}; {found.n_clusters} independent groups of clips"
        )
    left = [token for token in (each.scene for each in found.scenes) if token not in found.mean_over]
    for what, tokens in (("A alone", found.only_a), ("B alone", found.only_b), ("both, not scored in one", left)):
        if tokens:
            say(f"note: not in the mean, scenes of {what}: {', '.join(tokens)}")
    for warning in found.warnings:
        say(f"warning: {warning}")


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}" if 0 < value < 0.001 else f"{value:.3f}"


def _spanned(value: float | None, ends: tuple[float, float] | None) -> str:
    return "-" if value is None or ends is None else f"{value:+.3f} ({ends[0]:+.3f} to {ends[1]:+.3f})"
