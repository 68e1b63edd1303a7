import math

import numpy as np
import pytest
from scipy import optimize
from scipy import stats as reference

from calibrate.stats import Baseline
from calibrate.stats.confidence_sequence import confidence_sequence, within_p
from calibrate.stats.dirichlet_e_value import log_e_value


def test_of_two_outcomes_it_is_what_the_e_value_does_not_refuse() -> None:
    counts, p = [17, 8], [0.5, 0.5]
    found = confidence_sequence(counts, p, level=0.95)

    def edge(low: float, high: float) -> float:
        return optimize.brentq(lambda q: log_e_value(counts, Baseline.exact([q, 1 - q])) - math.log(20), low, high)

    q_low, q_high = edge(0.01, 17 / 25), edge(17 / 25, 0.999)
    assert q_low < 0.5 < q_high and found.low == 0
    assert found.high == pytest.approx(max(q_high - 0.5, 0.5 - q_low), abs=1e-6)


def test_no_distribution_that_is_not_refused_is_outside() -> None:
    counts, p, rng = [9, 3, 1, 0], np.array([0.1, 0.2, 0.3, 0.4]), np.random.default_rng(0)
    found = confidence_sequence(counts, p)
    tv = []
    for q in rng.dirichlet(np.array(counts) * 0.4 + 0.5, size=4000):
        if log_e_value(counts, Baseline.exact((q / q.sum()).tolist())) < math.log(20):
            tv.append(0.5 * np.abs(q - p).sum())
    assert len(tv) > 500 and found.low - 1e-9 <= min(tv) and max(tv) <= found.high + 1e-9
    assert found.high - max(tv) < 0.08  # and it is no wider than need be


def test_it_narrows_and_the_test_of_a_margin_is_its_inversion() -> None:
    p, widths = [0.5, 0.3, 0.2], []
    for times in (1, 10, 100):
        counts = [5 * times, 3 * times, 2 * times]
        found = confidence_sequence(counts, p)
        widths.append(found.high - found.low)
        level = 1 - within_p(counts, p, found.high + 1e-6)
        assert level == pytest.approx(0.95, abs=1e-3)
        assert within_p(counts, p, found.high - 0.02) > 0.05
    assert widths == sorted(widths, reverse=True) and widths[2] < 0.15
    assert within_p([0, 0], [0.5, 0.5], 0.1) == 1 and within_p([10, 0], [0.5, 0.5], 0.1) == 1
    assert math.isnan(confidence_sequence([0, 0], [0.5, 0.5]).low)


def test_a_set_is_no_farther_than_its_points() -> None:
    members = np.array([[0.3, 0.7], [0.6, 0.4]])
    found = confidence_sequence([190, 10], [0.6, 0.4], members)
    assert found.low == pytest.approx(confidence_sequence([190, 10], [0.6, 0.4]).low) and found.low > 0.2
    assert confidence_sequence([190, 10], [0.3, 0.7]).low > found.low + 0.25


def test_many_outcomes_have_limits_that_hold_too() -> None:
    p = np.full(20, 0.05)
    counts = np.array([40] + [2] * 19)
    found, few = confidence_sequence(counts, p), confidence_sequence([40, 38], [0.05, 0.95])
    true = 0.5 * np.abs(counts / counts.sum() - p).sum()
    assert 0 < found.low < true < found.high and found.high >= few.high - 0.2
    assert within_p(counts, p, 0.1) == 1 and within_p(np.full(20, 5000), p, 0.2) < 0.01


@pytest.mark.parametrize(
    ("p", "q"), [([0.5, 0.5], [0.5, 0.5]), ([0.5, 0.5], [0.85, 0.15]), ([0.2, 0.3, 0.5], [0.5, 0.3, 0.2])]
)
def test_it_holds_the_truth_after_every_clip_at_once(p: list[float], q: list[float]) -> None:
    rng, trials, held = np.random.default_rng(11), 150, 0
    truth = 0.5 * float(np.abs(np.array(p) - q).sum())
    for _ in range(trials):
        path = np.cumsum(np.eye(len(q), dtype=int)[rng.choice(len(q), size=120, p=q)], axis=0)
        ends = [confidence_sequence(counts, p) for counts in path[::6]]
        held += all(e.low - 1e-9 <= truth <= e.high + 1e-9 for e in ends)
    assert held >= reference.binom(trials, 0.95).ppf(0.001)
