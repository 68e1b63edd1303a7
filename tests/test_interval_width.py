import numpy as np
import pytest

from calibrate.stats import Baseline, tv_interval
from calibrate.stats.interval_width import clips_for_width, mean_width
from calibrate.stats.power import departure

COIN = Baseline.exact([0.5, 0.5])


@pytest.mark.parametrize("width", [0.15, 0.3])
@pytest.mark.parametrize("tv", [0.0, 0.25])
def test_planned_clips_give_the_width_in_simulated_studies(width: float, tv: float) -> None:
    truth = departure(COIN.p, tv, "collapse") if tv else np.array(COIN.p)
    n = clips_for_width(width, COIN, truth, seed=0)

    def simulated(clips: int) -> float:  # other draws than those of the plan
        heads = np.random.default_rng(9).binomial(clips, truth[0], size=300).tolist()
        known = {k: tv_interval([k, clips - k], COIN, seed=0) for k in set(heads)}
        return float(np.mean([known[k].high - known[k].low for k in heads]))

    assert simulated(n) <= 1.06 * width and simulated(round(0.75 * n)) > width


def test_of_a_coin_that_is_off_it_is_near_the_normal_formula() -> None:
    # 2 z sqrt(q (1 - q) / n) = W; the exact interval is a little wider
    textbook = (2 * 1.96 / 0.1) ** 2 * 0.75 * 0.25
    assert textbook < clips_for_width(0.1, COIN, np.array([0.75, 0.25]), seed=0) < 1.15 * textbook


def test_a_width_below_the_references_own_error_cannot_be_had() -> None:
    few = Baseline.sample([100, 100])
    assert clips_for_width(0.05, few, np.array([0.7, 0.3]), seed=0) is None
    assert mean_width(100, few, np.array([0.7, 0.3]), seed=0) > mean_width(100, COIN, np.array([0.7, 0.3]), seed=0)


def test_a_width_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="width must lie strictly between 0 and 1, got 1"):
        clips_for_width(1, COIN, np.array(COIN.p), seed=0)
