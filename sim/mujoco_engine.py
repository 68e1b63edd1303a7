"""How does MuJoCo run many draws of a scene at once, and notice the runs that went wrong?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from .engine import Engine, Run, decided, left_bounds, recorded, stacked_params, states_at
from .errors import EngineError, PrerequisiteError, SceneError, one_line
from .scene import Params, Scene
from .trajectory import rotation_matrices

KNOWN_BAD_VERSIONS = {"4.0.0": "wrong sparse solve"}
"""Versions of MuJoCo that give wrong physics, and why."""
_CHUNK = 64
"""Models that one batch holds (each run has a compiled model of its own); the next chunk compiles meanwhile."""


@dataclass(frozen=True)
class _Joint:
    """Where the pose of one moving body lies in qpos and qvel."""

    free: bool
    qpos: int
    qvel: int
    position_m: np.ndarray
    quaternion: np.ndarray
    axis: np.ndarray


def joints_of(model: Any, scene: Scene) -> list[_Joint]:
    """The joint of each moving body, in order."""
    import mujoco

    found = []
    for name in scene.moving_bodies:
        body = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, name)
        if body < 0:
            raise SceneError(f"{scene.name}: build makes no body named {name!r}, which moving_bodies lists")
        if model.body_jntnum[body] != 1 or model.body_parentid[body] != 0:
            raise SceneError(f"{scene.name}: moving body {name!r} must hang on the world by exactly one joint")
        joint = model.body_jntadr[body]
        kind = mujoco.mjtJoint(int(model.jnt_type[joint]))
        if kind not in (mujoco.mjtJoint.mjJNT_FREE, mujoco.mjtJoint.mjJNT_HINGE):
            raise SceneError(f"{scene.name}: the joint of {name!r} must be free or a hinge")
        if kind == mujoco.mjtJoint.mjJNT_HINGE and np.abs(model.jnt_pos[joint]).max() > 1e-12:
            raise SceneError(f"{scene.name}: the hinge of {name!r} must pass through its body's origin")
        found.append(
            _Joint(
                free=bool(kind == mujoco.mjtJoint.mjJNT_FREE),
                qpos=int(model.jnt_qposadr[joint]),
                qvel=int(model.jnt_dofadr[joint]),
                position_m=model.body_pos[body].copy(),
                quaternion=model.body_quat[body].copy(),
                axis=model.jnt_axis[joint].copy(),
            )
        )
    return found


def _product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Quaternion product (..., 4) of w x y z quaternions."""
    aw, ax, ay, az = np.moveaxis(a, -1, 0)
    bw, bx, by, bz = np.moveaxis(b, -1, 0)
    return np.stack(
        [
            aw * bw - ax * bx - ay * by - az * bz,
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
        ],
        axis=-1,
    )


def body_states(joints: Sequence[_Joint], qpos: np.ndarray, qvel: np.ndarray) -> tuple[np.ndarray, ...]:
    """Positions (N, B, 3), quaternions (N, B, 4) and world velocities (N, B, 6) from qpos (N, nq) and qvel (N, nv)."""
    n = len(qpos)
    position, quaternion, velocity = (np.empty((n, len(joints), k)) for k in (3, 4, 6))
    for b, j in enumerate(joints):
        if j.free:
            position[:, b] = qpos[:, j.qpos : j.qpos + 3]
            q = qpos[:, j.qpos + 3 : j.qpos + 7]
            norm = np.linalg.norm(q, axis=1, keepdims=True)
            quaternion[:, b] = q / np.where(norm > 0, norm, 1.0)
            velocity[:, b, :3] = qvel[:, j.qvel : j.qvel + 3]
            # the angular velocity of a free joint is in the body's frame
            turn = rotation_matrices(quaternion[:, b])
            velocity[:, b, 3:] = np.einsum("nij,nj->ni", turn, qvel[:, j.qvel + 3 : j.qvel + 6])
        else:
            half = 0.5 * qpos[:, j.qpos]
            spin = np.concatenate([np.cos(half)[:, None], np.sin(half)[:, None] * j.axis], axis=1)
            position[:, b] = j.position_m
            quaternion[:, b] = _product(np.broadcast_to(j.quaternion, spin.shape), spin)
            velocity[:, b, :3] = 0
            axis = rotation_matrices(j.quaternion) @ j.axis
            velocity[:, b, 3:] = qvel[:, j.qvel, None] * axis
    return position, quaternion, velocity


def compile_scene(scene: Scene, params: Params, *, drawn: bool = False) -> Any:
    """The compiled MjModel of one draw.

    Args:
        scene: The scene.
        params: The draw.
        drawn: Keep what is only drawn (geoms of group 1); dropping it halves the time and moves no physics.

    Raises:
        SceneError: `build` raises, its spec does not compile, has no keyframe `start`, or another time step than asked.
    """
    import mujoco

    try:
        spec = scene.build(params)
        if not isinstance(spec, mujoco.MjSpec):
            raise TypeError(f"it must return a mujoco.MjSpec, got {type(spec).__name__}")
        if not drawn:
            _drop_drawn(spec)
        model = spec.compile()
    except SceneError:
        raise
    except (Exception, SystemExit) as fault:  # a user's scene may raise anything
        raise SceneError(f"{scene.name}: build failed: {one_line(fault)}") from fault
    if mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_KEY, "start") != 0:
        raise SceneError(f"{scene.name}: the first keyframe must be named 'start'")
    if model.opt.timestep != params.solver.timestep_s:
        raise SceneError(f"{scene.name}: build must take its time step from params.solver (use sim.world)")
    return model


