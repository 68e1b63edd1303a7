"""How does each engine move the tossed cube on from a measured release, at the rate at which the real one was tracked?

Lengths here are metric; what was measured is divided by 0.978 (see the data's notes), errors are told as measured.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from sim import Camera, InputError, Look, Null, Params, Scene, Solver, contact, world
from sim.impact import Touch, cuboid, replay
from sim.impact.body import Body
from sim.trajectory import rotation_matrices

from .throwing import mujoco_coordinates

RATE_HZ = 148
EDGE_M, MASS_KG, INERTIA_KG_M2 = 0.1048, 0.37, 8.1e-4
SHORT = 0.978
"""Measured lengths over metric ones."""
SOLVER = Solver(timestep_s=1 / 4440, contact_frequency_rad_s=1332.0)
_STEPS = 30
_CLEAR_M = 1e-5


@dataclass(frozen=True, kw_only=True)
class Tosses:
    """Tracked tosses."""

    ids: np.ndarray
    """(N,)"""
    paths: tuple[np.ndarray, ...]
    """Of each toss (T, 13), as measured: position, quaternion, velocity, angular velocity in the body's axes."""

    def some(self, chosen: np.ndarray) -> Tosses:
        """The tosses of a mask (N,)."""
        return Tosses(ids=self.ids[chosen], paths=tuple(p for p, c in zip(self.paths, chosen, strict=True) if c))

    @property
    def counts(self) -> np.ndarray:
        """(N,) rows of each toss."""
        return np.array([len(path) for path in self.paths])


def read_tosses(file: Path) -> Tosses:
    """The tosses in a file.

    Raises:
        InputError: The file is not there, or is none of tosses.
    """
    if not file.is_file():
        raise InputError(f"{file} is not there; give the file of the tracked tosses with --data")
    try:
        with np.load(file) as held:
            states, offsets = np.asarray(held["states"], dtype=float), np.asarray(held["offsets"])
            ids = np.asarray(held["ids"]) if "ids" in held else np.arange(len(offsets) - 1)
    except (KeyError, ValueError, OSError) as fault:
        raise InputError(f"{file} must hold the arrays states and offsets: {fault}") from fault
    if states.ndim != 2 or states.shape[1] != 13 or not np.isfinite(states).all() or len(ids) != len(offsets) - 1:
        raise InputError(f"{file}: states must be (M, 13) finite numbers and ids one per toss, got {states.shape}")
    return Tosses(ids=ids, paths=tuple(states[a:b] for a, b in zip(offsets[:-1], offsets[1:], strict=True)))


def releases(tosses: Tosses) -> np.ndarray:
    """(N, 13) metric states at release, world axes; a cube measured inside the table is lifted out of it."""
    first = np.stack([path[0] for path in tosses.paths])
    states = np.empty_like(first)
    quaternion = first[:, 3:7] / np.linalg.norm(first[:, 3:7], axis=1, keepdims=True)
    turn = rotation_matrices(quaternion)
    states[:, :3], states[:, 3:6] = first[:, :3] / SHORT, first[:, 7:10] / SHORT
    states[:, 6:10], states[:, 10:] = quaternion, np.einsum("nij,nj->ni", turn, first[:, 10:13])
    return lifted(states)


def lifted(states: np.ndarray) -> np.ndarray:
    """The same states, cubes that reach into the table just above it."""
    turn, out = rotation_matrices(states[:, 6:10]), states.copy()
    out[:, 2] = np.maximum(out[:, 2], 0.5 * EDGE_M * np.abs(turn[:, 2]).sum(axis=1) + _CLEAR_M)
    return out


@cache
def cube() -> Body:
    """The real cube: hollow, so that its inertia is not that of its shape."""
    solid = cuboid((0.5 * EDGE_M,) * 3, density_kg_m3=MASS_KG / EDGE_M**3)
    return replace(solid, mass_kg=MASS_KG, inertia_kg_m2=np.full(3, INERTIA_KG_M2))


def impact_paths(states: np.ndarray, counts: np.ndarray, restitution: float, friction: float) -> np.ndarray:
    """(N, T, 7) position and quaternion by the event-driven engine, nan beyond a throw's end."""
    touch = Touch(restitution=restitution, friction=friction)
    out = replay(cube(), states, touch, frame_s=1 / RATE_HZ, counts=counts)
    return np.concatenate([out[..., :3], out[..., 6:10]], axis=2)


