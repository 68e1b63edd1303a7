"""How do the stand-in models become folders of real clips?

The rollouts come from a seed of their own, so that no reference and no training clip has seen them. Each model is
filmed in a light of its own that lies outside the looks of the training clips; the camera is that of the source image.
What each clip truly shows is written beside the folder as a table that `score --verdicts` reads.
"""

from __future__ import annotations

import csv
import io
import zlib
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import scenes
from sim import Look, QuincunxError, Scene
from sim.sampling import settings_hash

from .standins import MODELS, drawn_outcomes, glitch_of

if TYPE_CHECKING:
    from judge.faults import Plan
    from sim import Trajectory
    from sim.render import Studio
    from sim.rollout import Rollout

SEED = 77_020_261
"""Seed of the stand-ins' rollouts."""
SIZE_PX, FPS, REST_S = (240, 320), 8, 0.6
"""Height and width, frames a second, and how long a clip lasts after everything has come to rest."""
POOL, MOST = 64, 2048
"""Rollouts looked at at a time, and at most, to find those with a wanted outcome."""
_LIGHTS: dict[str, tuple[tuple[float, float, float], float, float, tuple[float, float, float]]] = {
    "faithful": ((0.9, -0.5, 0.9), 0.70, 0.48, (0.86, 0.84, 0.80)),
    "collapsed": ((-0.8, -0.7, 0.9), 0.80, 0.47, (0.55, 0.60, 0.68)),
    "tilted": ((0.3, -1.0, 0.9), 0.60, 0.60, (0.92, 0.92, 0.94)),
    "glitchy": ((-0.2, -1.0, 0.8), 0.95, 0.46, (0.40, 0.42, 0.46)),
}
"""Model -> direction of the light from the target, its strength, ambient light, background."""

Progress = Callable[[int, int], None]
"""Called with (cells done, cells in all)."""


@dataclass(frozen=True, kw_only=True)
class Shown:
    """What one clip truly shows."""

    model: str
    scene: str
    file: str
    outcome: str
    """Empty if the clip has none."""
    reason: str
    """Null reason, or empty."""


def write_standins(
    out: Path | str,
    tokens: Sequence[str],
    *,
    models: Sequence[str] = MODELS,
    n_clips: int = 24,
    seed: int = SEED,
    workers: int = 2,
    progress: Progress | None = None,
) -> list[Shown]:
    """Write `<out>/study/<model>/<scene token>/<k>.mp4` and `<out>/truth.csv`; what is there already is kept.

    Args:
        out: Folder to write into.
        tokens: Scene tokens.
        models: Names out of calibrate.standins.MODELS.
        n_clips: Clips of each cell.
        seed: Seed of the rollouts and of everything else that is drawn. Never changes with the workers.
        workers: Processes that simulate and draw, one renderer each.
        progress: Called after every cell.

    Returns:
        What each clip shows, in the order of models, tokens and numbers.

    Raises:
        QuincunxError: A wanted outcome is too rare to be found.
    """
    root = Path(out)
    jobs = [(str(root), token, model, n_clips, seed) for token in tokens for model in models]
    found: dict[tuple[str, str], list[Shown]] = {}
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        for done, shown in enumerate(pool.map(_write_cell, jobs), start=1):
            found[jobs[done - 1][2], jobs[done - 1][1]] = shown
            if progress is not None:
                progress(done, len(jobs))
    table = [row for model in models for token in tokens for row in found[model, token]]
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("model", "scene", "file", "outcome", "reason"))
    writer.writerows((row.model, row.scene, row.file, row.outcome, row.reason) for row in table)
    (root / "truth.csv").write_text(text.getvalue(), encoding="utf-8")
    return table


