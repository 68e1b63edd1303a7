"""How does training vary the stored clips, so that no step sees the same pictures twice?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .lesson import CLOSE_STORED_PX, N_CORNERS, Lessons
from .shards import Batch
from .views import CLOSE_PX, N_FRAMES

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True, kw_only=True)
class Prepared:
    """One step's lessons, augmented, as tensors."""

    glance: Tensor
    last: Tensor
    close: Tensor
    where: Tensor
    """(N, 2, 3) true column, row and diameter of the object and of a second copy; nan where not seen."""
    corners: Tensor
    """(N, 8, 2) column and row of the corners of the scene's bounds; nan where unknown."""
    path: Tensor
    """(N, 2, 7, 2) column and row of the object and of a second copy in the frames before; nan where not seen."""
    at: Tensor
    """(N, 3) the object's place in the scene's bounds; nan where it is not seen."""
    up: Tensor
    """(N, 3) which way up is in the object's own frame; nan where that cannot be seen."""
    rest: Tensor
    """(N,) 1 where the object lies still at the end, 0 where it is on its way; nan where it may be both."""
    scene: Tensor
    state: Tensor
    outcome: Tensor


def prepare(batch: Batch, rng: np.random.Generator) -> Prepared:
    """The batch, varied, as tensors."""
    import torch

    lessons = batch.lessons
    glance, last, places = reframed(lessons.glance, lessons.last, _places(lessons), rng)
    n, k = len(lessons), 2 + N_CORNERS
    glance, last, close = relit((glance, last, turned(shaken(lessons.close, rng), unposed(lessons.up), rng)), rng)
    return Prepared(
        glance=_channels(glance),
        last=_channels(last),
        close=_channels(close),
        where=torch.from_numpy(places[:, :2]),
        corners=torch.from_numpy(places[:, 2:k, :2]),
        path=torch.from_numpy(places[:, k:, :2].reshape(n, 2, N_FRAMES - 1, 2)),
        at=torch.from_numpy(lessons.at),
        up=torch.from_numpy(lessons.up),
        rest=torch.from_numpy(lessons.rest),
        scene=torch.from_numpy(batch.scene),
        state=torch.from_numpy(lessons.state),
        outcome=torch.from_numpy(lessons.outcome),
    )


def _places(lessons: Lessons) -> np.ndarray:
    """(N, 24, 3) all places that are known: object, second copy, corners, both paths; points have diameter 0."""
    points = np.concatenate([lessons.corners, lessons.path, lessons.twin_path], axis=1)
    points = np.concatenate([points, np.zeros_like(points[..., :1])], axis=2)
    return np.concatenate([lessons.where[:, None], lessons.twin[:, None], points], axis=1)


def _channels(pictures: np.ndarray) -> Tensor:
    """(..., H, W, 3) -> (..., 3, H, W)."""
    import torch

    return torch.from_numpy(pictures).movedim(-1, -3)


def shaken(close: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """(N, T, 64, 64, 3) cut from the stored close looks (N, T, 96, 96, 3), each a little shifted and scaled.

    The place that the network finds is never exact; the reader must not mind.
    """
    import cv2

    n, t = close.shape[:2]
    side = np.clip(CLOSE_PX * np.exp(rng.normal(0, 0.13, n)), 44, CLOSE_STORED_PX)
    room = (CLOSE_STORED_PX - side) / 2
    shift = np.clip(rng.normal(0, 0.07 * CLOSE_PX, (n, 2)), -room[:, None], room[:, None])
    out = np.empty((n, t, CLOSE_PX, CLOSE_PX, 3), np.uint8)
    for k in range(n):
        size = round(float(side[k]))
        x, y = np.round((CLOSE_STORED_PX - size) / 2 + shift[k]).astype(int).clip(0, CLOSE_STORED_PX - size)
        how = cv2.INTER_AREA if size > CLOSE_PX else cv2.INTER_LINEAR
        for j in range(t):
            out[k, j] = cv2.resize(close[k, j, y : y + size, x : x + size], (CLOSE_PX, CLOSE_PX), interpolation=how)
    return out


def relit(pictures: Sequence[np.ndarray], rng: np.random.Generator) -> list[np.ndarray]:
    """The pictures (N, ..., 3) of N clips in other exposure, contrast and white balance, one for each clip."""
    import cv2

    out = [np.empty_like(p) for p in pictures]
    level = np.arange(256)[:, None]
    for k in range(len(pictures[0])):
        gain, lift = rng.uniform(0.8, 1.2) * rng.uniform(0.94, 1.06, 3), rng.uniform(-15, 15)
        table = np.clip(128 + gain * (level - 128) + lift, 0, 255).astype(np.uint8)[:, None]  # (256, 1, 3)
        for new, old in zip(out, pictures, strict=True):
            flat = np.ascontiguousarray(old[k]).reshape(-1, old.shape[-2], 3)
            new[k] = cv2.LUT(flat, np.ascontiguousarray(table)).reshape(old[k].shape)
    return out


def unposed(up: np.ndarray) -> np.ndarray:
    """(N,) whether it says nothing how an object is turned: a ball, or a drawn one. `up` (N, 3) is nan then."""
    return np.asarray(np.isnan(up).all(axis=1))


def turned(close: np.ndarray, may: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The close looks (N, T, S, S, 3), half of those that `may` (N,) mirrored and turned by quarters.

    What lies under a ball is the same any way up, and so are pips seen from above; how a body leans is not.
    """
    out = close.copy()
    for k in range(len(close)):
        if rng.uniform() < 0.5 * may[k]:
            flipped = close[k, :, :, :: int(rng.choice([-1, 1]))]
            out[k] = np.rot90(flipped, int(rng.integers(4)), axes=(1, 2))
    return out


def reframed(
    glance: np.ndarray, last: np.ndarray, places: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The clips with up to a tenth cut off or added at each side, and where their objects then are.

    Cut and added about as often: a clip that the judge is given is neither, and must not lie at the edge of what the
    network has seen (Touvron et al., Fixing the train-test resolution discrepancy, NeurIPS 2019).

    Args:
        glance: (N, 7, 80, 80, 3).
        last: (N, 176, 176, 3).
        places: (N, P, 3) columns, rows and diameters in shares, nan where unknown; the first, the object, is kept.
        rng: Source of the randomness.
    """
    import cv2

    n, small = len(glance), glance.shape[2]
    side, out = last.shape[1], (np.empty_like(glance), np.empty_like(last), places.copy())
    for k in range(n):
        cut = rng.uniform(-0.1, 0.1, 4) * (rng.uniform() < 0.7)  # left, right, top, bottom
        column, row, diameter = places[k, 0]
        if np.isfinite(column):  # the object stays in the picture
            room = np.array([column, 1 - column, row, 1 - row]) - 0.5 * diameter
            cut = np.minimum(cut, np.maximum(room, 0))
        left, right, top, bottom = cut
        share = np.array([1 - left - right, 1 - top - bottom])
        for pictures, target, px in ((glance[k], out[0][k], small), (last[k : k + 1], out[1][k : k + 1], side)):
            matrix = np.array([[1 / share[0], 0, -left * px / share[0]], [0, 1 / share[1], -top * px / share[1]]])
            for j in range(len(pictures)):
                target[j] = cv2.warpAffine(pictures[j], matrix, (px, px), borderMode=cv2.BORDER_REPLICATE)
        out[2][k] = (places[k] - (left, top, 0)) / (share[0], share[1], share[1])
    return out