def _spec(params: Params) -> Any:
    import mujoco

    spec = world(params)
    spec.worldbody.add_geom(name="table", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[3, 3, 0.1])
    body = spec.worldbody.add_body(name="cube", mass=MASS_KG, inertia=[INERTIA_KG_M2] * 3, explicitinertial=True)
    body.add_freejoint(name="cube")
    law = contact(params, restitution=params["restitution"], friction=params["friction"])
    body.add_geom(name="cube", type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.5 * EDGE_M] * 3, mass=0.0, **law)
    spec.add_key(name="start", qpos=[0, 0, 1, 1, 0, 0, 0], qvel=[0] * 6)
    return spec


def _model(restitution: float, friction: float) -> Any:
    return _spec(Params({"restitution": restitution, "friction": friction}, SOLVER)).compile()


def mujoco_paths(states: np.ndarray, counts: np.ndarray, restitution: float, friction: float) -> np.ndarray:
    """(N, T, 7) position and quaternion by MuJoCo, nan beyond a throw's end."""
    from mujoco.batch import Batch

    batch = Batch(_model(restitution, friction), len(states), nthread=1)
    qpos, qvel = batch.bind("qpos"), batch.bind("qvel")
    batch.reset()
    qpos[:], qvel[:] = mujoco_coordinates(states)
    out = np.full((len(states), int(counts.max()), 7), np.nan)
    for k in range(out.shape[1]):
        live = np.flatnonzero(counts > k)
        out[live, k] = qpos[live]
        batch.step(ids=live, nstep=_STEPS)
    return out


def _scene() -> Scene:
    return Scene(
        name="cube_toss",
        version=1,
        group="tossing",
        prompt="",
        negative_prompt="",
        outcomes=("down", "up"),
        null_rules=(),
        duration_s=1.0,
        camera=Camera(position_m=(1, 0, 1), target_m=(0, 0, 0)),
        look=Look(),
        factors={},
        moving_bodies=("cube",),
        bounds_m=((-5, -5, -1), (5, 5, 5)),
        build=_spec,
        read=lambda _: Null("no_motion"),
        solver=SOLVER,
    )


def bullet_paths(states: np.ndarray, counts: np.ndarray, restitution: float, friction: float) -> np.ndarray:
    """(N, T, 7) position and quaternion by Bullet, nan beyond a throw's end."""
    from sim.bullet_engine import Stage
    from sim.bullet_world import World

    model, scene = _model(restitution, friction), _scene()
    out = np.full((len(states), int(counts.max()), 7), np.nan)
    qpos, qvel = mujoco_coordinates(states)
    for i in range(len(states)):
        model.key_qpos[0], model.key_qvel[0] = qpos[i], qvel[i]
        with World(gravity_m_s2=model.opt.gravity, timestep_s=SOLVER.timestep_s, scene=scene.name) as made:
            stage = Stage(model, scene, made)
            for k in range(counts[i]):
                if k and not stage.advance(_STEPS):
                    break
                position, quaternion, _ = stage.row()
                out[i, k] = np.concatenate([position[0], quaternion[0]])
    return out


Paths = Callable[[np.ndarray, np.ndarray, float, float], np.ndarray]
ENGINES: dict[str, Paths] = {"impact": impact_paths, "mujoco": mujoco_paths, "bullet": bullet_paths}


def lowest_faces(quaternions: np.ndarray) -> np.ndarray:
    """(N,) which face of the cube, +x -x +y -y +z -z, points down the most."""
    down = -rotation_matrices(quaternions)[:, 2]
    axis = np.argmax(np.abs(down), axis=1)
    return np.asarray(2 * axis + (down[np.arange(len(down)), axis] < 0))


def errors(paths: np.ndarray, tosses: Tosses) -> np.ndarray:
    """(N, 4) of each toss: position error in widths, mean and final, and rotation error in degrees, mean and final.

    Positions are as measured (not divided by 0.978) and errors are divided by the edge: the published definition.
    """
    rows: Sequence[Any] = [_error(path[: len(real)], real) for path, real in zip(paths, tosses.paths, strict=True)]
    return np.array(rows)


def _error(path: np.ndarray, real: np.ndarray) -> tuple[float, float, float, float]:
    known = path[np.isfinite(path[:, 0])]
    path = np.concatenate([known, np.repeat(known[-1:], len(path) - len(known), axis=0)])  # a failed run stands still
    away = np.linalg.norm(SHORT * path[:, :3] - real[:, :3], axis=1) / EDGE_M
    attitude = real[:, 3:7] / np.linalg.norm(real[:, 3:7], axis=1, keepdims=True)
    along = np.clip(np.abs((path[:, 3:7] * attitude).sum(axis=1)), 0, 1)
    angle = np.degrees(2 * np.arccos(along))
    return float(away.mean()), float(away[-1]), float(angle.mean()), float(angle[-1])
