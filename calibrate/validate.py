"""Is a folder of clips ready to be scored? Every file is decoded, none is judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

import scenes
from judge.intake import Unreadable
from sim import QuincunxError

from .cell import seeds_recorded
from .clip_facts import ClipFacts, alike, clip_facts, same_bytes
from .conclusion import LEVEL, MARGIN_TV
from .findings import (
    Finding,
    cell_findings,
    copies,
    duration_of,
    not_recorded,
    other_prompts,
    rate_name,
    size_name,
    strays,
    verdicts_there,
)
from .first_frame import Drift
from .layouts.verdict_tables import verdicts_in
from .layouts.which import PUBLISHED
from .planning import POWER, clips_to_prove
from .stats import Baseline
from .study import Study, read_study
from .study_clip import Clip
from .study_files import Unmatched

Progress = Callable[[int, int], None]
"""Called with (clips decoded, clips in all)."""
Facts = Mapping[str, ClipFacts | Unreadable]
"""File -> what is known of it."""


@dataclass(frozen=True, kw_only=True)
class CheckedCell:
    """What there is of one model and scene."""

    model: str
    scene: str
    """Scene token."""
    requested: int
    found: int
    readable: int
    distinct: int
    """Readable clips whose bytes differ."""
    seeds: str
    """Which seeds the manifest records: `none`, `some`, `shared` or `per_clip`."""
    sizes: Mapping[str, int]
    """Width x height -> clips."""
    frame_rates: Mapping[str, int]
    shown_s: tuple[float, float] | None
    """How long the shortest and the longest clip last; None if none can be read."""
    clips_for_margin: int | None
    """Scored clips that show with a power of 0.8, among so many cells, that a faithful model is within the margin, as
    `plan --prove-calibrated`; None if the scene has no reference, or more than 20,000 would be needed."""
    more: int | None
    """How many of them are lacking."""


@dataclass(frozen=True, kw_only=True)
class Validation:
    """What was found in a study's folder."""

    folder: Path
    margin: float
    cells: tuple[CheckedCell, ...]
    findings: tuple[Finding, ...]
    study: Study
    facts: Facts
    extra: tuple[Unmatched, ...]
    """Files, and rows of tables, that belong to no cell."""
    duplicates: tuple[tuple[str, ...], ...]
    near_duplicates: tuple[tuple[str, ...], ...]
    verdicts: Mapping[tuple[str, str], int]
    """(Model, scene token) -> verdicts that are there already, in tables of published benchmarks."""

    @property
    def n_readable(self) -> int:
        """Clips that a judge can look at."""
        return sum(cell.readable for cell in self.cells)

    def to_json(self) -> dict[str, Any]:
        """A dictionary that JSON can hold."""
        lost = [clip for clip in self.study.clips if clip.file is None]
        return {
            "folder": str(self.folder),
            "layout": self.study.layout,
            "margin": self.margin,
            "cells": [asdict(cell) for cell in self.cells],
            "findings": [asdict(finding) for finding in self.findings],
            "missing": [_lost(clip) for clip in lost if clip.status == "missing"],
            "refused": [_lost(clip) for clip in lost if clip.status == "refused"],
            "extra": [asdict(stray) for stray in self.extra],
            "suggestions": {stray.file: stray.nearest for stray in self.extra if stray.nearest is not None},
            "unreadable": [{"file": f, **asdict(u)} for f, u in self.facts.items() if isinstance(u, Unreadable)],
            "duplicates": [list(group) for group in self.duplicates],
            "near_duplicates": [list(group) for group in self.near_duplicates],
            "clips": [
                {"file": file, **_told(facts)} for file, facts in self.facts.items() if isinstance(facts, ClipFacts)
            ],
            "run_cards": self.study.cards,
            "verdicts": [{"model": model, "scene": scene, "n": n} for (model, scene), n in self.verdicts.items()],
        }


def _lost(clip: Clip) -> dict[str, Any]:
    return {"model": clip.model, "scene": clip.scene, "file": clip.asked_file, "why": clip.detail}


def _told(facts: ClipFacts) -> dict[str, Any]:
    return {
        "size_px": list(facts.size_px),
        "n_frames": facts.n_frames,
        "fps": round(facts.fps, 3),
        "shown_s": round(facts.shown_s, 3),
        "notes": list(facts.notes),
        "first_frame": None if facts.drift is None else _finite(facts.drift),
    }


def _finite(drift: Drift) -> dict[str, float | None]:
    return {name: round(value, 3) if np.isfinite(value) else None for name, value in asdict(drift).items()}


