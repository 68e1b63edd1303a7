"""How are training and test clips made: simulated, staged, drawn and filmed, only when the judge looks?

A clip is a pure function of its order (scene, kind, seed, number) and its place: whatever the workers, the same bytes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

from sim import Camera, Look, Null, Scene, Trajectory

from .faults import FAULTS, Plan, settling_s, stage
from .lens import through_lens
from .lesson import STATES, Clip, Truth, close_box
from .looks import close_camera, random_camera, random_look
from .truth import Lens, Sphere, truth_of
from .views import EARLIER, N_FRAMES, look_times

if TYPE_CHECKING:
    from sim.studio import AnyStudio
    from sim.surface import Surfaces
    from sim.visual_model import Quality

SIZES_PX = ((240, 416), (256, 256), (240, 320), (240, 416), (320, 256))
FRAME_RATES_HZ = (8, 12, 15, 16, 24, 25, 30)
LONGEST_S = 6.0
OTHER_ENGINE = "other_engine"
_AFTER_S, _AFTER_CARRIED_S = 0.6, 3.0
"""How long a rollout goes on once it is decided; longer where the body that carries the main one moves on."""
_ROUND = 0.97
"""A body all of whose corners are that near to its bounding sphere is a ball: how it is turned cannot be seen."""
_MISJUDGED = 0.2
"""Spread of the logarithm of the size at which the close look shows a drawn die."""
P_CRISP = 0.5
"""Share of the shards whose sharp frames are drawn as carefully as the pictures that users get."""


@dataclass(frozen=True, kw_only=True)
class Order:
    """Everything that decides a batch of clips, besides the scene."""

    kind: str
    """`tray` for clips of the scene, `other_engine` for such clips moved by Bullet instead of MuJoCo, `drawn_dice` for
    dice of many makes, `poses` and `dice_looks` for close looks alone."""
    seed: int
    number: int
    n_clips: int
    variant: str | None = None
    renderer: str = "mujoco"
    flat: bool = True
    """Whether rare outcomes are drawn more often than they happen."""
    p_fault: float = 0.3
    candidates: int = 2
    """Rollouts looked at for each that is drawn: with more, rare outcomes can be drawn more often."""
    clips_per_rollout: int = 4
    """Clips filmed of each rollout, in other looks."""
    p_close: float = 0.0
    """Share of the clips filmed from right above the place where the body comes to rest."""


def random_source(*parts: object) -> np.random.Generator:
    """The random numbers that belong to the parts, and to nothing else."""
    digest = blake2b("\x1f".join(map(str, parts)).encode(), digest_size=16).digest()
    return np.random.default_rng(int.from_bytes(digest, "little"))


def clips(scene: Scene, order: Order) -> Iterator[Clip]:
    """The clips of one order, one by one.

    Raises:
        ValueError: The kind or the renderer is unknown.
    """
    if order.kind == "drawn_dice":
        return (_drawn_die(scene, order, k) for k in range(order.n_clips))
    if order.kind not in ("tray", OTHER_ENGINE):
        raise ValueError(f"kind must be tray, {OTHER_ENGINE} or drawn_dice, got {order.kind!r}")
    return _staged(scene, order)


@dataclass(frozen=True, kw_only=True)
class _Shot:
    """One staged clip, ready to be drawn."""

    plan: Plan
    camera: Camera
    look: Look
    time_s: np.ndarray
    truth: Truth
    fps: float
    rng: np.random.Generator
    """What is left of the clip's random numbers, for the lens."""


