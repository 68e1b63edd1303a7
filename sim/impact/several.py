"""What do impacts at several points at once do to a rigid body?

Each contact stores and gives back energy on its own, like a stiff spring whose unloading is steeper by 1/e^2, and the
impulses grow in the ratio of the contact forces, sqrt(2 k E): the energetic law for several impacts (Liu, Zhao and
Brogliato, Proc. R. Soc. A 464, 3193, 2008), all contacts equally stiff. All contacts take each increment together, from
the same velocities, so that no order of the corners matters: one after the other, a flat drop would tip its body over.
Friction within an increment shares the body's mass among the contacts that push (mass splitting; Tonge, Benevolenski
and Voroshilov, ACM Trans. Graph. 31, 105, 2012).

Couples against spin (torsional, about the normal) and roll (about axes in the plane) are limited by a length times the
normal impulse; they only slow the turning down.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

from .friction import friction
from .records import Contacts
from .single import blend, inverse_masses, point_velocity, push, turned
from .vectors import cross, dot, matrix, tangent

MAX_CONTACTS = 64
"""Contacts of one impact; more are unsolved."""
_MAX_SWEEPS = 400
"""Sweeps per asked increment after which an impact counts as unsolved."""
_MAX_LIFTS = 200
_STILL = 1e-7
_DUST = 1e-3
"""Closing speed, as a share of the floor to which contacts are lifted at last, that counts as none."""


@njit
def _couples(state: np.ndarray, m: Any, inertia: np.ndarray, n: Any, limit_spin: float, limit_roll: float) -> None:
    """Slows spin and roll down by at most these angular impulses."""
    omega = (state[10], state[11], state[12])
    spin = dot(omega, n)
    if limit_spin > 0.0 and spin != 0.0:
        change = turned(m, inertia, n)
        share = -math.copysign(min(limit_spin, abs(spin) / dot(n, change)), spin)
        for k in range(3):
            state[10 + k] += share * change[k]
    if limit_roll > 0.0:
        spin = state[10] * n[0] + state[11] * n[1] + state[12] * n[2]
        roll = (state[10] - spin * n[0], state[11] - spin * n[1], state[12] - spin * n[2])
        speed = math.sqrt(dot(roll, roll))
        if speed > 0.0:
            line = (roll[0] / speed, roll[1] / speed, roll[2] / speed)
            change = turned(m, inertia, line)
            share = -min(limit_roll, speed / dot(line, change))
            for k in range(3):
                state[10 + k] += share * change[k]


@njit
def _give(
    state: np.ndarray,
    m: Any,
    mass: float,
    inertia: np.ndarray,
    frames: np.ndarray,
    b: np.ndarray,
    laws: np.ndarray,
    amounts: np.ndarray,
    still: float,
) -> None:
    """Gives all contacts their normal impulses (K,) at once, with friction and couples."""
    n_contacts, n_pushing = len(amounts), 0.0
    for k in range(n_contacts):
        if amounts[k] > 0.0:
            n_pushing += 1.0
    old = state.copy()
    for k in range(n_contacts):
        p = amounts[k]
        if p <= 0.0:
            continue
        t1 = (frames[k, 0, 0], frames[k, 0, 1], frames[k, 0, 2])
        t2 = (frames[k, 1, 0], frames[k, 1, 1], frames[k, 1, 2])
        n = (frames[k, 2, 0], frames[k, 2, 1], frames[k, 2, 2])
        arm = (frames[k, 3, 0], frames[k, 3, 1], frames[k, 3, 2])
        u = point_velocity(old, arm)
        b11, b12, b22 = n_pushing * b[k, 0], n_pushing * b[k, 1], n_pushing * b[k, 2]
        b13, b23 = n_pushing * b[k, 3], n_pushing * b[k, 4]
        f1, f2, _p = friction(dot(u, t1), dot(u, t2), b11, b12, b22, b13, b23, laws[k, 1], p, still, False)
        push(state, m, mass, inertia, arm, blend(t1, t2, n, p * f1, p * f2, p))
    for k in range(n_contacts):
        p = amounts[k]
        if p > 0.0 and (laws[k, 2] > 0.0 or laws[k, 3] > 0.0):
            n = (frames[k, 2, 0], frames[k, 2, 1], frames[k, 2, 2])
            _couples(state, m, inertia, n, laws[k, 2] * p, laws[k, 3] * p)


@njit
def _frames(
    m: Any, mass: float, inertia: np.ndarray, normals: np.ndarray, arms: np.ndarray, n_contacts: int
) -> tuple[np.ndarray, np.ndarray]:
    frames, masses = np.empty((n_contacts, 4, 3)), np.empty((n_contacts, 6))
    for k in range(n_contacts):
        n, arm = (normals[k, 0], normals[k, 1], normals[k, 2]), (arms[k, 0], arms[k, 1], arms[k, 2])
        t1 = tangent(n)
        t2 = cross(n, t1)
        for j in range(3):
            frames[k, 0, j], frames[k, 1, j], frames[k, 2, j], frames[k, 3, j] = t1[j], t2[j], n[j], arm[j]
        b = inverse_masses(m, mass, inertia, arm, t1, t2, n)
        for j in range(6):
            masses[k, j] = b[j]
    return frames, masses


@njit
def _closing(state: np.ndarray, frames: np.ndarray, k: int) -> float:
    u = point_velocity(state, (frames[k, 3, 0], frames[k, 3, 1], frames[k, 3, 2]))
    return dot(u, (frames[k, 2, 0], frames[k, 2, 1], frames[k, 2, 2]))


@njit
def bounce_several(
    state: np.ndarray,
    mass: float,
    inertia: np.ndarray,
    found: Contacts,
    n_contacts: int,
    floor: float,
    n_increments: int,
) -> bool:
    """Solves an impact at several points and changes the state's velocities; False if it finds no end.

    Args:
        state: (13,) see `flight`.
        mass: Of the body.
        inertia: (3,) principal moments.
        found: The contacts; the floor holds for the touching ones.
        n_contacts: How many of their rows count.
        floor: Least separation speed.
        n_increments: Increments in a quarter of the fastest contact's period.
    """
    m = matrix((state[6], state[7], state[8], state[9]))
    frames, b = _frames(m, mass, inertia, found.normals, found.arms_m, n_contacts)
    laws = found.laws
    stores, total, fastest, still = np.zeros(n_contacts), 0.0, 0.0, floor
    for k in range(n_contacts):
        total += b[k, 5]
        fastest = min(fastest, _closing(state, frames, k))
        u = point_velocity(state, (frames[k, 3, 0], frames[k, 3, 1], frames[k, 3, 2]))
        still = max(still, math.sqrt(dot(u, u)))
    still *= _STILL
    dt = 0.5 * math.pi / (math.sqrt(total) * n_increments)  # stiffness 1
    least, solved = _DUST * floor - 1e-9 * fastest, False
    speeds, amounts, empties = np.empty(n_contacts), np.empty(n_contacts), np.empty(n_contacts, dtype=np.bool_)
    for _ in range(_MAX_SWEEPS * n_increments):
        solved = True
        for k in range(n_contacts):
            u3 = _closing(state, frames, k)
            speeds[k], amounts[k], empties[k] = u3, 0.0, False
            if 2.0 * stores[k] * b[k, 5] <= least * least and u3 >= -least:
                stores[k] = 0.0  # what it could still give back is no speed
                continue
            solved = False
            e2 = laws[k, 0] * laws[k, 0]
            held = math.sqrt(2.0 * max(stores[k], 0.0))
            force = held - 0.5 * dt * (u3 if u3 < 0.0 else u3 / max(e2, 1e-12))
            if force > 0.0:
                amounts[k] = force * dt
            else:  # it dies within the increment: the rest of the store goes at once
                amounts[k], empties[k] = min(held * dt, e2 * stores[k] / u3), True
        if solved:
            break
        _give(state, m, mass, inertia, frames, b, laws, amounts, still)
        for k in range(n_contacts):
            if amounts[k] > 0.0 or empties[k]:
                mean = 0.5 * (speeds[k] + _closing(state, frames, k))
                work = amounts[k] * mean
                stores[k] -= work if mean < 0.0 else work / max(laws[k, 0] * laws[k, 0], 1e-12)
                if empties[k] or stores[k] < 0.0:
                    stores[k] = 0.0
    return solved and _lift(state, m, mass, inertia, frames, b, laws, found.touching, floor, still)


@njit
def _lift(
    state: np.ndarray,
    m: Any,
    mass: float,
    inertia: np.ndarray,
    frames: np.ndarray,
    b: np.ndarray,
    laws: np.ndarray,
    touching: np.ndarray,
    floor: float,
    still: float,
) -> bool:
    """Raises the separation speed of touching contacts to the floor, to a hundredth of it."""
    n_contacts = len(b)
    amounts = np.empty(n_contacts)
    for _ in range(_MAX_LIFTS):
        n_low = 0
        for k in range(n_contacts):
            short = floor - _closing(state, frames, k)
            amounts[k] = short if touching[k] and short > 0.01 * floor else 0.0
            n_low += amounts[k] > 0.0
        if n_low == 0:
            return True
        for k in range(n_contacts):
            amounts[k] /= n_low * b[k, 5]
        _give(state, m, mass, inertia, frames, b, laws, amounts, still)
    return True
