import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim import Trajectory
from sim.track import Track, slerp


def turning(n_rows=4):
    """A body that moves 1 m and turns 90 degrees about z between rows at 0, 1, 2, ... s."""
    t = np.arange(n_rows, dtype=float)
    half = np.pi / 4 * t
    return Trajectory(
        bodies=("b",),
        time_s=t,
        position_m=np.stack([t, 0 * t, 2 * t], axis=-1)[:, None],
        quaternion=np.stack([np.cos(half), 0 * t, 0 * t, np.sin(half)], axis=-1)[:, None],
        velocity=np.zeros((n_rows, 1, 6)),
    )


@given(st.lists(st.floats(0, 3), min_size=1, max_size=8))
def test_between_rows_places_are_straight_and_turns_even(times):
    times = np.array(times)
    track = Track.of(turning(), times)
    np.testing.assert_allclose(track.position_m[:, 0, 0], times, atol=1e-12)
    angle = np.pi / 4 * times
    along = np.cos(angle) * track.quaternion[:, 0, 0] + np.sin(angle) * track.quaternion[:, 0, 3]
    np.testing.assert_allclose(np.abs(along), 1, atol=1e-12)


def test_the_last_state_is_held():
    track = Track.of(turning(), np.array([3.0, 3.01, 99.0]))
    np.testing.assert_array_equal(track.position_m[:, 0], [[3, 0, 6]] * 3)
    assert len(track) == 3
    assert track.visible.all()


def test_one_row_stands_still():
    track = Track.of(turning(1), np.array([0.0, 1.0]))
    np.testing.assert_array_equal(track.position_m, np.zeros((2, 1, 3)))


def test_rows_are_met_exactly():
    np.testing.assert_allclose(Track.of(turning(), np.arange(4.0)).quaternion, turning().quaternion, atol=1e-12)


@given(st.floats(0, 1), st.floats(-3.1, 3.1))
def test_slerp_takes_the_shorter_way_whatever_the_sign(part, angle):
    start, end = np.array([1.0, 0, 0, 0]), np.array([math.cos(angle / 2), math.sin(angle / 2), 0, 0])
    for sign in (1, -1):
        got = slerp(start, sign * end, np.array([part]))
        np.testing.assert_allclose(np.abs(got @ [math.cos(part * angle / 2), math.sin(part * angle / 2), 0, 0]), 1)


def test_a_ghost_is_a_shifted_copy_of_the_main_body():
    track = Track.of(turning(), np.array([0.0, 1.0])).with_ghost(np.array([0, 0.5, 0]))
    np.testing.assert_allclose(track.ghost_position_m, [[0, 0.5, 0], [1, 0.5, 2]])
    np.testing.assert_array_equal(track.ghost_quaternion, track.quaternion[:, 0])


def test_arrays_that_do_not_belong_together_are_refused():
    track = Track.of(turning(), np.array([0.0, 1.0]))
    with pytest.raises(ValueError, match=r"visible must have the shape \(2, 1\), got \(1, 1\)"):
        replace(track, visible=np.ones((1, 1), bool))
    with pytest.raises(ValueError, match=r"quaternion must have the shape \(2, 1, 4\)"):
        replace(track, quaternion=track.position_m)
    with pytest.raises(ValueError, match="must be given together"):
        replace(track, ghost_position_m=np.zeros((2, 3)))
    with pytest.raises(ValueError, match=r"times_s must not be negative, got -1\.0"):
        Track.of(turning(), np.array([0.0, -1.0]))
