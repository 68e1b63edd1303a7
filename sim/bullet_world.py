"""How is one compiled scene made into a Bullet world, and did Bullet really get it?

Bullet gets numbers, never XML: its importer turns MuJoCo's files into massless bodies without a word. Lengths are
scaled by `LENGTH`, because Bullet is made for bodies of about a metre: at true size its collision margins and its test
for degenerate inertia act on a 20 mm die. Free bodies and everything fixed are Bullet's rigid bodies: only those get
the split impulse, without which penetration is turned into speed (0.25 rebounds for an asked 0.2). What was handed over
is read back and compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any

import numpy as np

from .bullet_law import Law, Surface
from .bullet_model import MOST_PARTS, Mover, Part
from .bullet_shapes import LENGTH, compound, extent, pybullet, shape, to_xyzw
from .errors import EngineError

_REBOUND_FROM_M_S = 0.01  # approach below which a contact does not rebound: micro-bounces of a resting body
_BREAKING = 6e-4  # of a body's radius: beyond it Bullet brakes bodies *before* they touch, which eats the rebound
_CORRECTION = 0.03  # share of a penetration that the split impulse removes per step
_HINGED_CORRECTION = 0.002  # the same at a hinged body, where it adds speed: kept small
_ITERATIONS = 50
_EXTENT_SLACK = 0.02  # of the width: Bullet rounds cylinders and hulls by a margin


@dataclass(frozen=True, kw_only=True)
class FreeState:
    """Where a free body's inertial frame is and how it moves, in the world frame."""

    position_m: np.ndarray
    quaternion: np.ndarray
    linear_m_s: np.ndarray
    angular_rad_s: np.ndarray


