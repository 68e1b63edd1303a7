"""How are the verdicts of a record written as PAWBench's `rows.jsonl`?"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from calibrate.clip_row import ClipRow

from .pawbench import LABELS
from .sorting import tokens_of

_REPEAT = re.compile(r"r(\d{3})(?:\.[^./]+)?")
_CODES = {
    "unreadable": "undecodable_video",
    "judge_error": "malformed_outcome_readout",
    "refused": "generation_refused",
}


def pawbench_rows(clips: Iterable[ClipRow]) -> tuple[str, int]:
    """The lines of `rows.jsonl`, and how many clips are of a scene that PAWBench does not have.

    A file called `rNNN` keeps its repeat; the others get the numbers that are free, in order. What the released format
    has no place for is an infrastructure failure with a code: unreadable, missing and refused clips, judge errors.
    """
    ids: dict[str, str] = {}
    for published, token in tokens_of("pawbench").items():
        ids.setdefault(token, published)
    cells: dict[tuple[str, str], list[ClipRow]] = defaultdict(list)
    left_out = 0
    for clip in clips:
        if clip.scene in ids:
            cells[clip.model, clip.scene].append(clip)
        else:
            left_out += 1
    lines = []
    for (model, token), found in cells.items():
        for repeat, clip in sorted(zip(_repeats(found), found, strict=True), key=lambda pair: pair[0]):
            lines.append(json.dumps(_row(clip, ids[token], model, repeat), ensure_ascii=False, allow_nan=False) + "\n")
    return "".join(lines), left_out


def _repeats(clips: list[ClipRow]) -> list[int]:
    given = [_REPEAT.fullmatch((clip.file or "").rpartition("/")[2]) for clip in clips]
    own = [int(match[1]) if match is not None else None for match in given]
    own = [k if k is not None and own.index(k) == at else None for at, k in enumerate(own)]
    free = (k for k in range(len(clips) + 1000) if k not in own)
    return [k if k is not None else next(free) for k in own]


def _row(clip: ClipRow, scene: str, model: str, repeat: int) -> dict[str, Any]:
    state = {"scored": "outcome", "null": "null_observation"}.get(clip.status, "infrastructure_failure")
    code = _CODES.get(clip.status)
    if clip.status == "missing":
        code = "generation_failed" if clip.reason == "failed" else "missing_video"
    theirs = {ours: label for label, ours in LABELS.items()} if scene in ("A-07", "A-12") else {}
    return {
        "sample_id": f"{model}::{scene}::r{repeat:03d}",
        "scene_id": scene,
        "track": "calibration" if scene.startswith("A") else "coverage",
        "model_or_lane": model,
        "repeat_index": repeat,
        "observation": state,
        "outcome_label": theirs.get(clip.outcome or "", clip.outcome),
        "outcome_readout": None,
        "trustworthiness_audit": None,
        "failure_code": code,
    }
