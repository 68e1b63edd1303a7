"""What moved between the frames of a clip, and how far, in a few numbers?"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812

from .heat import N_PEAK_FACTS, peak, peaks, rectified

N_MOTION_FACTS = N_PEAK_FACTS + 4 + 3 + 3
"""Facts of each frame before the last."""
_BLOCK_PX = 4
_LEAST_CHANGE = 0.01
"""About the noise of a quiet picture, in pixels from -1 to 1."""


def block_change(gap: Tensor) -> Tensor:
    """(N, T, H/4, W/4) mean absolute difference in blocks of four by four pixels, from differences (N, T, 3, H, W)."""
    return F.avg_pool2d(gap.float().abs().mean(2), _BLOCK_PX)


def motion_facts(trace: Tensor, change: Tensor, where: Tensor, corners: Tensor) -> Tensor:
    """(N, 14 T) for each of T frames: how surely the object is seen, where, how far from its end, and what changed.

    Args:
        trace: (N, T, H, H) heat maps of the object in the frames before the last.
        change: (N, T, H, H) what `block_change` returned.
        where: (N, 3) column, row and more of the object in the last frame, in shares.
        corners: (N, 8, 2) column and row of the corners of the scene's bounds in the last frame.
    """
    n, t = trace.shape[:2]
    heat = trace.flatten(0, 1)
    place = peak(heat, torch.zeros_like(heat))[:, :2]  # (NT, 2)
    upright = rectified(place, corners.repeat_interleave(t, 0))  # (NT, 4)
    gap = place - where[:, :2].repeat_interleave(t, 0)
    far = torch.log(gap.norm(dim=1, keepdim=True) + 0.01)
    return torch.cat([peaks(heat), upright, gap, far, _changes(change, where).flatten(0, 1)], 1).reshape(n, -1)


def _changes(change: Tensor, where: Tensor) -> Tensor:
    """(N, T, 3) logarithms of the largest and the mean change of (N, T, H, H), and of that at the object's end."""
    side = change.shape[-1]
    middle = (torch.arange(side, device=change.device) + 0.5) / side
    away = (middle - where[:, 0, None])[:, None, :] ** 2 + (middle - where[:, 1, None])[:, :, None] ** 2  # (N, H, H)
    weight = torch.softmax(-0.5 * away.flatten(1) * side**2, 1)  # a bump of one block's width
    flat = change.flatten(2)
    found = torch.stack([flat.amax(2), flat.mean(2), (flat * weight[:, None]).sum(2)], 2)
    return torch.log(found + _LEAST_CHANGE)
