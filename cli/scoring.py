"""Verbs on studies and records: `score`, `report`, `relabel`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sim import QuincunxError

from .choosing import Asked, Cache, EndpointUrl, JudgeKind, KeyEnv, Kind, Model, PerMinute, Votes, chosen_judge
from .faults import NOTHING_SCORED, WRONG_USE, guarded, stop
from .judging import Weights, versions
from .output import Json, print_json, progress, say, table, visible

if TYPE_CHECKING:
    from calibrate.record import Record
    from judge.judge import Judge

_DROP = "Of clips of a cell that are one file, byte for byte, count all but the first as missing."
DropCopies = Annotated[bool, typer.Option("--drop-copies", help=_DROP)]


def register(app: typer.Typer) -> None:
    """Add this file's verbs to the command."""
    for verb in (score, report, relabel):
        app.command(verb.__name__)(guarded(verb))


def summary(record: Record, out: Path) -> dict[str, Any]:
    """What `quincunx score --json` says."""
    return {
        "record": str(out),
        "cells": [asdict(cell) for cell in record.cells],
        "alignments": [asdict(pair) for pair in record.alignments],
        "unmatched": [dict(file) for file in record.unmatched],
        "warnings": list(record.warnings),
    }


def without_row(record: Record, folder: Path, table: Path) -> str:
    """What to say of a folder that is given beside a table of verdicts."""
    from calibrate.study import read_study

    rows = {(clip.model, clip.scene, Path(clip.file or "").name) for clip in record.clips}
    note = f"note: every verdict is from {table}, no clip is judged"
    try:
        clips = [clip for clip in read_study(folder).clips if clip.file is not None]
    except QuincunxError as fault:
        return f"{note}; {fault}"
    n = sum((clip.model, clip.scene, Path(clip.file or "").name) not in rows for clip in clips)
    return f"{note}; {n} of {len(clips)} clips of {folder} have no row"


def score(
    folder: Annotated[Path | None, typer.Argument(metavar="[FOLDER]", help="The study: <model>/<scene>/*.mp4")] = None,
    out: Annotated[Path, typer.Option(help="Record to write, as record.json.")] = Path("record.json"),
    verdicts: Annotated[
        Path | None,
        typer.Option(
            help="Verdicts that are there already, without a judge: a CSV (model, scene, file or k, outcome, reason), "
            "CaliBench's *_bins.json, PAWBench's rows.jsonl, or a folder of these."
        ),
    ] = None,
    weights: Weights = None,
    margin: Annotated[
        float, typer.Option(metavar="D", help="Total variation within which a cell counts as calibrated.")
    ] = 0.1,
    drop_copies: DropCopies = False,
    seed: Annotated[int, typer.Option(help="Seed of the Monte Carlo draws.")] = 0,
    workers: Annotated[int, typer.Option(min=1, help="Clips judged at a time; never changes a result.")] = 1,
    kind: JudgeKind = Kind.NETWORK,
    endpoint: EndpointUrl = None,
    model: Model = None,
    key_env: KeyEnv = None,
    votes: Votes = None,
    per_minute: PerMinute = None,
    cache: Cache = None,
    json: Json = False,
) -> None:
    """Score a folder of clips.

    Reads the outcome of every clip, compares with the references and writes a record. A stopped command goes on
    where it was if it is run again. A folder that holds verdicts of CaliBench or PAWBench, and no clips, needs no
    judge.
    """
    from calibrate.score import score_study, score_verdicts

    folder, verdicts = _without_clips(folder, verdicts)
    if verdicts is not None:
        if kind is not Kind.NETWORK or drop_copies:
            idle = "--drop-copies" if kind is Kind.NETWORK else "--judge"
            stop(f"--verdicts needs no judge and looks at no file; leave out {idle}", code=WRONG_USE)
        record = score_verdicts(verdicts, out=out, seed=seed, margin=margin)
        if folder is not None:
            say(without_row(record, folder, verdicts))
    elif folder is None:
        stop("score needs a FOLDER, or --verdicts FILE.csv", code=WRONG_USE)
    else:
        asked = Asked(endpoint=endpoint, model=model, key_env=key_env, votes=votes, per_minute=per_minute, cache=cache)
        judge, card = _judge_for(kind, asked, weights, out)
        how: dict[str, Any] = {"seed": seed, "workers": workers, "margin": margin, "drop_copies": drop_copies}
        with progress("judging", shown=not json) as advance:
            record = score_study(folder, judge, out=out, card=card, progress=advance, **how)
    _end(record, out, json)


