"""What do heat maps say: where the object is, whether there is another one, and where the corners of the scene are?

A cell of an object's map holds the logit of "the middle of such an object is here"; each object has a peak of its own,
and no object has none (Zhou, Wang and Krähenbühl, Objects as Points, 2019, section 3).
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812

N_PEAK_FACTS = 4
N_BUMPS = 25
"""Bumps along each coordinate of a place in the scene's bounds."""
_APART = 3
"""Cells (odd) within which only the highest peak counts."""


def soft_places(heat: Tensor) -> Tensor:
    """(N, P, 2) column and row of the mean place of each heat map (N, P, H, W) (Finn et al., 2016, spatial softmax)."""
    n, p, height, width = heat.shape
    weight = heat.flatten(2).softmax(2).reshape(n, p, height, width)
    x = (torch.arange(width, device=heat.device) + 0.5) / width
    y = (torch.arange(height, device=heat.device) + 0.5) / height
    return torch.stack([(weight.sum(2) * x).sum(2), (weight.sum(3) * y).sum(2)], 2)


def peak(heat: Tensor, log_diameter: Tensor) -> Tensor:
    """(N, 3) column, row and log diameter at the hottest cell of (N, H, H); its eight neighbours refine the place."""
    n, side, _ = heat.shape
    top = heat.flatten(1).argmax(1)
    row, column = top // side, top % side
    steps = torch.arange(side, device=heat.device)
    near = ((steps[:, None] - row[:, None, None]).abs() <= 1) & ((steps - column[:, None, None]).abs() <= 1)
    weight = F.logsigmoid(heat).masked_fill(~near, -torch.inf).flatten(1).softmax(1).reshape(n, side, side)
    centre = (steps + 0.5) / side
    x, y = (weight.sum(1) * centre).sum(1), (weight.sum(2) * centre).sum(1)
    return torch.stack([x, y, (weight * log_diameter).sum((1, 2))], 1)


def peaks(heat: Tensor) -> Tensor:
    """(N, 4) from heat maps (N, H, W): logits of the three highest peaks, and how far apart the first two are.

    Two high peaks are two objects; no high peak is none.
    """
    n, height, width = heat.shape
    highest = F.max_pool2d(heat[:, None], _APART, 1, _APART // 2)[:, 0]
    alone = heat.masked_fill(heat < highest, -torch.inf).flatten(1)
    value, place = alone.topk(3, dim=1)
    row, column = place // width / height, place % width / width
    apart = ((row[:, 0] - row[:, 1]) ** 2 + (column[:, 0] - column[:, 1]) ** 2 + 1e-9).sqrt()
    return torch.cat([value.clamp(-9, 9) / 3, apart[:, None]], 1)


def rectified(where: Tensor, corners: Tensor) -> Tensor:
    """(N, 4) where a place in the picture is in the scene's bounds, -1 to 1: along x and z, and along x and y.

    The corners give the affine camera that fits them best (Hartley and Zisserman, Multiple View Geometry, 2004,
    section 14.2; for the corners of a box least squares is a mean); it is solved once for an upright plane through the
    middle of the bounds and once for a level one. Within -3 to 3.

    Args:
        where: (N, 2) or more columns: column and row of the place, in shares.
        corners: (N, 8, 2) column and row of the corners, x slowest and z fastest.
    """
    sign = torch.cartesian_prod(*3 * [corners.new_tensor([-1.0, 1.0])])  # (8, 3)
    camera = torch.einsum("nkp,ka->npa", corners, sign) / 8  # (N, 2, 3)
    gap = where[:, :2] - corners.mean(1)
    found = []
    for axes in ((0, 2), (0, 1)):
        (a, b), (c, d) = camera[:, 0, axes].unbind(1), camera[:, 1, axes].unbind(1)
        area = a * d - b * c
        area = torch.where(area.abs() < 1e-4, torch.full_like(area, 1e-4), area)
        found += [(gap[:, 0] * d - gap[:, 1] * b) / area, (gap[:, 1] * a - gap[:, 0] * c) / area]
    return torch.stack(found, 1).clamp(-3, 3)


def bumps(places: Tensor) -> Tensor:
    """(N, 25 C) how near each coordinate (N, C) is to each of 25 steps from -1.2 to 1.2, from 0 to 3.

    A sum of bumps can be sharp where an outcome ends and the next one begins (radial basis functions: Broomhead and
    Lowe, Complex Systems 2, 321, 1988).
    """
    steps = torch.linspace(-1.2, 1.2, N_BUMPS, device=places.device)
    return 3 * torch.exp(-0.5 * ((places[..., None] - steps) / 0.1) ** 2).flatten(1)


def target(where: Tensor, side: int) -> Tensor:
    """(N, side, side) from 0 to 1: a bump of one cell's width at each object.

    Args:
        where: (N, M, 2) or more columns: column and row of up to M objects, in shares; nan where there is none.
        side: Cells along a side.
    """
    centre = (torch.arange(side, device=where.device) + 0.5) / side
    gap = (centre - where[..., 0, None])[..., None, :] ** 2 + (centre - where[..., 1, None])[..., :, None] ** 2
    return torch.exp(-0.5 * gap * side**2).nan_to_num(0).amax(1)


def focal_loss(heat: Tensor, wanted: Tensor) -> Tensor:
    """Mean loss of heat maps (N, H, W), against bumps `wanted` (N, H, W), per clip.

    References:
        Law and Deng, CornerNet, ECCV 2018, eq. 1, with the cells around a peak paid for by their height.
    """
    log_p, log_not = F.logsigmoid(heat), F.logsigmoid(-heat)
    p = heat.sigmoid()
    loss = -(wanted * (1 - p) ** 2 * log_p + (1 - wanted) ** 4 * p**2 * log_not)
    return loss.sum((1, 2)).mean()
