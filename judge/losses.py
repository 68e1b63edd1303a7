"""What does the network pay for a wrong place, a wrong state and a wrong outcome?"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812

from .heat import focal_loss, target
from .network import Answer, Finding

NULL_WEIGHT = 0.6
"""Of a null in the loss of the states: training stages faults more often than clips are expected to have them."""


def finding_loss(found: Finding, where: Tensor, corners: Tensor, path: Tensor) -> Tensor:
    """Mean loss of the places of all objects in all frames, and of diameters and corners in the last one.

    Args:
        found: What `Network.look` returned.
        where: (N, 2, 3) true column, row and diameter of the object and of a second copy, nan where not seen.
        corners: (N, 8, 2) true column and row of the corners of the scene's bounds, nan where unknown.
        path: (N, 2, 7, 2) true column and row of the object and of a second copy before, nan where not seen.
    """
    where = torch.where(_inside(where[..., :2])[..., None], where, torch.nan)
    loss = focal_loss(found.heat, target(where, found.heat.shape[-1]))
    alone = torch.isfinite(where[:, 0, 0]) & ~torch.isfinite(where[:, 1, 0])
    if bool(alone.any()):
        true = torch.cat([where[alone, 0, :2], where[alone, 0, 2:].log()], 1)
        gap = (found.where[alone] - true) / torch.tensor([0.01, 0.01, 0.1])
        # A peak elsewhere cannot learn its place from here, but a diameter that is far off must learn the most.
        gap = torch.cat([gap[:, :2].clamp(-20, 20), 2 * gap[:, 2:]], 1)
        loss = loss + 0.1 * F.smooth_l1_loss(gap, torch.zeros_like(gap)) * alone.float().mean()
    before = path.movedim(1, 2).flatten(0, 1)  # (7N, 2, 2)
    before = torch.where(_inside(before)[..., None], before, torch.nan)
    trace = found.trace.flatten(0, 1)
    loss = loss + focal_loss(trace, target(before, trace.shape[-1]))
    shown = _inside(corners)
    if bool(shown.any()):
        loss = loss + 10 * F.smooth_l1_loss(found.corners[shown], corners[shown], beta=0.02)
    return loss


def _inside(places: Tensor) -> Tensor:
    """(...) bool of places (..., 2): known, and in the picture."""
    return ((places > 0) & (places < 1)).all(-1)


def answer_loss(answer: Answer, state: Tensor, outcome: Tensor, at: Tensor, up: Tensor, rest: Tensor) -> Tensor:
    """Mean loss of states, of outcomes over the sound clips, and of the object's place and pose in the scene.

    Args:
        answer: What `Network.judge` returned.
        state: (N,) positions in STATES.
        outcome: (N,) positions in the outcomes, -1 for a null.
        at: (N, 3) the object's place in the scene's bounds, nan where it is not seen.
        up: (N, 3) which way up is in the object's own frame, nan where that cannot be seen.
        rest: (N,) 1 where the object lies still, 0 where it is on its way, nan where it may be both.
    """
    weight = torch.where(state == 0, 1.0, NULL_WEIGHT)
    loss = (weight * F.cross_entropy(answer.state, state, reduction="none")).sum() / weight.sum()
    sound = outcome >= 0
    if bool(sound.any()):
        for logits, share in ((answer.outcome, 1.0), (answer.close_outcome, 0.3)):
            loss = loss + share * F.cross_entropy(logits[sound], outcome[sound])
    seen = torch.isfinite(at).all(1)
    if bool(seen.any()):
        loss = loss + 3 * F.smooth_l1_loss(answer.at[seen], at[seen].clamp(-1.5, 1.5), beta=0.05)
    return loss + 0.5 * pose_loss(answer.pose, up, rest)


def pose_loss(pose: Tensor, up: Tensor, rest: Tensor) -> Tensor:
    """Mean loss of how an object lies, over the clips where that is known.

    Args:
        pose: (N, 4) which way up is in the object's own frame, and the logit of lying still.
        up: (N, 3) which way it is; nan where it cannot be seen.
        rest: (N,) 1 where it lies still, 0 where it is on its way; nan where it may be both.
    """
    loss, seen, known = pose.sum() * 0, torch.isfinite(up).all(1), torch.isfinite(rest)
    if bool(seen.any()):
        loss = loss + 3 * F.smooth_l1_loss(pose[seen, :3], up[seen], beta=0.1)
    if bool(known.any()):
        loss = loss + F.binary_cross_entropy_with_logits(pose[known, 3], rest[known])
    return loss
