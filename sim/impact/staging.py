"""Which body and which planes are in a compiled MuJoCo model, or what keeps a scene from being expressed by them?"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from sim.bullet_law import pair_law
from sim.bullet_model import Mover, Part, fixed_parts, movers
from sim.errors import SceneError
from sim.scene import Scene

from .body import Body
from .records import Ground

_N_GRID = 9
_ROUND = 9
"""Decimals to which two faces must agree to be one plane."""


@dataclass(frozen=True, kw_only=True)
class Staging:
    """A scene in this engine's terms."""

    body: Body
    ground: Ground
    start: np.ndarray
    """(13,) state of the principal axes at the keyframe."""
    frame: np.ndarray
    """(3, 3) the engine's axes to those of MuJoCo's body."""
    origin_m: np.ndarray
    """(3,) centre of mass in MuJoCo's body frame."""


def staging(model: Any, scene: Scene) -> Staging:
    """The body and the planes of a compiled scene.

    Raises:
        SceneError: The scene holds something that this engine cannot express; the message names it.
    """
    _refuse(model, scene)
    (mover,) = movers(model, scene)
    body, frame = _body(mover, scene)
    start = _start(model, mover, frame)
    return Staging(
        body=body,
        ground=_ground(model, scene, mover, body, start),
        start=start,
        frame=mover.matrix @ frame,
        origin_m=mover.origin_m,
    )


def _refuse(model: Any, scene: Scene) -> None:
    """Raises for what is neither one free convex body nor a fixed plane or box."""
    import mujoco

    def kinds(moving: bool) -> list[str]:
        return [
            mujoco.mjtGeom(int(model.geom_type[g])).name.removeprefix("mjGEOM_").lower()
            for g in range(model.ngeom)
            if (model.geom_contype[g] or model.geom_conaffinity[g])
            and bool(model.body_weldid[model.geom_bodyid[g]]) == moving
        ]

    own, fixed = kinds(True), kinds(False)
    option = model.opt
    faults = {
        f"{len(scene.moving_bodies)} moving bodies": len(scene.moving_bodies) != 1,
        "a hinge or another joint than one free one": model.njnt != 1 or int(model.jnt_type[0]) != 0,
        "bodies fixed to the moving one": any(model.body_weldid[b] not in (0, b) for b in range(model.nbody)),
        f"a body of {len(own)} colliding geoms": len(own) != 1,
        "a moving " + ", ".join(sorted(set(own) - _MOVING)): bool(set(own) - _MOVING),
        "a fixed " + ", ".join(sorted(set(fixed) - _FIXED)): bool(set(fixed) - _FIXED),
        "damping, friction or armature of the joint": bool(
            np.any(model.dof_damping) or np.any(model.dof_frictionloss) or np.any(model.dof_armature)
        ),
        "actuators, tendons, constraints": bool(model.nu or model.ntendon or model.neq),
        "contact pairs or exclusions": bool(model.npair or model.nexclude),
        "air, wind or gravity compensation": bool(
            option.density or option.viscosity or np.any(option.wind) or np.any(model.body_gravcomp)
        ),
    }
    if lost := [what for what, there in faults.items() if there]:
        raise SceneError(
            f"{scene.name}: the impact engine cannot express {'; '.join(lost)} "
            "(it has one free convex body on fixed planes and boxes); use --engine mujoco"
        )


_MOVING = {"box", "cylinder", "sphere", "capsule", "mesh"}
_FIXED = {"plane", "box"}


def _body(mover: Mover, scene: Scene) -> tuple[Body, np.ndarray]:
    """The body, and (3, 3) its axes in those of the mover."""
    (part,) = mover.parts
    frame, rims, rounding = np.eye(3), np.empty((0, 2)), 0.0
    inertia, size = mover.inertia_kg_m2, part.size_m
    if part.kind == "mesh":
        vertices = np.asarray(part.vertices_m, dtype=float)
    elif part.kind == "box":
        signs = np.array(list(product((-1.0, 1.0), repeat=3)))
        vertices = part.position_m + (signs * size) @ part.matrix.T
    elif part.kind in ("sphere", "capsule"):
        rounding = float(size[0])
        ends = (0.0,) if part.kind == "sphere" else (-size[1], size[1])
        vertices = np.array([part.position_m + end * part.matrix[:, 2] for end in ends])
    else:
        frame, at = part.matrix, part.matrix.T @ part.position_m
        tensor = frame.T @ np.diag(inertia) @ frame
        inertia = np.diag(tensor).copy()
        off = np.abs(tensor - np.diag(inertia)).max() / inertia.max()
        if off > 1e-6 or np.hypot(at[0], at[1]) > 1e-6 * size[0]:
            raise SceneError(f"{scene.name}: the impact engine cannot express a cylinder that is not balanced")
        rims = np.array([[at[2] + size[1], size[0]], [at[2] - size[1], size[0]]])
        vertices = np.empty((0, 3))
    body = Body(vertices_m=vertices, rims_m=rims, rounding_m=rounding, mass_kg=mover.mass_kg, inertia_kg_m2=inertia)
    return body, frame


