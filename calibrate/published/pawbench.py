"""What does PAWBench say of a table of rows, by its own rules?

References:
    PAWBench, arXiv 2608.27345 v3 and its repository: TVD, coverage, the gate of 30 nulls, groups, blocking, SPR.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from calibrate.json_lines import json_lines
from sim import InputError

from .pawbench_mended import mended_model, with_findings

MOST_NULLS = 30
"""A scene with more nulls fails and has no metric."""
TRACKS = ("calibration", "coverage")


@dataclass(frozen=True, kw_only=True)
class PawScene:
    """One row of scenes.jsonl."""

    scene_id: str
    track: str
    group: str
    """The track's name if the row gives none."""
    labels: tuple[str, ...]
    reference: Mapping[str, float] | None
    """Label -> probability on the calibration track; None on the coverage track."""


@dataclass(frozen=True, kw_only=True)
class SceneMetric:
    """One scene and one model."""

    status: str
    """`pass`, `fail` (too many nulls) or `blocked` (an infrastructure failure)."""
    metric: float | None
    """100 x total variation, or percent of the labels seen; None unless it passed."""
    counts: Mapping[str, int]
    nulls: int
    infrastructure_failures: int


def scene_metric(scene: PawScene, rows: Sequence[Mapping[str, Any]]) -> SceneMetric:
    """The published metric of one scene from the rows of all its clips.

    Raises:
        InputError: A clip has two rows, or a label that the scene does not list.
    """
    repeats = [row["repeat_index"] for row in rows]
    if twice := [r for r, n in Counter(repeats).items() if n > 1]:
        raise InputError(f"{scene.scene_id}: repeat {twice[0]} is there twice; each clip has one row")
    counts = dict.fromkeys(scene.labels, 0)
    kinds = Counter(row["observation"] for row in rows)
    for row in rows:
        label = row.get("outcome_label")
        if row["observation"] != "outcome":
            continue
        if label not in counts:
            raise InputError(f"{scene.scene_id}: {label!r} is no label of the scene; they are {', '.join(counts)}")
        counts[label] += 1
    nulls, failures, n = kinds["null_observation"], kinds["infrastructure_failure"], sum(counts.values())
    status = "blocked" if failures else "fail" if nulls > MOST_NULLS or n == 0 else "pass"
    metric = _metric(scene, counts, n) if status == "pass" else None
    return SceneMetric(status=status, metric=metric, counts=counts, nulls=nulls, infrastructure_failures=failures)


def _metric(scene: PawScene, counts: Mapping[str, int], n: int) -> float:
    if scene.reference is None:
        return round(100 * sum(c > 0 for c in counts.values()) / len(counts), 12)
    q = scene.reference
    return round(50 * math.fsum(abs(c / n - q.get(label, 0.0)) for label, c in counts.items()), 12)


def replicate(rows: Path | str, scenes: Path | str) -> dict[str, Any]:
    """Every track, model, group and scene by the published rules; a track lists its own scenes.

    The published code insists on 25 scenes a track and 50 clips a scene. Here any number is taken, and each model says
    in `complete` whether it has the published numbers; scenes without a row are listed in `missing`. `mended` is
    not theirs, see calibrate.published.pawbench_mended.

    Args:
        rows: rows.jsonl of an evaluation.
        scenes: scenes.jsonl of the package.

    Raises:
        InputError: A file cannot be read or contradicts itself.
    """
    known = {scene.scene_id: scene for scene in read_scenes(Path(scenes))}
    cells: dict[tuple[str, str], dict[str, list[dict[str, Any]]]] = {}
    for row in read_rows(Path(rows), known):
        track = known[row["scene_id"]].track
        cells.setdefault((track, row["model_or_lane"]), {}).setdefault(row["scene_id"], []).append(row)
    tracks: dict[str, Any] = {}
    for (track, model), by_scene in sorted(cells.items()):
        listed = [scene for scene in known.values() if scene.track == track]
        tracks.setdefault(track, {"models": {}})["models"][model] = _model(listed, by_scene)
    with_findings([model["mended"] for track in tracks.values() for model in track["models"].values()])
    return {"tracks": tracks}


