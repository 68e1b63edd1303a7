import numpy as np
import pytest

import scenes
from sim import EngineError, contact_sheet
from sim.contact_sheet import one_of_each
from sim.rollout import Rollout, simulate

SMALL = (48, 64)


@pytest.fixture(scope="module")
def coin():
    return scenes.load("coin_toss")


def test_a_sheet_has_a_row_for_each_outcome(coin):
    steps = []
    sheet = contact_sheet.contact_sheet(coin, n_columns=2, size_px=SMALL, progress=lambda *step: steps.append(step))
    n = len(coin.outcomes)
    assert sheet.shape[0] == n * (SMALL[0] + 22)
    assert sheet.dtype == np.uint8
    assert steps == [(k + 1, n) for k in range(n)]


def test_a_sheet_shows_the_asked_rollouts(coin):
    sheet = contact_sheet.contact_sheet(coin, seed=4, indices=[5], n_columns=3, size_px=SMALL)
    assert sheet.shape[0] == SMALL[0] + 22


def test_one_of_each_finds_rollouts_with_those_outcomes_in_their_order(coin):
    indices = one_of_each(coin, seed=3)
    assert [r.outcome for r in simulate(coin, seed=3, indices=indices)] == list(coin.outcomes)


def test_a_sheet_needs_a_start_an_end_and_a_rollout(coin):
    with pytest.raises(ValueError, match="n_columns must be at least 2, got 1"):
        contact_sheet.contact_sheet(coin, n_columns=1)
    with pytest.raises(ValueError, match="indices must name at least one rollout, got none"):
        contact_sheet.contact_sheet(coin, indices=[])


def test_a_scene_without_outcomes_has_no_sheet(coin, monkeypatch):
    def failing(scene, *, indices, **options):
        return (Rollout(index=index, failed="left_the_scene") for index in indices)

    monkeypatch.setattr(contact_sheet, "simulate", failing)
    with pytest.raises(EngineError, match="coin_toss, seed 0: no outcome in 384 rollouts, nothing to show"):
        contact_sheet.contact_sheet(coin)