def _start(model: Any, mover: Mover, frame: np.ndarray) -> np.ndarray:
    """(13,) the state at the keyframe."""
    import mujoco

    data, speed, quaternion = mujoco.MjData(model), np.empty(6), np.empty(4)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_fwdPosition(model, data)
    mujoco.mj_fwdVelocity(model, data)
    mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_BODY, mover.body, speed, 0)
    turn = data.ximat[mover.body].reshape(3, 3) @ frame
    mujoco.mju_mat2Quat(quaternion, np.ascontiguousarray(turn).ravel())
    return np.concatenate([data.xipos[mover.body], speed[3:], quaternion, speed[:3]])


def _ground(model: Any, scene: Scene, mover: Mover, body: Body, start: np.ndarray) -> Ground:
    """All planes that the body can meet; faces that lie in one plane are one."""
    from sim.trajectory import rotation_matrices

    (own,) = mover.parts
    corners = start[:3] + _outline(body) @ rotation_matrices(start[6:10]).T
    found: dict[tuple[float, ...], list[np.ndarray] | None] = {}
    for part in fixed_parts(model, scene.name):
        if not own.surface.meets(part.surface):
            continue
        try:
            law = pair_law(own.surface, part.surface, float(model.opt.timestep))
        except ValueError as fault:
            raise SceneError(f"{scene.name}: {fault}; give the moving body's geoms sim.contact(...)") from fault
        normal, height, patch = _face(part, scene, corners, body.rounding_m)
        numbers = (*normal, height, law.restitution, law.friction, law.spinning_m, law.rolling_m)
        key = tuple(round(float(x), _ROUND) + 0.0 for x in numbers)
        patches = found.setdefault(key, [])
        if patch is None:
            found[key] = None
        elif patches is not None:
            patches.append(patch)
    rows = np.array(list(found)).reshape(-1, 8)
    patches = [np.concatenate([[k], p]) for k, ps in enumerate(found.values()) if ps is not None for p in ps]
    rows[:, :3] /= np.linalg.norm(rows[:, :3], axis=1, keepdims=True)
    return Ground(
        planes=np.ascontiguousarray(rows[:, :4]),
        laws=np.ascontiguousarray(rows[:, 4:]),
        patches=np.array(patches).reshape(-1, 10),
        gravity_m_s2=np.array(model.opt.gravity, dtype=float),
    )


def _outline(body: Body) -> np.ndarray:
    """(P, 3) points of the core whose heights tell on which side of a plane it lies."""
    turn = 2 * np.pi * np.arange(32) / 32
    circles = [np.stack([r * np.cos(turn), r * np.sin(turn), np.full(32, z)], axis=1) for z, r in body.rims_m]
    return np.concatenate([body.vertices_m, *circles])


def _face(
    part: Part, scene: Scene, corners: np.ndarray, rounding_m: float
) -> tuple[np.ndarray, float, np.ndarray | None]:
    """Normal, height and (9,) limits of the face that the body can meet: of a box, one that it starts in front of.

    Of several, the one that leaves the body most of the scene's bounds.
    """
    if part.kind == "plane":
        normal = part.matrix[:, 2]
        return normal, float(normal @ part.position_m), None
    low, high = (np.asarray(corner, dtype=float) for corner in scene.bounds_m)
    grid = np.array(list(product(np.linspace(0, 1, _N_GRID), repeat=3))) * (high - low) + low
    best: tuple[tuple[bool, float], np.ndarray, float, np.ndarray] | None = None
    for axis, sign in product(range(3), (1.0, -1.0)):
        normal = sign * part.matrix[:, axis]
        height = float(normal @ part.position_m + part.size_m[axis])
        clear = bool((corners @ normal).min() - rounding_m >= height - 1e-9)
        rank = (clear, float(((grid @ normal) > height).mean()))
        if best is None or rank > best[0]:
            sides = [part.matrix[:, k] / part.size_m[k] for k in range(3) if k != axis]
            middle = part.position_m + part.size_m[axis] * normal
            best = (rank, normal, height, np.concatenate([middle, *sides]))
    if best is None:
        raise SceneError(f"{scene.name}: geom {part.name!r} has no face")
    return best[1], best[2], best[3]
