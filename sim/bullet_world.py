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
from .bullet_model import Mover, Part
from .bullet_shapes import LENGTH, compound, extent, pybullet, shape, to_xyzw
from .errors import EngineError, SceneError

_REBOUND_FROM_M_S = 0.01  # approach below which a contact does not rebound: micro-bounces of a resting body
_BREAKING = 6e-4  # of a body's radius: beyond it Bullet brakes bodies *before* they touch, which eats the rebound
_CORRECTION = 0.03  # share of a penetration that the split impulse removes per step
_HINGED_CORRECTION = 0.002  # the same at a hinged body, where it adds speed: kept small
_ITERATIONS = 50
_NO_LIMIT = 1e6  # rad/s; Bullet's own limit of 100 would brake a wheel or a flipped coin
_MOST_PARTS = 16  # MAX_COMPOUND_COLLISION_SHAPES: Bullet drops what is beyond, in silence
_BITS = 15  # half of the bits of a collision filter
_EXTENT_SLACK = 0.02  # of the width: Bullet rounds cylinders and hulls by a margin


@dataclass(frozen=True, kw_only=True)
class FreeState:
    """Where a free body's inertial frame is and how it moves, in the world frame."""

    position_m: np.ndarray
    quaternion: np.ndarray
    linear_m_s: np.ndarray
    angular_rad_s: np.ndarray


def _filter(surface: Surface) -> tuple[int, int]:
    """Bullet's group and mask, which give MuJoCo's rule, and no contact at all between fixed things.

    Without the second set of bits Bullet works on every pair of fixed geoms that overlap: thirty times its other work.
    """
    if not (0 <= surface.contype < 1 << _BITS and 0 <= surface.conaffinity < 1 << _BITS):
        raise SceneError(
            f"contype and conaffinity must lie below {1 << _BITS}, got {surface.contype}, {surface.conaffinity}"
        )
    if surface.body == 0:
        return surface.contype, surface.conaffinity << _BITS
    return surface.contype | surface.contype << _BITS, surface.conaffinity


