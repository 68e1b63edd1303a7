"""How does a throw go on from impact to impact, until its face is decided?

The floor under the separation speed (`Rules.floor_m_s`) replaces the endless micro-bounces of a contact that lasts.
What energy it costs is taken from the body as a whole, so that no impact raises the kinetic energy.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from .cell import cell
from .flight import acceleration_bounds, advance, kinetic
from .gap import find_contacts, least_gap, safe_step
from .records import Contacts, Ground, Rest, Rules, Shape
from .several import MAX_CONTACTS, bounce_several
from .single import bounce_one
from .vectors import dot, matrix, to_body

DECIDED, UNDECIDED, NOT_A_NUMBER, TOO_MANY, UNSOLVED, LEFT, OVERLAPPING, LOST = range(8)
_MAX_STEPS = 20_000
"""Conservative steps of one flight."""


@njit
def next_impact(state: np.ndarray, shape: Shape, ground: Ground, rules: Rules, duration: float) -> tuple[float, int]:
    """Flies until a point touches and closes, at most for `duration`.

    Returns:
        The time flown, and 1 for a touch, 0 for none, -1 for a number that is none, -2 if no end is found.
    """
    turning = acceleration_bounds(state, shape.inertia_kg_m2, shape.axis)
    flown = 0.0
    for _ in range(_MAX_STEPS):
        m = matrix((state[6], state[7], state[8], state[9]))
        step = safe_step(state, m, shape, ground, turning, rules.touch_m)
        if step < 0.0:
            return flown, 1
        if math.isnan(step) or math.isnan(state[0] + state[6]):
            return flown, -1
        left = duration - flown
        advance(state, shape.inertia_kg_m2, shape.axis, ground.gravity_m_s2, min(step, left))
        flown += step
        if step >= left:
            return duration, 0
    return flown, -2


@njit
def contacts_room() -> Contacts:
    """Room for the contacts of an impact."""
    normals, arms = np.empty((MAX_CONTACTS, 3)), np.empty((MAX_CONTACTS, 3))
    return Contacts(normals, arms, np.empty((MAX_CONTACTS, 4)), np.empty(MAX_CONTACTS, dtype=np.bool_))


@njit
def bounce(state: np.ndarray, shape: Shape, ground: Ground, rules: Rules, room: Contacts) -> int:
    """Solves the impact of a state that touches; DECIDED if all is well, else the failure's code."""
    m = matrix((state[6], state[7], state[8], state[9]))
    n = find_contacts(state, m, shape, ground, rules.window_s, rules.touch_m, room)
    if n == -2:
        return LEFT
    if n < 1:
        return UNSOLVED
    before, start = kinetic(state, shape.mass_kg, shape.inertia_kg_m2), state.copy()
    mass, inertia, laws = shape.mass_kg, shape.inertia_kg_m2, room.laws
    floor, n_increments = rules.floor_m_s, rules.n_increments
    if n == 1 and laws[0, 2] == 0.0 and laws[0, 3] == 0.0:
        normal = (room.normals[0, 0], room.normals[0, 1], room.normals[0, 2])
        arm = (room.arms_m[0, 0], room.arms_m[0, 1], room.arms_m[0, 2])
        solved = bounce_one(state, mass, inertia, normal, arm, laws[0, 0], laws[0, 1], floor, n_increments)
    else:
        solved = bounce_several(state, mass, inertia, room, n, floor, n_increments)
    if not solved:
        state[:] = start  # a failed throw keeps what reproduces the failure
        return UNSOLVED
    after = kinetic(state, shape.mass_kg, shape.inertia_kg_m2)
    if after > before:
        share = math.sqrt(before / after)
        for k in range(3):
            state[3 + k] *= share
            state[10 + k] *= share
    return DECIDED if math.isfinite(after) else NOT_A_NUMBER


@njit
def travel(
    state: np.ndarray, shape: Shape, ground: Ground, rules: Rules, duration: float, n_before: int
) -> tuple[int, int]:
    """Moves a state on by some time, impacts included; the failure's code (or DECIDED) and the impacts so far."""
    room = contacts_room()
    left, n_impacts = duration, n_before
    while True:
        flown, what = next_impact(state, shape, ground, rules, left)
        left -= flown
        if what < 0:
            return (NOT_A_NUMBER if what == -1 else LOST), n_impacts
        if what == 0:
            return DECIDED, n_impacts
        n_impacts += 1
        if n_impacts > rules.max_impacts:
            return TOO_MANY, n_impacts
        code = bounce(state, shape, ground, rules, room)
        if code != DECIDED:
            return code, n_impacts


@njit
def decided_face(state: np.ndarray, shape: Shape, ground: Ground, rest: Rest) -> int:
    """The face that the body can no longer leave, or -1: its energy lies below the barrier of its present cell.

    The first plane is the flat ground; the energy is given as the height of a centre at rest.
    """
    g = math.sqrt(dot(ground.gravity_m_s2, ground.gravity_m_s2))
    normal = (ground.planes[0, 0], ground.planes[0, 1], ground.planes[0, 2])
    high = dot(normal, (state[0], state[1], state[2])) - ground.planes[0, 3]
    high += kinetic(state, shape.mass_kg, shape.inertia_kg_m2) / (shape.mass_kg * g)
    possible = False
    for f in range(rest.barrier_m.shape[0]):
        possible = possible or high < rest.barrier_m[f]
    if not possible:
        return -1
    m = matrix((state[6], state[7], state[8], state[9]))
    down = to_body(m, (-normal[0], -normal[1], -normal[2]))
    face = cell(down[0], down[1], down[2], shape.vertices_m, shape.rims_m, rest.faces, rest.barrier_m)
    return face if face >= 0 and high < rest.barrier_m[face] else -1


@njit
def throw_one(
    state: np.ndarray, shape: Shape, ground: Ground, rest: Rest, rules: Rules, limit: float
) -> tuple[int, int, int, float]:
    """Throws a body until its face is decided: face or -1, the failure's code, impacts and time.

    Args:
        state: (13,) see `flight`; changed in place.
        shape: The body.
        ground: The planes; the first one is horizontal.
        rest: Its faces.
        rules: Settings.
        limit: Time after which an undecided throw has failed, s.
    """
    room = contacts_room()
    time, n_impacts = 0.0, 0
    for k in range(13):
        if not math.isfinite(state[k]):
            return -1, NOT_A_NUMBER, 0, 0.0
    m = matrix((state[6], state[7], state[8], state[9]))
    if least_gap(state, m, shape, ground) < -rules.touch_m:
        return -1, OVERLAPPING, 0, 0.0
    while True:
        face = decided_face(state, shape, ground, rest)
        if face >= 0:
            return face, DECIDED, n_impacts, time
        flown, what = next_impact(state, shape, ground, rules, limit - time)
        time += flown
        if what < 0:
            return -1, (NOT_A_NUMBER if what == -1 else LOST), n_impacts, time
        if what == 0:
            return -1, UNDECIDED, n_impacts, time
        n_impacts += 1
        if n_impacts > rules.max_impacts:
            return -1, TOO_MANY, n_impacts, time
        code = bounce(state, shape, ground, rules, room)
        if code != DECIDED:
            return -1, code, n_impacts, time