def _end(record: Record, out: Path, json: bool) -> None:
    """Say what `score` found, and stop if that is nothing."""
    if json:
        print_json(summary(record, out))
    else:
        _tell(record, out)
    if record.n_scored == 0:
        stop("nothing was scored: no clip has an outcome", code=NOTHING_SCORED)


def _without_clips(folder: Path | None, verdicts: Path | None) -> tuple[Path | None, Path | None]:
    """FOLDER and --verdicts as they are, or swapped if the folder holds verdicts and no clip."""
    from calibrate.layouts.verdict_tables import holds_only_tables

    if verdicts is not None or folder is None or not folder.is_dir() or not holds_only_tables(folder):
        return folder, verdicts
    say(f"note: {folder} holds verdicts and no clips; they are scored as they are")
    return None, folder


def _judge_for(kind: Kind, asked: Asked, weights: Path | None, out: Path) -> tuple[Judge, dict[str, Any] | None]:
    """The judge and its card, which a rubric judge lacks; the record may not be written over what it is read from."""
    from calibrate.output_file import checked_output
    from judge.card import card_path, read_card
    from judge.weights import SHIPPED

    path = SHIPPED if weights is None else weights
    checked_output(out, inputs=(path, card_path(path)))
    return chosen_judge(kind, asked, weights, versions()), read_card(path) if kind is Kind.NETWORK else None


def _tell(record: Record, out: Path) -> None:
    """Print the cells for people, and what did not match."""
    from calibrate.anytime_view import told
    from calibrate.support_view import HEADER, with_gaps
    from calibrate.support_view import row as support_row

    def number(value: float | None) -> str:
        return "-" if value is None else f"{value:.3f}"

    figures = ("tv", "expected", "excess", "p", "p (Holm)", "q")
    header = ("model", "scene", "reference", "requested", "scored", *figures, "finding")
    rows = [
        (c.model, c.token, f"a {c.reference_kind}", str(c.requested), str(c.scored))
        + tuple(number(v) for v in (c.tv, c.tv_expected, c.excess, c.p, c.p_holm, c.q))
        + (c.finding,)
        for c in record.cells
    ]
    print(table(header, rows))
    if record.alignments:
        from calibrate.alignment_view import row

        moves = ("model", "variant", "change is", "of physics", "of the model", "95 %", "p no follow", "p off")
        print(table((*moves, "finding"), [row(pair) for pair in record.alignments]))
    if gaps := with_gaps(record.cells):
        print(table(HEADER, [support_row(cell) for cell in gaps]))
    for line in told(record.cells):
        print(visible(line))
    for line in record.unmatched_lines():
        say(f"not scored: {line}")
    for warning in record.warnings:
        say(f"warning: {warning}")
    say(f"{out} written; look at it with: quincunx report {out}")


def report(
    record: Annotated[Path, typer.Argument(metavar="RECORD", help="What `score` wrote.")],
    out: Annotated[Path | None, typer.Option(help="Page to write.", show_default="RECORD with .html")] = None,
    thumbnails: Annotated[bool, typer.Option(help="Show the clips; off for a page of numbers alone.")] = True,
    audit: Annotated[int, typer.Option(min=0, help="Clips of the random audit to show.")] = 60,
    json: Json = False,
) -> None:
    """Write a record as a web page.

    One self-contained file that works offline.
    """
    from calibrate.report import write_report

    page = write_report(record, out, thumbnails=thumbnails, audit=audit)
    if json:
        print_json({"file": str(page)})
    else:
        print(page)


def relabel(
    record: Annotated[Path, typer.Argument(metavar="RECORD", help="What `score` wrote.")],
    labels: Annotated[Path, typer.Argument(metavar="LABELS", help="The labels.csv that the report saved.")],
    out: Annotated[Path, typer.Option(help="Record to write.")],
    json: Json = False,
) -> None:
    """Put people's labels into a record.

    Every label corrects the verdict of its clip; only the random audit tells how often the judge errs.
    """
    import calibrate.relabel

    done = calibrate.relabel.relabel(record, labels, out=out)
    if json:
        numbers = {"labels": done.n_labels, "changed": done.n_changed, "unused_audit_labels": done.n_unused}
        print_json({**numbers, "people": dict(done.record.people), **summary(done.record, out)})
    else:
        _tell(done.record, out)
    say(f"{done.n_labels} labels, {done.n_changed} verdicts changed")
    for name, found in done.record.people.items():
        wrong = ", ".join(
            f"{kind.replace('_', ' ')} {found[kind]}" for kind in ("false_null", "missed_null", "wrong_label")
        )
        say(f"{name}: the judge agrees with people on {found['right']} of {found['n']} clips ({wrong})")
    if done.n_unused:
        say(f"warning: {done.n_unused} audit labels lie behind the first clip without one; label that one too")
