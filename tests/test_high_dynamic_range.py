import numpy as np
import pytest

from judge.high_dynamic_range import HLG, PQ, hlg_nits, pq_nits, standard_picture


@pytest.mark.parametrize(
    ("percent", "nits"),
    # ITU-R BT.2408-7, table 1: 18 % grey card, grey of 83 %, diffuse white; and the ends of BT.2100's scale
    [(0, 0), (38, 26), (56, 162), (58, 203), (100, 10_000)],
)
def test_pq_signals_have_their_published_luminance(percent: float, nits: float) -> None:
    assert float(pq_nits(np.array(percent / 100))) == pytest.approx(nits, rel=0.03)


@pytest.mark.parametrize(("percent", "nits"), [(0, 0), (38, 26), (71, 162), (75, 203), (100, 1_000)])
def test_hlg_signals_have_their_published_luminance(percent: float, nits: float) -> None:
    found = hlg_nits(np.full(3, percent / 100))
    assert found == pytest.approx([nits] * 3, rel=0.03)


@pytest.mark.parametrize(("transfer", "white"), [(PQ, 0.5806), (HLG, 0.75)])
def test_a_white_sheet_becomes_white_and_what_is_brighter_stays_so(transfer: int, white: float) -> None:
    ramp = np.linspace(0, 1, 101)
    signal = np.repeat((65535 * ramp).astype(np.uint16)[None, :, None], 3, axis=2)
    shown = standard_picture(signal, transfer, 9)[0].astype(int)
    assert (shown[0] == 0).all() and np.ptp(shown, axis=1).max() <= 1
    assert (shown[ramp >= white + 0.01] == 255).all() and (shown[ramp < white - 0.01] < 255).all()
    assert (np.diff(shown[:, 0]) >= 0).all()


def test_colours_of_the_larger_gamut_are_brought_to_the_smaller() -> None:
    # BT.709 red in BT.2020 is 0.6274, 0.0691, 0.0164 (ITU-R BT.2087-0, matrix M1); 203 candela on PQ
    light = 203 * np.array([0.6274, 0.0691, 0.0164])
    power = np.power(light / 10_000, 0.1593017578125)
    signal = np.power((0.8359375 + 18.8515625 * power) / (1 + 18.6875 * power), 78.84375)
    pixels = (65535 * signal).astype(np.uint16)[None, None]
    assert standard_picture(pixels, PQ, 9)[0, 0].tolist() == pytest.approx([255, 0, 0], abs=3)
    assert standard_picture(pixels, PQ, 1)[0, 0, 1] > 60  # taken for BT.709 it is a dull red
