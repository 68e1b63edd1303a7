"""What does a scene look like: its source image, its contact sheet, and clips whose outcome is known?"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from .clip import check_clip_size, whole_file, write_clip
from .contact_sheet import contact_sheet as contact_sheet
from .contact_sheet import one_of_each as one_of_each
from .film import CLIP_PX as CLIP_PX
from .film import Film as Film
from .film import films as films
from .render import Studio
from .scene import Look, Scene
from .start import start_track
from .visual_model import Quality

SIZE_PX = (704, 1280)
"""Height and width of a source image, the 720p of image-to-video models."""
MODEL = "simulator"
"""Name under which clips of our own stand in a study."""

Progress = Callable[[int, int], None]
"""Called with how many are done, of how many."""


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


def png(picture: np.ndarray) -> bytes:
    """The picture (H, W, 3) uint8 as the bytes of a PNG file.

    Raises:
        ValueError: The picture has another shape or type.
    """
    import cv2

    if picture.dtype != np.uint8 or picture.ndim != 3 or picture.shape[2] != 3 or 0 in picture.shape:
        raise ValueError(f"picture must be uint8 (H, W, 3), got {picture.dtype} {picture.shape}")
    return bytes(cv2.imencode(".png", cv2.cvtColor(picture, cv2.COLOR_RGB2BGR))[1].tobytes())


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
