"""How fast are rollouts and frames, as ratios to what one would write first, in one run on one machine?

Rollouts: `sim.rollout.simulate` against a plain Python `mj_step` loop over the same draws, once with the same stop rule
and once to `duration_s`. Both compile each draw's model. Engines: each engine that can express a scene, on one thread,
over the same draws and with the same stop rule. Frames: see `benchmarks.speed_frames`.

    python -m benchmarks.speed --part engines --scene die_roll --json
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from scenes import load, names
from sim import Params, PrerequisiteError, QuincunxError, Scene, SceneError
from sim.engine import decided, stacked_params, states_at
from sim.mujoco_engine import body_states, compile_scene, joints_of
from sim.rollout import simulate

SEED = 20_261_101
N_BATCH, N_LOOP = 768, 96
"""Rollouts of the batch, and of the plain loops."""
ENGINES = ("mujoco", "bullet", "impact")
PLAIN = "plain_loop"
N_ENGINE, N_ROUNDS = 48, 4
"""Rollouts of each engine, and in how many parts: the engines take turns, so that all see the same machine."""
PARTS = ("rollouts", "engines", "frames")
AS_MEASURED = ("die_roll",)


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


@dataclass(frozen=True, kw_only=True)
class EngineSpeed:
    """Rollouts a second of one scene, on one thread, each stopped once its outcome is decided."""

    n: int
    """Rollouts of each."""
    per_s: dict[str, float]
    """Engine, or `PLAIN` for a plain MuJoCo loop -> rollouts a second, failed ones included."""
    failed: dict[str, int]
    """Engine -> rollouts that failed."""
    refused: dict[str, str]
    """Engine -> why it does not run the scene."""

    @property
    def ratios(self) -> dict[str, dict[str, float]]:
        """Engine -> how many times faster it is than each of the others and the plain loop."""
        return {
            name: {f"to_{other}": speed / slow for other, slow in self.per_s.items() if other != name}
            for name, speed in self.per_s.items()
            if name != PLAIN
        }

    def to_json(self) -> dict[str, Any]:
        """All figures."""
        return {"threads": 1, **asdict(self), "ratios": self.ratios}

    @property
    def told(self) -> str:
        """One line for people."""
        speeds = ", ".join(
            f"{name} {speed:.1f} rollouts/s" + (f" ({self.failed[name]} failed)" if self.failed.get(name) else "")
            for name, speed in self.per_s.items()
        )
        return "; ".join([speeds, *(f"not {name}: {why}" for name, why in self.refused.items())])


def engine_speed(scene: Scene, *, n: int = N_ENGINE) -> EngineSpeed:
    """Rollouts a second of each engine that can express a scene, and of a plain MuJoCo loop, over the same draws.

    Args:
        scene: The scene.
        n: Rollouts of each, at least 1.

    Raises:
        ValueError: `n` is not positive.
        EngineError: The scene's reader failed.
    """
    if n < 1:
        raise ValueError(f"n must be positive, got {n}")
    refused = {} if scene.one_engine_only is None else {"bullet": scene.one_engine_only}
    for name in (e for e in ENGINES if e not in refused):
        try:
            list(simulate(scene, seed=SEED, indices=[n], engine=name, threads=1))  # compiled and cached from here on
        except (SceneError, PrerequisiteError) as cannot:
            refused[name] = str(cannot)
    able = [name for name in ENGINES if name not in refused]
    seconds, failed = dict.fromkeys([*able, PLAIN], 0.0), dict.fromkeys(able, 0)
    for k in range(N_ROUNDS):
        part = range(k, n, N_ROUNDS)
        for name in able:
            start = time.perf_counter()
            found = list(simulate(scene, seed=SEED, indices=part, engine=name, threads=1))
            seconds[name] += time.perf_counter() - start
            failed[name] += sum(rollout.failed is not None for rollout in found)
        start = time.perf_counter()
        for i in part:
            _plain_loop(scene, scene.params(SEED, i), stop=True)
        seconds[PLAIN] += time.perf_counter() - start
    return EngineSpeed(n=n, per_s={k: n / s for k, s in seconds.items()}, failed=failed, refused=refused)


def measured(parts: Iterable[str], scenes: Sequence[str], *, n: int) -> dict[str, dict[str, Any]]:
    """The figures of the parts asked for: part -> scene -> speeds and ratios.

    Args:
        parts: Some of `PARTS`.
        scenes: Scenes on which the engines are compared.
        n: Rollouts of each engine.
    """
    found: dict[str, dict[str, Any]] = {}
    for part in parts:
        if part == "rollouts":
            speeds = {name: rollout_speed(name) for name in AS_MEASURED}
            found[part] = {name: {**asdict(speed), "ratio": speed.ratios} for name, speed in speeds.items()}
        elif part == "engines":
            found[part] = {name: engine_speed(load(name), n=n) for name in scenes}
        else:
            from .speed_frames import SCENES, frame_speed

            found[part] = {name: frame_speed(name) for name in SCENES}
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints all speeds; as JSON with `--json`. The exit code."""
    made = argparse.ArgumentParser(prog="python -m benchmarks.speed", description=(__doc__ or "").split("\n")[0])
    made.add_argument("--json", action="store_true", help="nothing but JSON on stdout")
    made.add_argument("--part", action="append", choices=PARTS, help="what to measure; everything if not given")
    made.add_argument("--scene", action="append", help="scene for the engines; all of them if not given")
    made.add_argument("--n", type=int, default=N_ENGINE, help="rollouts of each engine")
    chosen = made.parse_args(arguments)
    try:
        found = measured(chosen.part or PARTS, chosen.scene or names(), n=chosen.n)
    except (QuincunxError, ValueError) as fault:
        sys.stderr.write(f"{fault}\n")
        return 1
    if chosen.json:
        plain = {
            part: {name: s if isinstance(s, dict) else s.to_json() for name, s in speeds.items()}
            for part, speeds in found.items()
        }
        print(json.dumps(plain, indent=1))
        return 0
    for name, r in found.get("rollouts", {}).items():
        a, b = r["ratio"]["to_plain_loop"], r["ratio"]["to_run_to_duration"]
        print(f"{name}: {r['per_s']:.0f} rollouts/s, {a:.1f} times a plain loop, {b:.1f} times one run to the end")
    for part in ("engines", "frames"):
        for name, speed in found.get(part, {}).items():
            print(f"{name}: {speed.told}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
