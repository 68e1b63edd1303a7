"""Verbs on the judge: `judge`, `card`, `train`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import scenes as catalogue

from .choosing import Asked, Cache, EndpointUrl, JudgeKind, KeyEnv, Kind, Model, PerMinute, Votes, chosen_judge
from .faults import NOTHING_SCORED, WRONG_USE, guarded, stop
from .output import Json, print_json, progress, say, table

Weights = Annotated[Path | None, typer.Option(help="Weights of another judge.", show_default="shipped")]
Workers = Annotated[int, typer.Option(min=1, help="Processes; never changes a result.")]


def register(app: typer.Typer) -> None:
    """Add this file's verbs to the command."""
    for verb in (judge, card, train):
        app.command(verb.__name__)(guarded(verb))


def versions() -> dict[str, int]:
    """Scene -> version in the catalogue."""
    return {name: catalogue.load(name).version for name in catalogue.names()}


def clips_in(paths: list[Path]) -> list[Path]:
    """The files named, and the clips in the folders named, sorted within each folder."""
    from calibrate.study_files import VIDEO_SUFFIXES

    missing = [path for path in paths if not path.exists()]
    if missing:
        stop(f"{missing[0]} does not exist", code=WRONG_USE)
    found: list[Path] = []
    for path in paths:
        inside = sorted(path.rglob("*")) if path.is_dir() else [path]
        # A dead link or a pipe with a clip's name stays in: its verdict says that it cannot be read.
        found += [f for f in inside if f == path or f.suffix.lower() in VIDEO_SUFFIXES and not f.is_dir()]
    return found


def judge(
    files: Annotated[list[Path], typer.Argument(metavar="FILES...", help="Clips, or folders of clips.")],
    scene: Annotated[str, typer.Option(help="The scene (or scene@variant) that the clips show.")],
    weights: Weights = None,
    kind: JudgeKind = Kind.NETWORK,
    endpoint: EndpointUrl = None,
    model: Model = None,
    key_env: KeyEnv = None,
    votes: Votes = None,
    per_minute: PerMinute = None,
    cache: Cache = None,
    json: Json = False,
) -> None:
    """Say which outcome each clip shows.

    A file named with a dash in front is taken for a file if it is there; `--` before the names always works.
    """
    catalogue.parse_token(scene)
    clips = clips_in(files)
    if not clips:
        stop(f"no clip in {', '.join(map(str, files))}", code=NOTHING_SCORED)
    asked = Asked(endpoint=endpoint, model=model, key_env=key_env, votes=votes, per_minute=per_minute, cache=cache)
    reader = chosen_judge(kind, asked, weights, versions())
    rows: list[dict[str, Any]] = []
    with progress("judging", shown=not json) as advance:
        for file, verdict in zip(clips, reader.verdicts(clips, scene), strict=True):
            rows.append({"file": str(file), **verdict.to_json()})
            advance(len(rows), len(clips))
    if json:
        print_json(rows)
    else:
        print(table(("file", "outcome", "confidence", "detail"), [_cells(row) for row in rows]))
    if not any(row["status"] in ("scored", "null") for row in rows):
        stop("nothing was judged: no clip could be read", code=NOTHING_SCORED)


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    said = row["outcome"] or f"{row['status']}: {row['reason'] or ''}".rstrip(": ")
    sure = "" if row["confidence"] is None else f"{row['confidence']:.3f}"
    return row["file"], said, sure, row["detail"] or ""


def card(
    make: Annotated[bool, typer.Option("--make", help="Measure the judge again and write its card.")] = False,
    weights: Weights = None,
    workers: Workers = 2,
    json: Json = False,
) -> None:
    """Say how often the judge is right.

    Counts of clips that training never saw: right, false null (a clip with an outcome called null), missed null and
    wrong label. A null on a null clip is right.
    """
    from judge.card import make_card, read_card
    from judge.weights import SHIPPED

    path = SHIPPED if weights is None else weights
    if make:
        with progress("measuring", shown=not json) as advance:
            found = make_card(path, catalogue.load, workers=workers, progress=advance.titled)
    else:
        found = read_card(path)
    if json:
        print_json(found)
        return
    for kind, title in found["renderers"].items():
        cells = [
            (name, *(str(row[c]) for c in ("n", "right", "false_null", "missed_null", "wrong_label")))
            for name, row in sorted(found[kind].items())
        ]
        print(f"{title}\n{table(('scene', 'n', 'right', 'false null', 'missed null', 'wrong label'), cells)}\n")


def train(
    out: Annotated[Path | None, typer.Option(help="Weights file to write.", show_default="the shipped one")] = None,
    work: Annotated[Path, typer.Option(help="Folder for clips and checkpoints: a stopped command goes on.")] = Path(
        "runs/judge"
    ),
    seed: Annotated[int, typer.Option(help="Seed of clips and network.")] = 0,
    clips: Annotated[int | None, typer.Option(min=1, help="Clips of each scene.", show_default="as shipped")] = None,
    steps: Annotated[int | None, typer.Option(min=1, help="Training steps.", show_default="as shipped")] = None,
    workers: Workers = 2,
) -> None:
    """Train the judge again, with its card.

    Makes the clips, trains the network, calibrates it and measures it. A stopped command goes on where it was if it
    is run again.
    """
    from calibrate.output_file import checked_output
    from judge.card import make_card
    from judge.train import Training
    from judge.train import train as train_judge
    from judge.weights import SHIPPED

    path = checked_output(SHIPPED if out is None else out)
    given: dict[str, Any] = {name: value for name, value in (("n_clips", clips), ("steps", steps)) if value is not None}
    training = Training(scenes=catalogue.names(), seed=seed, **given)
    with progress("training", shown=True) as advance:
        train_judge(training, catalogue.load, work, path, workers=workers, progress=advance.titled)
        found = make_card(path, catalogue.load, workers=workers, progress=advance.titled)
    n, right = (sum(row[key] for row in found["scenes"].values()) for key in ("n", "right"))
    say(f"{path} written; right on {right} of {n} held-out clips; more with: quincunx card")
