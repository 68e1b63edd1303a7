"""Which triangles draw a primitive shape?"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

_CREASE_COSINE = 0.75
"""Edges sharper than 41 degrees stay sharp; flatter ones are shaded as round."""


@dataclass(frozen=True, kw_only=True)
class Triangles:
    """Triangles with a normal, and perhaps a texture coordinate, at every corner."""

    corners_m: np.ndarray
    """(F, 3, 3) corners, counter-clockwise seen from outside."""
    normals: np.ndarray
    """(F, 3, 3) unit normals at the corners."""
    uv: np.ndarray | None = None
    """(F, 3, 2) texture coordinates, or None."""

    def moved(self, position_m: np.ndarray, rotation: np.ndarray) -> Triangles:
        """The same triangles after a rotation (3, 3) about the origin and a shift (3,)."""
        return Triangles(
            corners_m=self.corners_m @ rotation.T + position_m, normals=self.normals @ rotation.T, uv=self.uv
        )


def corner_normals(corners_m: np.ndarray) -> np.ndarray:
    """(F, 3, 3) normals that are smooth across flat edges and keep sharp edges sharp.

    Args:
        corners_m: (F, 3, 3) triangles.
    """
    cross = np.cross(corners_m[:, 1] - corners_m[:, 0], corners_m[:, 2] - corners_m[:, 0])
    face = cross / np.maximum(np.linalg.norm(cross, axis=1, keepdims=True), 1e-30)
    size = max(float(np.ptp(corners_m.reshape(-1, 3), axis=0).max()), 1e-12)
    keys = np.round(corners_m.reshape(-1, 3) / size, 6) + 0.0
    _, vertex = np.unique(keys, axis=0, return_inverse=True)
    vertex = vertex.ravel()
    order = np.argsort(vertex, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(vertex[order]) > 0, True])
    out = np.empty((len(vertex), 3))
    for low, high in zip(starts[:-1], starts[1:], strict=True):
        here = order[low:high]
        around = face[here // 3]
        near = (around @ around.T) > _CREASE_COSINE
        out[here] = near @ cross[here // 3]  # weighted by area
    out /= np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-30)
    return out.reshape(-1, 3, 3)


def rectangle(half_x_m: float, half_y_m: float) -> Triangles:
    """A rectangle in the plane z = 0, seen from above."""
    x, y = half_x_m, half_y_m
    points = np.array([[-x, -y, 0], [x, -y, 0], [x, y, 0], [-x, y, 0]], dtype=float)
    corners = points[np.array([[0, 1, 2], [0, 2, 3]])]
    return Triangles(corners_m=corners, normals=np.broadcast_to([0.0, 0.0, 1.0], corners.shape).copy())


@lru_cache(maxsize=512)
def primitive(kind: str, size_m: tuple[float, float, float], slices: int) -> Triangles:
    """Triangles of a shape in its own frame.

    Args:
        kind: `box`, `sphere`, `ellipsoid`, `cylinder` or `capsule`.
        size_m: MuJoCo's sizes: half lengths; radius; half axes; radius and half length; the same.
        slices: How many sides a round shape has, at least 6.

    Raises:
        ValueError: The kind is unknown.
    """
    import trimesh

    radius, half = size_m[0], size_m[1]
    stacks = max(4, slices // 2)
    if kind == "box":
        mesh = trimesh.creation.box(extents=2 * np.array(size_m))
    elif kind in ("sphere", "ellipsoid"):
        mesh = trimesh.creation.uv_sphere(radius=1.0, count=[stacks, slices])
        mesh.vertices = mesh.vertices * ([radius] * 3 if kind == "sphere" else size_m)
    elif kind == "cylinder":
        mesh = trimesh.creation.cylinder(radius=radius, height=2 * half, sections=slices)
    elif kind == "capsule":
        mesh = trimesh.creation.capsule(height=2 * half, radius=radius, count=[stacks, slices])
        mesh.apply_translation(-mesh.bounds.mean(axis=0))
    else:
        raise ValueError(f"kind must be box, sphere, ellipsoid, cylinder or capsule, got {kind!r}")
    corners = np.asarray(mesh.triangles, dtype=float)
    return Triangles(corners_m=corners, normals=corner_normals(corners))