def _staged(scene: Scene, order: Order) -> Iterator[Clip]:
    shape = random_source("shape", scene.name, scene.version, order.seed, order.number, order.variant)
    size_px = SIZES_PX[int(shape.integers(len(SIZES_PX)))]
    quality: Quality = "fast" if shape.uniform() < P_CRISP else "draft"
    shots = _shots(scene, order, size_px)
    # The judge looks closely at two of the eight frames; the others are drawn at half the size, four times faster.
    fine = np.zeros(N_FRAMES, dtype=bool)
    fine[[EARLIER, -1]] = True
    coarse = list(_drawn(scene, order, shots, ~fine, (size_px[0] // 2, size_px[1] // 2), "draft"))
    for shot, rough, sharp in zip(shots, coarse, _drawn(scene, order, shots, fine, size_px, quality), strict=True):
        frames = np.empty((N_FRAMES, *size_px, 3), dtype=np.uint8)
        frames[~fine], frames[fine] = enlarged(rough, size_px), sharp
        film = through_lens(shot.plan.finish(frames, shot.time_s), shot.rng)
        box = close_box(shot.truth.where, shot.rng)
        yield Clip(frames=film.frames, truth=shot.truth, box=box, codec=film.codec, fps=shot.fps)


def _shots(scene: Scene, order: Order, size_px: tuple[int, int]) -> list[_Shot]:
    from sim.surface import surfaces

    seen = surfaces(scene, order.variant)
    body = body_sphere(seen)
    cast = rollouts(scene, order)
    donors = [trajectory for answer, trajectory in cast if isinstance(answer, str)]
    shots = []
    for k in range(order.n_clips):
        answer, trajectory = cast[k % len(cast)]
        rng = random_source("clip", scene.name, scene.version, order.seed, order.number, order.variant, k)
        plan = _plan(scene, answer, trajectory, donors, body.diameter_m, order, rng)
        rate = float(rng.choice(FRAME_RATES_HZ))
        duration_s = max(np.floor(plan.duration_s * rate), 4) / rate
        times = np.floor(look_times(duration_s) * rate + 1e-6) / rate
        if rng.uniform() < order.p_close and isinstance(answer, str) and plan.ghost is None:
            camera = close_camera(trajectory, body.diameter_m, rng)
        else:
            ends = [path.position_m[k, 0] for path in (trajectory, plan.ghost) if path is not None for k in (0, -1)]
            camera = random_camera(scene, np.array(ends), size_px, rng)
        look = random_look(scene.look_of(order.variant), camera, seen.materials, rng)
        lens = Lens(camera=camera, size_px=size_px)
        truth = truth_of(scene, answer, plan, times, lens, body)
        shots.append(_Shot(plan=plan, camera=camera, look=look, time_s=times, truth=truth, fps=rate, rng=rng))
    return shots


def _drawn(
    scene: Scene, order: Order, shots: list[_Shot], wanted: np.ndarray, size_px: tuple[int, int], quality: Quality
) -> Iterator[np.ndarray]:
    """For each shot the wanted frames (T, H, W, 3), as the renderer gives them."""
    with studio_of(scene, order, size_px, quality) as studio:
        for shot in shots:
            yield studio.frames(shot.plan.track(shot.time_s[wanted]), look=shot.look, camera=shot.camera)


def enlarged(frames: np.ndarray, size_px: tuple[int, int]) -> np.ndarray:
    """The frames (T, H, W, 3) at the size (height, width)."""
    import cv2

    return np.stack([cv2.resize(f, size_px[::-1], interpolation=cv2.INTER_LINEAR) for f in frames])


def studio_of(scene: Scene, order: Order, size_px: tuple[int, int], quality: Quality) -> AnyStudio:
    """What draws the clips of an order."""
    if order.renderer == "mujoco":
        from sim.render import Studio

        return Studio(scene, variant=order.variant, size_px=size_px, quality=quality)
    if order.renderer == "bullet":
        from sim.bullet_render import BulletStudio

        return BulletStudio(scene, variant=order.variant, size_px=size_px)
    raise ValueError(f"renderer must be mujoco or bullet, got {order.renderer!r}")


def _plan(
    scene: Scene,
    answer: str | Null,
    trajectory: Trajectory,
    donors: list[Trajectory],
    size_m: float,
    order: Order,
    rng: np.random.Generator,
) -> Plan:
    """The staging of one clip: sound, or broken by a random fault that this rollout can show."""
    speed = float(rng.uniform(0.75, 1.3))
    trajectory = replace(trajectory, time_s=trajectory.time_s / speed)
    if isinstance(answer, Null):
        return Plan(trajectory=trajectory, duration_s=float(trajectory.time_s[-1]))
    tail_s = (0.4, 1.6) if trajectory.position_m.shape[1] == 1 else (0.3, 3.0)
    duration_s = min(settling_s(trajectory) + float(rng.uniform(*tail_s)), LONGEST_S)
    if rng.uniform() < order.p_fault:
        others = [donors[k] for k in rng.permutation(len(donors))[:12]]
        weight = np.array([fault.weight for fault in FAULTS.values()])
        for name in rng.choice(list(FAULTS), len(FAULTS), replace=False, p=weight / weight.sum()):
            plan = stage(
                str(name), trajectory, duration_s=duration_s, size_m=size_m, rng=rng, donors=others, read=scene.read
            )
            if plan is not None:
                return plan
    drift = float(rng.uniform(-0.05, 0.08)) if rng.uniform() < 0.2 else 0.0
    return Plan(trajectory=trajectory, duration_s=duration_s, zoom=drift)


def body_sphere(surfaces: Surfaces) -> Sphere:
    """The sphere around all that is seen of the main body."""
    corners = np.concatenate([part.triangles.corners_m.reshape(-1, 3) for part in surfaces.parts if part.body == 0])
    centre = (corners.min(axis=0) + corners.max(axis=0)) / 2
    radius = np.linalg.norm(corners - centre, axis=1)
    return Sphere(
        centre_m=centre, diameter_m=2 * float(radius.max()), filled=bool(radius.min() > _ROUND * radius.max())
    )


def rollouts(scene: Scene, order: Order) -> list[tuple[str | Null, Trajectory]]:
    """What a shard's clips are made of: answers and trajectories that last until the body lies still.

    All candidates are simulated with an early stop, which is cheap and gives outcome and time; those chosen run once
    more, a little longer than that, or much longer if something else, as a wheel, moves on. Failed rollouts, and nulls
    for which the judge has no reason, are left out.
    """
    from sim.rollout import simulate

    n = max(2, round(order.n_clips / order.clips_per_rollout))
    indices = [order.number * n * order.candidates + k for k in range(n * order.candidates)]
    how: dict[str, Any] = {"variant": order.variant, "seed": order.seed, "threads": 1, "keep_trajectory": True}
    how["engine"] = "bullet" if order.kind == OTHER_ENGINE else "mujoco"
    early = list(simulate(scene, indices=indices, **how))
    usable = [r for r in early if r.outcome is not None or r.null in STATES]
    kinds = Counter(r.outcome or r.null for r in usable)
    weight = np.array([kinds[r.outcome or r.null] ** (-0.6 if order.flat else 0.0) for r in usable])
    weight[[r.outcome is None for r in usable]] *= 0.3 if order.flat else 1.0
    rng = random_source("choice", scene.name, scene.version, order.seed, order.number)
    chosen = rng.choice(len(usable), size=min(n, len(usable)), replace=False, p=weight / weight.sum())
    ends = {usable[k].index: _end_s(usable[k].trajectory) for k in chosen}
    after_s = _AFTER_S if len(scene.moving_bodies) == 1 else _AFTER_CARRIED_S
    out: dict[int, tuple[str | Null, Trajectory]] = {}
    for group in np.array_split(sorted(ends, key=lambda i: (ends[i], i)), max(1, len(ends) // 16)):
        longest = min(scene.duration_s, max(ends[int(i)] for i in group) + after_s)
        shorter = replace(scene, duration_s=longest)
        for r in simulate(shorter, indices=[int(i) for i in group], full=True, **how):
            answer = r.outcome if r.outcome is not None else r.null
            if r.trajectory is not None and answer is not None and (r.outcome is not None or answer in STATES):
                out[r.index] = (answer if r.outcome is not None else Null(answer), r.trajectory)
    return [out[usable[k].index] for k in chosen if usable[k].index in out]


def _end_s(trajectory: Trajectory | None) -> float:
    return 0.0 if trajectory is None else float(trajectory.time_s[-1])


def _drawn_die(scene: Scene, order: Order, k: int) -> Clip:
    """A drawn die that slides into place; outcomes are taken as one to six pips in the scene's order."""
    from .drawn_dice import sliding, still

    rng = random_source("drawn_dice", scene.name, order.seed, order.number, k)
    count = int(rng.integers(1, 7))
    picture = still(count, int(rng.choice([96, 128, 192, 256])), rng)
    rests_s = float(rng.uniform(0.4, 1.6))
    duration_s, rate = rests_s + float(rng.uniform(0.45, 1.5)), float(rng.choice(FRAME_RATES_HZ))
    times = np.floor(look_times(duration_s) * rate + 1e-6) / rate
    state, where = "sound", (picture.column, picture.row, picture.diameter)
    draw = rng.uniform()
    if draw < 0.05:
        state, rests_s = "no_motion", 0.0
    frames, path = sliding(picture, times, rng, rests_s=rests_s)
    if 0.05 <= draw < 0.10:
        state, where = "object_lost", (np.nan, np.nan, np.nan)
        lost = times > rng.uniform(0.2, 0.7) * duration_s
        frames[lost], path[lost] = picture.ground, np.nan
    truth = Truth(
        state=STATES.index(state),
        outcome=count - 1 if state == "sound" else -1,
        where=where,
        fault="",
        path=path[:-1],
    )
    film = through_lens(frames, rng)
    # The place that the network finds in a picture unlike its scene's is not quite right: the reader must not mind.
    found = (where[0], where[1], where[2] * float(np.exp(rng.normal(0, _MISJUDGED))))
    return Clip(frames=film.frames, truth=truth, box=close_box(found, rng), codec=film.codec, fps=rate)
