"""Close looks at drawn dice have all faces, and are a function of their order."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from judge.clips import Order
from judge.dice_looks import dice_looks
from judge.lesson import CLOSE_STORED_PX
from scenes.registry import load

ORDER = Order(kind="dice_looks", seed=3, number=0, n_clips=24)


def test_all_faces_are_shown_and_the_pose_is_left_open() -> None:
    looks = dice_looks(load("die_roll"), ORDER)
    assert looks["close"].shape == (24, 1, CLOSE_STORED_PX, CLOSE_STORED_PX, 3) and looks["close"].dtype == np.uint8
    assert set(looks["outcome"]) == set(range(6))
    assert np.isnan(looks["up"]).all() and (looks["rest"] == 1).all()


def test_the_same_order_gives_the_same_looks_and_another_number_others() -> None:
    few = replace(ORDER, n_clips=2)
    one, two = (dice_looks(load("die_roll"), few)["close"] for _ in range(2))
    assert np.array_equal(one, two)
    assert not np.array_equal(one, dice_looks(load("die_roll"), replace(few, number=1))["close"])
