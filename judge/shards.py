"""How are training clips made by several processes, kept on disk, and made only once?"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, fields
from hashlib import blake2b
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from sim import Scene
from sim.clip import whole_file

from .clips import Order, clips, random_source
from .dice_looks import dice_looks
from .lesson import Lessons
from .poses import poses

FORMAT = 6
"""Raised by every change of this package that changes the bytes of a shard."""
GROUP = 24
"""Shards that are mixed with each other while training."""

CLOSE_LOOKS = {"poses": poses, "dice_looks": dice_looks}
"""Kind of an order -> what makes its close looks; orders of other kinds are for clips."""

Load = Callable[[str], Scene]
"""Name -> scene; importable, because worker processes call it."""
Progress = Callable[[str, int, int], None]
"""What is done, how many are done, how many there are."""


@dataclass(frozen=True, kw_only=True)
class Job:
    """One shard to make."""

    scene: str
    version: int
    order: Order

    @property
    def name(self) -> str:
        """File name; holds a hash of everything that decides the bytes."""
        text = json.dumps([FORMAT, self.scene, self.version, asdict(self.order)], sort_keys=True)
        mark = blake2b(text.encode(), digest_size=6).hexdigest()
        return f"{self.scene}-{self.order.kind}-{self.order.number:03d}-{mark}.npz"


def make_shards(
    folder: Path, jobs: Sequence[Job], load: Load, *, workers: int, progress: Progress | None = None
) -> list[Path]:
    """Paths of the shards, in the order of the jobs; those that are there already are not made again.

    Args:
        folder: Where they are kept.
        jobs: What to make.
        load: Gives the scenes; called in the worker processes.
        workers: Number of processes; never changes a byte.
        progress: Called after each shard.
    """
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / job.name for job in jobs]
    missing = [(job, path) for job, path in zip(jobs, paths, strict=True) if not path.is_file()]
    done = len(jobs) - len(missing)
    if missing:
        with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
            waiting = [pool.submit(_make, load, job, path) for job, path in missing]
            for finished in as_completed(waiting):
                finished.result()
                done += 1
                if progress is not None:
                    progress("clips", done, len(jobs))
    return paths


def _make(load: Load, job: Job, path: Path) -> None:
    import cv2

    cv2.setNumThreads(1)
    scene = load(job.scene)
    if job.order.kind in CLOSE_LOOKS:
        kept = CLOSE_LOOKS[job.order.kind](scene, job.order)
    else:
        kept = Lessons.of(clips(scene, job.order)).arrays()
    with whole_file(path) as part, part.open("wb") as handle:
        np.savez(handle, **kept)  # type: ignore[arg-type]


def digest_of_shards(paths: Sequence[Path]) -> str:
    """Hash of all bytes of all shards, in order."""
    total = blake2b(digest_size=16)
    for path in paths:
        total.update(blake2b(path.read_bytes(), digest_size=16).digest())
    return total.hexdigest()


def read_shard(path: Path) -> Lessons:
    """The lessons of one shard."""
    with np.load(path) as stored:
        return Lessons(**{field.name: stored[field.name] for field in fields(Lessons)})


@dataclass(frozen=True, kw_only=True)
class Batch:
    """Lessons that are learnt in one step."""

    lessons: Lessons
    scene: np.ndarray
    """(N,) positions in the list of scenes."""


def batches(
    paths: Sequence[Path], scene: Sequence[int], *, n_clips: int, size: int, seed: int, start: int
) -> Iterator[Batch]:
    """Endless batches from step `start` on; a pure function of the arguments, so that training can resume.

    Args:
        paths: The shards.
        scene: For each shard, the position of its scene.
        n_clips: Clips in each shard.
        size: Clips in a batch.
        seed: Decides the order.
        start: Steps to pass over.
    """
    epoch = 0
    while True:
        order = random_source("order", seed, epoch).permutation(len(paths))
        for first in range(0, len(order), GROUP):
            group = order[first : first + GROUP]
            n_batches = len(group) * n_clips // size
            if start >= n_batches:
                start -= n_batches
                continue
            parts = [read_shard(paths[int(k)]) for k in group]
            mixed = {f.name: np.concatenate([getattr(part, f.name) for part in parts]) for f in fields(Lessons)}
            labels = np.concatenate([np.full(len(part), scene[int(k)]) for part, k in zip(parts, group, strict=True)])
            del parts
            rows = random_source("rows", seed, epoch, first).permutation(len(labels))
            for k in range(start, n_batches):
                chosen = rows[k * size : (k + 1) * size]
                yield Batch(lessons=Lessons(**{n: a[chosen] for n, a in mixed.items()}), scene=labels[chosen])
            start = 0
        epoch += 1
