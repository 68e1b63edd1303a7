"""What does each kind of fault look like, and how often does the judge get it right?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from sim import EngineError, Scene
from sim.intervals import clopper_pearson

from .clips import Order, body_sphere, random_source, studio_of
from .fault_library import KINDS, Kind, broken
from .views import look_times

_SIMULATED = 24
_GAP_PX, _LABEL_PX = 4, 330


def _cast(scene: Scene, seed: int, n: int = _SIMULATED) -> list[tuple[str, Any]]:
    """Outcomes and full trajectories of the first rollouts that have an outcome."""
    from sim.rollout import simulate

    done = simulate(scene, seed=seed, indices=range(n), full=True, keep_trajectory=True)
    cast = [(r.outcome, r.trajectory) for r in done if r.outcome is not None and r.trajectory is not None]
    if len(cast) < 2:
        raise EngineError(f"{scene.name}, seed {seed}: {len(cast)} of {n} rollouts have an outcome, 2 are needed")
    return cast


def fault_sheet(
    scene: Scene,
    *,
    seed: int = 0,
    strength: float = 0.6,
    n_columns: int = 6,
    size_px: tuple[int, int] = (136, 236),
    progress: Callable[[int, int], None] | None = None,
) -> np.ndarray:
    """(H, W, 3) uint8 sheet: a row for each kind of fault, the start on the left, the end on the right.

    Args:
        scene: The scene.
        seed: Seed of the rollouts and of the faults.
        strength: From 0 to 1.
        n_columns: How many moments, at least 2.
        size_px: Height and width of each picture.
        progress: Called after each row.

    Raises:
        ValueError: `n_columns` is below 2, or the strength is not between 0 and 1.
        EngineError: Too few rollouts have an outcome.
        PrerequisiteError: No OpenGL can draw here.
    """
    if n_columns < 2:
        raise ValueError(f"n_columns must be at least 2, got {n_columns}")
    rows = []
    for kind, _, frames in _clips(
        scene, seed, 1, lambda s: np.linspace(0, s, n_columns), size_px, strength=lambda rng: strength
    ):
        rows.append(_row(kind, frames))
        if progress is not None:
            progress(len(rows), len(KINDS))
    return np.concatenate(rows, axis=0)


def measured(
    weights: Path, scene: Scene, *, n: int, seed: int = 0, progress: Callable[[int, int], None] | None = None
) -> dict[str, Any]:
    """Kind -> counts of a judge on `n` clips of each kind that can be shown, of random strengths.

    A null is right on a clip that has none, whatever its reason; the rollout's own outcome on one that keeps it.

    Args:
        weights: Weights of the judge.
        scene: A scene that it covers.
        n: Clips of each kind.
        seed: Seed of the rollouts and of the faults.
        progress: Called after each clip.
    """
    from .reader import read_frames
    from .trial import ruling
    from .weights import read_weights

    network, settings = read_weights(weights)
    labels, counts, said = settings.outcomes[scene.name], dict[str, Counter[str]](), dict[str, Counter[str]]()
    clips = _clips(scene, seed, n, look_times, (240, 416), strength=lambda rng: float(rng.uniform()))
    for done, (kind, outcome, frames) in enumerate(clips, start=1):
        reading = read_frames(network, frames, scene.name, len(labels))
        found = ruling(reading.state, reading.outcome, settings.scaling[scene.name], settings.threshold)
        answer = labels[found.outcome] if found.state == "sound" else found.state
        right = found.state != "sound" if kind.reason is not None else answer == outcome
        counts.setdefault(kind.name, Counter())["right" if right else "wrong"] += 1
        said.setdefault(kind.name, Counter())[answer if found.state != "sound" else "an outcome"] += 1
        if progress is not None:
            progress(done, n * len(KINDS))
    return {name: _counted(KINDS[name], row, said[name]) for name, row in counts.items()}


def _counted(kind: Kind, row: Counter[str], said: Counter[str]) -> dict[str, Any]:
    low, high = clopper_pearson(row["right"], row.total())
    told = {"reason": kind.reason, "taught": kind.taught, "n": row.total(), "right": row["right"]}
    return told | {"interval": {"low": low, "high": high}, "said": dict(sorted(said.items()))}


def _clips(
    scene: Scene,
    seed: int,
    n: int,
    look_at: Callable[[float], np.ndarray],
    size_px: tuple[int, int],
    *,
    strength: Callable[[np.random.Generator], float],
) -> Any:
    """Kind, outcome and frames of `n` clips of each kind; of fewer where rollouts cannot show it."""
    from sim.surface import surfaces

    body, cast = body_sphere(surfaces(scene, None)), _cast(scene, seed, max(_SIMULATED, 2 * n))
    order = Order(kind="tray", seed=seed, number=0, n_clips=n)
    with studio_of(scene, order, size_px, "fast") as studio:
        for kind in KINDS.values():
            found = 0
            for k, (outcome, trajectory) in enumerate(cast):
                rng = random_source("library", scene.name, scene.version, seed, kind.name, k)
                frames = broken(
                    kind,
                    scene,
                    studio,
                    trajectory,
                    body=body,
                    look_at=look_at,
                    size_px=size_px,
                    strength=strength(rng),
                    rng=rng,
                    donors=[other for j, (_, other) in enumerate(cast) if j != k],
                )
                if frames is not None:
                    yield kind, outcome, frames
                    found += 1
                if found == n:
                    break


def _row(kind: Kind, frames: np.ndarray) -> np.ndarray:
    """(H, W, 3) row of the sheet."""
    import cv2

    n, height, width = frames.shape[:3]
    row = np.full((height + _GAP_PX, _LABEL_PX + n * (width + _GAP_PX), 3), 255, np.uint8)
    lines = [(kind.name, 0.55), (kind.reason or "keeps its outcome", 0.45), (kind.strength, 0.36)]
    for k, (text, size) in enumerate(lines):
        ink = (20, 20, 20) if k == 0 else (160, 30, 30) if k == 1 and kind.reason else (90, 90, 90)
        cv2.putText(row, text, (6, height // 2 - 14 + 22 * k), cv2.FONT_HERSHEY_SIMPLEX, size, ink, 1, cv2.LINE_AA)
    for t, frame in enumerate(frames):
        left = _LABEL_PX + t * (width + _GAP_PX)
        row[:height, left : left + width] = frame
    return row
