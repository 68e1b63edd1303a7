"""How does Bullet run the same scenes, as a second opinion that shares nothing with MuJoCo but the compiled numbers?

Contacts are impulses: restitution by Newton's law, friction by Coulomb's, at the scene's own step (1/4800 s unless it
says otherwise). Each draw has a Bullet world of its own, which is closed before the next: run 7 alone is run 7 after
0 to 6, bit for bit. PyBullet holds Python's lock, so runs follow one another whatever the number of threads.
"""

from __future__ import annotations

import importlib.metadata
from collections.abc import Sequence
from typing import Any

import numpy as np

from .bullet_flight import free_spin
from .bullet_law import laws
from .bullet_model import Mover, fixed_parts, movers
from .bullet_shapes import pybullet, reach_m, smallest_m
from .bullet_world import FreeState, World
from .engine import Engine, Run, decided, left_bounds, recorded, stacked_params, states_at
from .mujoco_engine import compile_scene
from .scene import Params, Scene
from .trajectory import rotation_matrices

_BLOCK_S = 2.2e-3
"""Longest time between two looks at penetration and two corrections of the spin."""
_SAME_INERTIA = 1e-3
"""Relative spread of the principal moments below which spin needs no correction."""
_SUNK = 0.3
"""Penetration beyond that of one step, as a share of the body's smallest half width, at which a run is bad."""
_TOUCHED_M_S = 1e-9
"""Departure from free fall that tells a contact."""


