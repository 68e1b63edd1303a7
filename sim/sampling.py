"""How is a reference sampled, to a number of rollouts or to a width, and resumed after an interruption?"""

from __future__ import annotations

import json
import platform as platform_module
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .clip import whole_file
from .comparison import compare as compare
from .engine import engine as engine_of
from .errors import InputError
from .fingerprint import code_hash
from .fingerprint import settings_hash as settings_hash
from .reference import Reference
from .rollout import CHUNK, simulate
from .scene import Scene, Solver
from .tally import Tally

AIM_HALF_WIDTH = 0.01
"""Sampling half-width at which a reference is good enough."""
BUDGET_CPU_S = 300.0
"""CPU time after which a reference is left as it is."""

Progress = Callable[[int, int], None]


@dataclass(frozen=True, kw_only=True)
class Sampling:
    """A reference that was sampled to a width, and what it took."""

    reference: Reference
    aimed_half_width: float
    half_width: float | None
    """The width reached; None if no rollout has an outcome."""
    reached: bool
    cpu_s: float
    """CPU time of all its rollouts, in seconds."""
    budget_cpu_s: float


class _Sampler:
    """The rollouts of one scene from a first index on, kept in a checkpoint after every chunk."""

    def __init__(
        self,
        scene: Scene,
        *,
        variant: str | None,
        seed: int,
        first_index: int,
        engine: str,
        threads: int | None,
        solver: Solver | None,
        checkpoint: Path | None,
    ) -> None:
        if first_index < 0:
            raise ValueError(f"first_index must not be negative, got {first_index}")
        self._scene, self._checkpoint = scene, checkpoint
        self._version = engine_of(engine).version
        self._how: dict[str, Any] = {"variant": variant, "seed": seed, "engine": engine, "solver": solver}
        self._threads = threads
        self._key: dict[str, Any] = {
            "settings_hash": settings_hash(scene, variant, solver=solver, engine=engine),
            "code_hash": code_hash(scene, variant, solver=solver),
            "engine_version": self._version,
            "seed": seed,
        }
        self.tally, self.cpu_s = Tally(scene, first_index), 0.0
        if checkpoint is not None and checkpoint.exists():
            self._resume(checkpoint)

    def _resume(self, checkpoint: Path) -> None:
        """Go on where an interrupted call stopped."""
        first = self.tally.first
        try:
            state = json.loads(checkpoint.read_text(encoding="utf-8"))
            if isinstance(state, dict) and "counts" in state and "members" not in state:
                raise InputError(f"{checkpoint} was made by an older version; delete it to start anew")
            kept, there = state["key"], state["first"]
            known = isinstance(kept, dict) and type(there) is int
            if known and (kept, there) == (self._key, first):
                self.tally.load(state)
                self.cpu_s = float(state["cpu_s"])
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError):
            known = False
        if not known:
            raise InputError(f"{checkpoint} is torn or was edited; delete it to start anew")
        if kept != self._key:
            raise InputError(f"{checkpoint} was made with {kept}, not {self._key}; delete it to start anew")
        if there != first:
            raise InputError(f"{checkpoint} begins at index {there}, not {first}; delete it to start anew")

    def advance(self, stop: int) -> None:
        """Count the next chunk of rollouts, up to the index `stop` - 1."""
        begun, done = time.process_time(), self.tally.done
        indices = range(done, min(done + CHUNK, stop))
        self.tally.add(simulate(self._scene, indices=indices, threads=self._threads, **self._how))
        self.cpu_s += time.process_time() - begun
        if self._checkpoint is not None:
            state = {"key": self._key, "cpu_s": round(self.cpu_s, 3), **self.tally.to_json()}
            with whole_file(self._checkpoint) as part:
                part.write_text(json.dumps(state), encoding="utf-8")

    def reference(self) -> Reference:
        """What has been counted so far."""
        scene, tally = self._scene, self.tally
        null, failed = (dict(sorted(rows.items())) for rows in (tally.null, tally.failed))
        return Reference(
            scene=scene.token(self._how["variant"]),
            version=scene.version,
            outcomes=scene.outcomes,
            counts=dict(zip(scene.outcomes, tally.counts.tolist(), strict=True)),
            null={reason: len(rows) for reason, rows in null.items()},
            failed=failed,
            n=tally.done - tally.first,
            seed=self._how["seed"],
            engine=self._how["engine"],
            engine_version=self._version,
            platform=f"{platform_module.system()}-{platform_module.machine()}",
            settings_hash=self._key["settings_hash"],
            code_hash=self._key["code_hash"],
            first_index=tally.first,
            members=tuple(tuple(row) for row in tally.members.tolist()),
            null_rows=null,
        )


