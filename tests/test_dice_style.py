"""Dice come in many makes, and their pips can be told from their body."""

from __future__ import annotations

import numpy as np
import pytest

from judge.dice_style import GRID, _contrast, random_style


@pytest.mark.parametrize("count", range(1, 7))
def test_a_face_has_its_pips_and_is_the_same_upside_down(count: int) -> None:
    places = set(GRID[count])
    assert len(places) == count == len(GRID[count])
    assert {(-x, -y) for x, y in places} == places


def test_pips_stand_out_and_lie_apart_on_their_face() -> None:
    for seed in range(200):
        style = random_style(np.random.default_rng(seed))
        assert min(_contrast(style.pips, style.body), _contrast(style.pips, style.other)) > 42
        assert style.spread > style.pip_radius  # three in a row do not touch
        assert style.spread + style.pip_radius < 1


def test_colours_of_one_brightness_differ_if_their_hues_do() -> None:
    assert _contrast((255, 0, 0), (0, 0, 255)) > 150  # sqrt(0.35 + 0.2) 255 = 189
    assert _contrast((100, 100, 100), (110, 110, 110)) == pytest.approx(10)
