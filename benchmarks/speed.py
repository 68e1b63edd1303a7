"""How fast are rollouts and frames, as ratios to what one would write first, in one run on one machine?

Rollouts: `sim.rollout.simulate` against a plain Python `mj_step` loop over the same draws, once with the same stop rule
and once to `duration_s`. Both compile each draw's model. Frames: see `benchmarks.speed_frames`.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from scenes import load
from sim import Params, Scene
from sim.engine import decided, stacked_params, states_at
from sim.mujoco_engine import body_states, compile_scene, joints_of
from sim.rollout import simulate

SEED = 20_261_101
N_BATCH, N_LOOP = 768, 96
"""Rollouts of the batch, and of the plain loops."""


@dataclass(frozen=True, kw_only=True)
class RolloutSpeed:
    """Rollouts a second."""

    per_s: float
    """`simulate` on all CPUs, stopping once the outcome is decided."""
    plain_loop_per_s: float
    """A plain loop with the same stop rule."""
    to_duration_per_s: float
    """A plain loop to `duration_s`."""

    @property
    def ratios(self) -> dict[str, float]:
        """How many times faster `simulate` is."""
        return {
            "to_plain_loop": self.per_s / self.plain_loop_per_s,
            "to_run_to_duration": self.per_s / self.to_duration_per_s,
        }


def _plain_loop(scene: Scene, params: Params, *, stop: bool) -> None:
    """One rollout, a step at a time, as a first version would do it."""
    import mujoco

    model = compile_scene(scene, params)
    data, joints, stacked = mujoco.MjData(model), joints_of(model, scene), stacked_params([params])
    mujoco.mj_resetDataKeyframe(model, data, 0)
    for frame in range(1, scene.n_frames):
        for _ in range(params.solver.steps_per_frame):
            mujoco.mj_step(model, data)
        if stop:
            row = tuple(part[0] for part in body_states(joints, data.qpos[None], data.qvel[None]))
            if decided(scene, states_at(scene, frame, [row], stacked))[0]:
                return


def _per_s(work: Callable[[], object], n: int) -> float:
    start = time.perf_counter()
    work()
    return n / (time.perf_counter() - start)


def rollout_speed(name: str, *, n_batch: int = N_BATCH, n_loop: int = N_LOOP) -> RolloutSpeed:
    """Rollouts a second of a scene, batched and as plain loops.

    Args:
        name: Name of the scene.
        n_batch: Rollouts of the batch.
        n_loop: Rollouts of each plain loop.
    """
    scene = load(name)
    list(simulate(scene, seed=SEED, indices=range(64)))  # contact laws and meshes are cached from here on

    def loop(draws: Sequence[Params], stop: bool) -> None:
        for params in draws:
            _plain_loop(scene, params, stop=stop)

    draws = [scene.params(SEED, i) for i in range(n_loop)]
    batch = _per_s(lambda: list(simulate(scene, seed=SEED, indices=range(n_batch))), n_batch)
    same = _per_s(lambda: loop(draws, True), n_loop)
    full = _per_s(lambda: loop(draws[: n_loop // 4], False), n_loop // 4)
    return RolloutSpeed(per_s=batch, plain_loop_per_s=same, to_duration_per_s=full)


def main() -> None:
    """Prints all speeds; as JSON with `--json`."""
    from .speed_frames import SCENES, FrameSpeed, frame_speed

    rollouts: dict[str, Any] = {}
    for name in ("die_roll",):
        speed = rollout_speed(name)
        rollouts[name] = {**asdict(speed), "ratio": speed.ratios}
    frames: dict[str, FrameSpeed] = {name: frame_speed(name) for name in SCENES}
    if "--json" in sys.argv[1:]:
        print(json.dumps({"rollouts": rollouts, "frames": {name: f.to_json() for name, f in frames.items()}}, indent=1))
        return
    for name, r in rollouts.items():
        a, b = r["ratio"]["to_plain_loop"], r["ratio"]["to_run_to_duration"]
        print(f"{name}: {r['per_s']:.0f} rollouts/s, {a:.1f} times a plain loop, {b:.1f} times one run to the end")
    for name, f in frames.items():
        print(f"{name}: {f.told}")


if __name__ == "__main__":
    main()
