"""The reader learns marks from the close looks of sound clips alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from judge.lesson import CLOSE_STORED_PX, STATES
from judge.network import Network, Shape
from judge.reading import learn_to_read, marks, rate_share
from judge.train import Training


@pytest.fixture
def shard(tmp_path: Path) -> Path:
    """Twelve close looks at balls, bright for the outcome 1 and dark for 0, the last one null and nowhere."""
    outcome = np.array([0, 1] * 6)
    close = np.zeros((12, 2, CLOSE_STORED_PX, CLOSE_STORED_PX, 3), np.uint8)
    close[outcome == 1] = 220
    outcome[-1] = -1
    state, fault = np.where(outcome < 0, STATES.index("object_lost"), 0), np.where(outcome < 0, "vanishes", "")
    up = np.full((12, 3), np.nan, np.float32)
    np.savez(tmp_path / "shard.npz", close=close, outcome=outcome, up=up, state=state, fault=fault)
    return tmp_path / "shard.npz"


def test_what_says_nothing_is_left_out(shard: Path) -> None:
    found = marks([shard, shard], [4, 2])
    assert len(found.close) == 22 and set(found.outcome) == {0, 1} and found.scene.tolist() == [4] * 11 + [2] * 11
    assert (found.rest == 1).all()


def test_a_null_whose_pose_is_seen_teaches_the_pose(shard: Path, tmp_path: Path) -> None:
    with np.load(shard) as stored:
        whole = dict(stored)
    whole["up"][-1], whole["fault"][-1] = (0, 0.6, 0.8), "frozen"
    np.savez(tmp_path / "posed.npz", **whole)
    found = marks([tmp_path / "posed.npz"], [0])
    assert len(found.close) == 12 and found.outcome[-1] == -1 and found.rest[-1] == 0
    assert found.up[-1] == pytest.approx((0, 0.6, 0.8))


def test_learns_and_keeps_what_it_learnt(shard: Path, tmp_path: Path) -> None:
    training = Training(
        scenes=("y_fork",), marked=("y_fork",), reader_steps=12, reader_batch=8, rate=1e-3, bfloat16=False
    )
    networks = []
    for _ in range(2):  # the second finds the kept result
        torch.manual_seed(0)
        networks.append(Network(Shape(outcomes={"y_fork": 2})))
        learn_to_read(training, networks[-1], [shard], [0], tmp_path)
    one, two = (n.state_dict() for n in networks)
    assert all(torch.equal(tensor, two[name]) for name, tensor in one.items() if name.startswith(("close", "mark")))
    bright, dark = (torch.full((1, 3, 64, 64), value, dtype=torch.uint8) for value in (220, 0))
    scene = torch.tensor([0])
    networks[0].train()  # running statistics have not settled after twelve steps
    both = torch.cat([bright, dark]).repeat(4, 1, 1, 1)
    said = networks[0].close_outcome(networks[0].read(both), scene.repeat(8)).argmax(1)
    assert said.tolist() == [1, 0] * 4


def test_scenes_without_marks_teach_the_reader_nothing(shard: Path, tmp_path: Path) -> None:
    network = Network(Shape(outcomes={"y_fork": 2}))
    before = {name: tensor.clone() for name, tensor in network.state_dict().items()}
    learn_to_read(Training(scenes=("y_fork",), marked=()), network, [shard], [0], tmp_path)
    assert all(torch.equal(tensor, before[name]) for name, tensor in network.state_dict().items())


def test_the_learning_rate_rises_and_falls_to_nothing() -> None:
    shares = [rate_share(k, 100) for k in range(100)]
    assert max(shares) == 1 and shares[0] == pytest.approx(0.1) and shares[-1] < 0.001
    assert all(a > b for a, b in zip(shares[10:], shares[11:], strict=False))
