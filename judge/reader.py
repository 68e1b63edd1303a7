"""How does the network read the frames of a clip, twice: first where to look, then what is there?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .views import CLOSE_PX, around, close_look, glance_and_last

if TYPE_CHECKING:
    from torch import Tensor

    from .network import Network


@dataclass(frozen=True, kw_only=True)
class Reading:
    """Logits of one clip."""

    state: np.ndarray
    """(5,) logits of lesson.STATES."""
    outcome: np.ndarray
    """(K,) logits of the scene's outcomes."""
    where: tuple[float, float, float]
    """Column, row and diameter at which the network looked closely, in shares."""


def read_frames(network: Network, frames: np.ndarray, scene: str, n_outcomes: int) -> Reading:
    """What the network says of the eight frames (8, H, W, 3) uint8 of one clip.

    Always one clip at a time and on one thread: its neighbours, their order and the number of CPUs can change nothing.
    """
    import torch

    glance, last = glance_and_last(frames)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with torch.inference_mode():
            few, whole = _tensor(glance), _tensor(last)
            index = torch.tensor([network.scenes.index(scene)])
            found = network.look(few, whole, index)
            column, row, log_diameter = (float(v) for v in found.where[0])
            if not np.isfinite([column, row, log_diameter]).all():
                raise FloatingPointError("the network returned a place that is not a number")
            diameter = float(np.exp(np.clip(log_diameter, -6, 1)))
            close = close_look(frames, around(column, row, diameter), side_px=CLOSE_PX)
            answer = network.judge(_tensor(close), found, index)
    finally:
        torch.set_num_threads(threads)
    return Reading(
        state=answer.state[0].numpy().astype(float),
        outcome=answer.outcome[0, :n_outcomes].numpy().astype(float),
        where=(column, row, diameter),
    )


def _tensor(pictures: np.ndarray) -> Tensor:
    """(..., H, W, 3) -> (1, ..., 3, H, W)."""
    import torch

    return torch.from_numpy(np.ascontiguousarray(pictures))[None].movedim(-1, -3)
