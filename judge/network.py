"""How does the judge's network turn a few frames into an outcome or a null?

One network for all scenes. It looks three times:

1. *glance*: seven small frames, each beside its difference from the last one, tell what moved and when it stopped;
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

from .lesson import STATES
from .views import LAST_PX, N_FRAMES

GLANCE_WIDTHS = (32, 32, 64, 96)
LAST_WIDTHS = (32, 64, 96, 128)
CLOSE_WIDTHS = (32, 64, 128, 192)
"""Channels after the stem and after each halving of the picture's side."""
JOINED = 256
_STRIDE = 8
"""Pixels of the last frame per cell of the heat map."""


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


class Finding(NamedTuple):
    """Where the network sees the moving object in the last frame of N clips."""

    heat: Tensor
    """(N, 22, 22) logits."""
    where: Tensor
    """(N, 3) column, row and logarithm of the diameter, in shares (see views.Box)."""
    maps: tuple[Tensor, Tensor]
    """(N, C, 22, 22) and (N, C', 11, 11) feature maps, so that the last frame is encoded once."""


class Block(nn.Module):
    """Residual block that halves the picture's side (He et al., 2016, fig. 2)."""

    def __init__(self, n_in: int, n_out: int) -> None:
        """Two convolutions and a shortcut."""
        super().__init__()
        self.first = nn.Sequential(nn.Conv2d(n_in, n_out, 3, 2, 1, bias=False), nn.BatchNorm2d(n_out), nn.ReLU(True))
        self.second = nn.Sequential(nn.Conv2d(n_out, n_out, 3, 1, 1, bias=False), nn.BatchNorm2d(n_out))
        self.shortcut = nn.Sequential(nn.Conv2d(n_in, n_out, 1, 2, bias=False), nn.BatchNorm2d(n_out))

    def forward(self, x: Tensor) -> Tensor:
        """(N, C, H, W) -> (N, C', H/2, W/2)."""
        return torch.relu(self.second(self.first(x)) + self.shortcut(x))


class Encoder(nn.Module):
    """Picture -> feature maps at every eighth and every sixteenth pixel."""

    def __init__(self, n_in: int, widths: tuple[int, int, int, int]) -> None:
        """A stem of stride 2 and three blocks."""
        super().__init__()
        stem, a, b, c = widths
        self.stem = nn.Sequential(nn.Conv2d(n_in, stem, 3, 2, 1, bias=False), nn.BatchNorm2d(stem), nn.ReLU(True))
        self.early = nn.Sequential(Block(stem, a), Block(a, b))
        self.late = Block(b, c)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """(N, n_in, H, W) -> (N, b, H/8, W/8), (N, c, H/16, W/16)."""
        fine = self.early(self.stem(x))
        return fine, self.late(fine)


def _pooled(x: Tensor) -> Tensor:
    """(N, C, H, W) -> (N, 2C): mean and maximum over the picture; a mark that is anywhere is not averaged away."""
    return torch.cat([x.mean((2, 3)), x.amax((2, 3))], 1)


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
        self.find = nn.Conv2d(LAST_WIDTHS[2], 2 * len(self.scenes), 1)  # heat and log diameter per scene
        self.moment = nn.Linear(2 * GLANCE_WIDTHS[3], 48)
        self.time = nn.Sequential(nn.Linear(48 * (N_FRAMES - 1), 192), nn.ReLU(True))  # one weight per moment
        self.plan = nn.Conv2d(LAST_WIDTHS[3], 16, 1)
        self.place = nn.Sequential(nn.Linear(16 * cells, 128), nn.ReLU(True))
        self.mark = nn.Sequential(nn.Linear(2 * (CLOSE_WIDTHS[2] + CLOSE_WIDTHS[3]), 160), nn.ReLU(True))
        n_joined = 192 + 128 + 2 * LAST_WIDTHS[3] + 3 * LAST_WIDTHS[2] + 3 + 2 * 160
        self.join = nn.Sequential(nn.Linear(n_joined, JOINED), nn.ReLU(True), nn.Dropout(0.2))
        self.heads = nn.ModuleDict(
            {
                name: nn.Sequential(nn.Linear(JOINED, 96), nn.ReLU(True), nn.Linear(96, len(STATES) + n))
                for name, n in shape.outcomes.items()
            }
        )
        self.readers = nn.ModuleDict({name: nn.Linear(160, n) for name, n in shape.outcomes.items()})

    def look(self, glance: Tensor, last: Tensor, scene: Tensor) -> Finding:
        """Where the object of each clip's scene is in the last frame.

        Args:
            glance: (N, 7, 3, 80, 80) uint8 or float, 0 to 255.
            last: (N, 3, 176, 176) the same.
            scene: (N,) positions in `self.scenes`.
        """
        first = F.interpolate(pixels(glance[:, 0]), size=last.shape[-2:], mode="bilinear", align_corners=False)
        now = pixels(last)
        maps = self.last(torch.cat([now, now - first], 1))
        every = self.find(maps[0]).float()  # (N, 2S, 22, 22)
        found = every.unflatten(1, (-1, 2))[torch.arange(len(scene)), scene]  # (N, 2, 22, 22)
        return Finding(found[:, 0], _peak(found[:, 0], found[:, 1]), maps)

    def judge(
        self, glance: Tensor, last: Tensor, close: Tensor, where: Tensor, found: Finding, scene: Tensor
    ) -> Answer:
        """States and outcomes.

        Args:
            glance: (N, 7, 3, 80, 80) as for `look`.
            last: (N, 3, 176, 176).
            close: (N, 2, 3, 64, 64) the close look, in the earlier and in the last frame.
            where: (N, 3) column, row and log diameter of the place that was looked at.
            found: What `look` returned.
            scene: (N,) positions in `self.scenes`.
        """
        n = len(glance)
        small = F.interpolate(pixels(last), size=glance.shape[-2:], mode="area")[:, None]  # (N, 1, 3, 80, 80)
        frames = pixels(glance)
        pairs = torch.cat([frames, frames - small], 2).flatten(0, 1)  # (7N, 6, 80, 80)
        moments = self.moment(_pooled(self.glance(pairs)[1])).reshape(n, -1)  # (N, 7 * 48)
        fine, coarse = found.maps
        spot = (fine.flatten(2) * found.heat.detach().flatten(1).softmax(1)[:, None]).sum(2)  # (N, C)
        place = self.place(self.plan(coarse).flatten(1))  # (N, 128)
        marks = self.close(pixels(close).flatten(0, 1))  # (2N, 128, 8, 8), (2N, 192, 4, 4)
        # Pooled and not flattened: a count is a sum over the picture, wherever and however turned its parts are.
        marks = torch.cat([_pooled(marks[0]), _pooled(marks[1])], 1)  # (2N, 640)
        earlier, late = self.mark(marks).reshape(n, 2, -1).unbind(1)  # (N, 160) each
        parts = [self.time(moments), place, _pooled(coarse), _pooled(fine), spot, where, late, late - earlier]
        joined = self.join(torch.cat([part.to(late.dtype) for part in parts], 1))  # (N, 256)
        state = joined.new_zeros(n, len(STATES), dtype=torch.float32)
        outcome = state.new_full((n, self.widest), _NEVER)
        close_outcome = outcome.clone()
        for k in scene.unique().tolist():  # type: ignore[no-untyped-call]
            rows, name = scene == k, self.scenes[k]
            logits, alone = self.heads[name](joined[rows]).float(), self.readers[name](late[rows]).float()
            state[rows] = logits[:, : len(STATES)]
            outcome[rows, : alone.shape[1]] = logits[:, len(STATES) :] + alone
            close_outcome[rows, : alone.shape[1]] = alone
        return Answer(state, outcome, close_outcome)


