"""How do the outcomes of a folder of clips, or of a table of verdicts, compare with the references?"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import scenes
from judge.judge import Judge
from judge.verdict import Verdict
from sim import InputError, QuincunxError

from .alignment import alignments
from .anytime import with_anytime
from .audit import agreement_with_people, as_judged, error_tables
from .cell import adjusted, measure
from .clip_row import ClipRow
from .conclusion import MARGIN_TV
from .copies import copies_told, without_copies
from .corrected import with_correction
from .judging import Progress, verdicts_of
from .layouts.verdict_tables import read_tables
from .null_warning import with_null_warning
from .outlook import with_outlook
from .output_file import checked_output
from .powered import with_powered
from .prompts import prompt_hash
from .record import Record
from .study import read_study
from .study_clip import Clip
from .study_files import Unmatched, as_text
from .verdict_log import VerdictLog

if TYPE_CHECKING:
    from sim.reference import Reference

LEAST_REFERENCE_N = 5_000
"""A reference from fewer rollouts is used with a warning."""


def score_study(
    folder: Path | str,
    judge: Judge,
    *,
    out: Path | str,
    seed: int = 0,
    workers: int = 1,
    card: Mapping[str, Any] | None = None,
    references: Mapping[str, Reference] | None = None,
    margin: float = MARGIN_TV,
    drop_copies: bool = False,
    progress: Progress | None = None,
) -> Record:
    """The record of a folder of clips, written to `out`; `<out>.verdicts.jsonl` lets a killed run go on.

    Every clip is shown to the judge by itself, so that the record does not depend on the workers or on where a run was
    interrupted. A clip on which the judge fails is a judge error; it is tried again by the next run.

    Args:
        folder: The study, see calibrate.study.
        judge: Gives the verdicts. Scenes that it does not cover, or that have no reference, are listed in the record
            and not scored.
        out: File to write. Its folder is made if need be.
        seed: Seed of the Monte Carlo draws of tests and intervals.
        workers: Threads that judge.
        card: The judge's card as a dictionary, of which the record keeps the figures of its scenes.
        references: Scene token -> reference; the shipped ones where it has none.
        margin: Total variation from the reference within which a cell counts as calibrated.
        drop_copies: Whether clips that are the same file as another of their cell count as missing (calibrate.copies).
        progress: Called after every clip.

    Returns:
        The record; `n_scored` is 0 if nothing could be scored.

    Raises:
        InputError: The folder cannot be read, `out` not be written (found out first), or the margin is none.
    """
    _check_margin(margin)
    if workers < 1:
        raise ValueError(f"workers must be at least 1, got {workers}")
    log_path = checked_output(f"{out}.verdicts.jsonl")
    study = read_study(folder)
    out = checked_output(out, inputs=study.files)
    log = VerdictLog(log_path)
    used, refused = _references({clip.scene for clip in study.clips}, references)
    for token in sorted({clip.scene for clip in study.clips}):
        if not judge.covers(token.partition("@")[0]):
            refused[token] = f"the judge's card does not cover the scene {token}; train it, or give --verdicts"
    clips = [clip for clip in study.clips if clip.scene not in refused]
    left_out = [_left_out(clip.file, refused[clip.scene]) for clip in study.clips if clip.scene in refused]
    hashes, verdicts = verdicts_of(study.folder, clips, judge, log, workers, progress)
    rows = [_row(clip, hashes.get(clip.file or ""), verdicts) for clip in clips]
    rows = without_copies(rows) if drop_copies else rows
    about = {"digest": judge.digest, "kind": type(judge).__name__, "card": _card(card, {clip.scene for clip in clips})}
    listed = [*study.unmatched, *left_out]
    return finish(
        rows, used, listed, study=study.folder, judge=about, cards=study.cards, seed=seed, margin=margin, out=out
    )


def score_verdicts(
    table: Path | str,
    *,
    out: Path | str,
    seed: int = 0,
    references: Mapping[str, Reference] | None = None,
    margin: float = MARGIN_TV,
) -> Record:
    """The record of verdicts that are there already (calibrate.layouts.verdict_tables); needs no judge and no clips.

    Raises:
        InputError: The table cannot be read, `out` cannot be written, or the margin is none.
    """
    _check_margin(margin)
    out = checked_output(out, inputs=[table])
    rows, unmatched, digest = read_tables(Path(table))
    used, refused = _references({row.scene for row in rows}, references)
    for row in rows:
        if row.scene in refused:
            unmatched.append(_left_out(f"{row.model}/{row.scene}/{row.file or '(no file)'}", refused[row.scene]))
    rows = [row for row in rows if row.scene not in refused]
    about = {"digest": digest, "kind": "table of verdicts", "card": None}
    return finish(rows, used, unmatched, study=Path(table), judge=about, cards={}, seed=seed, margin=margin, out=out)


def _check_margin(margin: float) -> None:
    if not 0 < margin < 1:
        raise InputError(f"the margin is a total variation between 0 and 1, as {MARGIN_TV}, not {margin}")


def _references(
    tokens: Iterable[str], given: Mapping[str, Reference] | None
) -> tuple[dict[str, Reference], dict[str, str]]:
    """The references, and for each token that has none the reason."""
    used: dict[str, Reference] = {}
    refused: dict[str, str] = {}
    for token in sorted(tokens):
        scene, _ = scenes.parse_token(token)
        try:
            reference = (given or {}).get(token) or scenes.reference(token)
        except QuincunxError as error:
            refused[token] = str(error)
            continue
        if tuple(reference.outcomes) != scene.outcomes or reference.version != scene.version:
            there = f"version {reference.version} with outcomes {', '.join(reference.outcomes)}"
            refused[token] = f"the reference of {token} is of {there}; the scene is at {scene.version}: make it again"
            continue
        used[token] = reference
    return used, refused


def _left_out(file: str | None, why: str) -> Unmatched:
    return Unmatched(file=file or "(no file)", why=why)


def _row(clip: Clip, sha256: str | None, verdicts: Mapping[tuple[str, str], Verdict]) -> ClipRow:
    if clip.file is None:
        given: dict[str, Any] = {"scene": clip.scene, "status": clip.status, "reason": clip.detail}
    else:
        given = asdict(verdicts[clip.file, clip.scene])
    told: dict[str, Any] = {"seed": clip.seed, "group": clip.group, "prompt": prompt_hash(clip.prompt)}
    return ClipRow(model=clip.model, file=clip.file, sha256=sha256, **told, **given)


def _card(card: Mapping[str, Any] | None, used: Iterable[str]) -> dict[str, Any] | None:
    """The card's figures of the scenes in the record."""
    if card is None:
        return None
    names = {token.partition("@")[0] for token in used}
    return {name: figures for name, figures in card.get("scenes", {}).items() if name.partition("@")[0] in names}


