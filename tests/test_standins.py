from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

import scenes
from calibrate.standins import GLITCHES, MODELS, glitch_of, standin_rows, standin_shares
from calibrate.stats import Baseline, holm, tv_test
from judge.faults import FAULTS

BASELINES = {
    "die_roll": Baseline.sample([853, 853, 853, 853, 853, 855]),
    "coin_toss": Baseline.sample([2600, 2520]),
    "galton_board": Baseline.sample([round(5120 * comb(10, k) / 1024) for k in range(11)]),
    "roulette": Baseline.sample([2491, 2491, 138]),
    "pencil_fall": Baseline.sample([2560, 2560]),
    "y_fork": Baseline.sample([2570, 2550]),
}
"""Textbook shares of the six scenes at the size of the shipped references."""
REPEATS = 200


def called(rng: np.random.Generator, n_clips: int = 24) -> dict[str, list[bool]]:
    """Model -> which of its six cells a whole study calls different, with Holm over all 24 cells."""
    p, owner = [], []
    for model in MODELS:
        for token, baseline in BASELINES.items():
            outcomes = scenes.load(token).outcomes
            rows = standin_rows(model, token, outcomes, baseline.p, n_clips=n_clips, rng=rng)
            shown = [row.outcome for row in rows if row.status == "scored"]
            p.append(tv_test([shown.count(o) for o in outcomes], baseline, seed=0).p)
            owner.append(model)
    adjusted = holm(p)
    return {m: [a < 0.05 for a, o in zip(adjusted, owner, strict=True) if o == m] for m in MODELS}


@pytest.fixture(scope="module")
def studies() -> dict[str, np.ndarray]:
    """Model -> (200, 6) which cells were called different in each of 200 studies."""
    rng = np.random.default_rng(2026)
    results = [called(rng) for _ in range(REPEATS)]
    return {model: np.array([r[model] for r in results]) for model in MODELS}


@pytest.mark.parametrize("model", ["faithful", "glitchy"])
def test_a_model_that_follows_physics_is_rarely_called_miscalibrated(studies: dict, model: str) -> None:
    allowed = scipy_stats.binom(REPEATS, 0.05).ppf(0.999)
    assert studies[model].any(axis=1).sum() <= allowed


def test_a_collapsed_model_is_caught_in_every_cell_of_every_study(studies: dict) -> None:
    assert studies["collapsed"].all()


def test_a_tilted_model_is_caught_in_every_study_and_in_nearly_every_cell(studies: dict) -> None:
    assert studies["tilted"].any(axis=1).all()
    assert studies["tilted"].mean() > 0.9


def test_a_glitchy_model_loses_scorability_and_nothing_else() -> None:
    rows = standin_rows(
        "glitchy", "die_roll", scenes.load("die_roll").outcomes, [1 / 6] * 6, rng=np.random.default_rng(0)
    )
    assert sum(row.status == "null" for row in rows) == 8 and len(rows) == 24
    assert {row.reason for row in rows if row.status == "null"} == {"not_settled", "object_lost", "several_objects"}
    for fault, reason in GLITCHES:
        assert FAULTS[fault].reason == reason
    assert (
        glitch_of("faithful", 0) is None and glitch_of("glitchy", 0) == GLITCHES[0] and glitch_of("glitchy", 1) is None
    )


@given(st.lists(st.integers(1, 200), min_size=2, max_size=12))
def test_tilted_lies_at_least_four_tenths_from_any_reference(weights: list[int]) -> None:
    p = np.array(weights) / sum(weights)
    q = standin_shares("tilted", p)
    assert q.min() >= 0 and q.sum() == pytest.approx(1)
    assert 0.5 * np.abs(p - q).sum() == pytest.approx(0.45)


def test_collapsed_shows_the_likeliest_outcome() -> None:
    assert standin_shares("collapsed", [0.2, 0.5, 0.3]).tolist() == [0, 1, 0]


def test_refuses_an_unknown_model() -> None:
    with pytest.raises(ValueError, match="model must be one of faithful, .* got 'perfect'"):
        standin_shares("perfect", [0.5, 0.5])
