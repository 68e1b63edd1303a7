"""Which facts and which code decide a scene's counts, as short hashes that two machines can compare?

`settings_hash` sees the record: names, numbers and laws. `code_hash` sees what its functions do rather than how they
are written: the compiled models of two draws, and what `read` and `decided` answer to made-up motions. Comments, names
and pictures may change; a change of mass, size, contact law, start or reading shows. Code that behaves alike on all of
these and differently elsewhere is not seen: a change that moves a count must still raise the scene's version.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from hashlib import blake2b
from typing import Any

import numpy as np

from .errors import one_line
from .factor import uniforms
from .mujoco_engine import compile_scene
from .scene import FRAME_RATE_HZ, N_UNKNOWN_DRAWS, Null, Scene, Solver
from .trajectory import States, Trajectory

_DRAWS = (0, 1)
_N_MOTIONS, _N_FRAMES = 48, 4
_DIGITS = 6
"""Significant digits that are compared: machines agree to many more."""
_OPTIONS = ("timestep", "gravity", "integrator", "cone", "impratio", "iterations", "tolerance", "disableflags", "wind")
_BODY = ("body_parentid", "body_mass", "body_ipos", "body_pos", "body_gravcomp")
_JOINT = ("jnt_type", "jnt_pos", "jnt_axis", "jnt_limited", "jnt_range", "jnt_stiffness")
_FREEDOM = ("dof_damping", "dof_frictionloss", "dof_armature")
_GEOM = ("geom_type", "geom_contype", "geom_conaffinity", "geom_condim", "geom_priority", "geom_friction")
_GEOM_LAW = ("geom_solref", "geom_solimp", "geom_solmix", "geom_margin", "geom_gap", "geom_rbound")
_KEY = ("key_qpos", "key_qvel")


def settings_hash(scene: Scene, variant: str | None, *, solver: Solver | None, engine: str) -> str:
    """Hash of the facts that decide a scene's counts."""
    chosen = scene.variant(variant)
    facts = {
        "scene": scene.name,
        "version": scene.version,
        "settings": {**scene.settings, **(chosen.settings if chosen is not None else {})},
        "factors": {name: repr(factor) for name, factor in scene.factors.items()},
        "duration_s": scene.duration_s,
        "solver": asdict(scene.solver if solver is None else solver),
        "n_unknown_draws": N_UNKNOWN_DRAWS,
        "engine": engine,
    }
    return _hash(facts)


def code_hash(scene: Scene, variant: str | None, *, solver: Solver | None) -> str:
    """Hash of what `build`, `read` and `decided` do.

    Args:
        scene: The scene.
        variant: Name of a variant; None for the base scene.
        solver: Numerical settings; the scene's own if None.

    Raises:
        SceneError: The scene cannot be built.
    """
    draws = [scene.params(0, i, variant=variant, solver=solver) for i in _DRAWS]
    motions = list(_motions(scene))
    facts = {
        "models": [_model(compile_scene(scene, params)) for params in draws],
        "read": [_answer(scene, motion) for motion in motions],
        "decided": None if scene.decided is None else _decisions(scene, motions, draws[0]),
    }
    return _hash(facts)


def _hash(facts: Any) -> str:
    return blake2b(json.dumps(facts, sort_keys=True, default=repr).encode(), digest_size=8).hexdigest()


def _model(model: Any) -> dict[str, Any]:
    """The numbers of a compiled model that decide a motion.

    The turn of a body's inertia frame is left out: for a cube or a ball it is arbitrary, and so are the poses of
    meshes, which refer to it. Their mass and moments are compared.
    """
    import mujoco

    found: dict[str, Any] = {name: _rounded(getattr(model.opt, name)) for name in _OPTIONS}
    for name in (*_BODY, *_JOINT, *_FREEDOM, *_GEOM, *_GEOM_LAW, *_KEY):
        found[name] = _rounded(getattr(model, name))
    found["moments"] = _rounded(np.sort(model.body_inertia, axis=1))
    shapes = model.geom_type != mujoco.mjtGeom.mjGEOM_MESH
    for name in ("geom_size", "geom_pos", "geom_quat"):
        found[name] = _rounded(getattr(model, name)[shapes])
    found["pairs"] = [_rounded(getattr(model, name)) for name in ("pair_geom1", "pair_geom2", "pair_friction")]
    return found


def _rounded(value: Any) -> list[str]:
    """The numbers as text of a few significant digits; what is nothing beside the largest is zero."""
    flat = np.asarray(value, dtype=float).ravel()
    nothing = 1e-9 * max(1e-6, float(np.abs(flat[np.isfinite(flat)]).max(initial=0.0)))
    return [f"{0.0 if abs(x) < nothing else x:.{_DIGITS}g}" for x in flat.tolist()]


def _motions(scene: Scene) -> Iterator[Trajectory]:
    """Made-up motions inside the scene's bounds, half of them ending nearly at rest."""
    low, high = (np.asarray(corner) for corner in scene.bounds_m)
    n_bodies = len(scene.moving_bodies)
    for k in range(_N_MOTIONS):
        u = np.array([[_numbers(k, t, b) for b in range(n_bodies)] for t in range(_N_FRAMES)])  # (T, B, 14)
        turn = 2 * u[..., 3:7] - 1
        velocity = (2 * u[..., 7:13] - 1) * (1e-4 if k % 2 else 3.0)
        frames = np.linspace(0, scene.n_frames - 1, _N_FRAMES).round()
        yield Trajectory(
            bodies=scene.moving_bodies,
            time_s=frames / FRAME_RATE_HZ,
            position_m=low + (high - low) * u[..., :3],
            quaternion=turn / np.linalg.norm(turn, axis=-1, keepdims=True),
            velocity=velocity,
        )


def _numbers(motion: int, frame: int, body: int) -> tuple[float, ...]:
    return tuple(u for part in (0, 1) for u in uniforms(part, "fingerprint", 1, f"{motion} {frame}", body, n=7))


def _answer(scene: Scene, motion: Trajectory) -> str:
    try:
        answer = scene.read(motion)
    except (Exception, SystemExit) as fault:  # a user's reader may raise anything; that it does is a fact too
        return one_line(fault)
    return f"null {answer.reason}" if isinstance(answer, Null) else str(answer)


def _decisions(scene: Scene, motions: list[Trajectory], params: Any) -> list[str]:
    found = []
    for motion in motions:
        states = States(
            bodies=motion.bodies,
            time_s=float(motion.time_s[-1]),
            position_m=motion.position_m[-1:],
            quaternion=motion.quaternion[-1:],
            velocity=motion.velocity[-1:],
            params={name: np.asarray([value]) for name, value in params.items()},
        )
        try:
            found.append(repr(np.asarray(scene.decided(states)).tolist() if scene.decided else None))
        except (Exception, SystemExit) as fault:  # as above
            found.append(one_line(fault))
    return found
