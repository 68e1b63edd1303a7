"""PAWBench: clips in `<scene id>/rNNN.mp4`; verdicts in `rows.jsonl`; a package's `scenes.jsonl` lists the scenes.

Repeats are numbered from 000, so a number that is lacking before the highest one is a missing clip. Where the package
lists labels that a scene here does not have, its clips are not scored.

References:
    PAWBench, arXiv 2608.27345 v3 and github.com/Andrew0613/PAWBench.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import scenes
from calibrate.clip_row import ClipRow
from calibrate.json_lines import json_lines
from calibrate.published.pawbench import read_scenes
from calibrate.study_clip import Clip, near
from calibrate.study_files import Unmatched, is_inside, is_regular
from sim import InputError

from .sorting import Sorted, holes, model_of, tokens_of

SCENES = "scenes.jsonl"
"""A package's list of scenes."""
ROWS = "rows.jsonl"
"""Verdicts of an evaluation."""
MOST_REPEATS = 1000
_ID = re.compile(r"(A-?|B[ACMS]-)\d\d(-[A-Z]?\d+)?")
_ROLLOUT = re.compile(r"r(\d{3})")
_SUFFIXES = (".mp4", ".mov", ".webm", ".avi")
_NOT_MODELS = frozenset(("rollouts", "videos", "clips", "outputs", "data"))
LABELS = {"left_path": "left", "right_path": "right"}
"""Labels that have another name here, of the Y tracks A-07 and A-12."""
_REFUSED = ("generation_refused",)
_MISSING = ("missing_video", "missing_video_path", "media_missing", "generation_failed", "generation_timeout")
_UNREADABLE = ("undecodable_video", "undecodable_media", "media_corrupt", "media_undecodable")


def pawbench(root: Path, files: Sequence[str], own: str) -> Sorted:
    """The files that are of this layout."""
    tokens, refused = tokens_of("pawbench"), _other_labels(root)
    by_cell: dict[tuple[str, str], dict[int, str]] = {}
    unmatched: list[Unmatched] = []
    for file in files:
        *parts, name = file.split("/")
        rollout = _ROLLOUT.fullmatch(Path(name).stem)
        if not parts or rollout is None or Path(name).suffix.lower() not in _SUFFIXES:
            continue
        scene, repeat = parts[-1], int(rollout[1])
        if scene not in tokens and _ID.fullmatch(scene) is None:
            continue
        by_repeat = by_cell.setdefault((model_of(parts[:-1], own, not_names=_NOT_MODELS), scene), {})
        if scene not in tokens:
            why = f"PAWBench's {scene} has no scene here"
            unmatched.append(Unmatched(file=file, why=why, nearest=near(scene, tokens)))
        elif scene in refused:
            unmatched.append(Unmatched(file=file, why=refused[scene]))
        elif repeat in by_repeat:
            unmatched.append(Unmatched(file=file, why=f"the same rollout as {by_repeat[repeat]}; remove one"))
        else:
            by_repeat[repeat] = file
    clips = []
    for (model, scene), by_repeat in by_cell.items():
        clips += [Clip(model=model, scene=tokens[scene], file=file, status="found") for file in by_repeat.values()]
        for repeat in holes(by_repeat, MOST_REPEATS):
            gone: dict[str, Any] = {"model": model, "file": None, "status": "missing", "detail": "no_file"}
            clips.append(Clip(**gone, scene=tokens[scene], asked_file=f"{scene}/r{repeat:03d}"))
    return Sorted(clips=clips, unmatched=unmatched)


def _other_labels(root: Path) -> dict[str, str]:
    """Scene id -> why it cannot be scored, from the package's list of scenes if there is one."""
    path = root / SCENES
    if not is_regular(path):
        return {}
    if not is_inside(path, root):
        raise InputError(f"{path} is a link that leads outside the folder; copy the file there")
    tokens, refused = tokens_of("pawbench"), {}
    for scene in read_scenes(path):
        if scene.scene_id in tokens:
            ours = scenes.parse_token(tokens[scene.scene_id])[0].outcomes
            if {LABELS.get(label, label) for label in scene.labels} != set(ours):
                theirs = ", ".join(scene.labels)
                why = f"{SCENES} gives {scene.scene_id} the labels {theirs}; {tokens[scene.scene_id]} has others"
                refused[scene.scene_id] = why
    return refused


def read_rows(root: Path, files: Sequence[str], digest: str) -> tuple[list[ClipRow], list[Unmatched]]:
    """The rows of the tables of verdicts (paths in `root`), and those that are of no scene here.

    Raises:
        InputError: A table cannot be read, or a row lacks a field, gives a clip again or has an unknown label.
    """
    tokens = tokens_of("pawbench")
    rows: list[ClipRow] = []
    unmatched: list[Unmatched] = []
    seen: dict[tuple[str, str, int], str] = {}
    for file in files:
        for line, row in json_lines(root / file):
            where = f"{root / file} line {line}"
            model, scene, repeat = row.get("model_or_lane"), row.get("scene_id"), row.get("repeat_index")
            if not isinstance(model, str) or not model or not isinstance(scene, str) or type(repeat) is not int:
                raise InputError(f"{where} must give model_or_lane, scene_id and a whole repeat_index")
            if (model, scene, repeat) in seen:
                first = seen[model, scene, repeat]
                raise InputError(f"{where} gives {model} / {scene} / {repeat} again (first: {first}); remove one")
            seen[model, scene, repeat] = where
            name = f"{scene}/r{repeat:03d}"
            if scene not in tokens:
                why = f"PAWBench's {scene} has no scene here"
                unmatched.append(Unmatched(file=f"{model}/{name}", why=why, nearest=near(scene, tokens)))
            else:
                rows.append(_row(row, model, tokens[scene], name, where, digest))
    return rows, unmatched


def _row(row: Mapping[str, Any], model: str, token: str, name: str, where: str, digest: str) -> ClipRow:
    place: dict[str, Any] = {"model": model, "scene": token}
    state, label = row.get("observation"), row.get("outcome_label")
    if state == "outcome":
        ours = scenes.parse_token(token)[0].outcomes
        outcome = LABELS.get(str(label), str(label))
        if outcome not in ours:
            raise InputError(f"{where}: {str(label)[:60]!r} is no outcome of {token}; they are {', '.join(ours)}")
        return ClipRow(**place, file=name, status="scored", outcome=outcome, judge=digest)
    if state == "null_observation":
        return ClipRow(**place, file=name, status="null", judge=digest)
    if state != "infrastructure_failure":
        known = "outcome, null_observation, infrastructure_failure"
        raise InputError(f"{where}: observation must be one of {known}, got {str(state)[:60]!r}")
    code = str(row.get("failure_code"))[:200]
    if code in _REFUSED:
        return ClipRow(**place, file=None, status="refused")
    if code in _MISSING:
        return ClipRow(**place, file=None, status="missing", reason="failed" if "generation" in code else "no_file")
    if code in _UNREADABLE:
        return ClipRow(**place, file=name, status="unreadable", reason="damaged", detail=code, judge=digest)
    return ClipRow(**place, file=name, status="judge_error", detail=code, judge=digest)