class Stage:
    """One world with the scene's moving bodies in it, seen with MuJoCo's frames."""

    def __init__(self, model: Any, scene: Scene, world: World) -> None:
        """The bodies of the model in an empty world."""
        self.world, self._gravity = world, np.asarray(model.opt.gravity, dtype=float)
        self._timestep_s = float(model.opt.timestep)
        fixed, self.movers = fixed_parts(model, scene.name), movers(model, scene)
        surfaces = {part.surface: None for mover in self.movers for part in mover.parts}
        surfaces |= {part.surface: None for part in fixed}
        law = laws(list(surfaces), self._timestep_s, scene.name)
        for part in fixed:
            world.add_fixed(part, law[part.surface])
        self._places = [(model.body_pos[m.body].copy(), model.body_quat[m.body].copy()) for m in self.movers]
        self._ids = [
            world.add_free(m, law) if m.free else world.add_hinged(m, law, place[0], rotation_matrices(place[1]))
            for m, place in zip(self.movers, self._places, strict=True)
        ]
        self._sizes_m = {m.name: (smallest_m(m.parts), reach_m(m.parts)) for m in self.movers if m.parts}
        self._start(model)

    def _start(self, model: Any) -> None:
        """Puts every body where the keyframe says."""
        import mujoco

        data, speed = mujoco.MjData(model), np.empty(6)
        mujoco.mj_resetDataKeyframe(model, data, 0)
        mujoco.mj_fwdPosition(model, data)
        mujoco.mj_fwdVelocity(model, data)
        for mover, handle in zip(self.movers, self._ids, strict=True):
            joint = model.body_jntadr[mover.body]
            if not mover.free:
                angle, rate = data.qpos[model.jnt_qposadr[joint]], data.qvel[model.jnt_dofadr[joint]]
                self.world.set_hinged(handle, float(angle), float(rate))
                continue
            mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_BODY, mover.body, speed, 0)
            quaternion = np.empty(4)
            mujoco.mju_mat2Quat(quaternion, data.ximat[mover.body])
            self.world.set_free(
                handle,
                FreeState(
                    position_m=data.xipos[mover.body].copy(),
                    quaternion=quaternion,
                    linear_m_s=speed[3:].copy(),
                    angular_rad_s=speed[:3].copy(),
                ),
            )

    def sound_start(self) -> bool:
        """True if no body starts inside another."""
        self.world.look_for_contacts()
        pairs = zip(self.movers, self._ids, strict=True)
        return not any(self._sunk(m, handle, self.world.free(handle)) for m, handle in pairs if m.free)

    def advance(self, n_steps: int) -> bool:
        """One frame; False if a body sank into another on the way.

        In flight, the spin of bodies that are not round is carried by `free_spin`.
        """
        most = max(1, int(_BLOCK_S / self._timestep_s))
        block = max(k for k in range(1, most + 1) if n_steps % k == 0)
        free = [(m, handle) for m, handle in zip(self.movers, self._ids, strict=True) if m.free]
        for _ in range(n_steps // block):
            before = [self.world.free(handle) for _, handle in free]
            self.world.step(block)
            for (mover, handle), old in zip(free, before, strict=True):
                if self._sunk(mover, handle, old):
                    return False
                if np.ptp(mover.inertia_kg_m2) > _SAME_INERTIA * mover.inertia_kg_m2.max():
                    self._correct(mover, handle, old, block * self._timestep_s)
        return True

    def _sunk(self, mover: Mover, handle: int, old: FreeState) -> bool:
        """True if a body is deeper in another than one step can take it, by a good share of its own size."""
        depth = self.world.deepest_m(handle)
        if depth <= 0 or not mover.parts:
            return False
        small, reach = self._sizes_m[mover.name]
        speed = float(np.linalg.norm(old.linear_m_s) + reach * np.linalg.norm(old.angular_rad_s))
        return depth > _SUNK * small + speed * self._timestep_s

    def _correct(self, mover: Mover, handle: int, old: FreeState, duration_s: float) -> None:
        new = self.world.free(handle)
        falling = old.linear_m_s + duration_s * self._gravity
        if np.abs(new.linear_m_s - falling).max() > _TOUCHED_M_S:
            return
        quaternion, angular = free_spin(old.quaternion, old.angular_rad_s, mover.inertia_kg_m2, duration_s)
        self.world.set_free(
            handle,
            FreeState(
                position_m=new.position_m, quaternion=quaternion, linear_m_s=new.linear_m_s, angular_rad_s=angular
            ),
        )

    def row(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Position (B, 3), quaternion (B, 4) and world velocity (B, 6) of the body frames."""
        n = len(self.movers)
        position, quaternion, velocity = np.empty((n, 3)), np.empty((n, 4)), np.empty((n, 6))
        for b, (mover, handle, place) in enumerate(zip(self.movers, self._ids, self._places, strict=True)):
            if not mover.free:
                angle, rate = self.world.hinged(handle)
                position[b], quaternion[b] = place[0], _turned(place[1], mover.axis, angle)
                velocity[b, :3], velocity[b, 3:] = 0, rate * (rotation_matrices(place[1]) @ mover.axis)
                continue
            state = self.world.free(handle)
            turn = rotation_matrices(state.quaternion) @ mover.matrix.T
            lever = -turn @ mover.origin_m
            position[b], quaternion[b] = state.position_m + lever, _quaternion(turn)
            velocity[b, :3] = state.linear_m_s + np.cross(state.angular_rad_s, lever)
            velocity[b, 3:] = state.angular_rad_s
        return position, quaternion, velocity


def _quaternion(matrix: np.ndarray) -> np.ndarray:
    import mujoco

    out = np.empty(4)
    mujoco.mju_mat2Quat(out, np.ascontiguousarray(matrix).ravel())
    return out


def _turned(quaternion: np.ndarray, axis: np.ndarray, angle_rad: float) -> np.ndarray:
    import mujoco

    spin, out = np.empty(4), np.empty(4)
    mujoco.mju_axisAngle2Quat(spin, axis, angle_rad)
    mujoco.mju_mulQuat(out, quaternion, spin)
    return out


class BulletEngine(Engine):
    """Bullet, fed from the compiled MuJoCo model."""

    name = "bullet"

    def __init__(self) -> None:
        """Load PyBullet.

        Raises:
            PrerequisiteError: PyBullet is not installed.
        """
        pybullet()
        self._version = importlib.metadata.version("pybullet")

    @property
    def version(self) -> str:
        """See Engine."""
        return self._version

    def run(self, scene: Scene, params: Sequence[Params], *, full: bool, threads: int | None) -> list[Run]:
        """See Engine; a scene that Bullet cannot express raises SceneError, one that it spoils EngineError."""
        return [self._run(scene, draw, full=full) for draw in params]

    @staticmethod
    def _run(scene: Scene, params: Params, *, full: bool) -> Run:
        model, stacked = compile_scene(scene, params), stacked_params([params])
        rows: list[tuple[np.ndarray, ...]] = []
        failed: str | None = None
        world = World(gravity_m_s2=model.opt.gravity, timestep_s=params.solver.timestep_s, scene=scene.name)
        with world:
            stage = Stage(model, scene, world)
            for frame in range(scene.n_frames):
                sound = stage.advance(params.solver.steps_per_frame) if frame else stage.sound_start()
                row = stage.row()
                failed = _fault(scene, row) or (None if sound else "penetration")
                if failed is None or not rows:
                    rows.append(row)
                if failed is not None or (
                    not full and bool(decided(scene, states_at(scene, frame, [row], stacked))[0])
                ):
                    break
        return Run(trajectory=recorded(scene, rows), failed=failed)


def _fault(scene: Scene, row: tuple[np.ndarray, ...]) -> str | None:
    if not all(np.isfinite(part).all() for part in row):
        return "not_a_number"
    if left_bounds(scene, row[0][None])[0]:
        return "left_the_scene"
    return None
