import math

import numpy as np
import pytest
from scipy import stats as reference

from calibrate.stats.never_shown import good_turing, missed_p, never_shown_limit


@pytest.mark.parametrize(("n", "hits", "total", "k"), [(25, 500, 5000, 6), (8, 0, 5000, 11), (200, 4999, 5000, 2)])
def test_missing_by_chance_is_the_beta_binomial_probability_of_zero(n: int, hits: int, total: int, k: int) -> None:
    exact = reference.betabinom(n, hits + 0.5, total - hits + 0.5 * (k - 1)).pmf(0)
    assert missed_p(n, hits, total, k) == pytest.approx(exact, rel=1e-6)
    assert missed_p(0, hits, total, k) == 1


def test_a_well_known_reference_gives_the_binomial_probability() -> None:
    # the textbook: no six in 25 throws of a fair die, (5/6)^25 = 0.01048
    assert missed_p(25, 1e6, 6e6, 6) == pytest.approx((5 / 6) ** 25, rel=1e-3)


def test_good_turing_is_the_share_of_what_was_shown_once() -> None:
    assert good_turing([5, 1, 1, 0]) == pytest.approx(2 / 7)
    assert good_turing([5, 1]) == 0 and math.isnan(good_turing([0, 0]))


def test_limit_of_two_outcomes_is_clopper_and_pearsons_and_few_or_many_take_their_own() -> None:
    found = reference.binomtest(0, 25).proportion_ci(0.95, method="exact")
    assert never_shown_limit([25, 0]) == pytest.approx(found.high, abs=1e-9)
    assert never_shown_limit([3, 4]) == 0 and math.isnan(never_shown_limit([0, 0]))
    many = [1] * 20 + [0] * 4000
    raised = (1 + math.sqrt(2)) * math.sqrt(math.log(40) / 20)
    assert never_shown_limit(many) == min(1.0, 1 + raised) == 1
    large = [40] * 100 + [0] * 4000
    assert never_shown_limit(large) == pytest.approx((1 + math.sqrt(2)) * math.sqrt(math.log(40) / 4000))


@pytest.mark.parametrize("shape", ["uniform", "steep", "one rare", "many"])
def test_the_limit_covers(shape: str) -> None:
    q = {
        "uniform": np.full(6, 1 / 6),
        "steep": np.array([0.7, 0.2, 0.06, 0.03, 0.01]),
        "one rare": np.array([0.95, 0.05]),
        "many": np.full(300, 1 / 300),
    }[shape]
    trials = 400
    for n in (8, 50):
        drawn = np.random.default_rng(n).multinomial(n, q, size=trials)
        held = sum(q[row == 0].sum() <= never_shown_limit(row.tolist()) + 1e-12 for row in drawn)
        assert held >= reference.binom(trials, 0.95).ppf(0.001)


@pytest.mark.parametrize("bad", [(-1, 1, 2), (1, 3, 2), (1, -1, 2)])
def test_numbers_that_are_none_are_refused(bad: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match="n must not be negative and hits lie between 0 and total"):
        missed_p(*bad, 2)
    with pytest.raises(ValueError, match="level must lie strictly between 0 and 1"):
        never_shown_limit([1, 0], level=1)