@contextmanager
def _quiet() -> Iterator[None]:
    """Keeps MuJoCo from writing MUJOCO_LOG.TXT into the user's folder: the warning counters tell what is needed."""
    import mujoco

    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(lambda message: None)
    try:
        yield
    finally:
        mujoco.set_mju_user_warning(before)


def _compile_all(scene: Scene, params: Sequence[Params]) -> list[Any]:
    """The compiled models of some draws."""
    return [compile_scene(scene, p) for p in params]


def _drop_drawn(spec: Any) -> None:
    """Removes the geoms of group 1, and the meshes that nothing else uses."""
    for geom in [g for g in spec.geoms if g.group == 1]:
        spec.delete(geom)
    used = {geom.meshname for geom in spec.geoms}
    for mesh in [m for m in spec.meshes if m.name not in used]:
        spec.delete(mesh)


class MujocoEngine(Engine):
    """MuJoCo on `mujoco.batch.Batch`: bit-identical to a plain loop at any number of threads."""

    name = "mujoco"

    def __init__(self) -> None:
        """Check the installed version.

        Raises:
            PrerequisiteError: The version gives wrong physics.
        """
        import mujoco

        if (why := KNOWN_BAD_VERSIONS.get(mujoco.__version__)) is not None:
            raise PrerequisiteError(
                f"mujoco {mujoco.__version__} is known to be bad ({why}); run: pip install 'mujoco>=3.17,!=4.0.0'"
            )
        self._version = str(mujoco.__version__)

    @property
    def version(self) -> str:
        """See Engine."""
        return self._version

    def run(self, scene: Scene, params: Sequence[Params], *, full: bool, threads: int | None) -> list[Run]:
        """See Engine."""
        runs: list[Run] = []
        chunks = [params[start : start + _CHUNK] for start in range(0, len(params), _CHUNK)]
        with _quiet(), ThreadPoolExecutor(max_workers=1) as compiler:
            ahead = [compiler.submit(_compile_all, scene, chunk) for chunk in chunks[:1]]
            for k, chunk in enumerate(chunks):
                models = ahead.pop().result()
                ahead = [compiler.submit(_compile_all, scene, later) for later in chunks[k + 1 : k + 2]]
                runs += self._run_chunk(scene, chunk, models, full=full, threads=threads)
        return runs

    def _run_chunk(
        self, scene: Scene, params: Sequence[Params], models: Sequence[Any], *, full: bool, threads: int | None
    ) -> list[Run]:
        from mujoco.batch import Batch, SimulationError

        steps = {p.solver.steps_per_frame for p in params}
        if len(steps) != 1:
            raise EngineError(f"{scene.name}: all draws of one call must share the solver, got {sorted(steps)} steps")
        (n_steps,) = steps
        joints, stacked = joints_of(models[0], scene), stacked_params(params)
        batch = Batch(models[0], len(models), nthread=threads or 0)
        batch.set_models(models)
        qpos, qvel = batch.bind("qpos"), batch.bind("qvel")
        batch.reset(keyframe=0)
        live = np.arange(len(models))
        failed: list[str | None] = [None] * len(models)
        rows: list[list[tuple[np.ndarray, ...]]] = [[] for _ in models]
        for frame in range(scene.n_frames):
            if frame:
                try:
                    batch.step(ids=live, nstep=n_steps)
                except SimulationError as fault:
                    for i in fault.ids:
                        failed[i] = "engine_error"
            live = self._record(scene, batch, joints, live, failed, rows, qpos, qvel)
            if not full and len(live):
                now = {name: values[live] for name, values in stacked.items()}
                live = live[~decided(scene, states_at(scene, frame, [rows[i][-1] for i in live], now))]
            if not len(live):
                break
        return [Run(trajectory=recorded(scene, rows[i]), failed=failed[i]) for i in range(len(models))]

    @staticmethod
    def _record(
        scene: Scene,
        batch: Any,
        joints: Sequence[_Joint],
        live: np.ndarray,
        failed: list[str | None],
        rows: list[list[tuple[np.ndarray, ...]]],
        qpos: np.ndarray,
        qvel: np.ndarray,
    ) -> np.ndarray:
        """Records the live runs' states and returns those that are still good."""
        states = body_states(joints, qpos[live], qvel[live])
        finite = np.isfinite(qpos[live]).all(axis=1) & np.isfinite(qvel[live]).all(axis=1)
        outside = left_bounds(scene, states[0])
        # a bad number makes MuJoCo restart the world in silence: only the warning counters tell
        warned = np.asarray(batch.warning)[live].reshape(len(live), -1).any(axis=1)
        for k, i in enumerate(live):
            if failed[i] is None:
                if not finite[k]:
                    failed[i] = "not_a_number"
                elif warned[k]:
                    failed[i] = "engine_warning"
                elif outside[k]:
                    failed[i] = "left_the_scene"
            if failed[i] is None or not rows[i]:
                rows[i].append(tuple(part[k] for part in states))
        return live[[failed[i] is None for i in live]]
