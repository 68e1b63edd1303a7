"""What the network learns from a clip."""

from __future__ import annotations

import numpy as np

from judge.lesson import CLOSE_STORED_PX, STATES, Clip, Lessons, Truth, close_box
from sim import NULL_REASONS


def clip(where: tuple[float, float, float], state: int = 0, outcome: int = 2) -> Clip:
    frames = np.zeros((8, 60, 80, 3), np.uint8)
    truth = Truth(state=state, outcome=outcome, where=where, fault="")
    return Clip(frames=frames, truth=truth, box=close_box(where, np.random.default_rng(0)))


def test_states_are_sound_and_known_null_reasons() -> None:
    assert STATES[0] == "sound" and set(STATES[1:]) <= set(NULL_REASONS)


def test_lessons_keep_the_order_and_the_truth() -> None:
    lessons = Lessons.of([clip((0.2, 0.3, 0.1)), clip((np.nan,) * 3, 3, -1)])
    assert len(lessons) == 2 and lessons.close.shape == (2, 2, CLOSE_STORED_PX, CLOSE_STORED_PX, 3)
    assert lessons.state.tolist() == [0, 3] and lessons.outcome.tolist() == [2, -1]
    assert np.isnan(lessons.where[1]).all()
    assert set(lessons.arrays()) == {
        "glance",
        "last",
        "close",
        "where",
        "twin",
        "at",
        "corners",
        "path",
        "twin_path",
        "up",
        "state",
        "outcome",
        "fault",
    }


def test_looks_at_the_object_or_anywhere() -> None:
    rng = np.random.default_rng(1)
    assert close_box((0.2, 0.3, 0.2), rng).column == 0.2
    boxes = [close_box((np.nan,) * 3, rng) for _ in range(20)]
    assert len({box.column for box in boxes}) == 20 and all(0 < box.row < 1 for box in boxes)
