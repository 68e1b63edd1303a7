"""How is the judge trained: clips, network, calibration, weights, in one resumable command?"""

from __future__ import annotations

import json
import math
import sys
from collections import deque
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from hashlib import blake2b
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.clip import whole_file

from .augment import Prepared, prepare
from .clips import Order, random_source
from .reading import Poses, learn_to_read, rate_share
from .shards import Job, Load, Progress, batches, digest_of_shards, make_shards

if TYPE_CHECKING:
    import torch
    from torch import Tensor

    from .network import Network

POSES_A_SHARD = 500
_CHECKPOINT_EVERY = 50


@dataclass(frozen=True, kw_only=True)
class Training:
    """Everything that decides a training run."""

    scenes: tuple[str, ...]
    """Names, in the order of the network's heads."""
    seed: int = 0
    n_clips: int = 800
    """Clips of each scene, about."""
    more: Mapping[str, float] = field(
        default_factory=lambda: {
            "coin_toss": 1.5,
            "die_roll": 2.4,
            "galton_board": 3.6,
            "pencil_fall": 0.8,
            "roulette": 3.0,
            "y_fork": 0.5,
        }
    )
    """Scene -> how many times as many clips; more where outcomes are many or marks are fine."""
    p_fault: float = 0.5
    drawn_dice: Mapping[str, int] = field(default_factory=lambda: {"die_roll": 3200})
    """Scene -> clips of drawn dice of many makes, besides."""
    p_close: Mapping[str, float] = field(default_factory=lambda: {"die_roll": 0.15})
    """Scene -> share of clips filmed from right above the resting place."""
    candidates: Mapping[str, int] = field(default_factory=lambda: {"galton_board": 3, "roulette": 4})
    """Scene -> rollouts looked at for each that is drawn, where some outcomes are rare."""
    poses: Mapping[str, int] = field(default_factory=lambda: {"coin_toss": 2000, "die_roll": 6000})
    """Scene -> close looks at its object on its way and at rest, besides; the close look alone learns from them."""
    dice_looks: Mapping[str, int] = field(default_factory=lambda: {"die_roll": 12000})
    """Scene -> close looks at drawn dice of many makes, besides."""
    pose_batch: int = 32
    """So many of both in every step of the joint training."""
    shard_clips: int = 100
    marked: tuple[str, ...] = ("coin_toss", "die_roll", "roulette")
    """Scenes whose outcome is a mark on or under the object: the close look is learnt on them ..."""
    reader_steps: int = 2600
    """... alone, for so many steps, before everything together: these cost a tenth."""
    reader_batch: int = 96
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
        for kind, wanted in (
            ("tray", training.n_clips * training.more.get(name, 1.0)),
            ("drawn_dice", training.drawn_dice.get(name, 0)),
        ):
            for number in range(math.ceil(wanted / training.shard_clips)):
                order = Order(
                    kind=kind,
                    variant=staged[number % len(staged)] if kind == "tray" else None,
                    seed=training.seed,
                    number=number,
                    n_clips=training.shard_clips,
                    p_fault=training.p_fault,
                    p_close=training.p_close.get(name, 0.0),
                    candidates=training.candidates.get(name, 2),
                )
                jobs.append(Job(scene=name, version=scene.version, order=order))
    return jobs


def pose_jobs_of(training: Training, load: Load) -> list[Job]:
    """The shards of close looks that the close look alone learns from, besides the clips."""
    jobs = []
    looks = [("poses", *item) for item in training.poses.items()]
    looks += [("dice_looks", *item) for item in training.dice_looks.items()]
    for kind, name, wanted in looks:
        if name in training.scenes:
            scene = load(name)
            for number in range(math.ceil(wanted / POSES_A_SHARD)):
                order = Order(kind=kind, seed=training.seed, number=number, n_clips=POSES_A_SHARD)
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
    from .weights import AS_THEY_ARE, Settings, write_weights

    jobs, posed = jobs_of(training, load), pose_jobs_of(training, load)
    paths = make_shards(folder / "clips", [*jobs, *posed], load, workers=workers, progress=progress)
    scenes = [load(name) for name in training.scenes]
    outcomes = {scene.name: scene.outcomes for scene in scenes}
    torch.set_num_threads(workers)
    scene = [training.scenes.index(job.scene) for job in (*jobs, *posed)]
    network = fit(training, outcomes, paths, scene, folder, progress, n_posed=len(posed))
    settings = Settings(
        outcomes=outcomes,
        versions={scene.name: scene.version for scene in scenes},
        scaling={scene.name: AS_THEY_ARE for scene in scenes},
        threshold=0.0,
        training={**asdict(training), "clips": digest_of_shards(paths)},
    )
    raw = folder / "uncalibrated.safetensors"
    write_weights(raw, network, settings)
    write_weights(weights, network, calibrated(raw, training, load, workers=workers, progress=progress))


