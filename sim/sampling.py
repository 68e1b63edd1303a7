"""How is a reference sampled, resumed after an interruption, and compared with another sample?"""

from __future__ import annotations

import json
import platform as platform_module
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from .engine import engine as engine_of
from .errors import EngineError, InputError
from .reference import Comparison, Reference, write_text
from .rollout import CHUNK, Rollout, simulate
from .scene import N_UNKNOWN_DRAWS, NULL_REASONS, Scene, Solver

MAX_BAD_SHARE = 0.005
"""Largest share of failed and unsettled rollouts that a reference may have."""
MIN_P_NOT_CAUSAL = 0.001
"""Smallest p at which a variant still passes for one that does not matter."""
_N_DRAWS = 20_000
"""Multinomial draws behind a comparison."""


def settings_hash(scene: Scene, variant: str | None, *, solver: Solver | None, engine: str) -> str:
    """Hash of the facts that decide a scene's counts."""
    chosen = scene.variant(variant)
    facts = {
        "scene": scene.name,
        "version": scene.version,
        "settings": {**scene.settings, **(chosen.settings if chosen is not None else {})},
        "factors": {name: repr(factor) for name, factor in scene.factors.items()},
        "duration_s": scene.duration_s,
        "solver": asdict(scene.solver if solver is None else solver),
        "n_unknown_draws": N_UNKNOWN_DRAWS,
        "engine": engine,
    }
    return blake2b(json.dumps(facts, sort_keys=True, default=repr).encode(), digest_size=8).hexdigest()


