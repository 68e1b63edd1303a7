"""How is the judge trained: clips, network, calibration, weights, in one resumable command?"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .clips import Order, random_source
from .lesson import CLOSE_STORED_PX
from .shards import Batch, Job, Load, Progress, batches, digest_of_shards, make_shards
from .views import CLOSE_PX

if TYPE_CHECKING:
    import torch
    from torch import Tensor

    from .network import Network

_CHECKPOINT_EVERY = 50


@dataclass(frozen=True, kw_only=True)
class Training:
    """Everything that decides a training run."""

    scenes: tuple[str, ...]
    """Names, in the order of the network's heads."""
    seed: int = 0
    n_clips: int = 1000
    """Clips of each scene, about."""
    drawn_dice: Mapping[str, int] = field(default_factory=lambda: {"die_roll": 2000})
    """Scene -> clips of dice drawn in two dimensions, besides."""
    p_close: Mapping[str, float] = field(default_factory=lambda: {"die_roll": 0.15})
    """Scene -> share of clips filmed from right above the resting place."""
    candidates: Mapping[str, int] = field(default_factory=lambda: {"galton_board": 3, "roulette": 4})
    """Scene -> rollouts looked at for each that is drawn, where some outcomes are rare."""
    shard_clips: int = 100
    steps: int = 1000
    batch: int = 64
    rate: float = 2e-3
    weight_decay: float = 0.02
    bfloat16: bool = True

    @property
    def digest(self) -> str:
        """Hash of the whole configuration."""
        return blake2b(json.dumps(asdict(self), sort_keys=True).encode(), digest_size=12).hexdigest()


def jobs_of(training: Training, load: Load) -> list[Job]:
    """The shards that a training run learns from."""
    jobs = []
    for name in training.scenes:
        scene = load(name)
        staged: list[str | None] = [
            None,
            None,
            *sorted(scene.variants),
        ]  # what a variant shows must be seen in training
        for kind, wanted in (("tray", training.n_clips), ("drawn_dice", training.drawn_dice.get(name, 0))):
            for number in range(math.ceil(wanted / training.shard_clips)):
                order = Order(
                    kind=kind,
                    variant=staged[number % len(staged)] if kind == "tray" else None,
                    seed=training.seed,
                    number=number,
                    n_clips=training.shard_clips,
                    p_close=training.p_close.get(name, 0.0),
                    candidates=training.candidates.get(name, 2),
                )
                jobs.append(Job(scene=name, version=scene.version, order=order))
    return jobs


def train(
    training: Training, load: Load, folder: Path, weights: Path, *, workers: int = 2, progress: Progress | None = None
) -> None:
    """Makes the clips, trains the network, calibrates it and writes the weights; goes on where it was stopped.

    Args:
        training: What to train.
        load: Name -> scene; an importable function, because worker processes call it.
        folder: Where clips and checkpoints are kept.
        weights: The weights file to write.
        workers: Processes and threads; processes never change a byte.
        progress: Called with what is done, how many are done and how many there are.
    """
    import torch

    from .calibration import calibrated
    from .weights import Settings, write_weights

    jobs = jobs_of(training, load)
    paths = make_shards(folder / "clips", jobs, load, workers=workers, progress=progress)
    scenes = [load(name) for name in training.scenes]
    outcomes = {scene.name: scene.outcomes for scene in scenes}
    torch.set_num_threads(workers)
    network = fit(training, outcomes, paths, [training.scenes.index(job.scene) for job in jobs], folder, progress)
    settings = Settings(
        outcomes=outcomes,
        versions={scene.name: scene.version for scene in scenes},
        temperature={scene.name: (1.0, 1.0) for scene in scenes},
        threshold=0.0,
        training={**asdict(training), "clips": digest_of_shards(paths)},
    )
    raw = folder / "uncalibrated.safetensors"
    write_weights(raw, network, settings)
    write_weights(weights, network, calibrated(raw, training, load, workers=workers, progress=progress))


def fit(
    training: Training,
    outcomes: Mapping[str, tuple[str, ...]],
    paths: list[Path],
    scene: list[int],
    folder: Path,
    progress: Progress | None = None,
) -> Network:
    """The trained network; a checkpoint of the same configuration in the folder is resumed.

    Args:
        training: The configuration.
        outcomes: Scene -> its outcomes, in the order of the heads.
        paths: The shards.
        scene: For each shard, the position of its scene.
        folder: Where the checkpoint is kept.
        progress: Called after every tenth step.
    """
    import torch

    from .network import Network, Shape

    torch.manual_seed(training.seed)
    network = Network(Shape(outcomes={name: len(labels) for name, labels in outcomes.items()}))
    network = network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    optimizer = torch.optim.AdamW(network.parameters(), lr=training.rate, weight_decay=training.weight_decay)
    checkpoint = folder / f"checkpoint-{training.digest}.safetensors"
    start = _resume(checkpoint, network, optimizer)
    source = batches(paths, scene, n_clips=training.shard_clips, size=training.batch, seed=training.seed, start=start)
    network.train()
    for step in range(start, training.steps):
        torch.manual_seed(training.seed * 1_000_003 + step)  # dropout: the same after a resume
        for group in optimizer.param_groups:
            group["lr"] = training.rate * _schedule(step, training.steps)
        loss = _loss(network, next(source), random_source("step", training.seed, step), bfloat16=training.bfloat16)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(network.parameters(), 2.0)
        optimizer.step()
        if progress is not None and (step + 1) % 10 == 0:
            progress(f"training, loss {float(loss.detach()):.2f}", step + 1, training.steps)
        if (step + 1) % _CHECKPOINT_EVERY == 0 or step + 1 == training.steps:
            _keep(checkpoint, network, optimizer, step + 1)
    return network.eval()


