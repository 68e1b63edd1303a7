"""What can be said of one clip before any judge looks at it, and which clips are the same film?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from judge.intake import Unreadable, read

from .first_frame import Drift, drift
from .verdict_log import content_hash

ALIKE_LEVELS = 10
"""Two clips are near duplicates if no block of any of their small pictures differs by as many of 256 levels. Measured
on H.264: the same film encoded again at quality 32 or at half the size differs by 4 to 10, two rollouts by 13 to 200;
only pencils that fall alike in truth differ by less."""
_N_LOOKS, _SMALL_PX = 8, 24
_SIDE_PX = 320


@dataclass(frozen=True, kw_only=True)
class ClipFacts:
    """What a readable clip is."""

    sha256: str
    size_px: tuple[int, int]
    """Height and width as displayed."""
    n_frames: int
    shown_s: float
    """How long it lasts, its last frame included."""
    small: np.ndarray
    """(8, 24, 24) int16 brightness of eight frames, evenly spread from the first to the last."""
    notes: tuple[str, ...]
    """What is out of the ordinary in its pixels, as high dynamic range."""
    drift: Drift | None
    """How far its first frame is from the source picture; None if there is no picture."""

    @property
    def fps(self) -> float:
        """Mean frame rate."""
        return self.n_frames / self.shown_s


def clip_facts(path: Path, source: np.ndarray | None) -> ClipFacts | Unreadable:
    """The facts of a clip, or why it cannot be read.

    Args:
        path: The file.
        source: (H, W, 3) uint8 source picture of its scene; None if there is none.
    """
    import cv2

    clip = read(path, lambda duration_s: np.linspace(0, duration_s, _N_LOOKS), side_px=_SIDE_PX)
    if isinstance(clip, Unreadable):
        return clip
    size = (_SMALL_PX, _SMALL_PX)
    grey = [cv2.cvtColor(frame, cv2.COLOR_RGB2GRAY) for frame in clip.frames]
    return ClipFacts(
        sha256=content_hash(path),
        size_px=clip.size_px,
        n_frames=clip.n_frames,
        shown_s=clip.duration_s * clip.n_frames / (clip.n_frames - 1),
        small=np.stack([cv2.resize(g, size, interpolation=cv2.INTER_AREA) for g in grey]).astype(np.int16),
        notes=clip.notes,
        drift=None if source is None else drift(clip.frames[0], source),
    )


def same_bytes(hashes: Iterable[tuple[str, str]]) -> list[list[str]]:
    """Groups of two and more files, from pairs (file, hash of its bytes)."""
    groups: dict[str, list[str]] = {}
    for file, sha256 in hashes:
        groups.setdefault(sha256, []).append(file)
    return [files for files in groups.values() if len(files) > 1]


def alike(clips: Sequence[tuple[str, ClipFacts]]) -> list[list[str]]:
    """Groups of two and more files that show the same film in different bytes.

    Args:
        clips: Files of one scene with their facts; of files with the same bytes only the first is compared.
    """
    from scipy.sparse.csgraph import connected_components

    distinct = list({facts.sha256: (file, facts) for file, facts in reversed(clips)}.values())[::-1]
    if len(distinct) < 2:
        return []
    small = np.stack([facts.small for _, facts in distinct])
    near = np.stack([np.abs(small - one).max(axis=(1, 2, 3)) < ALIKE_LEVELS for one in small])
    n_groups, group_of = connected_components(near, directed=False)
    groups = [[file for (file, _), g in zip(distinct, group_of, strict=True) if g == k] for k in range(n_groups)]
    return [files for files in groups if len(files) > 1]
