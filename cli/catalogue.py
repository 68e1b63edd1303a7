"""Verbs on the catalogue: `scenes`, `show`, `render`, `kit`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import scenes as catalogue

from .faults import WRONG_USE, guarded, stop
from .output import Json, print_json, progress, say, table

if TYPE_CHECKING:
    from sim import Scene

Token = Annotated[str, typer.Argument(metavar="SCENE", help="A scene, or scene@variant.")]
MAX_PX = 4096
"""Longest side of a clip: what the renderer draws and what the judge reads."""
MAX_CLIPS = 1_000_000
"""Most clips of a scene: what a run card may ask for."""
Seed = Annotated[int, typer.Option(help="Seed; the same seed gives the same bytes.")]


def register(app: typer.Typer) -> None:
    """Add this file's verbs to the command."""
    for verb in (scenes, show, render, kit):
        app.command(verb.__name__)(guarded(verb))


def row(scene: Scene) -> dict[str, Any]:
    """What `quincunx scenes --json` says of one scene."""
    return {
        "name": scene.name,
        "version": scene.version,
        "group": scene.group,
        "outcomes": list(scene.outcomes),
        "duration_s": scene.duration_s,
        "prompt": scene.prompt,
        "variants": {
            name: {"causal": variant.causal, "published": list(variant.published), "change": variant.change}
            for name, variant in scene.variants.items()
        },
        "published": list(scene.published),
    }


def scenes(json: Json = False) -> None:
    """List scenes, outcomes and variants.

    A variant marked with * is causal: physics moves the proportions.
    """
    rows = [row(catalogue.load(name)) for name in catalogue.names()]
    if json:
        print_json(rows)
        return
    cells = [(r["name"], r["group"], " ".join(r["outcomes"]), _variants(r["variants"])) for r in rows]
    print(table(("scene", "group", "outcomes", "variants"), cells))


def _variants(variants: dict[str, dict[str, Any]]) -> str:
    return " ".join(f"@{name}{'*' if variant['causal'] else ''}" for name, variant in variants.items())


def show(
    token: Token,
    out: Annotated[Path | None, typer.Option(help="Picture to write.", show_default="SCENE.png")] = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Draw a contact sheet of a scene.

    One rollout for each outcome (up to six), from the start on the left to the end on the right.
    """
    from sim.footage import contact_sheet, write_picture

    scene, variant = catalogue.parse_token(token)
    path = Path(f"{token}.png") if out is None else out
    with progress(f"drawing {token}", shown=not json) as advance:
        sheet = contact_sheet(scene, variant, seed=seed, progress=advance)
    write_picture(path, sheet)
    if json:
        print_json({"scene": scene.name, "variant": variant, "file": str(path)})
    else:
        print(path)


def size_px(text: str) -> tuple[int, int]:
    """Height and width in pixels that WIDTHxHEIGHT means."""
    match = re.fullmatch("([0-9]{1,9})[xX]([0-9]{1,9})", text)
    if match is None:
        stop(f"--size must be WIDTHxHEIGHT, as 832x480, got {text!r}", code=WRONG_USE)
    width, height = int(match[1]), int(match[2])
    fitting = [min(max(side + side % 2, 2), MAX_PX) for side in (width, height)]
    if [width, height] != fitting:
        use = "x".join(map(str, fitting))
        stop(f"--size must be two even numbers from 2 to {MAX_PX}, got {width}x{height}; use {use}", code=WRONG_USE)
    return height, width


def render(
    token: Token,
    out: Annotated[Path, typer.Option(help="Folder to write into.")] = Path("renders"),
    n: Annotated[int, typer.Option(min=0, max=MAX_CLIPS, help="How many clips; 0 for the source image alone.")] = 8,
    seed: Seed = 0,
    size: Annotated[str, typer.Option(help="WIDTHxHEIGHT, both even, at most 4096.")] = "832x480",
    fps: Annotated[float, typer.Option(min=1, max=240, help="Frames a second.")] = 24.0,
    json: Json = False,
) -> None:
    """Draw source image and labelled clips.

    The folder is a study, with a model called simulator; the CSV beside it holds the true outcomes, as
    `score --verdicts` reads them.
    """
    from sim.footage import write_footage

    scene, variant = catalogue.parse_token(token)
    height_width = size_px(size)
    with progress(f"drawing {token}", shown=not json) as advance:
        files = write_footage(
            scene, out, variant=variant, seed=seed, n=n, size_px=height_width, fps=fps, progress=advance
        )
    if json:
        print_json({"scene": scene.name, "variant": variant, "files": [str(file) for file in files]})
    else:
        print("\n".join(str(file) for file in files))


def kit(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="Folder to write into.")],
    scene: Annotated[
        list[str] | None, typer.Option(help="A scene or scene@variant; repeat for more.", show_default="all")
    ] = None,
    clips: Annotated[int, typer.Option(min=1, max=MAX_CLIPS, help="Clips asked for of each scene.")] = 25,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the first clip of each scene.")] = 0,
    json: Json = False,
) -> None:
    """Write what to hand to a video model.

    Source images, prompts, seeds, expected file names and an empty run card, study.toml.
    """
    from calibrate.kit import write_kit

    tokens = tuple(dict.fromkeys(scene or ()))
    with progress("writing the kit", shown=not json) as advance:
        made = write_kit(out, tokens=tokens or None, clips_per_scene=clips, first_seed=seed, progress=advance)
    if json:
        print_json({"folder": str(made.folder), "scenes": list(made.tokens), "n_clips": made.n_clips})
    else:
        print(made.folder)
        say(f"{len(made.tokens)} scenes, {made.n_clips} clips; {made.folder / 'README.txt'} says what to do next")
