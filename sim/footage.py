"""What does a scene look like: its source image, its contact sheet, and clips whose outcome is known?"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .clip import check_clip_size, frame_times_s, whole_file, write_clip
from .errors import EngineError
from .render import Studio, Track
from .rollout import simulate
from .scene import Look, Scene
from .start import start_track
from .visual_model import Quality

SIZE_PX = (704, 1280)
"""Height and width of a source image, the 720p of image-to-video models."""
CLIP_PX = (480, 832)
"""Height and width of a clip."""
MODEL = "simulator"
"""Name under which clips of our own stand in a study."""
_LOOKED_AT, _AT_ONCE = 384, 24
"""Rollouts searched for one of each outcome, and how many are simulated together."""
_GAP_PX = 6

Progress = Callable[[int, int], None]
"""Called with how many are done, of how many."""


@dataclass(frozen=True, kw_only=True)
class Film:
    """A rendered rollout and what came of it: exactly one of `outcome`, `null` and `failed` is set."""

    index: int
    outcome: str | None
    null: str | None
    """Reason for which it has no outcome."""
    failed: str | None
    """What went wrong with the rollout; its frames show what could be trusted, then stand still."""
    frames: np.ndarray
    """(T, H, W, 3) uint8."""


def source_image(
    scene: Scene,
    variant: str | None = None,
    *,
    seed: int = 0,
    size_px: tuple[int, int] = SIZE_PX,
    look: Look | None = None,
) -> np.ndarray:
    """(H, W, 3) uint8 picture of the start, which no hidden factor changes by a pixel.

    Args:
        scene: The scene.
        variant: Name of a variant, or None for the base scene.
        seed: Seed of the rollout whose start is drawn.
        size_px: Height and width.
        look: Light and background; the scene's (or the variant's) own if None.

    Raises:
        PrerequisiteError: No OpenGL can draw here.
    """
    with Studio(scene, variant=variant, size_px=size_px, quality="fine") as studio:
        return np.asarray(studio.frames(start_track(scene, variant=variant, seed=seed), look=look)[0])


def films(
    scene: Scene,
    variant: str | None = None,
    *,
    seed: int,
    indices: Sequence[int],
    size_px: tuple[int, int] = CLIP_PX,
    fps: float = 24.0,
    quality: Quality = "fast",
    look: Look | None = None,
    engine: str = "mujoco",
) -> Iterator[Film]:
    """The rollouts of the given indices, in their order, drawn from the start to `scene.duration_s`.

    The renderer is open until the last film is taken; leave the iterator with `close()` to free it earlier.

    Args:
        scene: The scene.
        variant: Name of a variant, or None for the base scene.
        seed: Seed of the rollouts.
        indices: Their indices.
        size_px: Height and width.
        fps: Frames a second.
        quality: `fast` or `fine`.
        look: Light and background; the scene's (or the variant's) own if None.
        engine: `mujoco` or `bullet`.

    Raises:
        PrerequisiteError: No OpenGL can draw here.
    """
    times_s = frame_times_s(scene.duration_s, fps)
    with Studio(scene, variant=variant, size_px=size_px, quality=quality) as studio:
        yield from _films(studio, seed=seed, indices=indices, times_s=times_s, look=look, engine=engine)


def _films(
    studio: Studio,
    *,
    seed: int,
    indices: Sequence[int],
    times_s: np.ndarray,
    look: Look | None = None,
    engine: str = "mujoco",
) -> Iterator[Film]:
    rollouts = simulate(
        studio.scene,
        variant=studio.variant,
        seed=seed,
        indices=indices,
        full=True,
        keep_trajectory=True,
        engine=engine,
    )
    for rollout in rollouts:
        if rollout.trajectory is None:
            raise EngineError(f"{studio.scene.name}, seed {seed}, index {rollout.index}: nothing was recorded")
        yield Film(
            index=rollout.index,
            outcome=rollout.outcome,
            null=rollout.null,
            failed=rollout.failed,
            frames=studio.frames(Track.of(rollout.trajectory, times_s), look=look),
        )


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
    progress: Progress | None = None,
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
        for film in _films(studio, seed=seed, indices=shown, times_s=times_s):
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


def png(picture: np.ndarray) -> bytes:
    """The picture (H, W, 3) uint8 as the bytes of a PNG file."""
    import cv2

    done, data = cv2.imencode(".png", cv2.cvtColor(picture, cv2.COLOR_RGB2BGR))
    if not done:
        raise ValueError(f"picture must be uint8 (H, W, 3), got {picture.dtype} {picture.shape}")
    return bytes(data.tobytes())


def write_picture(path: Path, picture: np.ndarray) -> None:
    """Writes a picture (H, W, 3) uint8 as a PNG file, whole or not at all; its folder is made if need be.

    Raises:
        InputError: The file cannot be written.
    """
    with whole_file(path) as part:
        part.write_bytes(png(picture))


def labelled_clips(
    scene: Scene,
    variant: str | None = None,
    *,
    seed: int,
    indices: Sequence[int],
    out: Path,
    size_px: tuple[int, int] = CLIP_PX,
    fps: float = 24.0,
    quality: Quality = "fast",
    look: Look | None = None,
    engine: str = "mujoco",
    model: str = MODEL,
    progress: Progress | None = None,
) -> list[Path]:
    """Writes the rollouts as `<model>/<scene token>/<index>.mp4` and their outcomes as `<scene token>.csv`.

    The folder is a study, and the table is what `score --verdicts` reads. A failed rollout has a row and no clip.

    Args:
        scene: The scene.
        variant: Name of a variant, or None for the base scene.
        seed: Seed of the rollouts.
        indices: Their indices.
        out: The study's folder; made if need be.
        size_px: Height and width, both even.
        fps: Frames a second.
        quality: `fast` or `fine`.
        look: Light and background; the scene's (or the variant's) own if None.
        engine: `mujoco` or `bullet`.
        model: Name of the model in the study.
        progress: Called after each clip.

    Returns:
        The clips, then the table.

    Raises:
        InputError: A side of `size_px` is odd, or a file cannot be written.
        PrerequisiteError: No OpenGL can draw here.
    """
    token = scene.token(variant)
    check_clip_size(*size_px)
    written, done = [], 0
    table = io.StringIO(newline="")
    rows = csv.writer(table, lineterminator="\n")
    rows.writerow(("model", "scene", "file", "outcome", "reason", "detail"))
    taken = films(
        scene,
        variant,
        seed=seed,
        indices=indices,
        size_px=size_px,
        fps=fps,
        quality=quality,
        look=look,
        engine=engine,
    )
    for film in taken:
        file = f"{model}/{token}/{film.index}.mp4"
        if film.failed is None:
            write_clip(out / file, film.frames, fps=fps)
            written.append(out / file)
        reason = "missing" if film.failed is not None else film.null or ""
        rows.writerow((model, token, file, film.outcome or "", reason, film.failed or ""))
        done += 1
        if progress is not None:
            progress(done, len(indices))
    with whole_file(out / f"{token}.csv") as part:
        part.write_text(table.getvalue())
    return [*written, out / f"{token}.csv"]


def write_footage(
    scene: Scene,
    out: Path,
    *,
    variant: str | None = None,
    seed: int,
    n: int,
    size_px: tuple[int, int] = CLIP_PX,
    fps: float = 24.0,
    progress: Progress | None = None,
) -> list[Path]:
    """Writes the source image `<scene token>.png` and the labelled clips of rollouts 0 to n - 1.

    Args:
        scene: The scene.
        out: The folder; made if need be.
        variant: Name of a variant, or None for the base scene.
        seed: Seed of the rollouts.
        n: How many clips; 0 for the source image alone.
        size_px: Height and width of all, both even.
        fps: Frames a second.
        progress: Called after each clip.

    Raises:
        ValueError: `n` is negative.
        InputError: A side of `size_px` is odd, or a file cannot be written.
        PrerequisiteError: No OpenGL can draw here.
    """
    if n < 0:
        raise ValueError(f"n must not be negative, got {n}")
    check_clip_size(*size_px)
    picture = out / f"{scene.token(variant)}.png"
    write_picture(picture, source_image(scene, variant, seed=seed, size_px=size_px))
    if not n:
        return [picture]
    clips = labelled_clips(
        scene, variant, seed=seed, indices=range(n), out=out, size_px=size_px, fps=fps, progress=progress
    )
    return [picture, *clips]
