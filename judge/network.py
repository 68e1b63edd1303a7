"""How does the judge's network turn a few frames into an outcome or a null?

One network for all scenes. It looks three times:

1. *glance*: seven small frames, each beside its difference from the last one, tell what moved and when it stopped,
   and a heat map per scene finds the moving object in each;
2. *last*: the last frame, larger, tells where things lie, and a heat map per scene finds the moving object in it;
3. *close*: a cut-out around that place, from the full picture, is read for marks that are too fine for the others.

What the three found is joined; one small head per scene gives five states (sound, or a null reason) and its outcomes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from .encoder import Encoder, pixels, pooled
from .heat import N_BUMPS, N_PEAK_FACTS, bumps, peak, peaks, rectified, soft_places
from .lesson import N_CORNERS, STATES
from .motion import N_MOTION_FACTS, block_change, motion_facts
from .views import LAST_PX, N_FRAMES

GLANCE_WIDTHS = (16, 32, 64, 96)
LAST_WIDTHS = (24, 48, 96, 128)
CLOSE_WIDTHS = (32, 64, 128, 192)
"""Channels after the stem and after each halving of the picture's side."""
JOINED, FACTS = 256, 128
"""Width of what is seen and of what is measured."""
N_POINTS = 16
"""Places in the last frame that the network may choose for itself, besides the corners of the scene's bounds."""

_LOG_DIAMETER = -2.0
"""Of an object, before anything is learnt: between a ball on a board, 4 % of the picture, and a pencil, half of it."""
_NEVER = -1e4
"""Logit of a place in the row that is not an outcome of the clip's scene."""


class Answer(NamedTuple):
    """What the network says of N clips; K is the largest number of outcomes of any scene."""

    state: Tensor
    """(N, 5) logits of STATES."""
    outcome: Tensor
    """(N, K) logits of the outcomes of each clip's scene, given that the clip is sound."""
    close_outcome: Tensor
    """(N, K) logits of the outcomes from the close look alone; helps training, never judges."""
    at: Tensor
    """(N, 3) the object's place in the scene's bounds, -1 to 1 along x, y and z; helps training, never judges."""
    pose: Tensor
    """(N, 4) which way up is in the object's own frame and the logit of its lying still, from the last close look."""


class Finding(NamedTuple):
    """Where the network sees the moving object in N clips."""

    heat: Tensor
    """(N, 88, 88) logits in the last frame (see heat.py)."""
    where: Tensor
    """(N, 3) column, row and logarithm of the diameter, in shares (see views.Box)."""
    corners: Tensor
    """(N, 8, 2) column and row of the corners of the scene's bounds."""
    maps: tuple[Tensor, Tensor]
    """(N, C, 22, 22) and (N, C', 11, 11) feature maps, so that the last frame is encoded once."""
    trace: Tensor
    """(N, 7, 20, 20) logits in the frames before it."""
    moments: Tensor
    """(N, 7, C) what those frames show."""
    change: Tensor
    """(N, 7, 20, 20) how much each of them differs from the last frame."""


@dataclass(frozen=True, kw_only=True)
class Shape:
    """What decides the network's shape; kept in the weights' metadata."""

    outcomes: Mapping[str, int]
    """Scene -> number of its outcomes, in the order of the heads."""