def _groups(parts: Sequence[Part]) -> list[list[Part]]:
    """Parts that share one contact law, at most 16 together."""
    groups: list[list[Part]] = []
    for surface in dict.fromkeys(part.surface for part in parts):
        alike = [part for part in parts if part.surface == surface]
        groups += [alike[k : k + _MOST_PARTS] for k in range(0, len(alike), _MOST_PARTS)]
    return groups


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
        """Adds a body that moves freely, at the origin; returns Bullet's id.

        It is a rigid body if 16 parts and one contact law are enough, else a mass with massless links fixed to it.
        """
        groups, origin = _groups(mover.parts), [0.0, 0.0, 0.0]
        if len(groups) == 1:
            made = self._compound(groups[0])
            body = int(self._call("createMultiBody", mover.mass_kg, made, -1, origin, useMaximalCoordinates=1))
        else:
            carried = self._links(groups, parent=0)
            body = int(self._call("createMultiBody", mover.mass_kg, -1, -1, origin, **carried))
            self._call("changeDynamics", body, -1, maxJointVelocity=_NO_LIMIT)  # it limits the spin of such a body
        self._set_mass(body, -1, mover)
        self._call("changeDynamics", body, -1, activationState=self._p.ACTIVATION_STATE_DISABLE_SLEEPING)
        for k, group in enumerate(groups):
            link = -1 if len(groups) == 1 else k
            self._set_law(body, link, law[group[0].surface], group[0].surface)
            self._check_extent(body, link, group, mover.name, np.zeros(3))
        return body

    def add_hinged(self, mover: Mover, law: dict[Surface, Law], position_m: np.ndarray, matrix: np.ndarray) -> int:
        """Adds a body on a hinge through its origin; returns Bullet's id, of which link 0 turns.

        Link 0 has the whole mass; massless links fixed to it carry the geoms.
        """
        groups = _groups(mover.parts)
        links = self._links(groups, parent=1)
        first: dict[str, Any] = {
            "linkMasses": mover.mass_kg,
            "linkCollisionShapeIndices": -1,
            "linkVisualShapeIndices": -1,
            "linkPositions": [0, 0, 0],
            "linkOrientations": [0, 0, 0, 1],
            "linkInertialFramePositions": [0, 0, 0],
            "linkInertialFrameOrientations": [0, 0, 0, 1],
            "linkParentIndices": 0,
            "linkJointTypes": self._p.JOINT_REVOLUTE,
            "linkJointAxis": mover.axis.tolist(),
        }
        at, turn = (LENGTH * position_m).tolist(), to_xyzw(matrix)
        joined = {name: [first[name], *values] for name, values in links.items()}
        body = int(self._call("createMultiBody", basePosition=at, baseOrientation=turn, **joined))
        self._set_mass(body, 0, mover)
        self._call("changeDynamics", body, 0, jointDamping=LENGTH**2 * mover.damping)
        self._call("changeDynamics", body, 0, maxJointVelocity=_NO_LIMIT)
        # Bullet gives every hinge a motor that holds it
        dry = LENGTH**2 * mover.frictionloss
        self._call("setJointMotorControl2", body, 0, self._p.VELOCITY_CONTROL, targetVelocity=0, force=dry)
        for link, group in enumerate(groups, start=1):
            self._set_law(body, link, law[group[0].surface], group[0].surface)
            if np.allclose(matrix, np.eye(3)):
                self._check_extent(body, link, group, mover.name, position_m)
        return body

    def _links(self, groups: Sequence[Sequence[Part]], *, parent: int) -> dict[str, list[Any]]:
        """Arguments of `createMultiBody` for massless links, fixed to a link (0 is the base), one for each group."""
        n = len(groups)
        return {
            "linkMasses": [0.0] * n,
            "linkCollisionShapeIndices": [self._compound(group) for group in groups],
            "linkVisualShapeIndices": [-1] * n,
            "linkPositions": [[0, 0, 0]] * n,
            "linkOrientations": [[0, 0, 0, 1]] * n,
            "linkInertialFramePositions": [[0, 0, 0]] * n,
            "linkInertialFrameOrientations": [[0, 0, 0, 1]] * n,
            "linkParentIndices": [parent] * n,
            "linkJointTypes": [self._p.JOINT_FIXED] * n,
            "linkJointAxis": [[0, 0, 1]] * n,
        }

    def _set_mass(self, body: int, link: int, mover: Mover) -> None:
        """Gives a body mass and inertia without damping, and reads them back."""
        inertia = (LENGTH**2 * mover.inertia_kg_m2).tolist()
        # without the mass in the same call, Bullet ignores the inertia or makes the body weightless
        self._call("changeDynamics", body, link, mass=mover.mass_kg, localInertiaDiagonal=inertia)
        self._call("changeDynamics", body, link, linearDamping=0, angularDamping=0)
        info = self._call("getDynamicsInfo", body, link)
        seen = np.array(info[2]) / LENGTH**2
        if not (np.isclose(info[0], mover.mass_kg) and np.allclose(seen, mover.inertia_kg_m2, rtol=1e-9)):
            raise EngineError(
                f"{self._scene}: Bullet gave {mover.name!r} mass {info[0]} and inertia {seen.tolist()} "
                f"instead of {mover.mass_kg} and {mover.inertia_kg_m2.tolist()}"
            )

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
        self._call("setCollisionFilterGroupMask", body, link, *_filter(surface))
        info = self._call("getDynamicsInfo", body, link)
        kept = {"lateralFriction": info[1]}
        if (
            link >= 0
        ):  # for rigid bodies Bullet leaves the last answer's other values here: `bullet_check` measures them
            kept |= {"spinningFriction": info[7], "rollingFriction": info[6], "restitution": info[5]}
        if not all(np.isclose(kept[name], values[name], rtol=1e-9, atol=1e-12) for name in kept):
            raise EngineError(f"{self._scene}: Bullet kept the contact {kept} of {values}")

    def _check_extent(self, body: int, link: int, parts: Sequence[Part], name: str, origin_m: np.ndarray) -> None:
        """Raises if the body's box in Bullet is not that of its parts; of turned round shapes Bullet's is larger."""
        low, high, loose_low, loose_high = (corner + origin_m for corner in extent(parts))
        seen_low, seen_high = np.array(self._call("getAABB", body, link)) / LENGTH
        slack = _EXTENT_SLACK * float((high - low).max()) + 0.005 / LENGTH
        covers = (seen_low <= low + slack).all() and (seen_high >= high - slack).all()
        fits = (seen_low >= loose_low - slack).all() and (seen_high <= loose_high + slack).all()
        if not (covers and fits):
            raise EngineError(
                f"{self._scene}: Bullet gave {name!r} the box {np.round([seen_low, seen_high], 5).tolist()} "
                f"instead of {np.round([low, high], 5).tolist()}"
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