def sample(
    scene: Scene,
    *,
    variant: str | None = None,
    n: int,
    seed: int,
    engine: str = "mujoco",
    threads: int | None = None,
    solver: Solver | None = None,
    checkpoint: Path | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Reference:
    """The counts of rollouts 0 to n - 1.

    Args:
        scene: The scene.
        variant: Name of a variant; None for the base scene.
        n: Number of rollouts.
        seed: Any integer.
        engine: `mujoco` or `bullet`.
        threads: Number of threads; None for all CPUs. Never changes a count.
        solver: Other numerical settings than the scene's own.
        checkpoint: File that keeps the counts so far; an interrupted call goes on from it.
        progress: Called with (done, n) after every chunk.

    Raises:
        ValueError: `n` is not positive.
        InputError: The checkpoint belongs to other settings, or is torn.
    """
    if n < 1:
        raise ValueError(f"n must be positive, got {n}")
    token, runner = scene.token(variant), engine_of(engine)
    key: dict[str, Any] = {
        "settings_hash": settings_hash(scene, variant, solver=solver, engine=engine),
        "engine_version": runner.version,
        "seed": seed,
    }
    done, counts, null, failed = _resume(checkpoint, key, n, scene.outcomes)
    while done < n:
        indices = range(done, min(done + CHUNK, n))
        _tally(
            simulate(scene, variant=variant, seed=seed, indices=indices, engine=engine, threads=threads, solver=solver),
            counts,
            null,
            failed,
        )
        done = indices.stop
        if checkpoint is not None:
            state = {"key": key, "done": done, "counts": counts, "null": null, "failed": failed}
            write_text(checkpoint, json.dumps(state))
        if progress is not None:
            progress(done, n)
    return Reference(
        scene=token,
        version=scene.version,
        outcomes=scene.outcomes,
        counts={outcome: counts[outcome] for outcome in scene.outcomes},
        null=dict(sorted(null.items())),
        failed=dict(sorted(failed.items())),
        n=n,
        seed=seed,
        engine=engine,
        engine_version=runner.version,
        platform=f"{platform_module.system()}-{platform_module.machine()}",
        settings_hash=key["settings_hash"],
    )


def _tally(rollouts: Iterable[Rollout], counts: Counter[str], null: Counter[str], failed: dict[str, list[int]]) -> None:
    """Adds each rollout to the table that it belongs to."""
    for rollout in rollouts:
        if rollout.failed is not None:
            failed.setdefault(rollout.failed, []).append(rollout.index)
        elif rollout.null is not None:
            null[rollout.null] += 1
        else:
            counts[str(rollout.outcome)] += 1


def _resume(
    checkpoint: Path | None, key: Mapping[str, Any], n: int, outcomes: Sequence[str]
) -> tuple[int, Counter[str], Counter[str], dict[str, list[int]]]:
    """Where an interrupted call stopped."""
    if checkpoint is None or not checkpoint.exists():
        return 0, Counter(), Counter(), {}
    try:
        state = json.loads(checkpoint.read_text(encoding="utf-8"))
        kept = state["key"]
        sound = isinstance(kept, dict) and _adds_up(state, outcomes if kept == key else tuple(state["counts"]))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        sound = False
    if not sound:
        raise InputError(f"{checkpoint} is torn or was edited; delete it to start anew")
    if kept != key:
        raise InputError(f"{checkpoint} was made with {kept}, not {dict(key)}; delete it to start anew")
    if state["done"] > n:
        raise InputError(f"{checkpoint} holds {state['done']} rollouts, more than n = {n}; delete it to start anew")
    return state["done"], Counter(state["counts"]), Counter(state["null"]), state["failed"]


def _adds_up(state: Mapping[str, Any], outcomes: Sequence[str]) -> bool:
    """Whether a checkpoint counts each of its rollouts once, under names that there are."""
    done, counts, null = state["done"], state["counts"], state["null"]
    rows = [index for indices in state["failed"].values() for index in indices]
    numbers = (done, *counts.values(), *null.values())
    return (
        all(type(number) is int and number >= 0 for number in numbers)
        and all(type(index) is int and 0 <= index < done for index in rows)
        and len(set(rows)) == len(rows)
        and set(counts) <= set(outcomes)
        and set(null) <= set(NULL_REASONS)
        and sum(counts.values()) + sum(null.values()) + len(rows) == done
    )


def compare(reference: Reference, other: Reference, *, seed: int = 0) -> Comparison:
    """How far a second sample of the same outcomes is from a reference, beside what chance alone gives.

    Raises:
        ValueError: The two have other outcomes.
    """
    if reference.outcomes != other.outcomes:
        raise ValueError(f"outcomes must agree, got {reference.outcomes} and {other.outcomes}")
    a, b = (np.array([r.counts[o] for o in r.outcomes]) for r in (reference, other))
    pooled = (a + b) / (a.sum() + b.sum())
    rng = np.random.default_rng(seed)
    draws_a = rng.multinomial(a.sum(), pooled, size=_N_DRAWS) / a.sum()
    draws_b = rng.multinomial(b.sum(), pooled, size=_N_DRAWS) / b.sum()
    null = 0.5 * np.abs(draws_a - draws_b).sum(axis=1)
    tv = float(0.5 * np.abs(reference.shares - other.shares).sum())
    return Comparison(
        engine=other.engine,
        engine_version=other.engine_version,
        n=other.n,
        counts=other.counts,
        null=other.null,
        failed=other.failed,
        tv=round(tv, 6),
        tv_expected=round(float(null.mean()), 6),
        p=float((np.sum(null >= tv - 1e-9) + 1) / (_N_DRAWS + 1)),
    )


def with_evidence(
    reference: Reference, *, second_engine: Comparison | None, not_causal: Mapping[str, Comparison] | None
) -> Reference:
    """The reference with its second engine and its checks of variants that should not matter.

    The second engine is evidence, not a gate: where engines differ, the reference shows by how much.

    Raises:
        EngineError: More than 0.5 % of the rollouts failed or did not settle (the message names some), or a variant
            that should not matter moves the distribution (p below 0.001).
    """
    if reference.bad_share > MAX_BAD_SHARE:
        some = {reason: list(indices[:5]) for reason, indices in reference.failed.items()}
        raise EngineError(
            f"{reference.scene} version {reference.version}, seed {reference.seed}: {reference.bad_share:.2%} of the "
            f"rollouts failed or did not settle (limit {MAX_BAD_SHARE:.1%}); failed {some}, null {dict(reference.null)}"
        )
    for variant, check in (not_causal or {}).items():
        if check.p < MIN_P_NOT_CAUSAL:
            raise EngineError(
                f"{reference.scene}@{variant} is said not to be causal, but moves the distribution: TV {check.tv:.3f}, "
                f"p = {check.p:.2g}; mark it causal or mend the scene"
            )
    return replace(reference, second_engine=second_engine, not_causal=not_causal)
