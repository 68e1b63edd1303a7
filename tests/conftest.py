import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import settings

import scenes
from judge.judge import Judge
from judge.train import without_triton
from judge.verdict import Verdict
from sim import Camera, Look, Scene, Uniform, contact, hidden, world
from sim.reference import Reference

# The same examples in every run, and no time limit that a busy machine could break.
settings.register_profile("quincunx", deadline=None, derandomize=True, database=None)
settings.load_profile("quincunx")
# A worker draws in one test and trains in another.
without_triton()


def _ball_build(params):
    """A ball thrown to the right over a floor; the setting `fault` asks for a run that goes wrong."""
    import mujoco

    spec = world(params)
    spec.worldbody.add_geom(name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[1, 1, 1])
    ball = spec.worldbody.add_body(name="ball")
    ball.add_freejoint(name="ball")
    ball.add_geom(name="ball", size=[0.01, 0, 0], density=1000, **contact(params, restitution=0.5, friction=0.3))
    speed = {"none": 1.0, "huge": 1e30, "fast": 20.0}[params["fault"]] + params["extra_m_s"]
    spec.add_key(name="start", qpos=[0, 0, 0.1, 1, 0, 0, 0], qvel=[speed, 0, 0, 0, 3, 0])
    return spec


_BALL = Scene(
    name="ball",
    version=1,
    group="tossing",
    prompt="A ball.",
    negative_prompt="",
    outcomes=("near", "far"),
    null_rules=(),
    duration_s=0.4,
    camera=Camera(position_m=(0, -1, 0.3), target_m=(0, 0, 0)),
    look=Look(),
    factors={"extra_m_s": hidden(Uniform(0, 0.5))},
    moving_bodies=("ball",),
    bounds_m=((-2, -2, -0.01), (2, 2, 2)),
    build=_ball_build,
    read=lambda t: "far" if t.position_m[-1, 0, 0] > 0.4 else "near",
    settings={"fault": "none"},
)


@pytest.fixture
def ball():
    """A small real scene: a ball is thrown to the right and lands near or far."""
    return _BALL


def made_reference(token: str, counts: Sequence[int]) -> Reference:
    """A reference with the given counts."""
    scene, _ = scenes.parse_token(token)
    return Reference(
        scene=token,
        version=scene.version,
        outcomes=scene.outcomes,
        counts=dict(zip(scene.outcomes, counts, strict=True)),
        null={},
        failed={},
        n=sum(counts),
        seed=1,
        engine="mujoco",
        engine_version="3.17.0",
        platform="test",
        settings_hash="0" * 16,
    )


class NamedJudge(Judge):
    """Reads the outcome off the clip's bytes: `heads`, `null:not_settled`, `unreadable:damaged`, `raise`."""

    def __init__(self, name: str = "stub") -> None:
        self.name, self.seen = name, []

    @property
    def digest(self) -> str:
        return self.name

    def covers(self, scene: str) -> bool:
        return scene != "galton_board"

    def verdicts(self, files: Sequence[Path], token: str) -> Iterator[Verdict]:
        for file in files:
            self.seen.append(file.name)
            said = file.read_bytes().decode().split("|")[0]
            status, colon, reason = said.partition(":")
            if said == "raise":
                raise RuntimeError("the judge\nfell over")
            if colon:
                yield Verdict(scene=token, status=status, reason=reason, judge=self.digest)
            else:
                yield Verdict(scene=token, status="scored", outcome=said, confidence=0.9, judge=self.digest)


@pytest.fixture(scope="session")
def named_judge() -> type[NamedJudge]:
    """A judge that reads the outcome off the clip's bytes."""
    return NamedJudge


@pytest.fixture(scope="session")
def made_references() -> dict[str, Reference]:
    """References of coin_toss, die_roll and galton_board that no simulation stands behind."""
    counts = {"coin_toss": [2600, 2400], "die_roll": [834, 830, 840, 820, 840, 836]}
    counts["galton_board"] = [0, 50, 220, 580, 1020, 1240, 1020, 580, 220, 50, 20]
    return {token: made_reference(token, c) for token, c in counts.items()}


@pytest.fixture(scope="session")
def made_set() -> Reference:
    """A reference of coin_toss that is a set: 64 draws of the unknown constants with heads in 0.3 or in 0.7 of 80."""
    point = made_reference("coin_toss", [2560, 2560])
    return replace(point, members=((24, 56), (56, 24)) * 32)


@pytest.fixture(scope="session")
def random_weights(tmp_path_factory) -> Path:
    """Weights of a judge of die_roll and y_fork that was never trained, with a card of made-up trials beside them."""
    import json

    import torch

    from judge.network import Network, Shape
    from judge.weights import AS_THEY_ARE, Settings, digest_of, write_weights

    outcomes = {name: scenes.load(name).outcomes for name in ("die_roll", "y_fork")}
    settings = Settings(
        outcomes=outcomes,
        versions={name: scenes.load(name).version for name in outcomes},
        scaling={name: AS_THEY_ARE for name in outcomes},
        threshold=0.0,
        training={"seed": 0},
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        network = Network(Shape(outcomes={name: len(labels) for name, labels in outcomes.items()}))
    path = tmp_path_factory.mktemp("judge") / "judge.safetensors"
    write_weights(path, network, settings)
    row = {"n": 4, "right": 1, "false_null": 1, "missed_null": 1, "wrong_label": 1}
    card = {"format": 1, "weights": digest_of(path), "scenes": dict.fromkeys(outcomes, row)}
    card["renderers"] = {"scenes": "made up"}
    path.with_name("card.json").write_text(json.dumps(card))
    return path


@pytest.fixture
def quincunx(monkeypatch, capsys):
    """Runs the command in this process: (exit code, stdout, stderr)."""

    from cli import main

    def run(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["quincunx", *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as stopped:
            main.main()
        said = capsys.readouterr()
        return int(stopped.value.code or 0), said.out, said.err

    return run
