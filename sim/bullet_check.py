"""Does Bullet rebound as asked? Known to fail elsewhere: ideal bounces that lose or gain energy, walls that stick."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .bullet_law import Law, Surface
from .bullet_model import Mover, Part
from .bullet_world import FreeState, World

_RADIUS_M = 0.01
_GRAVITY_M_S2 = 9.81
_TIMESTEP_S = 1 / 4800


@dataclass(frozen=True, kw_only=True)
class Bounce:
    """A coefficient of restitution asked of Bullet, and what a dropped ball showed."""

    height_m: float
    asked: float
    realised: float
    """Speed after the first touch over the speed before it, with the fall during the step taken out."""


def _part(kind: str, size_m: list[float], body: int) -> Part:
    surface = Surface(
        body=body,
        contype=1,
        conaffinity=1,
        condim=4,
        priority=0,
        solmix=1.0,
        friction=(0.3, 0.0, 0.0),
        solref=(-1.0, -1.0),
    )
    return Part(
        name=kind,
        kind=kind,
        size_m=np.array(size_m),
        position_m=np.zeros(3),
        matrix=np.eye(3),
        vertices_m=None,
        surface=surface,
    )


def bounce(asked: float, *, height_m: float) -> Bounce:
    """Drops a 20 mm ball on a plane and measures its first rebound.

    Args:
        asked: Coefficient of restitution, 0 to 1.
        height_m: How far it falls.
    """
    ball, plane = _part("sphere", [_RADIUS_M, 0, 0], 1), _part("plane", [0, 0, 0], 0)
    mover = Mover(
        name="ball",
        body=1,
        free=True,
        parts=(ball,),
        mass_kg=0.01,
        inertia_kg_m2=np.full(3, 0.4 * 0.01 * _RADIUS_M**2),
        origin_m=np.zeros(3),
        matrix=np.eye(3),
        axis=np.zeros(3),
        damping=0.0,
        frictionloss=0.0,
    )
    fall = np.array([0.0, 0.0, -_GRAVITY_M_S2])
    with World(gravity_m_s2=fall, timestep_s=_TIMESTEP_S, scene="bounce") as world:
        world.add_fixed(plane, Law(friction=1.0, spinning_m=0.0, rolling_m=0.0, restitution=1.0))
        law = Law(friction=0.3, spinning_m=0.0, rolling_m=0.0, restitution=asked)
        handle = world.add_free(mover, {ball.surface: law})
        start = np.array([0.0, 0.0, _RADIUS_M + height_m])
        world.set_free(
            handle,
            FreeState(
                position_m=start,
                quaternion=np.array([1.0, 0, 0, 0]),
                linear_m_s=np.zeros(3),
                angular_rad_s=np.zeros(3),
            ),
        )
        before = 0.0
        for _ in range(int(2 * np.sqrt(2 * height_m / _GRAVITY_M_S2) / _TIMESTEP_S) + 10):
            world.step(1)
            now = float(world.free(handle).linear_m_s[2])
            if now > before - 0.5 * _GRAVITY_M_S2 * _TIMESTEP_S:  # it no longer falls freely
                # the step of the touch adds its share of gravity to the approach, none to the rebound
                return Bounce(height_m=height_m, asked=asked, realised=now / (_GRAVITY_M_S2 * _TIMESTEP_S - before))
            before = now
    return Bounce(height_m=height_m, asked=asked, realised=float("nan"))
