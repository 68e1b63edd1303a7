"""Training clips: pure functions of their order, with the simulator's truth."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from judge.clips import Order, body_sphere, clips, random_source, rollouts
from judge.faults import FAULTS
from judge.lesson import STATES, Clip
from scenes.registry import load
from sim.surface import surfaces

ORDER = Order(kind="tray", seed=5, number=0, n_clips=6)


@pytest.fixture(scope="module")
def made() -> list[Clip]:
    return list(clips(load("die_roll"), replace(ORDER, n_clips=16, p_fault=0.6)))


def test_each_clip_has_eight_frames_and_a_truth_that_fits_itself(made: list[Clip]) -> None:
    assert len(made) == 16
    for clip in made:
        assert clip.frames.shape[0] == 8 and clip.frames.dtype == np.uint8
        truth = clip.truth
        assert (truth.outcome >= 0) == (truth.state == 0)
        if truth.fault:
            assert STATES[truth.state] == FAULTS[truth.fault].reason
        assert np.isnan(truth.where).all() == (STATES[truth.state] == "object_lost")
        assert np.isfinite(truth.twin).all() == (STATES[truth.state] == "several_objects")
    assert len({clip.truth.fault for clip in made}) >= 3


def test_the_moving_body_is_where_the_truth_says(made: list[Clip]) -> None:
    for clip in (c for c in made if c.truth.state == 0):
        column, row, diameter = clip.truth.where
        assert 0 < column < 1 and 0 < row < 1 and 0.05 < diameter < 0.9
        # The die moved, so something has changed there; a still corner has changed far less.
        height, width = clip.frames.shape[1:3]
        half = max(2, int(0.3 * diameter * height))
        y, x = int(row * height), int(column * width)
        change = np.abs(clip.frames[-1].astype(int) - clip.frames[0]).mean(axis=2)
        assert change[max(0, y - half) : y + half, max(0, x - half) : x + half].mean() > 1.5 * np.median(change)


def test_the_same_order_gives_the_same_bytes() -> None:
    scene = load("die_roll")
    one, two = (list(clips(scene, ORDER)) for _ in range(2))
    for a, b in zip(one, two, strict=True):
        assert np.array_equal(a.frames, b.frames) and a.box == b.box
        assert np.array_equal(a.truth.where, b.truth.where, equal_nan=True)
    (other,) = clips(scene, replace(ORDER, seed=6, n_clips=1))
    assert other.frames.shape != one[0].frames.shape or not np.array_equal(one[0].frames, other.frames)


def test_outcomes_are_those_of_the_simulator() -> None:
    from sim.rollout import simulate

    scene = load("die_roll")
    order = replace(ORDER, n_clips=16, candidates=2)
    cast = rollouts(scene, order)
    known = Counter(r.outcome for r in simulate(scene, seed=5, indices=range(8), threads=1))
    assert not Counter(a for a, _ in cast if isinstance(a, str)) - known
    for answer, trajectory in cast:
        assert not isinstance(answer, str) or scene.read(trajectory) == answer


def test_drawn_dice_have_all_faces() -> None:
    drawn = list(clips(load("die_roll"), Order(kind="drawn_dice", seed=1, number=0, n_clips=30)))
    assert {clip.truth.outcome for clip in drawn} >= set(range(6))


def test_another_kind_or_renderer_is_refused() -> None:
    with pytest.raises(ValueError, match="kind must be tray, other_engine or drawn_dice, got 'painted'"):
        clips(load("die_roll"), replace(ORDER, kind="painted"))
    with pytest.raises(ValueError, match="renderer must be mujoco or bullet, got 'blender'"):
        list(clips(load("die_roll"), replace(ORDER, renderer="blender")))


def test_the_sphere_holds_the_die() -> None:
    from scenes.die_roll import HALF_EDGE_M

    die = body_sphere(surfaces(load("die_roll")))
    assert die.centre_m == pytest.approx(np.zeros(3), abs=1e-4)
    assert 2 * HALF_EDGE_M * 1.2 < die.diameter_m < 2 * HALF_EDGE_M * 3**0.5
    assert not die.filled and body_sphere(surfaces(load("galton_board"))).filled


def test_random_numbers_belong_to_their_parts() -> None:
    assert random_source("a", 1, 23).uniform() != random_source("a", 12, 3).uniform()
    assert random_source("a", 1).uniform() == random_source("a", 1).uniform()


@pytest.mark.parametrize("token", ["pencil_fall@leaning_left", "y_fork@offset", "coin_toss@tails_up"])
def test_a_variants_clips_begin_as_the_variant_does(token):
    from sim.start import start_track

    name, _, variant = token.partition("@")
    scene = load(name)
    cast = rollouts(scene, Order(kind="tray", variant=variant, seed=1, number=0, n_clips=8))
    start = start_track(scene, variant=variant)
    for _, trajectory in cast:
        assert np.allclose(trajectory.position_m[0], start.position_m[0], atol=2e-3)
        assert np.allclose(trajectory.quaternion[0], start.quaternion[0], atol=1e-2)


def test_both_copies_are_in_the_picture_and_the_corners_are_those_of_the_bounds() -> None:
    scene = load("die_roll")
    order = Order(kind="tray", seed=8, number=0, n_clips=12, p_fault=1.0, p_close=1.0)
    doubled = [clip.truth for clip in clips(scene, order) if clip.truth.fault == "doubles"]
    assert doubled
    for truth in doubled:
        assert all(0 < share < 1 for place in (truth.where, truth.twin) for share in place[:2])
        columns = [column for column, _ in truth.corners[::2]]  # those of the floor
        assert max(map(abs, truth.at)) <= 1
        assert min(columns) < truth.where[0] < max(columns)


def test_another_engine_moves_the_same_draws_in_its_own_way() -> None:
    scene, order = load("die_roll"), replace(ORDER, n_clips=2, candidates=1, clips_per_rollout=1, flat=False)
    ours, theirs = rollouts(scene, order), rollouts(scene, replace(order, kind="other_engine"))
    starts = [{tuple(np.round(path.position_m[0, 0], 6)) for _, path in cast} for cast in (ours, theirs)]
    assert starts[0] == starts[1]
    ends = [sorted(float(path.position_m[-1, 0, 0]) for _, path in cast) for cast in (ours, theirs)]
    assert len(ends[1]) == 2 and not np.allclose(ends[0], ends[1], atol=1e-3)
