"""What came out of a range of rollouts?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .engine import Run
from .engine import engine as engine_of
from .errors import EngineError
from .scene import Null, Scene, Solver
from .trajectory import Trajectory

CHUNK = 256
"""Rollouts simulated together; never changes a result."""


@dataclass(frozen=True, kw_only=True)
class Rollout:
    """One simulated run: exactly one of `outcome`, `null` and `failed` is set."""

    index: int
    outcome: str | None = None
    null: str | None = None
    """Reason for which the run has no outcome."""
    failed: str | None = None
    """What went wrong with the run; counted, never guessed."""
    trajectory: Trajectory | None = None
    """What the run recorded, if asked for."""


def read_run(scene: Scene, run: Run, *, index: int, seed: int, keep_trajectory: bool) -> Rollout:
    """The rollout that a run amounts to; a reader that calls `sys.exit` makes it a failed one.

    Raises:
        EngineError: The scene's reader raised, or returned something that is neither an outcome nor a null.
    """
    kept = run.trajectory if keep_trajectory else None
    if run.failed is not None:
        return Rollout(index=index, failed=run.failed, trajectory=kept)
    where = f"{scene.name} version {scene.version}, seed {seed}, index {index}"
    try:
        answer = scene.read(run.trajectory)
    except SystemExit:  # it must not end a command of ours: counted, and the row reproduces it
        return Rollout(index=index, failed="reader_exited", trajectory=kept)
    except Exception as fault:  # a user's reader may raise anything; the row that reproduces it matters
        raise EngineError(f"{where}: read raised {type(fault).__name__}: {fault}") from fault
    if isinstance(answer, Null):
        return Rollout(index=index, null=answer.reason, trajectory=kept)
    if not (isinstance(answer, str) and answer in scene.outcomes):
        raise EngineError(f"{where}: read returned {answer!r}, which is not an outcome")
    return Rollout(index=index, outcome=answer, trajectory=kept)


def simulate(
    scene: Scene,
    *,
    variant: str | None = None,
    seed: int,
    indices: Sequence[int],
    engine: str = "mujoco",
    threads: int | None = None,
    full: bool = False,
    keep_trajectory: bool = False,
    solver: Solver | None = None,
) -> Iterator[Rollout]:
    """The rollouts of the given indices, in order; each is a pure function of (scene, version, variant, seed, index).

    Args:
        scene: The scene.
        variant: Name of a variant; None for the base scene.
        seed: Any integer.
        indices: Indices of the rollouts.
        engine: `mujoco` or `bullet`.
        threads: Number of threads; None for all CPUs. Never changes a result.
        full: Run each to `scene.duration_s`, as a rendered clip needs; the outcome is the same.
        keep_trajectory: Keep what each run recorded.
        solver: Other numerical settings than the scene's own.

    Raises:
        SceneError: The scene cannot be built.
        EngineError: The scene's reader failed.
    """
    runner = engine_of(engine)
    for start in range(0, len(indices), CHUNK):
        chunk = indices[start : start + CHUNK]
        params = [scene.params(seed, i, variant=variant, solver=solver) for i in chunk]
        for index, run in zip(chunk, runner.run(scene, params, full=full, threads=threads), strict=True):
            yield read_run(scene, run, index=index, seed=seed, keep_trajectory=keep_trajectory)