class World:
    """One Bullet world with a client of its own, so that nothing outlives it; always in a `with`."""

    def __init__(self, *, gravity_m_s2: np.ndarray, timestep_s: float, scene: str) -> None:
        """Open an empty world.

        Args:
            gravity_m_s2: (3,) acceleration.
            timestep_s: Length of a step.
            scene: Name for messages.
        """
        self._p, self._scene, self._timestep_s = pybullet(), scene, timestep_s
        self._client = self._p.connect(self._p.DIRECT)
        if self._client < 0:
            raise EngineError(f"{scene}: Bullet opened no world; are more than 1,000 open?")
        self._n_steps = 0
        self._call("setGravity", *(LENGTH * gravity_m_s2).tolist())
        self._call(
            "setPhysicsEngineParameter",
            numSolverIterations=_ITERATIONS,
            solverResidualThreshold=0,
            useSplitImpulse=1,
            splitImpulsePenetrationThreshold=0,
            restitutionVelocityThreshold=_REBOUND_FROM_M_S * LENGTH,
            contactBreakingThreshold=_BREAKING,
            erp=_HINGED_CORRECTION,
            contactERP=_CORRECTION,
            globalCFM=0,
            deterministicOverlappingPairs=1,
            collisionFilterMode=1,  # touch if either side's mask says so: MuJoCo's rule
        )

    def __enter__(self) -> World:
        """The world itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the client."""
        self._call("disconnect")

    def _call(self, function: str, *args: Any, **kwargs: Any) -> Any:
        return getattr(self._p, function)(*args, **kwargs, physicsClientId=self._client)

    def add_fixed(self, part: Part, law: Law) -> int:
        """Adds a geom that never moves; returns Bullet's id."""
        made = self._call("createCollisionShape", **shape(part, placed=False))
        baked = part.vertices_m is not None
        position = np.zeros(3) if baked else part.position_m
        turn = np.eye(3) if baked or part.kind == "plane" else part.matrix
        at = (LENGTH * position).tolist()
        body = int(self._call("createMultiBody", 0, made, -1, at, to_xyzw(turn), useMaximalCoordinates=1))
        self._set_law(body, -1, law, part.surface)
        if part.kind != "plane":
            self._check_extent(body, -1, [part], part.name, np.zeros(3))
        return body

    def add_free(self, mover: Mover, law: dict[Surface, Law]) -> int:
        """Adds a body that moves freely, at the origin; returns Bullet's id."""
        surfaces = {part.surface for part in mover.parts}
        if len(surfaces) != 1:
            raise EngineError(
                f"{self._scene}: the geoms of {mover.name!r} differ in contact; Bullet keeps one law a body"
            )
        body = self._call(
            "createMultiBody", mover.mass_kg, self._compound(mover.parts), -1, [0, 0, 0], useMaximalCoordinates=1
        )
        inertia = (LENGTH**2 * mover.inertia_kg_m2).tolist()
        # without the mass in the same call, Bullet ignores the inertia or makes the body weightless
        self._call("changeDynamics", body, -1, mass=mover.mass_kg, localInertiaDiagonal=inertia)
        self._call("changeDynamics", body, -1, linearDamping=0, angularDamping=0)
        self._call("changeDynamics", body, -1, activationState=self._p.ACTIVATION_STATE_DISABLE_SLEEPING)
        (surface,) = surfaces
        self._set_law(body, -1, law[surface], surface)
        self._check_extent(body, -1, mover.parts, mover.name, np.zeros(3))
        self._check_mass(body, -1, mover)
        return int(body)

    def add_hinged(self, mover: Mover, law: dict[Surface, Law], position_m: np.ndarray, matrix: np.ndarray) -> int:
        """Adds a body on a hinge through its origin; returns Bullet's id, of which link 0 turns.

        Link 0 has the whole mass; massless links fixed to it carry the geoms, at most 16 each and one law each.
        """
        groups: list[list[Part]] = []
        for surface in dict.fromkeys(part.surface for part in mover.parts):
            alike = [part for part in mover.parts if part.surface == surface]
            groups += [alike[k : k + MOST_PARTS] for k in range(0, len(alike), MOST_PARTS)]
        n, still = len(groups) + 1, [0.0, 0.0, 0.0]
        body = self._call(
            "createMultiBody",
            basePosition=(LENGTH * position_m).tolist(),
            baseOrientation=to_xyzw(matrix),
            linkMasses=[mover.mass_kg] + [0.0] * (n - 1),
            linkCollisionShapeIndices=[-1] + [self._compound(group) for group in groups],
            linkVisualShapeIndices=[-1] * n,
            linkPositions=[still] * n,
            linkOrientations=[[0, 0, 0, 1]] * n,
            linkInertialFramePositions=[still] * n,
            linkInertialFrameOrientations=[[0, 0, 0, 1]] * n,
            linkParentIndices=[0] + [1] * (n - 1),
            linkJointTypes=[self._p.JOINT_REVOLUTE] + [self._p.JOINT_FIXED] * (n - 1),
            linkJointAxis=[mover.axis.tolist()] * n,
        )
        inertia = (LENGTH**2 * mover.inertia_kg_m2).tolist()
        self._call("changeDynamics", body, 0, mass=mover.mass_kg, localInertiaDiagonal=inertia)
        self._call("changeDynamics", body, 0, linearDamping=0, angularDamping=0)
        self._call("changeDynamics", body, 0, jointDamping=LENGTH**2 * mover.damping)
        self._call("changeDynamics", body, 0, maxJointVelocity=1e6)
        # Bullet gives every hinge a motor that holds it
        dry = LENGTH**2 * mover.frictionloss
        self._call("setJointMotorControl2", body, 0, self._p.VELOCITY_CONTROL, targetVelocity=0, force=dry)
        for link, group in enumerate(groups, start=1):
            self._set_law(body, link, law[group[0].surface], group[0].surface)
        self._check_mass(body, 0, mover)
        return int(body)

    def _compound(self, parts: Sequence[Part]) -> int:
        """One collision shape of at most 16 parts, counted once they are made."""
        if any(part.kind == "plane" for part in parts):
            raise EngineError(f"{self._scene}: a moving body carries a plane, which Bullet cannot move")
        if len(parts) == 1:
            return int(self._call("createCollisionShape", **shape(parts[0], placed=True)))
        made = int(self._call("createCollisionShapeArray", **compound(parts)))
        probe = self._call("createMultiBody", 0, made)  # only bodies of this kind tell their parts
        n = len(self._call("getCollisionShapeData", probe, -1))
        self._call("removeBody", probe)
        if n != len(parts):
            raise EngineError(f"{self._scene}: Bullet kept {n} of {len(parts)} parts of a body")
        return made

    def _set_law(self, body: int, link: int, law: Law, surface: Surface) -> None:
        """Gives a body or link its contact, and reads it back."""
        values = {
            "lateralFriction": law.friction,
            "spinningFriction": LENGTH * law.spinning_m,
            "rollingFriction": LENGTH * law.rolling_m,
            "restitution": law.restitution,
        }
        self._call("changeDynamics", body, link, **values)
        self._call("setCollisionFilterGroupMask", body, link, surface.contype, surface.conaffinity)
        info = self._call("getDynamicsInfo", body, link)
        kept = {"lateralFriction": info[1]}
        if (
            link >= 0
        ):  # for rigid bodies Bullet leaves the last answer's other values here: `bullet_check` measures them
            kept |= {"spinningFriction": info[7], "rollingFriction": info[6], "restitution": info[5]}
        if not all(np.isclose(kept[name], values[name], rtol=1e-9, atol=1e-12) for name in kept):
            raise EngineError(f"{self._scene}: Bullet kept the contact {kept} of {values}")

    def _check_extent(self, body: int, link: int, parts: Sequence[Part], name: str, origin_m: np.ndarray) -> None:
        """Raises if the body's box in Bullet is not that of its parts."""
        low, high = extent(parts)
        seen = np.array(self._call("getAABB", body, link)) / LENGTH
        slack = _EXTENT_SLACK * float((high - low).max()) + 0.005 / LENGTH
        if np.abs(seen - np.array([low + origin_m, high + origin_m])).max() > slack:
            raise EngineError(
                f"{self._scene}: Bullet gave {name!r} the box {seen.round(5).tolist()} "
                f"instead of {np.array([low + origin_m, high + origin_m]).round(5).tolist()}"
            )

    def _check_mass(self, body: int, link: int, mover: Mover) -> None:
        """Raises if mass or inertia got lost."""
        info = self._call("getDynamicsInfo", body, link)
        inertia = np.array(info[2]) / LENGTH**2
        if not (np.isclose(info[0], mover.mass_kg) and np.allclose(inertia, mover.inertia_kg_m2, rtol=1e-9)):
            raise EngineError(
                f"{self._scene}: Bullet gave {mover.name!r} mass {info[0]} and inertia {inertia.tolist()} "
                f"instead of {mover.mass_kg} and {mover.inertia_kg_m2.tolist()}"
            )

    def step(self, n_steps: int) -> None:
        """Advances the world by that many steps."""
        if n_steps != self._n_steps:
            self._call("setPhysicsEngineParameter", fixedTimeStep=n_steps * self._timestep_s, numSubSteps=n_steps)
            self._n_steps = n_steps
        self._call("stepSimulation")

    def set_free(self, body: int, state: FreeState) -> None:
        """Puts a free body into a state."""
        turn = state.quaternion
        at = (LENGTH * state.position_m).tolist()
        self._call("resetBasePositionAndOrientation", body, at, [*turn[1:].tolist(), float(turn[0])])
        self._call("resetBaseVelocity", body, (LENGTH * state.linear_m_s).tolist(), state.angular_rad_s.tolist())

    def free(self, body: int) -> FreeState:
        """The state of a free body."""
        position, (x, y, z, w) = self._call("getBasePositionAndOrientation", body)
        linear, angular = self._call("getBaseVelocity", body)
        return FreeState(
            position_m=np.array(position) / LENGTH,
            quaternion=np.array([w, x, y, z]),
            linear_m_s=np.array(linear) / LENGTH,
            angular_rad_s=np.array(angular),
        )

    def set_hinged(self, body: int, angle_rad: float, rate_rad_s: float) -> None:
        """Turns a hinged body."""
        self._call("resetJointState", body, 0, angle_rad, rate_rad_s)

    def hinged(self, body: int) -> tuple[float, float]:
        """Angle (rad) and rate (rad/s) of a hinged body."""
        angle, rate = self._call("getJointState", body, 0)[:2]
        return float(angle), float(rate)

    def look_for_contacts(self) -> None:
        """Finds the contacts of the present state without advancing it."""
        self._call("performCollisionDetection")

    def deepest_m(self, body: int) -> float:
        """Depth of the deepest penetration of a body; 0 without one."""
        return max((-touch[8] / LENGTH for touch in self._call("getContactPoints", body)), default=0.0)
