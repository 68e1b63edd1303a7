"""How do the comparisons with real throws draw their throws, count the faces, and write their results down?

The unknown of a hand throw (surface, height, speed, spin) is drawn from a declared prior, throw by throw.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from sim.impact import Touch, throw
from sim.impact.body import Body
from sim.intervals import clopper_pearson
from sim.trajectory import rotation_matrices

SEED = 20_261_201
COUNTS = Path("../shared/data/real_experiments.json")
"""Where the file of published counts is looked for."""
_N_RIM = 96
"""Corners that stand for a circle in the quasi-static baseline."""


@dataclass(frozen=True, kw_only=True)
class Law:
    """A throw: where two numbers are given, each throw draws its own between them, evenly."""

    fall_m: tuple[float, float]
    """Gap between the lowest possible point of the body and the ground."""
    level_m_s: float
    """Speed along the ground: normal, with this standard deviation along each level axis."""
    spin_rad_s: float
    """Angular velocity: normal, with this standard deviation about each axis."""
    restitution: tuple[float, float]
    friction: tuple[float, float]
    rolling_m: float = 0.0

    def touch(self, n: int, *, seed: int) -> Touch:
        """The law of contact of each of n throws."""
        rng = np.random.default_rng([seed, 1])
        return Touch(
            restitution=rng.uniform(*self.restitution, n),
            friction=rng.uniform(*self.friction, n),
            rolling_m=self.rolling_m,
        )

    def with_surface(self, *, restitution: float, friction: float) -> Law:
        """The same throw on one known surface."""
        return replace(self, restitution=(restitution, restitution), friction=(friction, friction))


MACHINE = Law(fall_m=(0.1, 0.3), level_m_s=0.1, spin_rad_s=5.0, restitution=(0.2, 0.8), friction=(0.1, 0.5))
"""The fall in the machine of the Okanagan experiments, "a free fall of at least 10 cm": hardly any speed and spin."""


def starts(body: Body, law: Law, n: int, *, seed: int) -> np.ndarray:
    """(N, 13) starting states of random attitude.

    Args:
        body: The body.
        law: The throw.
        n: How many.
        seed: Any integer; the same for all bodies of a comparison, which then differ by less than by chance.
    """
    rng = np.random.default_rng([seed, 0])
    attitude, height = rng.normal(size=(n, 4)), body.size_m + rng.uniform(*law.fall_m, n)
    return assembled(height, rng.normal(0, law.level_m_s, (n, 2)), attitude, rng.normal(0, law.spin_rad_s, (n, 3)))


def assembled(
    height_m: np.ndarray | float, level_m_s: np.ndarray, attitude: np.ndarray, spin_rad_s: np.ndarray
) -> np.ndarray:
    """(N, 13) states above the origin, from heights (N,), level speeds (N, 2), quaternions of any length and spins."""
    states = np.zeros((len(attitude), 13))
    states[:, 2], states[:, 3:5] = height_m, level_m_s
    states[:, 6:10] = attitude / np.linalg.norm(attitude, axis=1, keepdims=True)
    states[:, 10:] = spin_rad_s
    return states


def mujoco_coordinates(states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(N, 7) and (N, 6) MuJoCo's coordinates and speeds of the free joint in states (N, 13)."""
    inside = np.einsum("nji,nj->ni", rotation_matrices(states[:, 6:10]), states[:, 10:])
    return np.concatenate([states[:, :3], states[:, 6:10]], axis=1), np.concatenate([states[:, 3:6], inside], axis=1)


@dataclass(frozen=True, kw_only=True)
class Counts:
    """What came of many throws."""

    faces: tuple[int, ...]
    """Throws that ended on each face."""
    failed: dict[str, int]
    """Throws without a face, by reason."""

    @property
    def n(self) -> int:
        """Throws with a face."""
        return sum(self.faces)

    def share(self, *faces: int) -> float:
        """Share of the throws that ended on one of the faces."""
        return sum(self.faces[f] for f in faces) / self.n

    def interval(self, *faces: int) -> tuple[float, float]:
        """Clopper-Pearson interval of that share at 95 %: what chance leaves open, not what the prior does."""
        return clopper_pearson(sum(self.faces[f] for f in faces), self.n)


def counted(body: Body, states: np.ndarray, touch: Touch, *, threads: int = 1, limit_s: float = 20.0) -> Counts:
    """The faces on which throws end."""
    result = throw(body, states, touch, threads=threads, limit_s=limit_s)
    counts = result.counts(len(body.rest.barrier_m))
    return Counts(faces=tuple(int(c) for c in counts), failed=result.failures)


def thrown(body: Body, law: Law, n: int, *, seed: int = SEED, threads: int = 1) -> Counts:
    """The faces on which n throws by a law end."""
    return counted(body, starts(body, law, n, seed=seed), law.touch(n, seed=seed), threads=threads)


def published(name: str, data: Path) -> dict[str, Any]:
    """The entry of a real experiment in the file of published counts.

    Raises:
        InputError: The file, or the entry, is not there.
    """
    from sim import InputError

    if not data.is_file():
        raise InputError(f"{data} is not there; give the file of published counts with --counts")
    for entry in json.loads(data.read_text(encoding="utf-8")):
        if entry["id"] == name:
            return dict(entry)
    raise InputError(f"{data} has no entry {name!r}; give the file of published counts with --counts")


def quasi_static(body: Body) -> np.ndarray:
    """(F,) share of each face if the body just tipped over, without any speed, from a random attitude (trimesh).

    References:
        Goldberg, Mirtich, Zhuang, Craig, Carlisle and Canny 1999, IEEE Trans. Robotics and Automation 15, 849.
    """
    import trimesh

    turn = 2 * np.pi * np.arange(_N_RIM) / _N_RIM
    rims = [np.stack([r * np.cos(turn), r * np.sin(turn), np.full(_N_RIM, z)], axis=1) for z, r in body.rims_m]
    hull = trimesh.Trimesh(np.concatenate([body.vertices_m, *rims])).convex_hull
    poses, chances = trimesh.poses.compute_stable_poses(hull, center_mass=np.zeros(3))
    shares, normals = np.zeros(len(body.rest.faces)), body.rest.faces
    side = np.flatnonzero(~normals.any(axis=1))  # a cylinder's
    for pose, chance in zip(poses, chances, strict=True):
        down = -pose[2, :3]
        face = int(np.argmax(normals @ down))
        shares[side[0] if len(side) and abs(down[2]) < np.sqrt(0.5) else face] += chance
    return np.asarray(shares / shares.sum())
