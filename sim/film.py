"""How does a rollout become frames whose outcome is known?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from .clip import frame_times_s
from .errors import EngineError
from .render import Studio, Track
from .rollout import simulate
from .scene import Look, Scene
from .visual_model import Quality

CLIP_PX = (480, 832)
"""Height and width of a clip."""


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
        yield from draw_films(studio, seed=seed, indices=indices, times_s=times_s, look=look, engine=engine)


def draw_films(
    studio: Studio,
    *,
    seed: int,
    indices: Sequence[int],
    times_s: np.ndarray,
    look: Look | None = None,
    engine: str = "mujoco",
) -> Iterator[Film]:
    """The rollouts of the given indices, drawn in an open studio at the given times (T,).

    Raises:
        EngineError: A rollout recorded nothing.
    """
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
