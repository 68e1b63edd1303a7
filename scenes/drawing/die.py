"""What does a die look like: a cube with rounded edges and 21 drawn pips?"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

FACE_NORMALS = {1: (0, 0, 1), 2: (0, -1, 0), 3: (1, 0, 0), 4: (-1, 0, 0), 5: (0, 1, 0), 6: (0, 0, -1)}
"""Number of pips -> outward normal in the die's frame; opposite faces sum to seven."""
_PIPS = {
    1: [(0, 0)],
    2: [(-1, -1), (1, 1)],
    3: [(-1, -1), (0, 0), (1, 1)],
    4: [(-1, -1), (-1, 1), (1, -1), (1, 1)],
    5: [(-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)],
    6: [(-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)],
}


@lru_cache(maxsize=8)
def rounded_cube(half_edge_m: float, radius_m: float, *, n_arc: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (V, 3) and faces (F, 3) of a cube whose edges are rounded with the given radius.

    Args:
        half_edge_m: Half the distance of opposite faces.
        radius_m: Radius of the rounding, below `half_edge_m`.
        n_arc: Vertices along a quarter circle.

    Raises:
        ValueError: The radius is not positive or not below the half edge.
    """
    if not 0 < radius_m < half_edge_m:
        raise ValueError(f"radius_m must lie in (0, {half_edge_m}), got {radius_m}")
    from scipy.spatial import ConvexHull

    core, octant = half_edge_m - radius_m, []
    for i in range(n_arc):
        for j in range(n_arc - i):
            direction = np.array([i, j, n_arc - 1 - i - j], dtype=float)
            octant.append(core + radius_m * direction / np.linalg.norm(direction))
    signs = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    vertices = (np.array(octant)[None] * signs[:, None]).reshape(-1, 3)
    hull = ConvexHull(vertices)
    faces = hull.simplices.copy()
    # qhull does not orient its triangles: turn those whose normal points inwards
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    inward = np.einsum("fi,fi->f", np.cross(b - a, c - a), a) < 0
    faces[inward] = faces[inward][:, ::-1]
    return vertices, faces.astype(np.int32)


@lru_cache(maxsize=8)
def pips(half_edge_m: float, *, n_sides: int = 14) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (V, 3) and faces (F, 3) of the 21 pips: flat discs that stand 0.5 % of the edge proud of the faces."""
    spread, radius, proud = 0.52 * half_edge_m, 0.2 * half_edge_m, 0.01 * half_edge_m
    turn = 2 * np.pi * np.arange(n_sides) / n_sides
    ring = np.stack([np.cos(turn), np.sin(turn)], axis=1) * radius
    vertices: list[np.ndarray] = []
    faces: list[np.ndarray] = []
    for face, spots in _PIPS.items():
        normal = np.array(FACE_NORMALS[face], dtype=float)
        u = np.roll(np.abs(normal), 1)
        v = np.cross(normal, u)
        for x, y in spots:
            centre = normal * half_edge_m + spread * (x * u + y * v)
            start = sum(len(block) for block in vertices)
            flat = ring[:, :1] * u + ring[:, 1:] * v
            sunk = 0.02 * half_edge_m
            vertices.append(np.concatenate([centre + flat - sunk * normal, centre + flat + proud * normal]))
            n, k = n_sides, np.arange(n_sides)
            top = np.stack([np.full(n - 2, n), n + k[1:-1], n + k[2:]], axis=1)
            bottom = np.stack([np.zeros(n - 2, dtype=int), k[2:], k[1:-1]], axis=1)
            after = (k + 1) % n
            side = np.concatenate([np.stack([k, after, n + after], 1), np.stack([k, n + after, n + k], 1)])
            faces.append(start + np.concatenate([top, bottom, side]))
    return np.concatenate(vertices), np.concatenate(faces).astype(np.int32)


def add_die(spec: Any, body: Any, *, half_edge_m: float, rounding_m: float, density: float, **law: Any) -> None:
    """Adds a die to a body: a rounded cube that collides, and 21 pips that are only drawn.

    Args:
        spec: The MjSpec being built.
        body: The body that becomes a die; geoms, meshes and materials take its name.
        half_edge_m: Half the distance of opposite faces.
        rounding_m: Radius of the edges.
        density: kg/m3.
        law: The contact law (`sim.contact`).
    """
    import mujoco

    spec.add_material(name="mark_die", rgba=(0.94, 0.92, 0.86, 1), specular=0.3, shininess=0.4)
    spec.add_material(name="mark_pips", rgba=(0.08, 0.08, 0.10, 1), specular=0.1)
    drawn: dict[str, Any] = {"contype": 0, "conaffinity": 0, "mass": 0, "group": 1}
    for name, mesh, material, rest in (
        (body.name, rounded_cube(half_edge_m, rounding_m), "mark_die", {"density": density, **law}),
        (f"{body.name}_pips", pips(half_edge_m), "mark_pips", drawn),
    ):
        vertices, faces = mesh
        spec.add_mesh(name=name, uservert=vertices.ravel(), userface=faces.ravel())
        body.add_geom(name=name, type=mujoco.mjtGeom.mjGEOM_MESH, meshname=name, material=material, **rest)
