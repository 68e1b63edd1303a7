"""Confidence that equals accuracy."""

from __future__ import annotations

import numpy as np
import pytest

from judge.calibration import is_right, scalings, temperature, threshold_of
from judge.trial import Trial
from judge.weights import AS_THEY_ARE


def trial(
    state: int, outcome: int, state_logits: list[float], outcome_logits: list[float], scene: str = "die_roll"
) -> Trial:
    return Trial(
        scene=scene,
        kind="tray",
        renderer="mujoco",
        state=state,
        outcome=outcome,
        fault="",
        state_logits=np.array(state_logits),
        outcome_logits=np.array(outcome_logits),
        seconds=0.0,
    )


def test_finds_the_temperature_that_was_put_in() -> None:
    rng = np.random.default_rng(0)
    logits = rng.normal(0, 2, (1500, 4))
    p = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    truth = [int(rng.choice(4, p=row)) for row in p]
    assert temperature(list(2.0 * logits), truth) == pytest.approx(2.0, rel=0.12)


def test_finds_the_temperature_and_the_lean_of_each_scene_that_were_put_in() -> None:
    rng = np.random.default_rng(2)
    lean = {"coin_toss": np.zeros(5), "die_roll": np.array([0, 0, 1.5, 0, -1.0])}
    found = []
    for scene, added in lean.items():
        for row in rng.normal(0, 1.5, (1500, 5)):
            p = np.exp(row) / np.exp(row).sum()
            state = int(rng.choice(5, p=p))
            found.append(trial(state, -1, list(2.0 * (row + added)), [0, 0], scene))  # too sure, and leaning
    fitted = scalings(found, 1.25)
    for scene, added in lean.items():
        assert fitted[scene].state == pytest.approx(2.0, rel=0.1) and fitted[scene].outcome == 1.25
        assert fitted[scene].bias == pytest.approx(-added, abs=0.25) and fitted[scene].bias[0] == 0


def test_one_error_moves_a_bias_by_less_than_many() -> None:
    few, many = ([trial(0, 0, [1.0, 0, 2.0, 0, 0], [9, 0])] * n for n in (1, 40))
    one, forty = (scalings(some, 1.0)["die_roll"].bias[2] for some in (few, many))
    assert -1 < one < -0.1 and forty < -1.5


def test_a_null_on_a_null_is_right_whatever_its_reason() -> None:
    null, sound = trial(2, -1, [0] * 5, [0, 0]), trial(0, 1, [0] * 5, [0, 0])
    assert is_right(null, "no_motion", 0) and not is_right(null, "sound", 0)
    assert is_right(sound, "sound", 1) and not is_right(sound, "sound", 0) and not is_right(sound, "no_motion", 1)


def test_the_threshold_costs_almost_no_right_ruling() -> None:
    rng = np.random.default_rng(1)
    sure = [trial(0, 0, [9.0, 0, 0, 0, 0], [float(rng.uniform(0.1, 6)), 0]) for _ in range(1000)]
    threshold = threshold_of(sure, {"die_roll": AS_THEY_ARE})
    kept = [1 / (1 + np.exp(-t.outcome_logits[0])) * 0.9995 >= threshold for t in sure]
    assert 0.5 < threshold <= 0.6 and np.mean(kept) > 0.997


def test_without_a_right_ruling_the_threshold_is_high() -> None:
    assert threshold_of([trial(0, 0, [0.0, 9, 0, 0, 0], [0, 9])], {"die_roll": AS_THEY_ARE}) == 0.6
