"""What does every physics engine answer, so that scenes and readers never meet an engine?"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .errors import EngineError, one_line
from .scene import FRAME_RATE_HZ, Params, Scene
from .trajectory import States, Trajectory


@dataclass(frozen=True, kw_only=True)
class Run:
    """What an engine made of one draw of params."""

    trajectory: Trajectory
    """From the start to the last state that could be trusted."""
    failed: str | None
    """Why the run is bad (`engine_warning`, `not_a_number`, `left_the_scene`, ...), or None."""


class Engine(ABC):
    """Runs scenes. Abstract: subclass it, never instantiate it."""

    name: str
    """As named on the command line."""

    @property
    @abstractmethod
    def version(self) -> str:
        """Version of the engine's package."""

    @abstractmethod
    def run(self, scene: Scene, params: Sequence[Params], *, full: bool, threads: int | None) -> list[Run]:
        """One Run per draw, in order.

        Args:
            scene: The scene to build.
            params: The draws; each run depends on its own draw alone.
            full: Run to `scene.duration_s`; otherwise stop each run once `scene.decided` says so.
            threads: Number of threads; None for all CPUs. Never changes a result.
        """


def stacked_params(params: Sequence[Params]) -> dict[str, np.ndarray]:
    """Factor or setting -> (N, ...) its values, as `States.params` holds them."""
    return {name: np.asarray([p[name] for p in params]) for name in params[0]}


def recorded(scene: Scene, rows: Sequence[tuple[np.ndarray, ...]]) -> Trajectory:
    """The trajectory of one run.

    Args:
        scene: The scene.
        rows: Position (B, 3), quaternion (B, 4) and velocity (B, 6) at each frame, from the start on.
    """
    position_m, quaternion, velocity = (np.stack(part) for part in zip(*rows, strict=True))
    return Trajectory(
        bodies=scene.moving_bodies,
        time_s=np.arange(len(rows)) / FRAME_RATE_HZ,
        position_m=position_m,
        quaternion=quaternion,
        velocity=velocity,
    )


def states_at(
    scene: Scene, frame: int, rows: Sequence[tuple[np.ndarray, ...]], params: Mapping[str, np.ndarray]
) -> States:
    """The states of N runs at one frame.

    Args:
        scene: The scene.
        frame: Number of the frame, 0 at the start.
        rows: Position (B, 3), quaternion (B, 4) and velocity (B, 6) of each run.
        params: As `stacked_params` gives them, of the same runs.
    """
    position_m, quaternion, velocity = (np.stack(part) for part in zip(*rows, strict=True))
    return States(
        bodies=scene.moving_bodies,
        time_s=frame / FRAME_RATE_HZ,
        position_m=position_m,
        quaternion=quaternion,
        velocity=velocity,
        params=params,
    )


def left_bounds(scene: Scene, position_m: np.ndarray) -> np.ndarray:
    """(N,) bool: some moving body's centre lies outside `scene.bounds_m`, or is not a number.

    Args:
        scene: The scene.
        position_m: (N, B, 3) world positions.
    """
    low, high = (np.asarray(corner) for corner in scene.bounds_m)
    inside = (position_m >= low) & (position_m <= high)
    return np.asarray(~inside.all(axis=(1, 2)))


def decided(scene: Scene, states: States) -> np.ndarray:
    """(N,) bool: the outcome can no longer change; never, for a scene without such a rule.

    Raises:
        EngineError: The rule raises, or returns something else.
    """
    if scene.decided is None:
        return np.zeros(len(states.position_m), dtype=bool)
    try:
        answer = np.asarray(scene.decided(states))
    except (Exception, SystemExit) as fault:  # a user's scene may raise anything
        raise EngineError(f"{scene.name} version {scene.version}: decided raised {one_line(fault)}") from fault
    if answer.shape != (len(states.position_m),) or answer.dtype != bool:
        raise EngineError(f"{scene.name}: decided must return (N,) bool, got {answer.dtype} {answer.shape}")
    return answer


def engine(name: str) -> Engine:
    """The engine of that name: `mujoco`, `bullet` or `impact`.

    Raises:
        ValueError: There is no such engine.
    """
    if name == "mujoco":
        from .mujoco_engine import MujocoEngine

        return MujocoEngine()
    if name == "bullet":
        from .bullet_engine import BulletEngine

        return BulletEngine()
    if name == "impact":
        from .impact_engine import ImpactEngine

        return ImpactEngine()
    raise ValueError(f"engine must be mujoco, bullet or impact, got {name!r}")
