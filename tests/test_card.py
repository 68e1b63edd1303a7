"""The judge card counts every trial once, and belongs to its weights."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.card import COUNTS, calibration_error, make_card, read_card, summary, table
from judge.lesson import STATES
from judge.trial import Trial
from judge.weights import AS_THEY_ARE, Settings, read_weights, write_weights
from scenes.registry import load
from sim import InputError, PrerequisiteError

SETTINGS = Settings(
    outcomes={"y_fork": ("left", "right")},
    versions={"y_fork": 1},
    scaling={"y_fork": AS_THEY_ARE},
    threshold=0.3,
    training={},
)


def trial(truth: str, said: str, *, renderer: str = "mujoco", fault: str = "") -> Trial:
    """A clip of that truth on which the network is sure to say `said`; both are an outcome or a state."""
    labels = SETTINGS.outcomes["y_fork"]
    state_logits, outcome_logits = np.zeros(5), np.zeros(2)
    if said in labels:
        state_logits[0], outcome_logits[labels.index(said)] = 9, 9
    else:
        state_logits[STATES.index(said)] = 9
    return Trial(
        scene="y_fork",
        kind="tray",
        renderer=renderer,
        state=0 if truth in labels else STATES.index(truth),
        outcome=labels.index(truth) if truth in labels else -1,
        fault=fault,
        state_logits=state_logits,
        outcome_logits=outcome_logits,
        seconds=0.01,
    )


def test_counts_each_kind_of_error() -> None:
    made = table(
        [
            trial("left", "left"),
            trial("left", "right"),
            trial("right", "no_motion"),
            trial("not_settled", "object_lost", fault="cut"),
            trial("no_motion", "left", fault="still"),
        ],
        SETTINGS,
    )
    assert [made[kind] for kind in COUNTS] == [5, 2, 1, 1, 1]
    assert made["confusion"]["left"] == {"left": 1, "right": 1}
    assert made["confusion"]["not_settled"] == {"object_lost": 1}
    assert made["by_fault"]["cut"] == {"n": 1, "right": 1} and made["by_fault"]["still"]["missed_null"] == 1
    # binom.test(2, 5) in R: 0.05274495 0.85336720
    assert made["interval"]["low"] == pytest.approx(0.05274495) and made["interval"]["high"] == pytest.approx(0.8533672)


@given(st.lists(st.tuples(*[st.sampled_from(("left", "right", *STATES[1:]))] * 2), min_size=1, max_size=40))
def test_the_four_kinds_sum_to_n(pairs: list[tuple[str, str]]) -> None:
    made = table([trial(truth, said) for truth, said in pairs], SETTINGS)
    assert sum(made[kind] for kind in COUNTS[1:]) == made["n"] == len(pairs)
    assert sum(sum(row.values()) for row in made["confusion"].values()) == len(pairs)
    assert sum(row["n"] for row in made["by_fault"].values()) == len(pairs)


def test_renderers_are_kept_apart() -> None:
    card = summary([trial("left", "left"), trial("left", "right", renderer="bullet")], SETTINGS)
    assert card["scenes"]["y_fork"]["right"] == 1 and card["other_renderer"]["y_fork"]["wrong_label"] == 1
    assert set(card["renderers"]) == {"scenes", "other_renderer", "drawn_dice"}
    json.dumps(card, allow_nan=False)


def test_calibration_error_is_the_gap_between_confidence_and_accuracy() -> None:
    assert calibration_error([(0.95, True)] * 19 + [(0.95, False)]) == pytest.approx(0, abs=1e-12)
    assert calibration_error([(0.9, False)] * 4) == pytest.approx(0.9)
    assert calibration_error([]) is None


def test_a_card_belongs_to_its_weights(random_weights: Path, tmp_path: Path) -> None:
    path = tmp_path / "judge.safetensors"
    shutil.copy(random_weights, path)
    with pytest.raises(PrerequisiteError, match="the judge has no card: .*; run `quincunx card --make`"):
        read_card(path)
    shutil.copy(random_weights.with_name("card.json"), tmp_path)
    assert set(read_card(path)["scenes"]) == {"die_roll", "y_fork"}
    network, settings = read_weights(path)
    write_weights(path, network, Settings(**{**vars(settings), "threshold": 0.1}))
    with pytest.raises(InputError, match="was measured on other weights than judge.safetensors"):
        read_card(path)
    (tmp_path / "card.json").write_text("{")
    with pytest.raises(InputError, match="is not JSON"):
        read_card(path)
    (tmp_path / "card.json").write_text('{"format": 7}')
    with pytest.raises(InputError, match="has format 7, this program reads 1"):
        read_card(path)


def test_a_card_that_is_no_card_is_refused(random_weights: Path, tmp_path: Path) -> None:
    path = tmp_path / "judge.safetensors"
    shutil.copy(random_weights, path)
    for text in ("[]", "7", "null", '"format"'):
        (tmp_path / "card.json").write_text(text)
        with pytest.raises(InputError, match="card.json is not a judge card; run `quincunx card --make`"):
            read_card(path)
    (tmp_path / "card.json").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="card.json is not JSON"):
        read_card(path)


@pytest.mark.parametrize(
    "edit",
    [
        {"scenes": None},
        {"scenes": []},
        {"scenes": {"y_fork": {"n": 4}}},
        {"scenes": {"y_fork": []}},
        {"scenes": {"y_fork": dict.fromkeys(COUNTS, "4")}},
        {"scenes": {"y_fork": dict.fromkeys(COUNTS, 1)}},
        {"scenes": {"y_fork": {"n": 0, "right": 1, "false_null": -1, "missed_null": 0, "wrong_label": 0}}},
        {"renderers": None},
        {"renderers": ["scenes"]},
        {"renderers": {"scenes": "", "drawn_dice": ""}},
    ],
)
def test_a_card_without_its_counts_is_refused(random_weights: Path, tmp_path: Path, edit: dict[str, object]) -> None:
    path = tmp_path / "judge.safetensors"
    shutil.copy(random_weights, path)
    card = json.loads(random_weights.with_name("card.json").read_text())
    (tmp_path / "card.json").write_text(json.dumps({**card, **edit}))
    with pytest.raises(InputError, match="card.json lacks counts or was edited; run `quincunx card --make`"):
        read_card(path)


def test_weights_are_missed_before_their_card(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"^{tmp_path} is not a file; name the weights themselves, as .*safetensors$"):
        read_card(tmp_path)
    with pytest.raises(PrerequisiteError, match="the judge's weights are missing: .*gone.safetensors"):
        read_card(tmp_path / "gone.safetensors")


@pytest.mark.slow
def test_a_card_is_made_on_new_clips(random_weights: Path, tmp_path: Path) -> None:
    path = tmp_path / "judge.safetensors"
    shutil.copy(random_weights, path)
    card = make_card(path, load, n_held_out=50, n_other_renderer=0, workers=2)
    assert card == read_card(path)
    assert all(row["n"] == 50 == sum(row[kind] for kind in COUNTS[1:]) for row in card["scenes"].values())
