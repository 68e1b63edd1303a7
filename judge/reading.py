"""How does the network learn to read marks from close by, before it learns everything else?

The close look is small, so a step costs a tenth of a full one; pips and colours are then known when the rest begins.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sim.clip import whole_file

from .augment import relit, shaken, turned
from .clips import random_source
from .shards import Progress

if TYPE_CHECKING:
    from .network import Network
    from .train import Training


def rate_share(step: int, steps: int) -> float:
    """Share of the full learning rate: a short rise, then half a cosine."""
    rise = max(1, min(150, steps // 10))
    return (step + 1) / rise if step < rise else 0.5 * (1 + math.cos(math.pi * (step - rise) / max(1, steps - rise)))


def marks(paths: Sequence[Path], scene: Sequence[int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Close looks (N, 2, 96, 96, 3), outcomes (N,) and scenes (N,) of all sound clips of the shards."""
    close, outcome, scenes = [], [], []
    for path, k in zip(paths, scene, strict=True):
        with np.load(path) as stored:  # only two arrays of the shard are read
            sound = stored["outcome"] >= 0
            close.append(stored["close"][sound])
            outcome.append(stored["outcome"][sound])
        scenes.append(np.full(int(sound.sum()), k))
    return np.concatenate(close), np.concatenate(outcome), np.concatenate(scenes)


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
    from torch.nn import functional as F  # noqa: N812

    kept = folder / f"reader-{training.digest}.safetensors"
    parts = torch.nn.ModuleDict({"close": network.close, "mark": network.mark, "readers": network.readers})
    if kept.is_file():
        parts.load_state_dict(load_file(kept))
        return
    marked = [k for k, j in enumerate(scene) if training.scenes[j] in training.marked]
    if not marked:
        return
    close, outcome, scenes = marks([paths[k] for k in marked], [scene[k] for k in marked])
    rng = random_source("reader", training.seed)
    optimizer = torch.optim.AdamW(parts.parameters(), lr=training.rate, weight_decay=training.weight_decay)
    network.train()
    for step in range(training.reader_steps):
        rows = np.sort(rng.choice(len(outcome), training.reader_batch))
        (seen,) = relit((turned(shaken(close[rows], rng), rng),), rng)
        for group in optimizer.param_groups:
            group["lr"] = training.rate * rate_share(step, training.reader_steps)
        with torch.autocast("cpu", torch.bfloat16, enabled=training.bfloat16):
            shown = network.read(torch.from_numpy(seen[:, 1]).movedim(-1, -3))
            logits = network.close_outcome(shown, torch.from_numpy(scenes[rows]))
        loss = F.cross_entropy(logits, torch.from_numpy(outcome[rows]))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        if progress is not None and (step + 1) % 100 == 0:
            progress(f"learning to read, loss {float(loss.detach()):.2f}", step + 1, training.reader_steps)
    tensors = {name: tensor.contiguous() for name, tensor in parts.state_dict().items()}
    with whole_file(kept) as part:
        save_file(tensors, part, metadata={"state": json.dumps({"step": training.reader_steps})})
