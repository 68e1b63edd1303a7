"""Verbs on published benchmarks: `replicate calibench`, `replicate pawbench`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .faults import guarded
from .output import Json, print_json, say, table

if TYPE_CHECKING:
    from calibrate.published.calibench import Replication


def register(app: typer.Typer) -> None:
    """Add this file's verbs to the command."""
    verbs = typer.Typer(help="Recompute a published benchmark's scores, by its own rules.", no_args_is_help=True)
    for verb in (calibench, pawbench):
        verbs.command(verb.__name__)(guarded(verb))
    app.add_typer(verbs, name="replicate")


def calibench(
    outcomes: Annotated[Path, typer.Option(help="JSON: group -> scene -> model -> outcome of every clip.")],
    group: Annotated[str, typer.Option(help="Which group of the file.")] = "main",
    json: Json = False,
) -> None:
    """CaliBench's mnTV and chi-square, and a test of total variation beside each.

    What stands is significant by both; chi-square alone sees one clip in a rare bin, total variation a pile on the
    likely ones.
    """
    from calibrate.published.calibench import human_agreement, replicate

    found, people = replicate(outcomes, group), human_agreement(outcomes)
    if json:
        about = {"mntv": dict(found.mntv), "significant": found.significant, "tested": found.tested}
        mended = {"significant_mended": found.significant_mended, "human_agreement": people}
        print_json({**about, **mended, "cells": [asdict(cell) for cell in found.cells]})
        return
    _tell(found, group)
    if people is not None:
        print(f"people agree with the machine on {people[0]} of {people[1]} labelled clips")


def _tell(found: Replication, group: str) -> None:
    from calibrate.published.calibench import LEVEL, RECOMPUTED_MNTV

    def number(value: float | None, digits: int = 4) -> str:
        return "-" if value is None else f"{value:.{digits}f}" if value >= 1e-4 or value <= 0 else f"{value:.1e}"

    def stands(q: float | None, p: float | None) -> str:
        if q is None or p is None:
            return "not tested"
        words = {(True, True): "stands", (True, False): "does not survive", (False, True): "missed as published"}
        return words.get((q < LEVEL, p < LEVEL), "-")

    told = RECOMPUTED_MNTV if group == "main" else {}
    models = [(model, number(score), number(told.get(model))) for model, score in found.mntv.items()]
    print(table(("model", "mntv", "of the published outcomes"), models), end="\n\n")
    header = ("scene", "model", "n", "legible (95 %)", "tv", "e0", "excess", "score", "chi2", "p exact", "q")
    rows = [
        (c.scene, c.model, str(c.n), f"{c.rho_interval[0]:.2f} to {c.rho_interval[1]:.2f}")
        + tuple(number(v) for v in (c.tv, c.e0, c.excess, c.score, c.chi2, c.p_exact, c.q, c.p_tv, c.p_tv_holm))
        + (stands(c.q, c.p_tv_holm),)
        for c in found.cells
    ]
    print(table((*header, "p of tv", "p (Holm)", "finding"), rows), end="\n\n")
    print(f"{found.significant} of {found.tested} cells have q < {LEVEL} as published", end="; ")
    print(f"by total variation with Holm's p, {found.significant_mended}")


def pawbench(
    rows: Annotated[Path, typer.Option(help="rows.jsonl of an evaluation.")],
    scenes: Annotated[Path, typer.Option(help="scenes.jsonl of the package.")],
    json: Json = False,
) -> None:
    """PAWBench's TVD, coverage and scene pass rate, and what of them survives.

    TVD is 100 x total variation and lower is better; coverage is in percent and higher is better. Beside the published
    figures stands the same over every scene with a readable clip: what a perfect sampler would show (floor), the excess
    over it with an interval, and on how many scenes the model differs from the reference beyond chance.
    """
    from calibrate.published.pawbench import replicate

    found = replicate(rows, scenes)
    if json:
        print_json(found)
        return
    lines = []
    for track, models in found["tracks"].items():
        for model, m in models["models"].items():
            numbers = ["-" if m[k] is None else f"{m[k]:.1f}" for k in ("track_average", "scene_pass_rate")]
            groups = "  ".join(f"{g} {'-' if v is None else f'{v:.1f}'}" for g, v in m["groups"].items())
            lines.append((track, model, m["status"], *numbers, groups))
            if not m["complete"]:
                say(f"note: {model} on {track} is not the published 25 scenes of 50 clips")
    print(table(("track", "model", "status", "average", "scenes passed %", "groups"), lines))
    mended = [
        (model, *_mended(m["mended"]), "-" if m["track_average"] is None else f"{m['track_average']:.1f}")
        for model, m in found["tracks"].get("calibration", {"models": {}})["models"].items()
    ]
    if mended:
        header = ("model", "scenes", "tvd", "floor", "excess (95 %)", "scenes that differ", "as published")
        print("\nmended, every scene with a readable clip, no scene blocked\n" + table(header, mended))


def _mended(model: dict[str, Any]) -> tuple[str, ...]:
    n = str(model["n_scenes"])
    if model["tvd"] is None:
        return (n, "-", "-", "-", "-")
    low, high = model["excess_interval"]
    figures = (f"{model['tvd']:.1f}", f"{model['floor']:.1f}", f"{model['excess']:.1f} ({low:.1f} to {high:.1f})")
    return (n, *figures, f"{model['n_differ']} of {n}")
