"""The verb `demo`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from .catalogue import MAX_CLIPS
from .faults import FAILED, NOTHING_SCORED, guarded, stop
from .judging import Weights, Workers, versions
from .output import Json, print_json, progress, say, table
from .scoring import summary


def register(app: typer.Typer) -> None:
    """Add this file's verb to the command."""
    app.command("demo")(guarded(demo))


def demo(
    out: Annotated[Path, typer.Option(help="Folder to write into.")] = Path("demo"),
    clips: Annotated[int, typer.Option(min=1, max=MAX_CLIPS, help="Clips of each stand-in model and scene.")] = 24,
    weights: Weights = None,
    workers: Workers = 2,
    json: Json = False,
) -> None:
    """Go the whole way on stand-in models.

    Checks the shipped references against a fresh small sample, draws the source images, makes four models whose faults
    are known as real mp4 folders, scores them and writes report.html. A stopped command goes on if it is run again.
    """
    from calibrate.demo import run_demo
    from calibrate.demo import table as rows_of
    from judge import load_judge
    from judge.card import read_card
    from judge.weights import SHIPPED

    judge = load_judge(weights, versions=versions())
    card = read_card(SHIPPED if weights is None else weights)
    with progress("demo", shown=not json) as advance:
        made = run_demo(out, judge, card=card, n_clips=clips, workers=workers, progress=advance.titled)
    if json:
        checks = {scene: asdict(check) for scene, check in made.checks.items()}
        print_json({"report": str(made.report), "checks": checks, **summary(made.record, made.record_path)})
    else:
        header, *rows = (tuple(row) for row in rows_of(made))
        print(table(header, rows))
        print(f"\nThe whole result, with clips and bars: {made.report}")
    for warning in made.record.warnings:
        say(f"warning: {warning}")
    if made.record.n_scored == 0:
        stop("nothing was scored: no clip has an outcome", code=NOTHING_SCORED)
    if made.doubtful:
        stop(f"a fresh sample does not fit the shipped reference of {', '.join(made.doubtful)}", code=FAILED)
