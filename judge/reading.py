"""How does the network learn to read marks from close by, before it learns everything else?

The close look is small, so a step costs a tenth of a full one; pips and colours are then known when the rest begins.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sim.clip import whole_file

from .augment import relit, shaken, turned, unposed
from .clips import random_source
from .lesson import rest_of
from .shards import Progress

if TYPE_CHECKING:
    from torch import Tensor

    from .network import Network
    from .train import Training


def rate_share(step: int, steps: int) -> float:
    """Share of the full learning rate: a short rise, then half a cosine."""
    rise = max(1, min(150, steps // 10))
    return (step + 1) / rise if step < rise else 0.5 * (1 + math.cos(math.pi * (step - rise) / max(1, steps - rise)))


@dataclass(frozen=True, kw_only=True)
class Marks:
    """Close looks at N objects."""

    close: np.ndarray
    """(N, 1, 96, 96, 3) uint8."""
    outcome: np.ndarray
    """(N,) -1 for a null."""
    up: np.ndarray
    """(N, 3) as in lesson.Truth."""
    rest: np.ndarray
    """(N,) as in lesson.Lessons."""
    scene: np.ndarray
    """(N,) positions in the list of scenes."""


def marks(paths: Sequence[Path], scene: Sequence[int]) -> Marks:
    """The close looks of the shards that say something: the clip is sound, or the object's pose is seen."""
    parts: dict[str, list[np.ndarray]] = {part.name: [] for part in fields(Marks)}
    for path, k in zip(paths, scene, strict=True):
        with np.load(path) as stored:  # only a few arrays of the shard are read
            whole = {name: stored[name] for name in ("outcome", "up")}
            whole["close"] = stored["close"][:, -1:]
            whole["rest"] = stored["rest"] if "rest" in stored else rest_of(stored["state"], stored["fault"])
            whole["scene"] = np.full(len(whole["outcome"]), k)
            rows = (whole["outcome"] >= 0) | ~unposed(whole["up"]) | np.isfinite(whole["rest"])
        for name, array in whole.items():
            parts[name].append(array[rows])
    return Marks(**{name: np.concatenate(arrays) for name, arrays in parts.items()})


class Poses:
    """Close looks at objects on their way, a few of which every step of the joint training sees again.

    Else the close look forgets how an object looks that leans or is in the air: most clips end at rest.
    """

    def __init__(self, paths: Sequence[Path], scene: Sequence[int], *, n: int, seed: int) -> None:
        """Reads the shards; `n` close looks a step."""
        self._seen, self._n, self._seed = marks(paths, scene) if paths else None, n, seed

    def loss(self, network: Network, step: int) -> Tensor | float:
        """Mean loss of outcome and pose over the step's close looks; 0 if there are none."""
        if self._seen is None:
            return 0.0
        rng = random_source("poses", self._seed, step)
        return reading_loss(network, self._seen, rng.choice(len(self._seen.outcome), self._n), rng)


def reading_loss(network: Network, seen: Marks, rows: np.ndarray, rng: np.random.Generator) -> Tensor:
    """Mean loss of outcome and pose over some rows of the close looks, varied."""
    import torch
    from torch.nn import functional as F  # noqa: N812

    from .losses import pose_loss

    rows = np.sort(rows)
    (close,) = relit((turned(shaken(seen.close[rows], rng), unposed(seen.up[rows]), rng),), rng)
    index, outcome = torch.from_numpy(seen.scene[rows]), torch.from_numpy(seen.outcome[rows])
    shown = network.read(torch.from_numpy(close[:, 0]).movedim(-1, -3))
    logits, pose = network.close_outcome(shown, index), network.pose(shown, index)
    known = outcome >= 0
    loss = pose_loss(pose, torch.from_numpy(seen.up[rows]), torch.from_numpy(seen.rest[rows]))
    return loss + F.cross_entropy(logits[known], outcome[known]) if bool(known.any()) else loss


def learn_to_read(
    training: Training,
    network: Network,
    paths: Sequence[Path],
    scene: Sequence[int],
    folder: Path,
    progress: Progress | None = None,
) -> None:
    """Trains the part of the network that reads the close look; a result kept in the folder is used again.

    Args:
        training: The configuration.
        network: The network, whose reader is changed.
        paths: The shards.
        scene: For each shard, the position of its scene.
        folder: Where the result is kept.
        progress: Called after every hundredth step.
    """
    import torch
    from safetensors.torch import load_file, save_file

    kept = folder / f"reader-{training.digest}.safetensors"
    parts = torch.nn.ModuleDict(
        {"close": network.close, "mark": network.mark, "readers": network.readers, "poses": network.poses}
    )
    if kept.is_file():
        parts.load_state_dict(load_file(kept))
        return
    marked = [k for k, j in enumerate(scene) if training.scenes[j] in training.marked]
    if not marked:
        return
    seen = marks([paths[k] for k in marked], [scene[k] for k in marked])
    rng = random_source("reader", training.seed)
    optimizer = torch.optim.AdamW(parts.parameters(), lr=training.rate, weight_decay=training.weight_decay)
    network.train()
    for step in range(training.reader_steps):
        rows = rng.choice(len(seen.outcome), training.reader_batch)
        for group in optimizer.param_groups:
            group["lr"] = training.rate * rate_share(step, training.reader_steps)
        with torch.autocast("cpu", torch.bfloat16, enabled=training.bfloat16):
            loss = reading_loss(network, seen, rows, rng)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        if progress is not None and (step + 1) % 100 == 0:
            progress(f"learning to read, loss {float(loss.detach()):.2f}", step + 1, training.reader_steps)
    tensors = {name: tensor.contiguous() for name, tensor in parts.state_dict().items()}
    with whole_file(kept) as part:
        save_file(tensors, part, metadata={"state": json.dumps({"step": training.reader_steps})})