def pixels(frames: Tensor) -> Tensor:
    """Pixels from -1 to 1, as floats."""
    return frames.float() / 127.5 - 1


def _peak(heat: Tensor, log_diameter: Tensor) -> Tensor:
    """(N, 3) column, row and log diameter at the hottest cell; its eight neighbours refine the place."""
    n, side, _ = heat.shape
    top = heat.flatten(1).argmax(1)
    row, column = top // side, top % side
    steps = torch.arange(side, device=heat.device)
    near = ((steps[:, None] - row[:, None, None]).abs() <= 1) & ((steps - column[:, None, None]).abs() <= 1)
    weight = heat.masked_fill(~near, -torch.inf).flatten(1).softmax(1).reshape(n, side, side)
    centre = (steps + 0.5) / side
    x, y = (weight.sum(1) * centre).sum(1), (weight.sum(2) * centre).sum(1)
    return torch.stack([x, y, (weight * log_diameter).sum((1, 2))], 1)


def finding_loss(found: Finding, where: Tensor) -> Tensor:
    """Mean loss of place and diameter over the clips whose object is seen; zero if there is none.

    Args:
        found: What `Network.look` returned.
        where: (N, 3) true column, row and diameter, nan where the object is not seen.
    """
    seen = torch.isfinite(where[:, 0]) & (where[:, :2] > 0).all(1) & (where[:, :2] < 1).all(1)
    if not bool(seen.any()):
        return found.heat.sum() * 0
    where, heat = where[seen], found.heat[seen]
    side = heat.shape[-1]
    centre = (torch.arange(side, device=heat.device) + 0.5) / side
    # A target of one cell's width: the soft peak then meets the true centre between cells.
    gap = (centre - where[:, 0, None])[:, None, :] ** 2 + (centre - where[:, 1, None])[:, :, None] ** 2
    target = (-0.5 * gap * (side / 0.7) ** 2).flatten(1).softmax(1)
    place = -(target * heat.flatten(1).log_softmax(1)).sum(1).mean()
    size = F.smooth_l1_loss(found.where[seen, 2], where[:, 2].log())
    return place + 2 * size


def answer_loss(answer: Answer, state: Tensor, outcome: Tensor) -> Tensor:
    """Mean loss of states, and of outcomes over the sound clips.

    Args:
        answer: What `Network.judge` returned.
        state: (N,) positions in STATES.
        outcome: (N,) positions in the outcomes, -1 for a null.
    """
    loss = F.cross_entropy(answer.state, state)
    sound = outcome >= 0
    if bool(sound.any()):
        for logits, weight in ((answer.outcome, 1.0), (answer.close_outcome, 0.3)):
            loss = loss + weight * F.cross_entropy(logits[sound], outcome[sound])
    return loss


def probabilities(answer: Answer, temperature: tuple[float, float]) -> tuple[Tensor, Tensor]:
    """(N, 5) probabilities of STATES, and (N, K) of the outcomes given a sound clip.

    Args:
        answer: What `Network.judge` returned.
        temperature: What divides the logits of states and of outcomes, so that confidence equals accuracy.
    """
    return (answer.state / temperature[0]).softmax(1), (answer.outcome / temperature[1]).softmax(1)


__all__ = [
    "Answer",
    "Encoder",
    "Finding",
    "Network",
    "Shape",
    "answer_loss",
    "finding_loss",
    "pixels",
    "probabilities",
]