def validate(
    folder: Path | str, *, margin: float = MARGIN_TV, seed: int = 0, workers: int = 1, progress: Progress | None = None
) -> Validation:
    """What is there, what is not, and what is to be mended before a study is judged.

    Args:
        folder: The study, see calibrate.study.
        margin: Total variation within which a faithful model is to be shown to lie, for the number of further clips.
        seed: Seed of the draws behind that number.
        workers: Threads that decode.
        progress: Called after every clip.

    Raises:
        InputError: The folder cannot be read, or its manifest or run card is not valid.
    """
    if workers < 1:
        raise ValueError(f"workers must be at least 1, got {workers}")
    study = read_study(folder)
    facts = _all_facts(study, workers, progress)
    rows, unknown = verdicts_in(study.folder) if not facts or study.layout in PUBLISHED else ([], [])
    read = [(file, known) for file, known in facts.items() if isinstance(known, ClipFacts)]
    same = same_bytes((file, known.sha256) for file, known in read)
    near: list[list[str]] = []
    for token in sorted({clip.scene for clip in study.clips}):
        files = {clip.file for clip in study.clips if clip.scene == token}
        near += alike([(file, known) for file, known in read if file in files])
    level = LEVEL / max(1, len(study.cells))
    cells = tuple(_cell(clips, facts, margin, level, seed) for clips in study.cells.values())
    extra = (*study.unmatched, *unknown)
    findings = [*strays(extra), *verdicts_there(rows, bool(facts))]
    findings += [*copies(same, "duplicates"), *copies(near, "near_duplicates")]
    for cell, clips in zip(cells, study.cells.values(), strict=True):
        findings += cell_findings(clips, facts, cell.seeds, duration_s=duration_of(cell.scene))
    for model in sorted({clip.model for clip in study.clips}):
        card, own = study.cards.get(model), [clip for clip in study.clips if clip.model == model]
        findings += [*other_prompts(model, own, card), *not_recorded(model, card)]
    return Validation(
        folder=study.folder,
        margin=margin,
        cells=cells,
        findings=tuple(findings),
        study=study,
        facts=facts,
        extra=extra,
        duplicates=tuple(map(tuple, same)),
        near_duplicates=tuple(map(tuple, near)),
        verdicts=Counter((row.model, row.scene) for row in rows),
    )


def _all_facts(study: Study, workers: int, progress: Progress | None) -> dict[str, ClipFacts | Unreadable]:
    found = [(clip.file, clip.scene) for clip in study.clips if clip.file is not None]
    sources = {token: _source(token) for token in sorted({token for _, token in found})}
    facts = {}
    with ThreadPoolExecutor(max_workers=workers) as pool:
        jobs = [(file, pool.submit(clip_facts, study.folder / file, sources[token])) for file, token in found]
        for done, (file, job) in enumerate(jobs, start=1):
            facts[file] = job.result()
            if progress is not None:
                progress(done, len(jobs))
    return facts


def _source(token: str) -> np.ndarray | None:
    """(H, W, 3) source picture of a scene token; None if there is none, as for a scene of the user's own."""
    import cv2

    try:
        picture = cv2.imread(str(scenes.source_image(token)))
    except QuincunxError:
        return None
    return None if picture is None else np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2RGB))


def _cell(clips: Sequence[Clip], facts: Facts, margin: float, level: float, seed: int) -> CheckedCell:
    read = [f for clip in clips if clip.file is not None and isinstance(f := facts[clip.file], ClipFacts)]
    distinct = len({f.sha256 for f in read})
    wanted = _wanted(clips[0].scene, margin, level, seed)
    return CheckedCell(
        model=clips[0].model,
        scene=clips[0].scene,
        requested=len(clips),
        found=sum(clip.file is not None for clip in clips),
        readable=len(read),
        distinct=distinct,
        seeds=seeds_recorded(clips),
        sizes=dict(Counter(map(size_name, read))),
        frame_rates=dict(Counter(map(rate_name, read))),
        shown_s=(round(min(f.shown_s for f in read), 3), round(max(f.shown_s for f in read), 3)) if read else None,
        clips_for_margin=wanted,
        more=None if wanted is None else max(0, wanted - distinct),
    )


def _wanted(token: str, margin: float, level: float, seed: int) -> int | None:
    try:
        reference = scenes.reference(token)
    except QuincunxError:
        return None
    baseline = Baseline.sample([reference.counts[outcome] for outcome in reference.outcomes])
    return clips_to_prove(baseline, margin=margin, power=POWER, level=level, seed=seed)
