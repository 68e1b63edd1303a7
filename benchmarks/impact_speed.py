"""How many decided throws a second does the impact engine make, beside MuJoCo at the same settings, in one run?

A square prism of 20 mm edge is thrown from the same starting states with the same law of contact. MuJoCo runs them as
`sim.mujoco_engine` does: one compiled model, `mujoco.batch.Batch` on as many threads, contact frequency 1440 rad/s with
1/4800 s steps, elliptic cone; a throw stops at the first 60 Hz frame at which its energy is below the barrier of its
present face, as it does here.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import asdict, dataclass
from itertools import product
from typing import Any

import numpy as np

from sim import FRAME_RATE_HZ, Params, Solver, contact, world
from sim.impact import Touch, cuboid, throw
from sim.impact.body import Body
from sim.trajectory import rotation_matrices

from .throwing import assembled, mujoco_coordinates

SEED = 20_261_201
HALF_M, DENSITY_KG_M3, HEIGHT_M, SPEED_M_S, SPIN_RAD_S = 0.01, 7800.0, 0.05, 0.5, 30.0
T_MAX_S = 5.0


@dataclass(frozen=True, kw_only=True)
class ImpactSpeed:
    """Decided throws a second of one prism and one law."""

    ratio: float
    """Height over edge."""
    restitution: float
    friction: float
    impact_per_s: float
    mujoco_per_s: float
    impacts_per_throw: float
    square_share_impact: float
    square_share_mujoco: float
    undecided_impact: int
    undecided_mujoco: int

    @property
    def times(self) -> float:
        """How many times faster the impact engine is."""
        return self.impact_per_s / self.mujoco_per_s


def thrown(n: int, *, seed: int = SEED, speed_m_s: float = SPEED_M_S) -> np.ndarray:
    """(N, 13) starting states: random attitude, level speed and spin normal with the same width along each axis.

    Args:
        n: How many.
        seed: Any integer.
        speed_m_s: Width of the speed along each level axis.
    """
    rng = np.random.default_rng(seed)
    level, attitude = rng.normal(0, speed_m_s, (n, 2)), rng.normal(size=(n, 4))
    return assembled(HEIGHT_M, level, attitude, rng.normal(0, SPIN_RAD_S, (n, 3)))


def _model(half_m: tuple[float, ...], restitution: float, friction: float) -> Any:
    import mujoco

    params = Params({}, Solver())
    spec = world(params)
    spec.worldbody.add_geom(name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[1, 1, 0.1])
    body = spec.worldbody.add_body(name="prism")
    body.add_freejoint(name="prism")
    law = contact(params, restitution=restitution, friction=friction)
    body.add_geom(name="prism", type=mujoco.mjtGeom.mjGEOM_BOX, size=list(half_m), density=DENSITY_KG_M3, **law)
    return spec.compile()


def _faces(body: Body, qpos: np.ndarray, qvel: np.ndarray) -> np.ndarray:
    """(N,) the decided face of states, -1 where there is none yet."""
    turn = rotation_matrices(qpos[:, 3:7])
    half = np.array([body.vertices_m[:, k].max() for k in range(3)])
    axis = np.argmax(np.abs(turn[:, 2]) / half, axis=1)
    face = 2 * axis + (turn[np.arange(len(turn)), 2, axis] > 0)
    spin = (body.inertia_kg_m2 * qvel[:, 3:] ** 2).sum(1) / body.mass_kg
    high = qpos[:, 2] + 0.5 * ((qvel[:, :3] ** 2).sum(1) + spin) / 9.81
    return np.where(high < body.rest.barrier_m[face], face, -1)


def mujoco_faces(body: Body, states: np.ndarray, restitution: float, friction: float, threads: int) -> np.ndarray:
    """(N,) decided face of throws in MuJoCo, -1 for the undecided ones."""
    from mujoco.batch import Batch

    model = _model(tuple(body.vertices_m.max(axis=0)), restitution, friction)
    batch = Batch(model, len(states), nthread=threads)
    qpos, qvel = batch.bind("qpos"), batch.bind("qvel")
    batch.reset()
    qpos[:], qvel[:] = mujoco_coordinates(states)
    faces, live = np.full(len(states), -1), np.arange(len(states))
    for _ in range(int(T_MAX_S * FRAME_RATE_HZ)):
        batch.step(ids=live, nstep=Solver().steps_per_frame)
        faces[live] = _faces(body, qpos[live], qvel[live])
        live = live[faces[live] < 0]
        if not len(live):
            break
    return faces


def impact_speed(
    ratio: float, restitution: float, friction: float, *, n_impact: int, n_mujoco: int, threads: int
) -> ImpactSpeed:
    """Decided throws a second of both engines.

    Args:
        ratio: Height of the prism over its edge.
        restitution: Coefficient of restitution.
        friction: Coefficient of friction.
        n_impact: Throws of the impact engine.
        n_mujoco: Throws of MuJoCo.
        threads: Threads of both.
    """
    body = cuboid((HALF_M, HALF_M, HALF_M * ratio), density_kg_m3=DENSITY_KG_M3)
    states, touch = thrown(max(n_impact, n_mujoco)), Touch(restitution=restitution, friction=friction)
    throw(body, states[:1], touch)  # compiled from here on
    start = time.perf_counter()
    ours = throw(body, states[:n_impact], touch, limit_s=T_MAX_S, threads=threads)
    middle = time.perf_counter()
    theirs = mujoco_faces(body, states[:n_mujoco], restitution, friction, threads)
    end = time.perf_counter()
    return ImpactSpeed(
        ratio=ratio,
        restitution=restitution,
        friction=friction,
        impact_per_s=float((ours.face >= 0).sum()) / (middle - start),
        mujoco_per_s=float((theirs >= 0).sum()) / (end - middle),
        impacts_per_throw=float(ours.n_impacts.mean()),
        square_share_impact=float((ours.face >= 4).sum() / (ours.face >= 0).sum()),
        square_share_mujoco=float((theirs >= 4).sum() / (theirs >= 0).sum()),
        undecided_impact=int((ours.face < 0).sum()),
        undecided_mujoco=int((theirs < 0).sum()),
    )


def main() -> None:
    """Prints all speeds; as JSON with `--json`."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.impact_speed", description=__doc__)
    parser.add_argument("--json", action="store_true", help="nothing but JSON on stdout")
    parser.add_argument("--n", type=int, default=4000, help="throws of the impact engine; MuJoCo makes a twentieth")
    parser.add_argument("--threads", type=int, default=2, help="threads of both engines")
    given = parser.parse_args()
    cases = product((0.6, 1.4), (0.1, 0.4, 0.7), (0.2, 0.4))
    n_mujoco = max(given.n // 20, 1)
    rows = [
        impact_speed(ratio, e, mu, n_impact=given.n, n_mujoco=n_mujoco, threads=given.threads) for ratio, e, mu in cases
    ]
    if given.json:
        print(
            json.dumps({"threads": given.threads, "cases": [{**asdict(r), "times": r.times} for r in rows]}, indent=1)
        )
        return
    for r in rows:
        print(
            f"ratio {r.ratio} e {r.restitution} mu {r.friction}: {r.impact_per_s:.0f} throws/s, "
            f"{r.times:.0f} times MuJoCo's {r.mujoco_per_s:.0f} ({r.impacts_per_throw:.0f} impacts a throw)"
        )


if __name__ == "__main__":
    main()