def _write_cell(job: tuple[str, str, str, int, int]) -> list[Shown]:
    """One cell: choose rollouts, stage, draw and write those clips that are not there."""
    from sim.clip import write_clip

    out, token, model, n_clips, seed = job
    scene, variant = scenes.parse_token(token)
    folder = Path(out, "study", model, token)
    planned = folder / ".plan.csv"
    made_with = _made_with(scene, variant, n_clips, seed)
    if (rows := _finished(folder, planned, n_clips, made_with)) is not None:
        return rows
    begun = folder / ".begun"
    if not begun.is_file() or begun.read_text(encoding="utf-8") != made_with:
        for old in (planned, *folder.glob("*.mp4")):  # of other rollouts: what they show is not what would be said
            old.unlink(missing_ok=True)
        folder.mkdir(parents=True, exist_ok=True)
        begun.write_text(made_with, encoding="utf-8")
    rollouts = _rollouts(scene, variant, model, n_clips, seed)
    rows = []
    with _studio(scene, variant) as studio:
        look = _look(scene, variant, model)
        for k, rollout in enumerate(rollouts):
            plan = _plan(scene, model, k, rollout, rollouts, seed)
            times = np.arange(max(8, round(plan.duration_s * FPS))) / FPS
            file = folder / f"{k:03d}.mp4"
            if not file.is_file():
                write_clip(file, _drawn(studio, plan, times, look), fps=FPS)
            reason = plan.reason or rollout.null or ""
            shown = "" if reason else str(rollout.outcome)
            rows.append(
                Shown(model=model, scene=token, file=f"{model}/{token}/{file.name}", outcome=shown, reason=reason)
            )
    lines = [f"{made_with}\n", *(f"{row.outcome},{row.reason}\n" for row in rows)]
    planned.write_text("".join(lines), encoding="utf-8")
    return rows


def _made_with(scene: Scene, variant: str | None, n_clips: int, seed: int) -> str:
    """One word that changes with everything that decides which rollouts a cell shows."""
    facts = settings_hash(scene, variant, solver=None, engine="mujoco")
    counts = ",".join(str(c) for c in scenes.reference(scene.token(variant)).counts.values())
    return f"{seed}-{n_clips}-{facts}-{zlib.crc32(counts.encode()):08x}"


def _finished(folder: Path, planned: Path, n_clips: int, made_with: str) -> list[Shown] | None:
    """What a finished cell shows; None if it is not finished or belongs to another call."""
    if not planned.is_file() or not all((folder / f"{k:03d}.mp4").is_file() for k in range(n_clips)):
        return None
    head, *lines = planned.read_text(encoding="utf-8").split()
    if head != made_with or len(lines) != n_clips:
        return None
    model, token = folder.parent.name, folder.name
    rows = []
    for k, line in enumerate(lines):
        outcome, _, reason = line.partition(",")
        file = f"{model}/{token}/{k:03d}.mp4"
        rows.append(Shown(model=model, scene=token, file=file, outcome=outcome, reason=reason))
    return rows


def _rollouts(scene: Scene, variant: str | None, model: str, n_clips: int, seed: int) -> list[Rollout]:
    """One rollout for each clip, run until everything lies still, whose outcomes are those the model shows."""
    from sim.rollout import simulate

    first = {"faithful": 0, "glitchy": MOST}.get(model, 2 * MOST)
    if model in ("faithful", "glitchy"):
        early = _looked_at(scene, variant, seed, range(first, first + n_clips + 8))[:n_clips]
    else:
        reference = scenes.reference(scene.token(variant)).shares
        rng = _random(seed, scene, variant, model)
        wanted = drawn_outcomes(model, scene.outcomes, reference, n=n_clips, rng=rng)
        early = _matching(scene, variant, seed, wanted, first)
    lasts = max(_end_s(r) for r in early) + REST_S + 0.4
    longer = replace(scene, duration_s=min(scene.duration_s, lasts))
    indices = [r.index for r in early]
    return list(
        simulate(longer, variant=variant, seed=seed, indices=indices, threads=1, full=True, keep_trajectory=True)
    )


def _looked_at(scene: Scene, variant: str | None, seed: int, indices: range) -> list[Rollout]:
    """Rollouts that did not fail, stopped as soon as their outcome is decided."""
    from sim.rollout import simulate

    found = simulate(scene, variant=variant, seed=seed, indices=indices, threads=1, keep_trajectory=True)
    return [rollout for rollout in found if rollout.failed is None]


