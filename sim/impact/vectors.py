"""Small vector algebra on scalars, for compiled code: tuples stay in registers where arrays would be allocated."""

from __future__ import annotations

import math
from typing import Any

from numba import njit

Triple = tuple[float, float, float]


@njit(inline="always")
def cross(a: Any, b: Any) -> Any:
    """The vector product."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@njit(inline="always")
def dot(a: Any, b: Any) -> Any:
    """The scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@njit(inline="always")
def product(a: Any, b: Any) -> Any:
    """The product of two quaternions w x y z."""
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


@njit(inline="always")
def turn(rate: Any, duration: Any) -> Any:
    """The quaternion of a turn at a constant angular velocity."""
    speed = math.sqrt(dot(rate, rate))
    half = 0.5 * speed * duration
    share = math.sin(half) / speed if speed > 0 else 0.0
    return math.cos(half), share * rate[0], share * rate[1], share * rate[2]


@njit(inline="always")
def matrix(q: Any) -> Any:
    """Nine entries, row by row, of the rotation matrix (body to world) of a unit quaternion w x y z."""
    w, x, y, z = q[0], q[1], q[2], q[3]
    return (
        1 - 2 * (y * y + z * z),
        2 * (x * y - w * z),
        2 * (x * z + w * y),
        2 * (x * y + w * z),
        1 - 2 * (x * x + z * z),
        2 * (y * z - w * x),
        2 * (x * z - w * y),
        2 * (y * z + w * x),
        1 - 2 * (x * x + y * y),
    )


@njit(inline="always")
def to_world(m: Any, a: Any) -> Any:
    """Matrix times vector: from the body's axes to the world's."""
    return (
        m[0] * a[0] + m[1] * a[1] + m[2] * a[2],
        m[3] * a[0] + m[4] * a[1] + m[5] * a[2],
        m[6] * a[0] + m[7] * a[1] + m[8] * a[2],
    )


@njit(inline="always")
def to_body(m: Any, a: Any) -> Any:
    """Transposed matrix times vector: from the world's axes to the body's."""
    return (
        m[0] * a[0] + m[3] * a[1] + m[6] * a[2],
        m[1] * a[0] + m[4] * a[1] + m[7] * a[2],
        m[2] * a[0] + m[5] * a[1] + m[8] * a[2],
    )


@njit(inline="always")
def tangent(n: Any) -> Any:
    """A unit vector at right angles to a unit vector."""
    if abs(n[0]) < 0.6:
        side = cross(n, (1.0, 0.0, 0.0))
    else:
        side = cross(n, (0.0, 1.0, 0.0))
    length = math.sqrt(dot(side, side))
    return side[0] / length, side[1] / length, side[2] / length
