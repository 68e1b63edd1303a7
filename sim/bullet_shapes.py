"""How does a geom become a Bullet collision shape, and PyBullet a module that keeps quiet?"""

from __future__ import annotations

import ctypes
import importlib
import os
import sys
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from .bullet_model import Part
from .errors import PrerequisiteError

LENGTH = 50.0
"""Bullet's length units per metre. Masses and times keep their units, so inertia scales with its square."""


@cache
def pybullet() -> Any:
    """The module, imported without the line that it prints.

    Raises:
        PrerequisiteError: It is not installed, or cannot be loaded.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    nowhere, kept = os.open(os.devnull, os.O_WRONLY), [os.dup(1), os.dup(2)]
    for stream in (1, 2):
        os.dup2(nowhere, stream)
    try:
        return importlib.import_module("pybullet")
    except ImportError as fault:
        raise PrerequisiteError("PyBullet is not installed, which this needs; run: pip install pybullet") from fault
    finally:
        ctypes.CDLL(None).fflush(None)  # the line may wait in C's buffer
        for stream, copy in zip((1, 2), kept, strict=True):
            os.dup2(copy, stream)
            os.close(copy)
        os.close(nowhere)


def to_xyzw(matrix: np.ndarray) -> list[float]:
    """Quaternion x y z w (Bullet's order, which stays in its adapters) of a rotation matrix (3, 3)."""
    import mujoco

    w_x_y_z = np.empty(4)
    mujoco.mju_mat2Quat(w_x_y_z, np.ascontiguousarray(matrix, dtype=float).ravel())
    return [*w_x_y_z[1:].tolist(), float(w_x_y_z[0])]


def shape(part: Part, *, placed: bool) -> dict[str, Any]:
    """Keyword arguments of `createCollisionShape`.

    Args:
        part: The geom; the corners of a mesh are in its carrier's frame already.
        placed: Give the part its place in the carrier's frame; otherwise it sits at the origin.
    """
    p, size = pybullet(), LENGTH * part.size_m
    if part.vertices_m is not None:
        return {"shapeType": p.GEOM_MESH, "vertices": (LENGTH * part.vertices_m).tolist()}
    if part.kind == "plane":
        return {"shapeType": p.GEOM_PLANE, "planeNormal": part.matrix[:, 2].tolist()}
    frame: dict[str, Any] = {}
    if placed and not (part.kind == "sphere" and np.allclose(part.position_m, 0)):  # a plain sphere is faster
        frame["collisionFramePosition"] = (LENGTH * part.position_m).tolist()
        frame["collisionFrameOrientation"] = to_xyzw(part.matrix)
    if part.kind == "box":
        return {"shapeType": p.GEOM_BOX, "halfExtents": size.tolist(), **frame}
    if part.kind == "sphere":
        return {"shapeType": p.GEOM_SPHERE, "radius": float(size[0]), **frame}
    kind = p.GEOM_CYLINDER if part.kind == "cylinder" else p.GEOM_CAPSULE
    return {"shapeType": kind, "radius": float(size[0]), "height": float(2 * size[1]), **frame}


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="quincunx_bullet_")


@cache
def _hull_file(raw: bytes) -> str:
    """An OBJ file of a hull's corners: an array of shapes takes no vertices, only files."""
    corners = np.frombuffer(raw).reshape(-1, 3)
    n = len(corners)
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in corners.tolist()]
    lines += [f"f {k + 1} {(k + 1) % n + 1} {(k + 2) % n + 1}" for k in range(n)]
    path = Path(_folder().name) / f"hull_{abs(hash(raw)):x}.obj"
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def compound(parts: Sequence[Part]) -> dict[str, Any]:
    """Keyword arguments of `createCollisionShapeArray`."""
    shapes = [shape(part, placed=True) for part in parts]
    files = [
        "" if part.vertices_m is None else _hull_file((LENGTH * part.vertices_m).astype(float).tobytes())
        for part in parts
    ]
    n = len(parts)
    return {
        "shapeTypes": [s["shapeType"] for s in shapes],
        "halfExtents": [s.get("halfExtents", [1, 1, 1]) for s in shapes],
        "radii": [s.get("radius", 1.0) for s in shapes],
        "lengths": [s.get("height", 1.0) for s in shapes],
        "fileNames": files,
        "meshScales": [[1, 1, 1]] * n,
        "collisionFramePositions": [s.get("collisionFramePosition", [0, 0, 0]) for s in shapes],
        "collisionFrameOrientations": [s.get("collisionFrameOrientation", [0, 0, 0, 1]) for s in shapes],
    }


def extent(parts: Sequence[Part]) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Lowest and highest corner (3,), in metres, of the box around parts in their carrier's frame; then of a loose box.

    The loose one is around the parts' own boxes: what Bullet knows of turned round shapes.
    """
    boxes = []
    for part in parts:
        if part.vertices_m is not None:
            low, high = part.vertices_m.min(axis=0), part.vertices_m.max(axis=0)
            boxes.append((low, high, low, high))
            continue
        turn, size, at = part.matrix, part.size_m, part.position_m
        if part.kind == "box":
            loose = tight = np.abs(turn) @ size
        elif part.kind == "sphere":
            loose = tight = np.full(3, size[0])
        else:
            length = size[1] + (size[0] if part.kind == "capsule" else 0)
            loose = np.abs(turn) @ np.array([size[0], size[0], length])
            axis = np.abs(turn[:, 2])
            disc = size[0] * np.sqrt(np.clip(1 - axis**2, 0, None))
            tight = axis * size[1] + (size[0] if part.kind == "capsule" else disc)
        boxes.append((at - tight, at + tight, at - loose, at + loose))
    lows, highs, loose_lows, loose_highs = (np.array(corner) for corner in zip(*boxes, strict=True))
    return lows.min(axis=0), highs.max(axis=0), loose_lows.min(axis=0), loose_highs.max(axis=0)


def smallest_m(parts: Sequence[Part]) -> float:
    """Half of the smallest width of any part: a body that sinks in by a good share of it is lost."""
    widths = []
    for part in parts:
        if part.vertices_m is not None:
            widths.append(float(np.ptp(part.vertices_m, axis=0).min()) / 2)
        elif part.kind == "cylinder":
            widths.append(float(part.size_m[:2].min()))
        else:
            widths.append(float(part.size_m[: 3 if part.kind == "box" else 1].min()))
    return min(widths)


def reach_m(parts: Sequence[Part]) -> float:
    """A bound of the distance from the carrier's origin to any point of its parts."""
    low, high, *_ = extent(parts)
    return float(np.linalg.norm(np.maximum(np.abs(low), np.abs(high))))
