"""How does a rigid body fly while nothing touches it?

The centre of mass follows a parabola. A body with two equal principal moments turns in closed form: the angular
velocity is L/A + (1 - C/A) (omega . a) a, with L the angular momentum, A the equal moments, C the one about the axis a;
so the attitude is a turn about L after a turn about a, both at constant rate (Goldstein, Classical Mechanics, 3rd ed.,
5.6; Landau and Lifshitz, Mechanics, section 33). Any other body keeps L exactly and its attitude to fourth order
(Runge-Kutta on dq/dt = (0, omega) q / 2, at most 0.05 rad a step).

A state is an array of 13: position (3), velocity (3), quaternion w x y z of the principal axes (4), angular velocity
(3), all in the world frame. `axis` is the index of the symmetry axis, -1 for a body that has none.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

from .vectors import dot, matrix, product, to_body, to_world, turn

_TURN_RAD = 0.05
"""Largest turn in one step of the integrator."""


@njit
def _slope(q: Any, momentum: Any, inertia: np.ndarray) -> Any:
    """dq/dt and angular velocity at attitude q."""
    length = math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    m = matrix((q[0] / length, q[1] / length, q[2] / length, q[3] / length))
    inside = to_body(m, momentum)
    rate = to_world(m, (inside[0] / inertia[0], inside[1] / inertia[1], inside[2] / inertia[2]))
    half = product((0.0, 0.5 * rate[0], 0.5 * rate[1], 0.5 * rate[2]), q)
    return half, rate


@njit
def _ahead(q: Any, slope: Any, step: float) -> Any:
    return q[0] + step * slope[0], q[1] + step * slope[1], q[2] + step * slope[2], q[3] + step * slope[3]


@njit
def _spin(state: np.ndarray, inertia: np.ndarray, duration: float) -> None:
    """Turns a body without symmetry."""
    q = (state[6], state[7], state[8], state[9])
    m = matrix(q)
    inside = to_body(m, (state[10], state[11], state[12]))
    momentum = to_world(m, (inertia[0] * inside[0], inertia[1] * inside[1], inertia[2] * inside[2]))
    fastest = math.sqrt(dot(momentum, momentum)) / min(inertia[0], inertia[1], inertia[2])
    n_steps = int(fastest * duration / _TURN_RAD) + 1
    step = duration / n_steps
    for _ in range(n_steps):
        k1, _w = _slope(q, momentum, inertia)
        k2, _w = _slope(_ahead(q, k1, 0.5 * step), momentum, inertia)
        k3, _w = _slope(_ahead(q, k2, 0.5 * step), momentum, inertia)
        k4, _w = _slope(_ahead(q, k3, step), momentum, inertia)
        mean = (
            (k1[0] + 2 * k2[0] + 2 * k3[0] + k4[0]) / 6,
            (k1[1] + 2 * k2[1] + 2 * k3[1] + k4[1]) / 6,
            (k1[2] + 2 * k2[2] + 2 * k3[2] + k4[2]) / 6,
            (k1[3] + 2 * k2[3] + 2 * k3[3] + k4[3]) / 6,
        )
        q = _ahead(q, mean, step)
        length = math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
        q = (q[0] / length, q[1] / length, q[2] / length, q[3] / length)
    _slope_end, rate = _slope(q, momentum, inertia)
    state[6], state[7], state[8], state[9] = q
    state[10], state[11], state[12] = rate


@njit
def advance(state: np.ndarray, inertia: np.ndarray, axis: int, gravity: np.ndarray, duration: float) -> None:
    """Moves a state on by some time of free flight.

    Args:
        state: (13,) changed in place.
        inertia: (3,) principal moments.
        axis: Index of the symmetry axis, or -1.
        gravity: (3,) acceleration.
        duration: How long, s.
    """
    for k in range(3):
        state[k] += duration * (state[3 + k] + 0.5 * duration * gravity[k])
        state[3 + k] += duration * gravity[k]
    if axis < 0:
        _spin(state, inertia, duration)
        return
    q = (state[6], state[7], state[8], state[9])
    m = matrix(q)
    line = (m[axis], m[3 + axis], m[6 + axis])
    rate = (state[10], state[11], state[12])
    along = dot(rate, line)
    ratio = inertia[axis] / inertia[(axis + 1) % 3]
    own = (1.0 - ratio) * along
    steady = (rate[0] - own * line[0], rate[1] - own * line[1], rate[2] - own * line[2])  # L / A
    half = 0.5 * own * duration
    s = math.sin(half)
    inner = (math.cos(half), s if axis == 0 else 0.0, s if axis == 1 else 0.0, s if axis == 2 else 0.0)
    q = product(turn(steady, duration), product(q, inner))
    length = math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    q = (q[0] / length, q[1] / length, q[2] / length, q[3] / length)
    m = matrix(q)
    state[6], state[7], state[8], state[9] = q
    for k in range(3):
        state[10 + k] = steady[k] + own * m[3 * k + axis]


@njit
def kinetic(state: np.ndarray, mass: float, inertia: np.ndarray) -> float:
    """Kinetic energy of a state."""
    m = matrix((state[6], state[7], state[8], state[9]))
    inside = to_body(m, (state[10], state[11], state[12]))
    linear = state[3] ** 2 + state[4] ** 2 + state[5] ** 2
    spin = inertia[0] * inside[0] ** 2 + inertia[1] * inside[1] ** 2 + inertia[2] * inside[2] ** 2
    return 0.5 * (mass * linear + spin)


@njit
def acceleration_bounds(state: np.ndarray, inertia: np.ndarray, axis: int) -> float:
    """Bound, for all of a flight, on the acceleration of a material point by the turning, per distance from the centre.

    |omega|^2 + |d omega/dt|: for a symmetric top |omega| is constant and |d omega/dt| = |own| |omega across the axis|
    (`advance`'s `own`); else |omega|^2 <= 2 T / (least moment) and |d omega/dt| <= (largest (I_j - I_k)/I_i) |omega|^2.
    """
    m = matrix((state[6], state[7], state[8], state[9]))
    inside = to_body(m, (state[10], state[11], state[12]))
    squared = dot(inside, inside)
    if axis >= 0:
        along = inside[axis]
        own = abs((1.0 - inertia[axis] / inertia[(axis + 1) % 3]) * along)
        return squared + own * math.sqrt(max(squared - along * along, 0.0))
    twice = inertia[0] * inside[0] ** 2 + inertia[1] * inside[1] ** 2 + inertia[2] * inside[2] ** 2
    squared = twice / min(inertia[0], inertia[1], inertia[2])
    worst = 0.0
    for i in range(3):
        worst = max(worst, abs(inertia[(i + 1) % 3] - inertia[(i + 2) % 3]) / inertia[i])
    return squared * (1.0 + worst)
