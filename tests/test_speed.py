"""What the speed benchmark reports. Nothing here is timed: the clock is the tests' own."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from benchmarks import speed
from sim import Params, PrerequisiteError, QuincunxError, Scene, SceneError
from sim.rollout import Rollout
from tests.bullet_stage import staged, thrown

SECONDS = {"mujoco": 0.5, "bullet": 2.0, "impact": 0.125, speed.PLAIN: 1.0}
"""What a rollout takes on the tests' clock."""
BOX = staged(thrown("box", (0.01, 0.01, 0.01), qpos=[0, 0, 0.02, 1, 0, 0, 0]), duration_s=0.1)


@dataclass
class Stage:
    """Stands for the engines and for the clock."""

    now_s: float = 0.0
    asked: dict[str, list[int]] = field(default_factory=dict)
    """Engine -> indices of the rollouts asked of it."""
    refusal: dict[str, QuincunxError] = field(default_factory=dict)

    def perf_counter(self) -> float:
        return self.now_s

    def simulate(self, _: Scene, *, seed: int, indices: Sequence[int], engine: str, threads: int) -> Iterator[Rollout]:
        assert threads == 1 and seed == speed.SEED
        if engine in self.refusal:
            raise self.refusal[engine]
        for i in indices:
            self.now_s += SECONDS[engine]
            self.asked.setdefault(engine, []).append(i)
            yield Rollout(index=i, failed="left_the_scene") if i == 3 else Rollout(index=i, outcome="low")

    def plain_loop(self, _: Scene, params: Params, *, stop: bool) -> None:
        assert stop
        self.now_s += SECONDS[speed.PLAIN]


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Stage:
    made = Stage()
    monkeypatch.setattr(speed, "time", made)
    monkeypatch.setattr(speed, "simulate", made.simulate)
    monkeypatch.setattr(speed, "_plain_loop", made.plain_loop)
    return made


def test_engines_run_the_same_draws_in_turns_and_ratios_are_those_of_their_speeds(stage: Stage) -> None:
    found = speed.engine_speed(BOX, n=10)
    assert found.per_s == {"mujoco": 2.0, "bullet": 0.5, "impact": 8.0, "plain_loop": 1.0}
    assert found.failed == {"mujoco": 1, "bullet": 1, "impact": 1} and found.refused == {}
    assert found.ratios["impact"] == {"to_mujoco": 4.0, "to_bullet": 16.0, "to_plain_loop": 8.0}
    assert set(found.ratios) == set(speed.ENGINES)
    for name in speed.ENGINES:
        assert stage.asked[name][0] == 10  # the one that compiles is not counted
        assert sorted(stage.asked[name][1:]) == list(range(10))


def test_an_engine_that_cannot_express_the_scene_or_is_not_there_says_why(stage: Stage) -> None:
    stage.refusal = {"impact": SceneError("two bodies"), "bullet": PrerequisiteError("install pybullet")}
    found = speed.engine_speed(BOX, n=4)
    assert found.refused == {"impact": "two bodies", "bullet": "install pybullet"}
    assert set(found.per_s) == {"mujoco", "plain_loop"} and set(found.ratios) == {"mujoco"}
    assert found.told == "mujoco 2.0 rollouts/s (1 failed), plain_loop 1.0 rollouts/s; not bullet: install pybullet; " \
        "not impact: two bodies"  # fmt: skip
    only = speed.engine_speed(replace(BOX, one_engine_only="a rope"), n=4)
    assert only.refused == {"bullet": "a rope", "impact": "two bodies"}


def test_json_holds_engines_beside_the_older_keys(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    older = speed.RolloutSpeed(per_s=6.0, plain_loop_per_s=3.0, to_duration_per_s=1.0)
    monkeypatch.setattr(speed, "rollout_speed", lambda _: older)
    given = ["--part", "rollouts", "--part", "engines", "--scene", "die_roll", "--n", "8"]
    assert speed.main([*given, "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert found["rollouts"]["die_roll"]["per_s"] == 6.0
    assert found["rollouts"]["die_roll"]["ratio"] == {"to_plain_loop": 2.0, "to_run_to_duration": 6.0}
    engines = found["engines"]["die_roll"]
    assert engines["per_s"]["impact"] == 8.0 and engines["n"] == 8 and engines["threads"] == 1
    assert engines["ratios"]["bullet"]["to_mujoco"] == 0.25
    assert speed.main(given) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[0] == "die_roll: 6 rollouts/s, 2.0 times a plain loop, 6.0 times one run to the end"
    assert told[1].startswith("die_roll: mujoco 2.0 rollouts/s")


def test_wrong_use_is_told_in_one_line(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    assert speed.main(["--part", "engines", "--scene", "die_rol"]) == 1
    assert "die_roll" in capsys.readouterr().err
    assert speed.main(["--part", "engines", "--scene", "die_roll", "--n", "0"]) == 1
    assert capsys.readouterr().err == "n must be positive, got 0\n"


def test_engines_really_run() -> None:
    def two(spec: Any, body: Any) -> None:
        body.add_geom(name="more", type=2, size=[0.005, 0, 0], pos=[0, 0, 0.01], density=1000)

    lumpy = staged(thrown("box", (0.01, 0.01, 0.01), qpos=[0, 0, 0.02, 1, 0, 0, 0], extra=two), duration_s=0.05)
    found = speed.engine_speed(lumpy, n=2)
    assert "impact" in found.refused and "cannot express a body of 2 colliding geoms" in found.refused["impact"]
    assert min(found.per_s.values()) > 0 and "mujoco" in found.per_s
