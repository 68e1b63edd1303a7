"""How does the judge's network turn one picture into feature maps?"""

from __future__ import annotations

import torch
from torch import Tensor, nn


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
    """Picture -> feature maps at every fourth, eighth and sixteenth pixel."""

    def __init__(self, n_in: int, widths: tuple[int, int, int, int]) -> None:
        """A stem of stride 2 and three blocks."""
        super().__init__()
        stem, a, b, c = widths
        self.stem = nn.Sequential(nn.Conv2d(n_in, stem, 3, 2, 1, bias=False), nn.BatchNorm2d(stem), nn.ReLU(True))
        self.early, self.middle, self.late = Block(stem, a), Block(a, b), Block(b, c)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """(N, n_in, H, W) -> (N, a, H/4, W/4), (N, b, H/8, W/8), (N, c, H/16, W/16)."""
        fine = self.early(self.stem(x))
        middle = self.middle(fine)
        return fine, middle, self.late(middle)


def pooled(x: Tensor) -> Tensor:
    """(N, C, H, W) -> (N, 2C): mean and maximum over the picture; a mark that is anywhere is not averaged away."""
    return torch.cat([x.mean((2, 3)), x.amax((2, 3))], 1)


def pixels(frames: Tensor) -> Tensor:
    """Pixels from -1 to 1, as floats."""
    return frames.float() / 127.5 - 1
