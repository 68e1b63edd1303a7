"""Verbs beside scoring: `validate` (before it), `agree` (two judges of the same clips)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .faults import NOTHING_SCORED, guarded, stop
from .output import Json, print_json, progress, say, table, visible

if TYPE_CHECKING:
    from calibrate.agreement import Agreement
    from calibrate.validate import CheckedCell, Validation


def register(app: typer.Typer) -> None:
    """Add this file's verbs to the command."""
    for verb in (validate, agree):
        app.command(verb.__name__)(guarded(verb))


def validate(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The study: <model>/<scene>/*.mp4")],
    margin: Annotated[
        float, typer.Option(min=0.001, max=0.999, help="Total variation; to be shown of a faithful model.")
    ] = 0.1,
    workers: Annotated[int, typer.Option(min=1, help="Clips decoded at a time; never changes a result.")] = 1,
    json: Json = False,
) -> None:
    """Check a folder of clips before it is scored.

    Decodes every clip and judges none. Names what is missing, unreadable, too short, a copy, or in a place where it
    is not found, and how many more clips it takes. Exit code 3 if no clip can be read.
    """
    from calibrate.validate import validate as check

    with progress("decoding", shown=not json) as advance:
        found = check(folder, margin=margin, workers=workers, progress=advance)
    if json:
        print_json(found.to_json())
    else:
        _tell(found)
    if found.n_readable == 0 and not found.verdicts:
        stop(f"no clip of {folder} can be scored", code=NOTHING_SCORED)


def _tell(found: Validation) -> None:
    header = ("model", "scene", "requested", "found", "readable", "distinct", "seeds", "size", "rate", "length", "more")
    if found.study.layout not in ("folders", "manifest"):
        print(f"read as a folder of {found.study.layout}\n")
    print(table(header, [_row(cell) for cell in found.cells]))
    within = f"within {found.margin:g} of total variation"
    print(f"\nmore: further clips that show a faithful model to be {within}, with a power of 0.8\n")
    for finding in found.findings:
        print(visible(finding.told))
    print(f"{len(found.findings)} findings" if found.findings else "nothing to mend")


def _row(cell: CheckedCell) -> tuple[str, ...]:
    length = "-" if cell.shown_s is None else " to ".join(dict.fromkeys(f"{s:.2f}" for s in cell.shown_s)) + " s"
    counts = (cell.requested, cell.found, cell.readable, cell.distinct)
    more = "-" if cell.more is None else str(cell.more)
    common = (_common(cell.sizes), _common(cell.frame_rates))
    return (cell.model, cell.scene, *map(str, counts), cell.seeds, *common, length, more)


def _common(counts: Mapping[str, int]) -> str:
    """The most frequent, with a mark if there are others."""
    names = sorted(counts, key=lambda name: -counts[name])
    return "-" if not names else names[0] + (" ..." if len(names) > 1 else "")


def agree(
    a: Annotated[Path, typer.Argument(metavar="A", help="A record, or a CSV of verdicts as score --verdicts reads.")],
    b: Annotated[Path, typer.Argument(metavar="B", help="Another one of the same clips.")],
    most: Annotated[int, typer.Option(min=0, help="Disagreements to list; --json lists all.")] = 20,
    json: Json = False,
) -> None:
    """Compare the verdicts of two judges, or of a judge and people.

    Lists the clips on which they disagree, then says how often they agree, beyond chance too (Cohen's kappa), with a
    table of what A and B say for each scene. Exit code 3 if no clip has a verdict of both.
    """
    from calibrate.agreement import agree as compare
    from calibrate.agreement import read_judged

    (rows_a, judge_a), (rows_b, judge_b) = read_judged(a), read_judged(b)
    found = compare(rows_a, rows_b, same_judge=judge_a == judge_b)
    if found.same_judge:
        say(f"warning: {a} and {b} are of one judge; that it agrees with itself says nothing")
    if json:
        print_json({"a": str(a), "b": str(b), **found.to_json()})
    else:
        _tell_agreement(found, most)
    if found.n == 0:
        stop(f"no clip has a verdict in both {a} and {b}; model, scene and file must be the same", code=NOTHING_SCORED)


def _tell_agreement(found: Agreement, most: int) -> None:
    said = found.to_json()
    rows = [tuple(str(row[name]) for name in ("scene", "model", "file", "a", "b")) for row in said["disagreements"]]
    if rows:
        print(table(("scene", "model", "file", "A", "B"), rows[:most]))
        print(f"{len(rows)} disagreements" + (f", {most} of them listed" if len(rows) > most else "") + "\n")
    header = ("scene", "n", "agree (95 %)", "kappa (95 %)", "false null", "missed null", "wrong label")
    lines = [(str(row["scene"]), *_figures(row)) for row in said["scenes"]]
    print(table(header, [*lines, ("all", *_figures(said))] if lines else []))
    for scene in found.scenes:
        cells = [(name, *map(str, row)) for name, row in zip(scene.says, scene.table, strict=True)]
        print("\n" + table((rf"{scene.scene}: A \ B", *scene.says), cells))
    print("\nfalse null, missed null and wrong label: of B, if A is right; kappa of all: mean by clips over the scenes")
    for name, what in (
        ("only_a", "of A alone"),
        ("only_b", "of B alone"),
        ("not_judged", "of which one has no verdict"),
    ):
        if said[name]:
            say(f"note: {len(said[name])} clips {what}: not compared")
    if said["changed"]:
        say(f"note: {len(said['changed'])} clips of the same name are not the same file: not compared")


def _figures(row: dict[str, Any]) -> tuple[str, ...]:
    def number(value: float | None, ends: list[float] | None) -> str:
        return "-" if value is None or ends is None else f"{value:.3f} ({ends[0]:.3f} to {ends[1]:.3f})"

    shares = (number(row["agreement"], row["agreement_interval"]), number(row["kappa"], row["kappa_interval"]))
    return (str(row["n"]), *shares, *(str(row["against_a"][k]) for k in ("false_null", "missed_null", "wrong_label")))