def _schedule(step: int, steps: int) -> float:
    """Share of the full learning rate: a short rise, then half a cosine."""
    rise = max(1, min(150, steps // 10))
    return (step + 1) / rise if step < rise else 0.5 * (1 + math.cos(math.pi * (step - rise) / max(1, steps - rise)))


def _loss(network: Network, batch: Batch, rng: np.random.Generator, *, bfloat16: bool) -> Tensor:
    import torch

    from .network import answer_loss, finding_loss

    lessons = batch.lessons
    where, scene = torch.from_numpy(lessons.where), torch.from_numpy(batch.scene)
    pictures = relit((lessons.glance, lessons.last, shaken(lessons.close, rng)), rng)
    glance, last, close = (_channels(p) for p in pictures)
    with torch.autocast("cpu", torch.bfloat16, enabled=bfloat16):
        found = network.look(glance, last, scene)
        place = torch.stack([where[:, 0], where[:, 1], where[:, 2].log()], 1)
        noise = torch.from_numpy(rng.normal(0, (0.01, 0.01, 0.1), place.shape).astype(np.float32))
        place = torch.where(torch.isfinite(place), place + noise, found.where.detach())
        answer = network.judge(glance, last, close, place, found, scene)
    truth = torch.from_numpy(lessons.state), torch.from_numpy(lessons.outcome)
    return answer_loss(answer, *truth) + 0.5 * finding_loss(found, where)


def _channels(pictures: np.ndarray) -> Tensor:
    """(..., H, W, 3) -> (..., 3, H, W)."""
    import torch

    return torch.from_numpy(pictures).movedim(-1, -3)


def shaken(close: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """(N, 2, 64, 64, 3) cut from the stored close looks (N, 2, 96, 96, 3), each a little shifted and scaled.

    The place that the network finds is never exact; the reader must not mind.
    """
    import cv2

    n = len(close)
    side = np.clip(CLOSE_PX * np.exp(rng.normal(0, 0.13, n)), 44, CLOSE_STORED_PX)
    room = (CLOSE_STORED_PX - side) / 2
    shift = np.clip(rng.normal(0, 0.07 * CLOSE_PX, (n, 2)), -room[:, None], room[:, None])
    out = np.empty((n, 2, CLOSE_PX, CLOSE_PX, 3), np.uint8)
    for k in range(n):
        size = round(float(side[k]))
        x, y = np.round((CLOSE_STORED_PX - size) / 2 + shift[k]).astype(int).clip(0, CLOSE_STORED_PX - size)
        how = cv2.INTER_AREA if size > CLOSE_PX else cv2.INTER_LINEAR
        for j in range(2):
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


def _keep(path: Path, network: Network, optimizer: torch.optim.Optimizer, step: int) -> None:
    """Writes the checkpoint at once or not at all."""
    from safetensors.torch import save_file

    tensors: dict[str, Any] = {f"network.{n}": t.contiguous() for n, t in network.state_dict().items()}
    for k, entries in optimizer.state_dict()["state"].items():
        tensors |= {f"optimizer.{k}.{n}": t.contiguous() for n, t in entries.items()}
    new = path.with_suffix(".new")
    save_file(tensors, new, metadata={"state": json.dumps({"step": step})})
    new.replace(path)


def _resume(path: Path, network: Network, optimizer: torch.optim.Optimizer) -> int:
    """Loads the checkpoint, if there is one; the number of steps done."""
    from safetensors import safe_open

    if not path.is_file():
        return 0
    with safe_open(str(path), framework="pt") as stored:
        step = int(json.loads(stored.metadata()["state"])["step"])
        tensors = {name: stored.get_tensor(name) for name in stored.keys()}  # noqa: SIM118
    network.load_state_dict({n.removeprefix("network."): t for n, t in tensors.items() if n.startswith("network.")})
    entries: dict[int, dict[str, Any]] = {}
    for name, tensor in tensors.items():
        if name.startswith("optimizer."):
            _, k, kind = name.split(".")
            entries.setdefault(int(k), {})[kind] = tensor
    optimizer.load_state_dict({"state": entries, "param_groups": optimizer.state_dict()["param_groups"]})
    return step
