"""What of a compiled MuJoCo model does another engine need, and what of it would get lost?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from .bullet_law import Surface
from .errors import SceneError
from .scene import Scene


@dataclass(frozen=True, kw_only=True)
class Part:
    """One geom in the frame of the body that carries it."""

    name: str
    kind: str
    """plane, box, sphere, cylinder, capsule or mesh."""
    size_m: np.ndarray
    position_m: np.ndarray
    matrix: np.ndarray
    """(3, 3) rotation, part to body."""
    vertices_m: np.ndarray | None
    """(V, 3) corners of the convex hull in the body's frame; meshes only."""
    surface: Surface


@dataclass(frozen=True, kw_only=True)
class Mover:
    """One moving body: its frame is MuJoCo's inertial frame if it is free, its body frame if it hangs on a hinge."""

    name: str
    body: int
    free: bool
    parts: tuple[Part, ...]
    mass_kg: float
    inertia_kg_m2: np.ndarray
    """(3,) principal moments; for a hinge, three times the moment about its axis."""
    origin_m: np.ndarray
    """(3,) position of this frame's origin in MuJoCo's body frame."""
    matrix: np.ndarray
    """(3, 3) rotation, this frame to MuJoCo's body frame."""
    axis: np.ndarray
    """(3,) the hinge's axis in the body frame; of no meaning for a free body."""
    damping: float
    """The hinge's viscous torque per rate, N m s."""
    frictionloss: float
    """The hinge's dry friction torque, N m."""


def _hull(model: Any, mesh: int) -> np.ndarray:
    """(V, 3) corners of a mesh's convex hull, in the mesh's frame."""
    first, n = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
    vertices = np.ascontiguousarray(model.mesh_vert[first : first + n], dtype=float)
    return _hull_of(vertices.tobytes())


@cache
def _hull_of(raw: bytes) -> np.ndarray:
    from scipy.spatial import ConvexHull

    vertices = np.frombuffer(raw).reshape(-1, 3)
    corners: np.ndarray = vertices[np.sort(ConvexHull(vertices).vertices)]
    return corners


def _part(model: Any, geom: int, position_m: np.ndarray, matrix: np.ndarray, scene: str) -> Part:
    """One geom; position and rotation are in the carrier's frame."""
    import mujoco

    kind = mujoco.mjtGeom(int(model.geom_type[geom])).name.removeprefix("mjGEOM_").lower()
    name = model.geom(geom).name
    if kind not in ("plane", "box", "sphere", "cylinder", "capsule", "mesh"):
        raise SceneError(
            f"{scene}: Bullet has no {kind}, the type of geom {name!r}; use another or set one_engine_only"
        )
    if model.geom_margin[geom] != 0:
        raise SceneError(f"{scene}: geom {name!r} has a contact margin, which Bullet cannot give it; remove it")
    vertices = _hull(model, int(model.geom_dataid[geom])) @ matrix.T + position_m if kind == "mesh" else None
    return Part(
        name=name,
        kind=kind,
        size_m=model.geom_size[geom].copy(),
        position_m=position_m,
        matrix=matrix,
        vertices_m=vertices,
        surface=Surface.of(model, geom),
    )


def _collides(model: Any, geom: int) -> bool:
    return bool(model.geom_contype[geom] or model.geom_conaffinity[geom])


def _matrix(quaternion: np.ndarray) -> np.ndarray:
    import mujoco

    flat = np.empty(9)
    mujoco.mju_quat2Mat(flat, quaternion)
    return flat.reshape(3, 3)


def fixed_parts(model: Any, scene: str) -> list[Part]:
    """The colliding geoms of everything that cannot move, in the world frame."""
    import mujoco

    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    return [
        _part(model, g, data.geom_xpos[g].copy(), data.geom_xmat[g].reshape(3, 3).copy(), scene)
        for g in range(model.ngeom)
        if _collides(model, g) and model.body_weldid[model.geom_bodyid[g]] == 0
    ]


def movers(model: Any, scene: Scene) -> list[Mover]:
    """The moving bodies, in the scene's order.

    Raises:
        SceneError: A body, joint or force cannot be expressed.
    """
    ids = [int(model.body(name).id) for name in scene.moving_bodies]
    _refuse_what_is_lost(model, ids, scene.name)
    return [_mover(model, body, scene.name) for body in ids]


def _mover(model: Any, body: int, scene: str) -> Mover:
    joint, name = int(model.body_jntadr[body]), model.body(body).name
    free, dof = int(model.jnt_type[joint]) == 0, int(model.jnt_dofadr[joint])
    mass, inertia = float(model.body_mass[body]), model.body_inertia[body].copy()
    origin, matrix, axis = np.zeros(3), np.eye(3), model.jnt_axis[joint].copy()
    if free:
        origin, matrix = model.body_ipos[body].copy(), _matrix(model.body_iquat[body])
    else:
        lever, turn = model.body_ipos[body], _matrix(model.body_iquat[body])
        off_axis = np.cross(axis, lever)
        about_axis = float(axis @ turn @ np.diag(inertia) @ turn.T @ axis + mass * off_axis @ off_axis)
        weight = mass * _matrix(model.body_quat[body]).T @ model.opt.gravity
        if np.linalg.norm(off_axis) * np.linalg.norm(np.cross(axis, weight)) > 1e-9:  # in some pose, if not in this
            raise SceneError(
                f"{scene}: gravity turns {name!r} about its hinge, which BulletEngine does not model; balance it"
            )
        inertia = np.full(3, about_axis + float(model.dof_armature[dof]))
    parts = [
        _part(model, g, matrix.T @ (model.geom_pos[g] - origin), matrix.T @ _matrix(model.geom_quat[g]), scene)
        for g in range(model.ngeom)
        if model.geom_bodyid[g] == body and _collides(model, g)
    ]
    return Mover(
        name=name,
        body=body,
        free=free,
        parts=tuple(parts),
        mass_kg=mass,
        inertia_kg_m2=inertia,
        origin_m=origin,
        matrix=matrix,
        axis=axis,
        damping=float(model.dof_damping[dof]),
        frictionloss=float(model.dof_frictionloss[dof]),
    )


def _refuse_what_is_lost(model: Any, ids: Sequence[int], scene: str) -> None:
    """Raises for anything in the model that Bullet would not get."""
    joints = [int(model.body_jntadr[b]) for b in ids]
    free_dofs = [int(model.jnt_dofadr[j]) + k for j in joints if model.jnt_type[j] == 0 for k in range(6)]
    faults = {
        "moving bodies that moving_bodies does not list": model.njnt != len(ids),
        "bodies fixed to moving ones": any(model.body_weldid[b] not in (0, b) for b in range(model.nbody)),
        "damping, friction or armature of a free joint": bool(
            np.any(model.dof_damping[free_dofs])
            or np.any(model.dof_frictionloss[free_dofs])
            or np.any(model.dof_armature[free_dofs])
        ),
        "joint limits, springs": bool(np.any(model.jnt_limited) or np.any(model.jnt_stiffness)),
        "actuators, tendons, constraints": bool(model.nu or model.ntendon or model.neq),
        "contact pairs or exclusions": bool(model.npair or model.nexclude),
        "air, wind or gravity compensation": bool(
            model.opt.density or model.opt.viscosity or np.any(model.opt.wind) or np.any(model.body_gravcomp)
        ),
    }
    if lost := [what for what, there in faults.items() if there]:
        raise SceneError(f"{scene}: BulletEngine cannot express {'; '.join(lost)}; remove them or set one_engine_only")
