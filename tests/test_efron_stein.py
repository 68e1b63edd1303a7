import math

import numpy as np
import pytest
from scipy import stats as reference

from calibrate.stats.efron_stein import Spread, efron_stein_interval, efron_stein_p


def test_of_a_mean_it_is_students_interval_but_for_n_minus_one() -> None:
    # leaving clip i out moves a mean by (mean - x_i) / (n - 1); the sum of squares is s^2 / (n - 1), against s^2 / n
    x = np.random.default_rng(0).normal(size=40)
    spread = Spread(estimate=float(x.mean()), changes=tuple((x.mean() - x) / 39), floor=0.0)
    found = efron_stein_interval(spread, level=0.9)
    low, high = reference.t.interval(0.9, 39, loc=x.mean(), scale=x.std(ddof=1) / math.sqrt(39))
    assert (found.low, found.high, found.level) == (pytest.approx(low), pytest.approx(high), 0.9)
    assert efron_stein_p(spread) == pytest.approx(2 * reference.t.sf(abs(x.mean()) * math.sqrt(39) / x.std(ddof=1), 39))


def test_p_is_where_the_interval_leaves_out_zero() -> None:
    spread = Spread(estimate=0.3, changes=(0.1, -0.05, 0.08, 0.02), floor=0.002)
    found = efron_stein_interval(spread, level=1 - efron_stein_p(spread))
    assert found.low == pytest.approx(0, abs=1e-9) and found.high == pytest.approx(0.6)


def test_the_floor_widens_what_shows_no_variation() -> None:
    still = Spread(estimate=0.5, changes=(0.0,) * 8, floor=1 / 64)
    found = efron_stein_interval(still)
    assert found.high - found.low == pytest.approx(2 * reference.t.ppf(0.975, 7) / 8)
    assert efron_stein_p(Spread(estimate=0.0, changes=(0.0,), floor=0.0)) == 1
    assert efron_stein_p(Spread(estimate=0.1, changes=(0.0,), floor=0.0)) == 0


def test_a_level_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="level must lie strictly between 0 and 1, got 95"):
        efron_stein_interval(Spread(estimate=0.0, changes=(1.0,), floor=0.0), level=95)