def sample(
    scene: Scene,
    *,
    variant: str | None = None,
    n: int,
    seed: int,
    first_index: int = 0,
    engine: str = "mujoco",
    threads: int | None = None,
    solver: Solver | None = None,
    checkpoint: Path | None = None,
    progress: Progress | None = None,
) -> Reference:
    """The counts of n rollouts.

    Args:
        scene: The scene.
        variant: Name of a variant; None for the base scene.
        n: Number of rollouts.
        seed: Any integer.
        first_index: Index of the first one; `sim.merging.merge` puts ranges together.
        engine: `mujoco` or `bullet`.
        threads: Number of threads; None for all CPUs. Never changes a count.
        solver: Other numerical settings than the scene's own.
        checkpoint: File that keeps the counts so far; an interrupted call goes on from it.
        progress: Called with (done, n) after every chunk.

    Raises:
        ValueError: `n` is not positive, or `first_index` is negative.
        InputError: The checkpoint belongs to other settings, or is torn.
    """
    if n < 1:
        raise ValueError(f"n must be positive, got {n}")
    sampler = _Sampler(
        scene,
        variant=variant,
        seed=seed,
        first_index=first_index,
        engine=engine,
        threads=threads,
        solver=solver,
        checkpoint=checkpoint,
    )
    stop = first_index + n
    if sampler.tally.done > stop:
        n_kept = sampler.tally.done - first_index
        raise InputError(f"{checkpoint} holds {n_kept} rollouts, more than n = {n}; delete it to start anew")
    while sampler.tally.done < stop:
        sampler.advance(stop)
        if progress is not None:
            progress(sampler.tally.done - first_index, n)
    return sampler.reference()


def sample_to_width(
    scene: Scene,
    *,
    variant: str | None = None,
    seed: int,
    half_width: float = AIM_HALF_WIDTH,
    budget_cpu_s: float = BUDGET_CPU_S,
    least_n: int = 0,
    engine: str = "mujoco",
    threads: int | None = None,
    checkpoint: Path | None = None,
    progress: Progress | None = None,
) -> Sampling:
    """The counts of as many rollouts as a sampling half-width takes, or as a budget of CPU time allows.

    The number is looked at after every chunk, and is kept in the reference: `sample` with it gives the same one.

    Args:
        scene: The scene.
        variant: Name of a variant; None for the base scene.
        seed: Any integer.
        half_width: Sampling half-width to reach.
        budget_cpu_s: CPU time, in seconds; what an interrupted call used counts.
        least_n: Rollouts that are made in any case.
        engine: `mujoco` or `bullet`.
        threads: Number of threads; None for all CPUs.
        checkpoint: File that keeps the counts so far; an interrupted call goes on from it.
        progress: Called with (done, estimated number) after every chunk.

    Raises:
        ValueError: The width or the budget is not positive.
        InputError: The checkpoint belongs to other settings, or is torn.
    """
    if not (half_width > 0 and budget_cpu_s > 0):
        raise ValueError(f"half_width and budget_cpu_s must be positive, got {half_width} and {budget_cpu_s}")
    sampler = _Sampler(
        scene,
        variant=variant,
        seed=seed,
        first_index=0,
        engine=engine,
        threads=threads,
        solver=None,
        checkpoint=checkpoint,
    )
    found, width, reached = None, None, False
    while found is None or found.n < least_n or not (reached or sampler.cpu_s >= budget_cpu_s):
        if found is not None or not sampler.tally.done:
            sampler.advance(sampler.tally.done + CHUNK)
        found = sampler.reference()
        width = found.half_width if sum(found.counts.values()) else None
        reached = width is not None and width <= half_width
        if progress is not None:
            progress(sampler.tally.done, _estimate(sampler, width, half_width, budget_cpu_s, least_n))
    return Sampling(
        reference=found,
        aimed_half_width=half_width,
        half_width=width,
        reached=reached,
        cpu_s=round(sampler.cpu_s, 1),
        budget_cpu_s=budget_cpu_s,
    )


def _estimate(sampler: _Sampler, width: float | None, aim: float, budget_cpu_s: float, least_n: int) -> int:
    """About how many rollouts there will be: the width falls with the root of their number."""
    done = sampler.tally.done
    affordable = done * budget_cpu_s / max(sampler.cpu_s, 1e-9)
    wanted = affordable if width is None else done * (width / aim) ** 2
    return max(done, least_n, round(min(wanted, affordable)))
