"""On which face would a body end that is now tilted like this and has no speed left?

The height of the centre over flat ground, as a function of the direction d that points down in the body's axes, is the
support function h(d) = max r . d plus the rounding. A body whose energy lies below the lowest saddle around a face
cannot leave that face's basin; the basin is found by going downhill on h. For a cuboid it is that of the largest
|d_i| / h_i, and the barrier is min over j of sqrt(h_i^2 + h_j^2).
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

_STEP_RAD = 0.02
_MAX_STEPS = 400


@njit
def support(x: float, y: float, z: float, vertices: np.ndarray, rims: np.ndarray) -> tuple[float, float, float, float]:
    """Height of the core's centre with (x, y, z) down, and the lowest point."""
    best, px, py, pz = -math.inf, 0.0, 0.0, 0.0
    for i in range(vertices.shape[0]):
        high = x * vertices[i, 0] + y * vertices[i, 1] + z * vertices[i, 2]
        if high > best:
            best, px, py, pz = high, vertices[i, 0], vertices[i, 1], vertices[i, 2]
    across = math.hypot(x, y)
    for i in range(rims.shape[0]):
        high = z * rims[i, 0] + across * rims[i, 1]
        if high > best:
            share = rims[i, 1] / across if across > 0.0 else 0.0
            best, px, py, pz = high, share * x, share * y, rims[i, 0]
    return best, px, py, pz


@njit
def _nearest(x: float, y: float, z: float, faces: np.ndarray, barrier: np.ndarray) -> int:
    """The face within 1.5 steps of the direction, or -1."""
    close = math.cos(1.5 * _STEP_RAD)
    for f in range(faces.shape[0]):
        if math.isnan(barrier[f]):
            continue
        if faces[f, 0] == 0.0 and faces[f, 1] == 0.0 and faces[f, 2] == 0.0:
            if abs(z) < math.sin(1.5 * _STEP_RAD):
                return f
        elif x * faces[f, 0] + y * faces[f, 1] + z * faces[f, 2] > close:
            return f
    return -1


@njit
def cell(
    x: float, y: float, z: float, vertices: np.ndarray, rims: np.ndarray, faces: np.ndarray, barrier: np.ndarray
) -> int:
    """Index of the face in whose basin the body lies, or -1 if the way down finds none.

    Args:
        x: Down, in the body's axes, a unit vector: first, ...
        y: ... second ...
        z: ... and third part.
        vertices: (V, 3) corners.
        rims: (R, 2) circles.
        faces: (F, 3) outward normals; zero for a cylinder's side.
        barrier: (F,) nan where the body cannot rest.
    """
    for _ in range(_MAX_STEPS):
        found = _nearest(x, y, z, faces, barrier)
        if found >= 0:
            return found
        _h, px, py, pz = support(x, y, z, vertices, rims)
        along = px * x + py * y + pz * z
        gx, gy, gz = px - along * x, py - along * y, pz - along * z  # h grows this way
        length = math.sqrt(gx * gx + gy * gy + gz * gz)
        if length < 1e-9 * (1e-300 + math.sqrt(px * px + py * py + pz * pz)):
            return -1
        share = _STEP_RAD / length
        x, y, z = x - share * gx, y - share * gy, z - share * gz
        length = math.sqrt(x * x + y * y + z * z)
        x, y, z = x / length, y / length, z / length
    return -1