def finish(
    rows: list[ClipRow],
    used: Mapping[str, Reference],
    unmatched: Sequence[Unmatched],
    *,
    study: Path,
    judge: Mapping[str, Any],
    cards: Mapping[str, Any],
    seed: int,
    margin: float,
    out: Path,
) -> Record:
    """The record of clips whose verdicts are there, written to `out`."""
    by_cell: dict[tuple[str, str], list[ClipRow]] = {}
    for row in sorted(rows, key=lambda r: (r.model, r.scene, r.file or "\U0010ffff", r.reason or "")):
        by_cell.setdefault((row.model, row.scene), []).append(row)
    cells = adjusted(
        [measure(m, token, rows, used[token], seed=seed, margin=margin) for (m, token), rows in by_cell.items()]
    )
    errors = error_tables(judge["card"], rows, seed=seed)
    judged = {place: [as_judged(row) for row in some] for place, some in by_cell.items()}
    cells = with_outlook(with_correction(cells, used, errors, judged, seed=seed), seed=seed)
    cells = with_powered(cells, by_cell, seed=seed)
    cells = with_anytime(with_null_warning(cells, errors, seed=seed), used, by_cell)
    record = Record(
        quincunx=metadata.version("quincunx"),
        study=as_text(os.path.relpath(study.resolve(), out.resolve().parent)),
        seed=seed,
        judge=judge,
        references={token: used[token].to_json() for token in sorted({row.scene for row in rows})},
        cells=cells,
        clips=tuple(row for rows in by_cell.values() for row in rows),
        unmatched=tuple(asdict(u) for u in sorted(unmatched, key=lambda u: u.file)),
        warnings=tuple(_warnings(by_cell, {token: used[token] for token in sorted({row.scene for row in rows})})),
        run_cards=cards,
        alignments=alignments(cells, used, seed=seed),
        people=agreement_with_people(rows, seed=seed),
    )
    record.write(out)
    return record


def _warnings(by_cell: Mapping[tuple[str, str], Sequence[ClipRow]], used: Mapping[str, Reference]) -> list[str]:
    warnings = []
    for token, reference in used.items():
        total = sum(reference.counts.values())
        if total < LEAST_REFERENCE_N:
            warnings.append(f"{token}: the reference rests on {total} rollouts, fewer than {LEAST_REFERENCE_N}")
    return warnings + copies_told([row for rows in by_cell.values() for row in rows])