def without_triton() -> None:
    """Keeps PyTorch's optimizers from loading Triton, which a CPU does not need.

    Triton and Mesa's software OpenGL each bring an LLVM of their own: in a process that has drawn, loading Triton is a
    segmentation fault.
    """
    sys.modules.setdefault("triton", None)  # type: ignore[arg-type]


def fit(
    training: Training,
    outcomes: Mapping[str, tuple[str, ...]],
    paths: list[Path],
    scene: list[int],
    folder: Path,
    progress: Progress | None = None,
    *,
    n_posed: int = 0,
) -> Network:
    """The trained network; a checkpoint of the same configuration in the folder is resumed.

    Args:
        training: The configuration.
        outcomes: Scene -> its outcomes, in the order of the heads.
        paths: The shards.
        scene: For each shard, the position of its scene.
        folder: Where the checkpoint is kept.
        progress: Called after every tenth step.
        n_posed: So many shards, the last ones, hold close looks alone.
    """
    without_triton()
    import cv2
    import torch

    from .network import Network, Shape

    cv2.setNumThreads(1)  # else its threads and PyTorch's wait for each other: a step takes a quarter longer
    torch.manual_seed(training.seed)
    network = Network(Shape(outcomes={name: len(labels) for name, labels in outcomes.items()}))
    network = network.to(memory_format=torch.channels_last)
    optimizer = torch.optim.AdamW(network.parameters(), lr=training.rate, weight_decay=training.weight_decay)
    checkpoint = folder / f"checkpoint-{training.digest}.safetensors"
    start = _resume(checkpoint, network, optimizer)
    if start == 0:
        learn_to_read(training, network, paths, scene, folder, progress)
    n_clips = len(paths) - n_posed
    source = _prepared(training, paths[:n_clips], scene[:n_clips], start)
    posed = Poses(paths[n_clips:], scene[n_clips:], n=training.pose_batch, seed=training.seed)
    network.train()
    for step in range(start, training.steps):
        torch.manual_seed(training.seed * 1_000_003 + step)  # dropout: the same after a resume
        for group in optimizer.param_groups:
            group["lr"] = training.rate * rate_share(step, training.steps)
        loss = _loss(network, next(source), posed, step, bfloat16=training.bfloat16)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(network.parameters(), 2.0)
        optimizer.step()
        if progress is not None and (step + 1) % 10 == 0:
            progress(f"training, loss {float(loss.detach()):.2f}", step + 1, training.steps)
        if (step + 1) % _CHECKPOINT_EVERY == 0 or step + 1 == training.steps:
            _keep(checkpoint, network, optimizer, step + 1)
    return network.eval()


def _prepared(training: Training, paths: list[Path], scene: list[int], start: int) -> Iterator[Prepared]:
    """Endless prepared batches from step `start` on, each made by a thread while the step before it is learnt."""
    source = batches(paths, scene, n_clips=training.shard_clips, size=training.batch, seed=training.seed, start=start)

    def make(step: int) -> Prepared:
        return prepare(next(source), random_source("step", training.seed, step))

    with ThreadPoolExecutor(1) as pool:  # one thread: the source is drawn from in order
        waiting = deque(pool.submit(make, start + k) for k in range(2))
        for step in count(start + 2):
            waiting.append(pool.submit(make, step))
            yield waiting.popleft().result()


def _loss(network: Network, batch: Prepared, posed: Poses, step: int, *, bfloat16: bool) -> Tensor:
    import torch

    from .losses import answer_loss, finding_loss

    with torch.autocast("cpu", torch.bfloat16, enabled=bfloat16):
        found = network.look(batch.glance, batch.last, batch.scene)
        answer = network.judge(batch.close, found, batch.scene)
        reading = posed.loss(network, step)
    finding = finding_loss(found, batch.where, batch.corners, batch.path)
    answers = answer_loss(answer, batch.state, batch.outcome, batch.at, batch.up, batch.rest)
    return answers + 0.5 * finding + 0.5 * reading


def _keep(path: Path, network: Network, optimizer: torch.optim.Optimizer, step: int) -> None:
    """Writes the checkpoint at once or not at all."""
    from safetensors.torch import save_file

    tensors: dict[str, Any] = {f"network.{n}": t.contiguous() for n, t in network.state_dict().items()}
    for k, entries in optimizer.state_dict()["state"].items():
        tensors |= {f"optimizer.{k}.{n}": t.contiguous() for n, t in entries.items()}
    with whole_file(path) as part:
        save_file(tensors, part, metadata={"state": json.dumps({"step": step})})


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
