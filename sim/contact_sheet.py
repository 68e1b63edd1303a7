"""What can happen in a scene, on one picture?"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from .errors import EngineError
from .film import Film, draw_films
from .render import Studio
from .rollout import simulate
from .scene import Scene

_LOOKED_AT, _AT_ONCE = 384, 24
"""Rollouts searched for one of each outcome, and how many are simulated together."""
_GAP_PX = 6


def one_of_each(scene: Scene, variant: str | None = None, *, seed: int = 0, n_rows: int = 6) -> list[int]:
    """Indices of up to `n_rows` rollouts with different outcomes, in the order of the outcomes."""
    first: dict[str, int] = {}
    for start in range(0, _LOOKED_AT, _AT_ONCE):
        for rollout in simulate(scene, variant=variant, seed=seed, indices=range(start, start + _AT_ONCE)):
            if rollout.outcome is not None:
                first.setdefault(rollout.outcome, rollout.index)
        if len(first) == len(scene.outcomes):
            break
    return [first[outcome] for outcome in scene.outcomes if outcome in first][:n_rows]


def contact_sheet(
    scene: Scene,
    variant: str | None = None,
    *,
    seed: int = 0,
    indices: Sequence[int] | None = None,
    n_columns: int = 6,
    size_px: tuple[int, int] = (180, 312),
    progress: Callable[[int, int], None] | None = None,
) -> np.ndarray:
    """(H, W, 3) uint8 sheet: a row for each rollout with its outcome, the start on the left, the end on the right.

    Args:
        scene: The scene.
        variant: Name of a variant, or None for the base scene.
        seed: Seed of the rollouts.
        indices: Which rollouts; one of each outcome, up to six, if None.
        n_columns: How many moments, at least 2.
        size_px: Height and width of each picture.
        progress: Called after each row.

    Raises:
        ValueError: `n_columns` is below 2, or `indices` is empty.
        EngineError: None of many rollouts has an outcome.
        PrerequisiteError: No OpenGL can draw here.
    """
    if n_columns < 2:
        raise ValueError(f"n_columns must be at least 2, got {n_columns}")
    if indices is not None and not len(indices):
        raise ValueError("indices must name at least one rollout, got none")
    shown = one_of_each(scene, variant, seed=seed) if indices is None else list(indices)
    if not shown:
        raise EngineError(f"{scene.token(variant)}, seed {seed}: no outcome in {_LOOKED_AT} rollouts, nothing to show")
    times_s = np.linspace(0.0, scene.duration_s, n_columns)
    rows = []
    with Studio(scene, variant=variant, size_px=size_px, quality="fine") as studio:
        for film in draw_films(studio, seed=seed, indices=shown, times_s=times_s):
            rows.append(_strip(film, times_s))
            if progress is not None:
                progress(len(rows), len(shown))
    return np.concatenate(rows, axis=0)


def _strip(film: Film, times_s: np.ndarray) -> np.ndarray:
    """(H, W, 3) row of a contact sheet: label, frames, and the time under each."""
    import cv2

    height, width = film.frames.shape[1:3]
    label, foot = max(110, width // 2), 22
    total = label + len(film.frames) * (width + _GAP_PX)
    strip = np.full((height + foot, total, 3), 255, dtype=np.uint8)
    face, thin, ink = cv2.FONT_HERSHEY_SIMPLEX, cv2.LINE_AA, (20, 20, 20)
    cv2.putText(strip, film.outcome or film.null or f"failed: {film.failed}", (6, height // 2), face, 0.5, ink, 1, thin)
    cv2.putText(strip, f"index {film.index}", (6, height // 2 + 20), face, 0.4, (110, 110, 110), 1, thin)
    for t, (frame, time_s) in enumerate(zip(film.frames, times_s, strict=True)):
        left = label + t * (width + _GAP_PX)
        strip[:height, left : left + width] = frame
        cv2.putText(strip, f"{time_s:.2f} s", (left, height + 15), face, 0.4, (110, 110, 110), 1, thin)
    return strip
