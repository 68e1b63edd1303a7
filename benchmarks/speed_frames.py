"""How many frames a second are drawn, and how many by `mujoco.Renderer` as it comes?

All draw the same rollout of the same scene at 128 x 128 with shadows, in two processes on two cores. Studio draws it
twice: as training clips are drawn (`draft`: one sample a pixel) and as pictures for people are (`fast`: four).
"""

from __future__ import annotations

import json
import multiprocessing
import os
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from sim.visual_model import Quality

SCENES = ("die_roll", "galton_board", "roulette")
SIZE_PX = (128, 128)
N_PROCESSES = 2
SEED = 20_260_901


@dataclass(frozen=True, kw_only=True)
class FrameSpeed:
    """Frames a second of all processes together."""

    per_s: float
    """Drawn by Studio as a draft."""
    smooth_per_s: float
    """Drawn by Studio with smooth edges."""
    default_per_s: float
    """Drawn by `mujoco.Renderer` at default quality."""

    @property
    def ratio(self) -> float:
        """How many times faster Studio's draft is."""
        return self.per_s / self.default_per_s

    @property
    def smooth_ratio(self) -> float:
        """How many times faster Studio is with smooth edges."""
        return self.smooth_per_s / self.default_per_s

    @property
    def told(self) -> str:
        """One line for people."""
        return (
            f"{self.per_s:.0f} frames/s at 128x128 ({self.smooth_per_s:.0f} with smooth edges), {self.ratio:.1f} "
            f"({self.smooth_ratio:.1f}) times mujoco.Renderer as it comes ({self.default_per_s:.1f})"
        )

    def to_json(self) -> dict[str, float]:
        """All speeds and ratios."""
        return {
            **asdict(self),
            "ratio_to_default_renderer": self.ratio,
            "smooth_ratio_to_default_renderer": self.smooth_ratio,
        }


def _trajectory(name: str) -> Any:
    from scenes.registry import load
    from sim.rollout import simulate

    scene = load(name)
    rollout = next(simulate(scene, seed=SEED, indices=[0], full=True, keep_trajectory=True, threads=1))
    return scene, rollout.trajectory


def _timed(draw: Callable[[], int], seconds: float, barrier: Any) -> float:
    """Frames a second of repeated `draw`s that return how many frames they drew."""
    draw()
    barrier.wait(timeout=120)
    start, drawn = time.perf_counter(), 0
    while time.perf_counter() - start < seconds:
        drawn += draw()
    return drawn / (time.perf_counter() - start)


def _draft(name: str, seconds: float, barrier: Any, answers: Any) -> None:
    _studio("draft", name, seconds, barrier, answers)


def _smooth(name: str, seconds: float, barrier: Any, answers: Any) -> None:
    _studio("fast", name, seconds, barrier, answers)


def _studio(quality: Quality, name: str, seconds: float, barrier: Any, answers: Any) -> None:
    from sim.render import Studio, Track

    scene, trajectory = _trajectory(name)
    track = Track.of(trajectory, np.linspace(0, scene.duration_s, 60))
    with Studio(scene, size_px=SIZE_PX, quality=quality) as studio:
        answers.put(_timed(lambda: len(studio.frames(track)), seconds, barrier))


def _default(name: str, seconds: float, barrier: Any, answers: Any) -> None:
    os.environ["MUJOCO_GL"] = "egl"
    os.environ.pop("LP_NUM_THREADS", None)  # as it comes
    import mujoco

    scene, trajectory = _trajectory(name)
    spec = scene.build(scene.params(SEED, 0))
    towards = np.subtract(scene.camera.target_m, scene.look.light_position_m)
    spec.worldbody.add_light(name="speed_light", pos=scene.look.light_position_m, dir=towards, castshadow=True)
    model = spec.compile()
    data = mujoco.MjData(model)
    camera = mujoco.MjvCamera()
    sight = np.subtract(scene.camera.target_m, scene.camera.position_m)
    camera.lookat[:] = scene.camera.target_m
    camera.distance = np.linalg.norm(sight)
    camera.azimuth = np.degrees(np.arctan2(sight[1], sight[0]))
    camera.elevation = np.degrees(np.arcsin(sight[2] / camera.distance))
    places = [model.joint(int(model.body_jntadr[model.body(b).id])) for b in scene.moving_bodies]
    rows = iter(range(10**9))

    with mujoco.Renderer(model, *SIZE_PX) as renderer:

        def draw() -> int:
            t = next(rows) % len(trajectory.time_s)
            for b, joint in enumerate(places):
                if joint.type[0] == mujoco.mjtJoint.mjJNT_FREE:
                    pose = np.r_[trajectory.position_m[t, b], trajectory.quaternion[t, b]]
                    data.qpos[joint.qposadr[0] : joint.qposadr[0] + 7] = pose
            mujoco.mj_kinematics(model, data)
            mujoco.mj_camlight(model, data)
            renderer.update_scene(data, camera)
            renderer.render()
            return 1

        answers.put(_timed(draw, seconds, barrier))


def _together(worker: Callable[..., None], name: str, seconds: float) -> float:
    context = multiprocessing.get_context("spawn")
    barrier, answers = context.Barrier(N_PROCESSES), context.Queue()
    processes = [context.Process(target=worker, args=(name, seconds, barrier, answers)) for _ in range(N_PROCESSES)]
    for process in processes:
        process.start()
    speeds: list[float] = [answers.get(timeout=180) for _ in processes]
    for process in processes:
        process.join()
    return sum(speeds)


def frame_speed(name: str, *, seconds: float = 4.0) -> FrameSpeed:
    """How fast frames of a scene are drawn by two processes.

    Args:
        name: Name of the scene.
        seconds: How long each measurement takes.
    """
    draft, smooth, default = (_together(worker, name, seconds) for worker in (_draft, _smooth, _default))
    return FrameSpeed(per_s=draft, smooth_per_s=smooth, default_per_s=default)


def main() -> None:
    """Prints the speeds; as JSON with `--json`."""
    found = {name: frame_speed(name) for name in SCENES}
    if "--json" in sys.argv[1:]:
        print(json.dumps({name: speed.to_json() for name, speed in found.items()}, indent=2))
        return
    for name, speed in found.items():
        print(f"{name}: {speed.told}")


if __name__ == "__main__":
    main()