class Network(nn.Module):
    """The judge's network; see the module's docstring."""

    def __init__(self, shape: Shape) -> None:
        """Random weights, from torch's global generator."""
        super().__init__()
        self.scenes = tuple(shape.outcomes)
        self.widest = max(shape.outcomes.values())
        self.glance = Encoder(6, GLANCE_WIDTHS)
        self.last = Encoder(6, LAST_WIDTHS)
        self.close = Encoder(3, CLOSE_WIDTHS)
        cells = (LAST_PX // 16) ** 2
        n_maps = 2 * len(self.scenes)  # heat and log diameter per scene; the finest are four cells of each of theirs
        self.find = nn.ModuleList(
            [nn.Conv2d(width, n_maps * (4 if k == 0 else 1), 1) for k, width in enumerate(LAST_WIDTHS[1:])]
        )
        self.corner = nn.ModuleList([nn.Conv2d(w, N_CORNERS * len(self.scenes), 1) for w in LAST_WIDTHS[1:]])
        self.trace = nn.ModuleList([nn.Conv2d(width, len(self.scenes), 1) for width in GLANCE_WIDTHS[1:]])
        self.moment = nn.Linear(2 * GLANCE_WIDTHS[3], 48)
        self.time = nn.Sequential(nn.Linear(48 * (N_FRAMES - 1), 192), nn.ReLU(True))  # one weight per moment
        self.points = nn.Conv2d(LAST_WIDTHS[2], N_POINTS, 1)
        self.plan = nn.Conv2d(LAST_WIDTHS[3], 16, 1)
        self.place = nn.Sequential(nn.Linear(16 * cells, 128), nn.ReLU(True))
        self.mark = nn.Sequential(nn.Linear(2 * (CLOSE_WIDTHS[2] + CLOSE_WIDTHS[3]), 160), nn.ReLU(True))
        n_joined = 192 + 128 + 2 * LAST_WIDTHS[3] + 3 * LAST_WIDTHS[2] + 2 * 160
        self.join = nn.Sequential(nn.Linear(n_joined, JOINED), nn.ReLU(True), nn.Dropout(0.2))
        n_facts = 3 + 4 + N_PEAK_FACTS + 2 * (N_CORNERS + N_POINTS) + 2 * 4 + 2 + (N_FRAMES - 1) * N_MOTION_FACTS
        self.facts = nn.Sequential(
            nn.BatchNorm1d(n_facts), nn.Linear(n_facts, FACTS), nn.ReLU(True), nn.Linear(FACTS, FACTS), nn.ReLU(True)
        )
        self.state = nn.Sequential(nn.Linear(JOINED + FACTS, 64), nn.ReLU(True), nn.Linear(64, len(STATES)))
        self.heads = nn.ModuleDict(
            {
                name: nn.Sequential(nn.Linear(JOINED + FACTS, 96), nn.ReLU(True), nn.Linear(96, len(STATES) + 3 + n))
                for name, n in shape.outcomes.items()
            }
        )
        self.tables = nn.ModuleDict(
            {name: nn.Linear(4 * N_BUMPS, len(STATES) + n) for name, n in shape.outcomes.items()}
        )
        self.readers = nn.ModuleDict({name: nn.Linear(160, n) for name, n in shape.outcomes.items()})
        self.poses = nn.ModuleDict({name: nn.Linear(160, 4) for name in shape.outcomes})

    def look(self, glance: Tensor, last: Tensor, scene: Tensor) -> Finding:
        """Where the object of each clip's scene is in the frames, and what moved.

        Args:
            glance: (N, 7, 3, 80, 80) uint8 or float, 0 to 255.
            last: (N, 3, 176, 176) the same.
            scene: (N,) positions in `self.scenes`.
        """
        n, one = len(scene), torch.arange(len(scene))
        frames, now = pixels(glance), pixels(last)
        first = F.interpolate(frames[:, 0], size=now.shape[-2:], mode="bilinear", align_corners=False)
        maps = self.last(_beside(now, now - first))
        finest, *others = [layer(m).float() for layer, m in zip(self.find, maps, strict=True)]
        every = _summed([F.pixel_shuffle(finest, 2), *others])  # (N, 2S, 88, 88): two small balls may touch
        found = every.reshape(n, -1, 2, *every.shape[2:])[one, scene]  # (N, 2, 88, 88)
        edges = _summed([layer(m).float() for layer, m in zip(self.corner, maps, strict=True)])  # (N, 8S, 44, 44)
        corners = soft_places(edges.reshape(n, -1, N_CORNERS, *edges.shape[2:])[one, scene])
        heat = found[:, 0] - 3.0  # objects are rare
        gap = frames - F.interpolate(now, size=frames.shape[-2:], mode="area")[:, None]  # (N, 7, 3, 80, 80)
        seen = self.glance(_beside(frames.flatten(0, 1), gap.flatten(0, 1)))
        traces = _summed([layer(m).float() for layer, m in zip(self.trace, seen, strict=True)])  # (7N, S, 20, 20)
        return Finding(
            heat=heat,
            where=peak(heat, found[:, 1] + _LOG_DIAMETER),
            corners=corners,
            maps=maps[1:],
            trace=traces.reshape(n, N_FRAMES - 1, *traces.shape[1:])[one, :, scene] - 3.0,
            moments=pooled(seen[2]).reshape(n, N_FRAMES - 1, -1),
            change=block_change(gap),
        )

    def read(self, close: Tensor) -> Tensor:
        """(N, 160) what the close looks (N, 3, 64, 64) show.

        Pooled and not flattened: a count is a sum over the picture, wherever and however turned its parts are.
        """
        _, fine, coarse = self.close(pixels(close))  # (N, 128, 8, 8), (N, 192, 4, 4)
        return torch.as_tensor(self.mark(torch.cat([pooled(fine), pooled(coarse)], 1)))

    def judge(self, close: Tensor, found: Finding, scene: Tensor) -> Answer:
        """States and outcomes.

        Args:
            close: (N, 2, 3, 64, 64) the close look, in the earlier and in the last frame.
            found: What `look` returned.
            scene: (N,) positions in `self.scenes`.
        """
        n = len(scene)
        fine, coarse = found.maps
        weight = F.avg_pool2d(found.heat.detach().flatten(1).softmax(1).reshape(found.heat.shape), 4) * 16
        spot = (fine * weight[:, None]).sum((2, 3))  # (N, C)
        place = self.place(self.plan(coarse).flatten(1))  # (N, 128)
        earlier, late = self.read(close.flatten(0, 1)).reshape(n, 2, -1).unbind(1)  # (N, 160) each
        moments = self.time(self.moment(found.moments).flatten(1))
        parts = [moments, place, pooled(coarse), pooled(fine), spot, late, late - earlier]
        seen = self.join(torch.cat([part.to(late.dtype) for part in parts], 1))  # (N, 256)
        upright, pose = rectified(found.where.detach(), found.corners.detach()), self.pose(late, scene)
        lying = _lying(pose.detach(), self.pose(earlier, scene).detach())
        measured = self.facts(torch.cat([self._measured(found, upright, fine), lying], 1))
        joined = torch.cat([seen, measured.to(seen.dtype)], 1)  # (N, 384)
        state, placed = self.state(joined).float(), bumps(upright)
        alone = self.close_outcome(late, scene)
        outcome, at = alone.new_full(alone.shape, _NEVER), joined.new_zeros(n, 3, dtype=torch.float32)
        for k in sorted(set(scene.tolist())):
            rows = scene == k
            logits = self.heads[self.scenes[k]](joined[rows]).float()
            states, at[rows], said = logits.tensor_split((len(STATES), len(STATES) + 3), 1)
            by_place = self.tables[self.scenes[k]](placed[rows]).float()
            state[rows] = state[rows] + states + by_place[:, : len(STATES)]
            outcome[rows, : said.shape[1]] = said + by_place[:, len(STATES) :] + alone[rows, : said.shape[1]]
        return Answer(state=state, outcome=outcome, close_outcome=alone, at=at, pose=pose)

    def _measured(self, found: Finding, upright: Tensor, fine: Tensor) -> Tensor:
        """(N, F) the few numbers that where things are comes down to; apart, lest the many features drown them."""
        where, corners, heat = found.where.detach(), found.corners.detach(), found.heat.detach()
        points = soft_places(self.points(fine).float()).flatten(1)  # (N, 32)
        motion = motion_facts(found.trace.detach(), found.change, where, corners)  # (N, 7 F')
        return torch.cat([where, upright, peaks(heat), corners.flatten(1), points, motion], 1)

    def pose(self, shown: Tensor, scene: Tensor) -> Tensor:
        """(N, 4) as in Answer, from what a close look shows, (N, 160), alone."""
        return self._by_scene(self.poses, shown, scene, shown.new_zeros(len(shown), 4, dtype=torch.float32))

    def close_outcome(self, shown: Tensor, scene: Tensor) -> Tensor:
        """(N, K) logits of the outcomes from what the last frame's close look shows, (N, 160), alone."""
        impossible = shown.new_full((len(shown), self.widest), _NEVER, dtype=torch.float32)
        return self._by_scene(self.readers, shown, scene, impossible)

    def _by_scene(self, heads: nn.ModuleDict, shown: Tensor, scene: Tensor, out: Tensor) -> Tensor:
        """`out` (N, K), filled from the left with what the head of each clip's scene says."""
        for k in sorted(set(scene.tolist())):
            rows = scene == k
            said = heads[self.scenes[k]](shown[rows]).float()
            out[rows, : said.shape[1]] = said
        return out


def _lying(late: Tensor, earlier: Tensor) -> Tensor:
    """(N, 10) how an object lies at the end (N, 4), how that changed, and how nearly one of its own axes points up."""
    up = late[:, :3]
    return torch.cat([late, late - earlier, up.abs().amax(1, keepdim=True), up.norm(dim=1, keepdim=True)], 1)


def _beside(one: Tensor, other: Tensor) -> Tensor:
    """(N, 6, H, W) from two times (N, 3, H, W); the channels of a pixel lie together, as convolutions like it."""
    return torch.cat([one.movedim(1, -1), other.movedim(1, -1)], -1).movedim(-1, 1)


def _summed(maps: list[Tensor]) -> Tensor:
    """The maps, finest first and each smaller than the one before it, added at the finest size."""
    total = maps[-1]
    for finer in reversed(maps[:-1]):
        total = finer + F.interpolate(total, size=finer.shape[-2:], mode="bilinear", align_corners=False)
    return total
