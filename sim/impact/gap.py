"""For how long does a flying body surely touch nothing, and which of its points touch then?

Conservative advancement (Mirtich, Impulse-based Dynamic Simulation, thesis, Berkeley 1996, ch. 2): a material point at
gap g with rate g' cannot touch before s = (g' + sqrt(g'^2 + 2 M g)) / M if its acceleration along the normal is at most
M = |gravity| + (bound of `flight.acceleration_bounds`) x distance. The least s over all points never overshoots and
converges like Newton's method. On a circle g + g' s is least at C(s) - R |n_t + s n_t'|, which is concave in s: chords
from the left and the lowest point's own s close in on its root from the safe side. Where the circle leaves the plane
the left end is the root s = 0 itself, on which a chord stays put: there the right end is halved until it is safe.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

from .records import Contacts, Ground, Shape
from .vectors import cross, dot, to_body, to_world

N_RIM = 16
"""Points of a circle that are looked at when it touches: the lowest one and others at equal angles from it."""
_N_CHORDS = 3
_N_HALVINGS = 60


@njit(inline="always")
def root(g: float, rate: float, most: float) -> float:
    """Positive root of g + rate s - most s^2 / 2, for g >= 0."""
    if most <= 0.0:
        return g / -rate if rate < 0.0 else math.inf
    reach = math.sqrt(rate * rate + 2.0 * most * g)
    return (rate + reach) / most if rate >= 0.0 else 2.0 * g / (reach - rate)


@njit(inline="always")
def _rim_gap(high: float, rate: float, radius: float, n: Any, change: Any, most: float, s: float) -> float:
    """C(s) - R |n_t + s n_t'|: no point of the circle is nearer to the plane at time s."""
    across = math.hypot(n[0] + s * change[0], n[1] + s * change[1])
    return high + rate * s - 0.5 * most * s * s - radius * across


@njit
def _rim_step(high: float, rate: float, radius: float, n: Any, change: Any, most: float, touch: float) -> float:
    """The safe time for one circle, or -1 if it touches and closes.

    `high` and `rate` are of the circle's centre; `n` the plane's normal and its rate in the body's axes.
    """
    across = math.hypot(n[0], n[1])
    if across > 1e-12:
        lowest = high - radius * across
        lowest_rate = rate - radius * (n[0] * change[0] + n[1] * change[1]) / across
    else:  # flat: the point that closes fastest
        lowest, lowest_rate = high, rate - radius * math.hypot(change[0], change[1])
    if lowest <= touch and lowest_rate < 0.0:
        return -1.0
    high += max(lowest, 0.0) - (high - radius * across)  # what overlaps by rounding counts as touching
    lowest = max(lowest, 0.0)
    upper = root(lowest, lowest_rate, most)
    lower = root(lowest, rate - radius * math.hypot(change[0], change[1]), most)
    if upper == math.inf:
        return lower
    above = _rim_gap(high, rate, radius, n, change, most, upper)
    if above >= 0.0:
        return upper
    if lowest_rate > 0.0:
        for _ in range(_N_HALVINGS):
            half = 0.5 * upper
            middle = _rim_gap(high, rate, radius, n, change, most, half)
            if middle >= 0.0:
                lower = max(lower, half)
                break
            upper, above = half, middle
    for _ in range(_N_CHORDS):
        if upper <= lower:
            break
        below = max(_rim_gap(high, rate, radius, n, change, most, lower), 0.0)
        lower += (upper - lower) * below / (below - above)
    return lower


@njit
def safe_step(state: np.ndarray, m: Any, shape: Shape, ground: Ground, turning: float, touch: float) -> float:
    """A time within which nothing touches; -1 if a point touches and closes now.

    Args:
        state: (13,) see `flight`.
        m: Its rotation matrix, nine entries.
        shape: The body.
        ground: The planes.
        turning: `flight.acceleration_bounds` of the state.
        touch: Gap that counts as touching.
    """
    best = math.inf
    omega = to_body(m, (state[10], state[11], state[12]))
    for p in range(ground.planes.shape[0]):
        normal = (ground.planes[p, 0], ground.planes[p, 1], ground.planes[p, 2])
        rate = dot(normal, (state[3], state[4], state[5]))
        pull = dot(normal, (ground.gravity_m_s2[0], ground.gravity_m_s2[1], ground.gravity_m_s2[2]))
        high = dot(normal, (state[0], state[1], state[2])) - ground.planes[p, 3] - shape.rounding_m
        if high > shape.reach_m + touch:  # the sphere around the body, on its parabola
            best = min(best, root(high - shape.reach_m, rate, max(-pull, 0.0)))
            continue
        most = abs(pull) + turning * shape.reach_m
        n = to_body(m, normal)
        change = cross(n, omega)  # d/dt of the normal in the body's axes
        for i in range(shape.vertices_m.shape[0]):
            r = (shape.vertices_m[i, 0], shape.vertices_m[i, 1], shape.vertices_m[i, 2])
            g, v = high + dot(n, r), rate + dot(change, r)
            if g <= touch and v < 0.0:
                return -1.0
            if best == math.inf or g + best * (v - 0.5 * most * best) < 0.0:
                best = min(best, root(max(g, 0.0), v, most))
        for i in range(shape.rims_m.shape[0]):
            z, radius = shape.rims_m[i, 0], shape.rims_m[i, 1]
            step = _rim_step(high + z * n[2], rate + z * change[2], radius, n, change, most, touch)
            if step < 0.0:
                return -1.0
            best = min(best, step)
    return best if best > 0.0 else -1.0  # touches, neither opens nor closes, and is pressed down: it slides


