"""Verbs on the catalogue: `scenes`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

import scenes as catalogue

from .faults import guarded
from .output import Json, print_json, table

if TYPE_CHECKING:
    from sim import Scene


def register(app: typer.Typer) -> None:
    """Add this file's verbs to the command."""
    app.command("scenes")(guarded(scenes))


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
    """List the scenes, their outcomes and their variants."""
    rows = [row(catalogue.load(name)) for name in catalogue.names()]
    if json:
        print_json(rows)
        return
    cells = [
        (r["name"], r["group"], " ".join(r["outcomes"]), " ".join(f"@{name}" for name in r["variants"])) for r in rows
    ]
    print(table(("scene", "group", "outcomes", "variants"), cells))
