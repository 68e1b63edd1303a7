"""Where and when the judge looks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.views import CLOSE_PX, GLANCE_PX, LAST_PX, N_FRAMES, Box, around, close_look, glance_and_last, look_times


@given(st.floats(0.4, 60))
def test_looks_from_first_to_last_frame_and_four_times_in_the_last_six_tenths(duration_s: float) -> None:
    times = look_times(duration_s)
    assert len(times) == N_FRAMES and (np.diff(times) >= 0).all()
    assert times[0] == 0 and times[-1] == pytest.approx(duration_s)
    assert (times >= duration_s - 0.6 - 1e-9).sum() >= 4


def test_small_pictures_and_a_larger_last_one() -> None:
    frames = np.zeros((N_FRAMES, 60, 100, 3), np.uint8)
    frames[-1] = 200
    glance, last = glance_and_last(frames)
    assert glance.shape == (N_FRAMES - 1, GLANCE_PX, GLANCE_PX, 3) and last.shape == (LAST_PX, LAST_PX, 3)
    assert glance.max() == 0 and last.min() == 200


def test_another_number_of_frames_is_refused() -> None:
    with pytest.raises(ValueError, match="frames must be 8, got 7"):
        glance_and_last(np.zeros((7, 8, 8, 3), np.uint8))


@pytest.mark.parametrize("size_px", [(100, 100), (96, 200), (300, 160), (600, 900)])
def test_the_close_look_shows_what_the_box_holds_in_its_own_proportions(size_px: tuple[int, int]) -> None:
    height, width = size_px
    frames = np.zeros((N_FRAMES, height, width, 3), np.uint8)
    x, y, half = round(0.7 * width), round(0.4 * height), round(0.05 * height)
    frames[-1, y - half : y + half, x - half : x + half] = 255
    frames[-3, y - half : y + half, x - half : x + half] = 100
    earlier, last = close_look(frames, Box(column=0.7, row=0.4, side=0.2))
    assert last.shape == (CLOSE_PX, CLOSE_PX, 3)
    rows, columns = np.nonzero(last[..., 0] > 127)
    for place in (rows, columns):  # a square of half the box's side, in its middle
        assert place.mean() == pytest.approx(CLOSE_PX / 2, abs=3.5)  # one pixel of the smallest frame
        assert np.ptp(place) + 1 == pytest.approx(CLOSE_PX / 2, abs=4)
    assert earlier[CLOSE_PX // 2, CLOSE_PX // 2, 0] == pytest.approx(100, abs=2)


def test_a_box_beyond_the_border_repeats_the_border() -> None:
    frames = np.full((N_FRAMES, 50, 50, 3), 77, np.uint8)
    assert (close_look(frames, Box(column=0.0, row=1.0, side=0.5)) == 77).all()


def test_small_objects_are_seen_with_what_surrounds_them() -> None:
    assert around(0.5, 0.5, 0.01).side == 0.15
    assert around(0.5, 0.5, 0.2).side == pytest.approx(0.28)
    assert around(0.5, 0.5, 5.0).side == 1.2
