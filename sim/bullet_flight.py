"""How does a rigid body turn while nothing touches it?

Bullet's own answer is of first order: at 1/4800 s a coin with 250 rad/s of flip and 80 rad/s of spin loses 40 % of its
energy of rotation in half a second. Here angular momentum is kept exactly and attitude to fourth order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

_TURN_RAD = 0.15
"""Largest turn in one step of the integrator."""

_Floats = Sequence[float]


def _rate(q: _Floats, momentum: _Floats, inverse: _Floats) -> tuple[float, float, float]:
    """Angular velocity, world frame, of a body at attitude q (w x y z) with that angular momentum."""
    w, x, y, z = q
    a, b, c = 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)
    d, e, f = 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)
    g, h, i = 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)
    lx, ly, lz = momentum
    u = inverse[0] * (a * lx + d * ly + g * lz)
    v = inverse[1] * (b * lx + e * ly + h * lz)
    s = inverse[2] * (c * lx + f * ly + i * lz)
    return a * u + b * v + c * s, d * u + e * v + f * s, g * u + h * v + i * s


def _slope(q: _Floats, momentum: _Floats, inverse: _Floats) -> tuple[float, float, float, float]:
    """dq/dt = (0, omega) q / 2."""
    ox, oy, oz = _rate(q, momentum, inverse)
    w, x, y, z = q
    return (
        -0.5 * (ox * x + oy * y + oz * z),
        0.5 * (ox * w + oy * z - oz * y),
        0.5 * (oy * w + oz * x - ox * z),
        0.5 * (oz * w + ox * y - oy * x),
    )


def _ahead(q: _Floats, slope: _Floats, h: float) -> list[float]:
    moved = [a + h * b for a, b in zip(q, slope, strict=True)]
    length = math.sqrt(sum(a * a for a in moved))
    return [a / length for a in moved]


def free_spin(
    quaternion: np.ndarray, angular_rad_s: np.ndarray, inertia_kg_m2: np.ndarray, duration_s: float
) -> tuple[np.ndarray, np.ndarray]:
    """Attitude (4,) w x y z and angular velocity (3,), world frame, after turning freely for a while.

    Args:
        quaternion: (4,) w x y z, principal axes to world.
        angular_rad_s: (3,) in the world frame.
        inertia_kg_m2: (3,) principal moments.
        duration_s: How long.

    References:
        Euler's equations as constancy of angular momentum in the world frame, by the classical Runge-Kutta method.
    """
    q, inverse = quaternion.tolist(), (1 / inertia_kg_m2).tolist()
    momentum = _rate(q, angular_rad_s.tolist(), inertia_kg_m2.tolist())  # R I R^T omega
    n = max(1, math.ceil(float(np.linalg.norm(angular_rad_s)) * duration_s / _TURN_RAD))
    h = duration_s / n
    for _ in range(n):
        k1 = _slope(q, momentum, inverse)
        k2 = _slope(_ahead(q, k1, h / 2), momentum, inverse)
        k3 = _slope(_ahead(q, k2, h / 2), momentum, inverse)
        k4 = _slope(_ahead(q, k3, h), momentum, inverse)
        mean = [(a + 2 * b + 2 * c + d) / 6 for a, b, c, d in zip(k1, k2, k3, k4, strict=True)]
        q = _ahead(q, mean, h)
    return np.array(q), np.array(_rate(q, momentum, inverse))
