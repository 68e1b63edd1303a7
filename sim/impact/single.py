"""What does an impact at one point do to a rigid body?

Routh's increments with Stronge's energetic restitution: the work of the normal force during restitution is e^2 times
what compression has stored, whatever friction does meanwhile, so no impact creates energy (Stronge, Impact Mechanics,
2000, section 3.5; the increments: Mirtich, Impulse-based Dynamic Simulation, thesis, Berkeley 1996, ch. 3). While the
contact sticks the equations are solved exactly; while it slips each piece is at most 1/n of the compression impulse,
unless the slip hardly turns meanwhile.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

from .friction import friction
from .vectors import cross, dot, matrix, tangent, to_body, to_world

_MAX_PIECES = 100
"""Pieces per asked increment after which an impact counts as unsolved."""
_STILL = 1e-7
"""Slip speed, as a share of the speeds at the start, that counts as none."""


@njit(inline="always")
def turned(m: Any, inertia: np.ndarray, a: Any) -> Any:
    """Inverse inertia tensor, world axes, times a vector."""
    inside = to_body(m, a)
    return to_world(m, (inside[0] / inertia[0], inside[1] / inertia[1], inside[2] / inertia[2]))


@njit(inline="always")
def point_velocity(state: np.ndarray, arm: Any) -> Any:
    """Velocity of the body's point at `arm` from its centre."""
    spin = cross((state[10], state[11], state[12]), arm)
    return state[3] + spin[0], state[4] + spin[1], state[5] + spin[2]


@njit(inline="always")
def inverse_masses(m: Any, mass: float, inertia: np.ndarray, arm: Any, t1: Any, t2: Any, n: Any) -> Any:
    """Entries 11, 12, 22, 13, 23, 33 of the inverse mass matrix B at a contact, in the axes t1, t2, n."""
    c1, c2, c3 = cross(arm, t1), cross(arm, t2), cross(arm, n)
    j1, j2, j3 = turned(m, inertia, c1), turned(m, inertia, c2), turned(m, inertia, c3)
    free = 1.0 / mass
    return free + dot(c1, j1), dot(c1, j2), free + dot(c2, j2), dot(c1, j3), dot(c2, j3), free + dot(c3, j3)


@njit(inline="always")
def push(state: np.ndarray, m: Any, mass: float, inertia: np.ndarray, arm: Any, impulse: Any) -> None:
    """Changes the velocities by an impulse at a point."""
    spin = turned(m, inertia, cross(arm, impulse))
    for k in range(3):
        state[3 + k] += impulse[k] / mass
        state[10 + k] += spin[k]


@njit(inline="always")
def blend(t1: Any, t2: Any, n: Any, p1: float, p2: float, p3: float) -> Any:
    """The vector with these parts along t1, t2 and n."""
    return (
        p1 * t1[0] + p2 * t2[0] + p3 * n[0],
        p1 * t1[1] + p2 * t2[1] + p3 * n[1],
        p1 * t1[2] + p2 * t2[2] + p3 * n[2],
    )


@njit(inline="always")
def piece(u3: float, b: float, store: float, restitution: float, floor: float) -> Any:
    """Normal impulse at which the phase ends, and whether the store is then empty.

    Phases: compression (u3 < 0: ends at rest), restitution (the store pays for it), and the lift to the floor.
    """
    if u3 < 0.0 or (u3 <= 0.0 and b < 0.0 and store > 0.0):
        return (-u3 / b if b > 0.0 else math.inf), False
    if store > 0.0:
        work = restitution * restitution * store
        under = u3 * u3 + 2.0 * b * work
        if under < 0.0:  # friction presses the contact together again
            return -u3 / b, False
        return (2.0 * work / (u3 + math.sqrt(under)) if work > 0.0 else 0.0), True
    return (floor - u3) / b, False


@njit
def bounce_one(
    state: np.ndarray,
    mass: float,
    inertia: np.ndarray,
    n: Any,
    arm: Any,
    restitution: float,
    mu: float,
    floor: float,
    n_increments: int,
) -> bool:
    """Solves an impact at one point and changes the state's velocities; False if it finds no end.

    Args:
        state: (13,) see `flight`.
        mass: Of the body.
        inertia: (3,) principal moments.
        n: Unit normal of the plane, towards the body.
        arm: From the centre of mass to the contact.
        restitution: Energetic coefficient of restitution.
        mu: Coefficient of friction.
        floor: Least separation speed.
        n_increments: Pieces into which the compression impulse is cut while the contact slips.
    """
    m = matrix((state[6], state[7], state[8], state[9]))
    t1 = tangent(n)
    t2 = cross(n, t1)
    b11, b12, b22, b13, b23, b33 = inverse_masses(m, mass, inertia, arm, t1, t2, n)
    u = point_velocity(state, arm)
    u1, u2, u3 = dot(u, t1), dot(u, t2), dot(u, n)
    still = _STILL * (abs(u3) + math.hypot(u1, u2) + floor)
    step = max(abs(u3), floor) / (b33 * n_increments)
    store, p1, p2, p3 = 0.0, 0.0, 0.0, 0.0
    for _ in range(_MAX_PIECES * n_increments):
        if store <= 0.0 and u3 >= floor:
            push(state, m, mass, inertia, arm, blend(t1, t2, n, p1, p2, p3))
            return True
        f1, f2, p = friction(u1, u2, b11, b12, b22, b13, b23, mu, step, still, True)
        b = b33 + b13 * f1 + b23 * f2
        lifts = store <= 0.0 and u3 >= 0.0
        if lifts and b <= 0.0:
            f1, f2, b, p = 0.0, 0.0, b33, math.inf
        last, empties = piece(u3, b, store, restitution, floor)
        ends = last <= p
        p = min(p, last)
        work = p * (u3 + 0.5 * b * p)
        compresses = u3 < 0.0 or (u3 <= 0.0 and b < 0.0)
        if ends and empties:
            store = 0.0
        elif compresses:
            store -= work
        elif not lifts:
            store -= work / (restitution * restitution)
        u1 += p * (b11 * f1 + b12 * f2 + b13)
        u2 += p * (b12 * f1 + b22 * f2 + b23)
        u3 += p * b
        if ends and not empties:
            u3 = floor if lifts else 0.0
        p1, p2, p3 = p1 + p * f1, p2 + p * f2, p3 + p
    return False
