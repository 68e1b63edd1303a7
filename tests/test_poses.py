"""Close looks at an object on its way and at rest."""

from __future__ import annotations

import numpy as np
import pytest

from judge.clips import Order, rollouts
from judge.faults import settling_s
from judge.lesson import CLOSE_STORED_PX
from judge.poses import poses, rest_at
from scenes.registry import load
from sim import Trajectory

ORDER = Order(kind="poses", seed=4, number=0, n_clips=40)


@pytest.fixture(scope="module")
def made() -> dict[str, np.ndarray]:
    """Close looks at dice."""
    return poses(load("die_roll"), ORDER)


def test_looks_at_rest_have_an_outcome_and_lie_on_a_face(made: dict[str, np.ndarray]) -> None:
    n = len(made["close"])
    assert 20 < n <= 40 and made["close"].shape == (n, 1, CLOSE_STORED_PX, CLOSE_STORED_PX, 3)
    lies = made["rest"] == 1
    assert 4 <= lies.sum() <= 8 and (made["rest"] == 0).sum() >= 8
    assert ((made["outcome"] >= 0) == lies).all()
    assert np.abs(made["up"][lies]).max(axis=1) == pytest.approx(1, abs=0.02)
    assert np.linalg.norm(made["up"], axis=1) == pytest.approx(1, abs=1e-5)


def test_the_same_order_gives_the_same_bytes(made: dict[str, np.ndarray]) -> None:
    again = poses(load("die_roll"), ORDER)
    assert all(np.array_equal(made[name], again[name], equal_nan=True) for name in made)


def test_in_the_air_and_leaning_are_on_the_way() -> None:
    time_s = np.linspace(0, 1, 61)
    height = np.maximum(0, 1 - 2 * time_s)  # falls for half a second
    quaternion = np.tile([1.0, 0, 0, 0], (61, 1, 1))
    path = Trajectory(
        bodies=("body",),
        time_s=time_s,
        position_m=np.stack([0 * height, 0 * height, height], axis=1)[:, None],
        quaternion=quaternion,
        velocity=np.zeros((61, 1, 6)),
    )
    assert settling_s(path) == pytest.approx(0.5, abs=0.02)
    rest = rest_at(path, np.array([0.1, 0.47, 0.8]), 1.0)
    assert rest[0] == 0 and np.isnan(rest[1]) and rest[2] == 1


def test_rollouts_of_the_order_end_at_rest() -> None:
    cast = rollouts(load("die_roll"), ORDER)
    assert all(settling_s(path) < path.time_s[-1] for answer, path in cast if isinstance(answer, str))
