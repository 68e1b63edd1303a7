import math

import numpy as np
import pytest

import scenes
from calibrate.first_frame import Drift, drift

TOKENS = ("die_roll", "coin_toss", "galton_board", "roulette", "pencil_fall", "y_fork")


def source(token: str) -> np.ndarray:
    import cv2

    return cv2.cvtColor(cv2.imread(str(scenes.source_image(token))), cv2.COLOR_BGR2RGB)


@pytest.mark.parametrize("token", TOKENS)
@pytest.mark.parametrize("size", [(320, 176), (853, 480)])
def test_a_resized_source_picture_is_not_off(token: str, size: tuple[int, int]) -> None:
    import cv2

    found = drift(cv2.resize(source(token), size, interpolation=cv2.INTER_AREA), source(token))
    assert found.faults == () and found.match > 0.98
    assert (found.shift, found.zoom, found.stretch, found.brightness) == pytest.approx((0, 1, 1, 1), abs=0.03)


@pytest.mark.parametrize("token", TOKENS)
def test_tells_how_far_a_generator_has_cropped_shifted_and_brightened(token: str) -> None:
    given = source(token)
    h, w = given.shape[:2]
    shown = given[round(0.05 * h) : round(0.95 * h), round(0.05 * w) : round(0.95 * w)]
    shown = np.clip(1.15 * np.roll(shown, round(0.04 * shown.shape[1]), axis=1), 0, 255).astype(np.uint8)
    found = drift(shown, given)
    assert found.zoom == pytest.approx(1 / 0.9, abs=0.03)
    assert found.shift == pytest.approx(0.04, abs=0.01)
    assert found.brightness == pytest.approx(1.15, abs=0.03)
    assert {fault.split()[0] for fault in found.faults} == {"shifted", "zoomed", f"{found.brightness:.2f}"}


def test_bars_beside_the_picture_and_a_cut_at_its_sides_are_told_from_zooms() -> None:
    import cv2

    given = source("roulette")
    bars = cv2.copyMakeBorder(given, 0, 0, 200, 200, cv2.BORDER_CONSTANT)
    sides_cut = given[:, 150:-150]
    letterbox = cv2.copyMakeBorder(given, 120, 120, 0, 0, cv2.BORDER_CONSTANT)
    squeezed = cv2.resize(given, (940, 704))
    assert drift(bars, given).faults == () and drift(sides_cut, given).faults == ()
    assert drift(letterbox, given).zoom == pytest.approx(704 / 944, abs=0.02)
    assert drift(squeezed, given).stretch == pytest.approx(940 / 1280, abs=0.02)


@pytest.mark.parametrize("other", ["die_roll", "pencil_fall", "galton_board", "coin_toss"])
def test_another_picture_is_unlike(other: str) -> None:
    (fault,) = drift(source(other), source("y_fork")).faults
    assert fault.startswith("unlike the source picture (correlation 0.")


@pytest.mark.parametrize("colour", [0, 255])
def test_a_picture_of_one_colour_is_unlike_and_nothing_is_known_of_it(colour: int) -> None:
    found = drift(np.full((90, 160, 3), colour, np.uint8), source("die_roll"))
    assert found.match == 0 and math.isnan(found.zoom) and len(found.faults) == 1


def test_every_kind_of_drift_has_its_words() -> None:
    found = Drift(match=0.9, shift=0.05, zoom=1.2, stretch=1.3, brightness=0.5)
    assert found.faults == (
        "shifted by 5 % of the width",
        "zoomed by 1.20",
        "stretched by 1.30",
        "0.50 times as bright",
    )
