"""On which faces can a convex polyhedron rest, and how high must its centre rise to leave each?

The ways out of a face's basin are saddles of the support function: an edge whose foot of the perpendicular from the
centre of mass lies inside the edge and is held from both sides. Which two basins a saddle joins is found by going
downhill on either side.
"""

from __future__ import annotations

import math

import numpy as np

from .records import Rest

_SAME_NORMAL = 1e-6
_ASIDE_RAD = 0.03
_STEP_RAD, _MAX_STEPS = 0.02, 2000


def resting(vertices_m: np.ndarray, *, rounding_m: float = 0.0) -> Rest:
    """Faces and barriers of a convex polyhedron about its centre of mass at the origin.

    Args:
        vertices_m: (V, 3) corners.
        rounding_m: Radius of the ball that is swept over it.
    """
    from scipy.spatial import ConvexHull

    hull = ConvexHull(vertices_m)
    normals, of_triangle = _merged(hull.equations[:, :3])
    distance = np.array([np.max(vertices_m @ n) for n in normals])
    stable = np.array([_is_stable(hull, of_triangle, f, normals[f] * distance[f]) for f in range(len(normals))])
    barrier = np.where(stable, math.inf, math.nan)
    for a, b, saddle in _saddles(vertices_m, hull, of_triangle):
        line = vertices_m[b] - vertices_m[a]
        height = float(np.linalg.norm(saddle))
        across = np.cross(line / np.linalg.norm(line), saddle / height)
        for side in (1.0, -1.0):
            start = saddle / height * math.cos(_ASIDE_RAD) + side * math.sin(_ASIDE_RAD) * across
            face = _downhill(start, vertices_m, normals, stable)
            if face >= 0:
                barrier[face] = min(barrier[face], height + rounding_m)
    return Rest(faces=np.ascontiguousarray(normals), barrier_m=barrier)


def _merged(normals: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Normals of the faces (coplanar triangles are one face), and the face of each triangle."""
    found: list[np.ndarray] = []
    of_triangle = np.empty(len(normals), dtype=int)
    for t, n in enumerate(normals):
        for f, other in enumerate(found):
            if 1 - float(n @ other) < _SAME_NORMAL:
                of_triangle[t] = f
                break
        else:
            of_triangle[t] = len(found)
            found.append(n)
    return np.array(found), of_triangle


def _is_stable(hull: object, of_triangle: np.ndarray, face: int, foot: np.ndarray) -> bool:
    """True if the foot of the perpendicular lies inside the face: on the inner side of all its neighbours' planes."""
    equations, neighbours = hull.equations, hull.neighbors  # type: ignore[attr-defined]
    for t in np.flatnonzero(of_triangle == face):
        for other in neighbours[t]:
            if of_triangle[other] != face and float(equations[other, :3] @ foot + equations[other, 3]) > -1e-12:
                return False
    return True


def _saddles(vertices_m: np.ndarray, hull: object, of_triangle: np.ndarray) -> list[tuple[int, int, np.ndarray]]:
    """Ends and foot of every edge over which the body can tip."""
    found = []
    for t, (triangle, others) in enumerate(zip(hull.simplices, hull.neighbors, strict=True)):  # type: ignore[attr-defined]
        for k, other in enumerate(others):
            if other < t or of_triangle[other] == of_triangle[t]:
                continue
            a, b = (int(v) for v in np.delete(triangle, k))  # the neighbour lies opposite the corner of the same index
            line = vertices_m[b] - vertices_m[a]
            share = -float(vertices_m[a] @ line) / float(line @ line)
            foot = vertices_m[a] + share * line
            height = float(np.linalg.norm(foot))
            if 0 < share < 1 and height > 0 and np.max(vertices_m @ foot) <= height**2 * (1 + 1e-9):
                found.append((a, b, foot))
    return found


def _downhill(down: np.ndarray, vertices_m: np.ndarray, normals: np.ndarray, stable: np.ndarray) -> int:
    """The stable face to which the body tips from there, or -1."""
    near = math.cos(1.5 * _STEP_RAD)
    for _ in range(_MAX_STEPS):
        close = np.where(stable, normals @ down, -1)
        if close.max() > near:
            return int(close.argmax())
        lowest = vertices_m[int(np.argmax(vertices_m @ down))]
        uphill = lowest - float(lowest @ down) * down
        length = float(np.linalg.norm(uphill))
        if length == 0:
            return -1
        down = down - _STEP_RAD / length * uphill
        down /= np.linalg.norm(down)
    return -1