def _matching(scene: Scene, variant: str | None, seed: int, wanted: Sequence[str], first: int) -> list[Rollout]:
    """For each wanted outcome the next rollout that has it, none twice."""
    waiting: dict[str, list[Rollout]] = {outcome: [] for outcome in scene.outcomes}
    lacking = {outcome: wanted.count(outcome) for outcome in wanted}
    for start in range(first, first + MOST, POOL):
        for rollout in _looked_at(scene, variant, seed, range(start, start + POOL)):
            if rollout.outcome is not None:
                waiting[rollout.outcome].append(rollout)
        if all(len(waiting[outcome]) >= n for outcome, n in lacking.items()):
            return [waiting[outcome].pop(0) for outcome in wanted]
    rare = min(lacking, key=lambda outcome: len(waiting[outcome]) - lacking[outcome])
    raise QuincunxError(
        f"{scene.name}: {len(waiting[rare])} of {MOST} rollouts show {rare}, {lacking[rare]} are needed"
    )


def _end_s(rollout: Rollout) -> float:
    return 0.0 if rollout.trajectory is None else float(rollout.trajectory.time_s[-1])


def _random(seed: int, scene: Scene, variant: str | None, *parts: object) -> np.random.Generator:
    """The random numbers that belong to the parts, and to nothing else."""
    return np.random.default_rng([seed, zlib.crc32("\x1f".join(map(str, (scene.token(variant), *parts))).encode())])


def _plan(scene: Scene, model: str, k: int, rollout: Rollout, others: Sequence[Rollout], seed: int) -> Plan:
    """How clip number k is staged: sound, or broken by the fault whose turn it is, or by the next that is possible."""
    from judge.clips import body_sphere
    from judge.faults import FAULTS, Plan, settling_s, stage
    from sim.surface import surfaces

    trajectory = _trajectory(rollout)
    duration_s = min(settling_s(trajectory) + REST_S, float(trajectory.time_s[-1]))
    glitch = glitch_of(model, k)
    if glitch is not None and rollout.outcome is not None:
        rng = _random(seed, scene, None, model, k)
        donors = [_trajectory(o) for o in others if o.index != rollout.index and o.outcome != rollout.outcome]
        size_m = body_sphere(surfaces(scene)).diameter_m
        for fault in (
            glitch[0],
            *(f for f in FAULTS if f in ("vanishes", "frozen", "doubles", "cut") and f != glitch[0]),
        ):
            plan = stage(
                fault, trajectory, duration_s=duration_s, size_m=size_m, rng=rng, donors=donors, read=scene.read
            )
            if plan is not None:
                return plan
    return Plan(trajectory=trajectory, duration_s=duration_s)


def _trajectory(rollout: Rollout) -> Trajectory:
    if rollout.trajectory is None:
        raise QuincunxError(f"rollout {rollout.index} recorded nothing")
    return rollout.trajectory


def _studio(scene: Scene, variant: str | None) -> Studio:
    from sim.render import Studio

    return Studio(scene, variant=variant, size_px=SIZE_PX)


def _look(scene: Scene, variant: str | None, model: str) -> Look:
    """The model's light, at the distance of the scene's own."""
    base = scene.look_of(variant)
    way, diffuse, ambient, background = _LIGHTS.get(model, _LIGHTS["faithful"])
    target = np.asarray(scene.camera.target_m)
    reach = float(np.linalg.norm(np.asarray(base.light_position_m) - target))
    x, y, z = (target + reach * np.asarray(way) / np.linalg.norm(way)).tolist()
    return replace(
        base,
        light_position_m=(x, y, z),
        light_diffuse=diffuse,
        headlight_diffuse=0.0,
        ambient=ambient,
        background_rgb=background,
    )


def _drawn(studio: Studio, plan: Plan, times: np.ndarray, look: Look) -> np.ndarray:
    """(T, H, W, 3) frames at the times (T,); a frame in which nothing has moved is not drawn again."""
    track = plan.track(times)
    state = [track.position_m.reshape(len(times), -1), track.quaternion.reshape(len(times), -1)]
    state.append(track.visible.astype(float))
    if track.ghost_position_m is not None and track.ghost_quaternion is not None:
        state += [np.nan_to_num(track.ghost_position_m), np.nan_to_num(track.ghost_quaternion)]
    rows = np.concatenate(state, axis=1)
    drawn = [0]
    for t in range(1, len(rows)):
        if np.abs(rows[t] - rows[drawn[-1]]).max() > 1e-5:
            drawn.append(t)
    pictures = studio.frames(plan.track(times[drawn]), look=look)
    return plan.finish(pictures[np.searchsorted(drawn, np.arange(len(times)), side="right") - 1], times)