def _model(listed: Sequence[PawScene], by_scene: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, Any]:
    metrics = {s.scene_id: scene_metric(s, by_scene[s.scene_id]) for s in listed if s.scene_id in by_scene}
    blocked = [name for name, m in metrics.items() if m.status == "blocked"]
    passing = {name: m.metric for name, m in metrics.items() if m.metric is not None}
    groups: dict[str, float | None] = {}
    for group in dict.fromkeys(scene.group for scene in listed):
        groups[group] = _mean([passing[s.scene_id] for s in listed if s.group == group and s.scene_id in passing])
    missing = [scene.scene_id for scene in listed if scene.scene_id not in by_scene]
    return {
        "status": "blocked" if blocked else "scored",
        "blockers": blocked,
        "track_average": None if blocked else _mean(list(passing.values())),
        "scene_pass_rate": None if blocked else round(100 * len(passing) / len(listed), 12),
        "groups": groups if not blocked else dict.fromkeys(groups),
        "missing": missing,
        "complete": len(listed) == 25 and not missing and all(len(rows) == 50 for rows in by_scene.values()),
        "mended": mended_model(listed, metrics),
        "scenes": {name: {**vars(m), "counts": dict(m.counts)} for name, m in metrics.items()},
    }


def _mean(values: Sequence[float]) -> float | None:
    return round(math.fsum(values) / len(values), 12) if values else None


def read_scenes(path: Path) -> list[PawScene]:
    """The scenes of a package's scenes.jsonl.

    Raises:
        InputError: The file cannot be read, or a row is not a scene.
    """
    scenes: list[PawScene] = []
    for line, row in json_lines(path):
        where = f"{path} line {line}"
        scene = _scene(where, row)
        if any(other.scene_id == scene.scene_id for other in scenes):
            raise InputError(f"{where} gives the scene {scene.scene_id!r} again; remove one")
        scenes.append(scene)
    if not scenes:
        raise InputError(f"{path} lists no scene; give the scenes.jsonl of a PAWBench package")
    return scenes


def _scene(where: str, row: Mapping[str, Any]) -> PawScene:
    name, track = row.get("scene_id"), row.get("split")
    labels: Any = row.get("outcome_labels")
    if not isinstance(name, str) or track not in TRACKS:
        raise InputError(f"{where} must give scene_id and a split, calibration or coverage; it gives {track!r}")
    is_list = isinstance(labels, list) and len(labels) > 0 and all(isinstance(label, str) for label in labels)
    if not is_list or len(set(labels)) != len(labels):
        raise InputError(f"{where}: {name} must list different texts as outcome_labels")
    reference = row.get("reference_distribution") if track == "calibration" else None
    if track == "calibration":
        q = list(reference.values()) if isinstance(reference, dict) else []
        numbers = all(type(p) in (int, float) and math.isfinite(p) and p >= 0 for p in q)
        if not numbers or abs(math.fsum(q) - 1) > 1e-9 or not set(reference or ()) <= set(labels):
            raise InputError(f"{where}: reference_distribution of {name} must give its labels numbers that sum to 1")
    group = row.get("group")
    return PawScene(
        scene_id=name,
        track=str(track),
        group=group if isinstance(group, str) and group else str(track),
        labels=tuple(labels),
        reference=reference,
    )


def read_rows(path: Path, known: Mapping[str, PawScene]) -> list[dict[str, Any]]:
    """The rows of an evaluation's rows.jsonl.

    Raises:
        InputError: The file cannot be read, or a row lacks a field or names no scene.
    """
    states = ("outcome", "null_observation", "infrastructure_failure")
    rows = []
    for line, row in json_lines(path):
        where = f"{path} line {line}"
        if row.get("scene_id") not in known:
            raise InputError(
                f"{where}: no scene is called {row.get('scene_id')!r}; give the scenes.jsonl it was run on"
            )
        if not isinstance(row.get("model_or_lane"), str) or type(row.get("repeat_index")) is not int:
            raise InputError(f"{where} must give model_or_lane and a whole repeat_index")
        if row.get("observation") not in states:
            raise InputError(f"{where}: observation must be one of {', '.join(states)}, got {row.get('observation')!r}")
        rows.append(row)
    return rows