@njit
def _on_patch(ground: Ground, plane: int, point: np.ndarray) -> bool:
    """True if a plane has no limits or the point lies within one of its rectangles."""
    limited = False
    for q in range(ground.patches.shape[0]):
        if int(ground.patches[q, 0]) != plane:
            continue
        limited = True
        row = ground.patches[q]
        a = np.dot(point - row[1:4], row[4:7])
        b = np.dot(point - row[1:4], row[7:10])
        if abs(a) <= 1.0 + 1e-6 and abs(b) <= 1.0 + 1e-6:
            return True
    return not limited


@njit
def _rim_point(high: float, radius: float, n: Any, change: Any, k: int) -> Any:
    """Point k of a circle, counted from its lowest one; from the one that closes fastest if the circle lies flat."""
    x, y = -n[0], -n[1]
    if math.hypot(x, y) <= 1e-12:
        x, y = -change[0], -change[1]
    length = math.hypot(x, y)
    x, y = (x / length, y / length) if length > 0.0 else (1.0, 0.0)
    angle = 2.0 * math.pi * k / N_RIM
    c, s = radius * math.cos(angle), radius * math.sin(angle)
    return c * x - s * y, s * x + c * y, high


@njit
def find_contacts(
    state: np.ndarray,
    m: Any,
    shape: Shape,
    ground: Ground,
    window: float,
    touch: float,
    room: Contacts,
) -> int:
    """Fills in the contacts that touch or would close within the window; their number.

    -1: more than there is room for; -2: a point touches a plane beyond its limits.
    """
    n_found = 0
    omega = to_body(m, (state[10], state[11], state[12]))
    n_vertices = shape.vertices_m.shape[0]
    for p in range(ground.planes.shape[0]):
        normal = (ground.planes[p, 0], ground.planes[p, 1], ground.planes[p, 2])
        rate = dot(normal, (state[3], state[4], state[5]))
        high = dot(normal, (state[0], state[1], state[2])) - ground.planes[p, 3] - shape.rounding_m
        if high > shape.reach_m + touch + window * abs(rate):
            continue
        n = to_body(m, normal)
        change = cross(n, omega)
        for i in range(n_vertices + N_RIM * shape.rims_m.shape[0]):
            if i < n_vertices:
                r = (shape.vertices_m[i, 0], shape.vertices_m[i, 1], shape.vertices_m[i, 2])
            else:
                rim = (i - n_vertices) // N_RIM
                r = _rim_point(shape.rims_m[rim, 0], shape.rims_m[rim, 1], n, change, (i - n_vertices) % N_RIM)
            g, v = high + dot(n, r), rate + dot(change, r)
            if g > touch and g + window * min(v, 0.0) > touch:
                continue
            if n_found == room.normals.shape[0]:
                return -1
            arm = to_world(m, r)
            for j in range(3):
                room.normals[n_found, j] = normal[j]
                room.arms_m[n_found, j] = arm[j] - shape.rounding_m * normal[j]
            if g <= touch and not _on_patch(ground, p, state[:3] + room.arms_m[n_found]):
                return -2
            for j in range(4):
                room.laws[n_found, j] = ground.laws[p, j]
            room.touching[n_found] = g <= touch
            n_found += 1
    return n_found


@njit
def least_gap(state: np.ndarray, m: Any, shape: Shape, ground: Ground) -> float:
    """Least gap between the body and any plane; negative if they overlap."""
    least = math.inf
    for p in range(ground.planes.shape[0]):
        normal = (ground.planes[p, 0], ground.planes[p, 1], ground.planes[p, 2])
        n = to_body(m, normal)
        high = dot(normal, (state[0], state[1], state[2])) - ground.planes[p, 3] - shape.rounding_m
        for i in range(shape.vertices_m.shape[0]):
            r = (shape.vertices_m[i, 0], shape.vertices_m[i, 1], shape.vertices_m[i, 2])
            least = min(least, high + dot(n, r))
        for i in range(shape.rims_m.shape[0]):
            z, radius = shape.rims_m[i, 0], shape.rims_m[i, 1]
            least = min(least, high + z * n[2] - radius * math.hypot(n[0], n[1]))
    return least
