"""What does the network learn from one clip: what it sees, and what is true of it?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace

import numpy as np

from .views import CLOSE_PX, N_FRAMES, Box, around, close_look, glance_and_last

STATES = ("sound", "no_motion", "not_settled", "object_lost", "several_objects")
"""State of a clip: it has an outcome, or the null reason."""
FOREIGN = -1
"""State of a clip that shows nothing of the scene asked for; no network learns it."""
CLOSE_STORED_PX = 96
"""Side of the stored close look: half as much again as the network sees, so that training can shift and scale it."""
STORED_PER_SEEN = CLOSE_STORED_PX / CLOSE_PX
N_CORNERS = 8
"""Corners of the scene's bounds."""
NOWHERE = (np.nan, np.nan, np.nan)


def _unseen() -> np.ndarray:
    return np.full((N_FRAMES - 1, 2), np.nan)


@dataclass(frozen=True, kw_only=True)
class Truth:
    """What the simulator knows of one clip."""

    state: int
    """Position in STATES, or FOREIGN."""
    outcome: int
    """Position in the scene's outcomes; -1 for a null."""
    where: tuple[float, float, float]
    """Column, row and diameter of the main body in the last frame, in shares (see views.Box); nan if not seen."""
    fault: str
    """Name of the staged fault, `` for none."""
    twin: tuple[float, float, float] = NOWHERE
    """The same for a second copy of the main body."""
    at: tuple[float, float, float] = NOWHERE
    """Where the main body is in the scene's bounds, from -1 to 1 along x, y and z; nan if not seen."""
    corners: tuple[tuple[float, float], ...] = ((np.nan, np.nan),) * N_CORNERS
    """Column and row of the corners of the scene's bounds in the last frame, in shares; nan if unknown."""
    path: np.ndarray = field(default_factory=_unseen)
    """(7, 2) column and row of the main body in the frames before the last, in shares; nan where it is not seen."""
    twin_path: np.ndarray = field(default_factory=_unseen)
    """(7, 2) the same for a second copy."""
    up: tuple[float, float, float] = NOWHERE
    """Which way up is in the main body's own frame at the end, a unit vector; nan if it cannot be seen."""


@dataclass(frozen=True, kw_only=True)
class Clip:
    """One clip at the eight moments that the judge looks at, with its truth."""

    frames: np.ndarray
    """(8, H, W, 3) uint8."""
    truth: Truth
    box: Box
    """Where training looks closely."""
    codec: str = "none"
    """What compressed it (see lens.Filmed)."""
    fps: float | None = None
    """Frames a second; None if it has none of its own."""

    @property
    def size_px(self) -> tuple[int, int]:
        """Height and width."""
        height, width = self.frames.shape[1:3]
        return int(height), int(width)


@dataclass(frozen=True, kw_only=True)
class Lessons:
    """N clips as the network sees them, with their truth."""

    glance: np.ndarray
    """(N, 7, 80, 80, 3) uint8."""
    last: np.ndarray
    """(N, 176, 176, 3) uint8."""
    close: np.ndarray
    """(N, 2, 96, 96, 3) uint8."""
    where: np.ndarray
    """(N, 3) float32; this and the next six as in Truth."""
    twin: np.ndarray
    """(N, 3) float32."""
    at: np.ndarray
    """(N, 3) float32."""
    corners: np.ndarray
    """(N, 8, 2) float32."""
    path: np.ndarray
    """(N, 7, 2) float32."""
    twin_path: np.ndarray
    """(N, 7, 2) float32."""
    up: np.ndarray
    """(N, 3) float32."""
    state: np.ndarray
    """(N,) int64."""
    outcome: np.ndarray
    """(N,) int64."""
    fault: np.ndarray
    """(N,) names."""

    @property
    def rest(self) -> np.ndarray:
        """(N,) float32: 1 where the object lies still at the end, 0 where it is on its way, nan where unknown."""
        return rest_of(self.state, self.fault)

    def __len__(self) -> int:
        """Number of clips."""
        return len(self.state)

    @staticmethod
    def of(clips: Iterable[Clip]) -> Lessons:
        """The lessons that the clips hold."""
        seen, close, truths = [], [], []
        for clip in clips:
            wide = replace(clip.box, side=clip.box.side * STORED_PER_SEEN)
            seen.append(glance_and_last(clip.frames))
            close.append(close_look(clip.frames, wide, side_px=CLOSE_STORED_PX))
            truths.append(clip.truth)
        return Lessons(
            glance=np.stack([glance for glance, _ in seen]),
            last=np.stack([last for _, last in seen]),
            close=np.stack(close),
            where=np.array([t.where for t in truths], dtype=np.float32),
            twin=np.array([t.twin for t in truths], dtype=np.float32),
            at=np.array([t.at for t in truths], dtype=np.float32),
            corners=np.array([t.corners for t in truths], dtype=np.float32),
            path=np.array([t.path for t in truths], dtype=np.float32),
            twin_path=np.array([t.twin_path for t in truths], dtype=np.float32),
            up=np.array([t.up for t in truths], dtype=np.float32),
            state=np.array([t.state for t in truths], dtype=np.int64),
            outcome=np.array([t.outcome for t in truths], dtype=np.int64),
            fault=np.array([t.fault for t in truths], dtype="U24"),
        )

    def arrays(self) -> dict[str, np.ndarray]:
        """Field -> array, as stored in a shard."""
        return {part.name: getattr(self, part.name) for part in fields(self)}


def rest_of(state: np.ndarray, fault: np.ndarray) -> np.ndarray:
    """(N,) float32 as in `Lessons.rest`, from states and names of faults."""
    moving = np.where(np.isin(fault, ("frozen", "cut")), 0.0, np.nan)
    return np.where(state == STATES.index("sound"), 1.0, moving).astype(np.float32)


def close_box(where: tuple[float, float, float], rng: np.random.Generator) -> Box:
    """Where to look closely: at the object if it is seen, else anywhere."""
    if np.isfinite(where[0]):
        return around(*where)
    column, row = rng.uniform(0.15, 0.85, 2)
    return around(float(column), float(row), float(np.exp(rng.uniform(np.log(0.06), np.log(0.4)))))
