import pytest

from calibrate.stats import Interval, clopper_pearson
from calibrate.stats.difference_interval import LEAST_P, difference_interval, difference_p, mover_interval


def limits(hits: int, n: int):
    return lambda level: clopper_pearson(hits, n, level=level)


def test_each_interval_has_half_of_the_error() -> None:
    found = difference_interval(limits(9, 10), limits(2, 10), level=0.9)
    a, b = clopper_pearson(9, 10, level=0.95), clopper_pearson(2, 10, level=0.95)
    assert (found.low, found.high, found.level) == (a.low - b.high, a.high - b.low, 0.9)


def test_p_is_the_least_error_at_which_zero_is_left_out() -> None:
    first, second = limits(18, 20), limits(8, 20)
    p = difference_p(first, second)
    assert 0.01 < p < 0.1 and p == pytest.approx(difference_p(second, first))
    assert difference_interval(first, second, level=1 - p * 1.03).low > 0
    assert difference_interval(first, second, level=1 - p / 1.03).low <= 0
    assert difference_p(limits(5, 10), limits(5, 10)) == 1 and difference_p(limits(0, 400), limits(400, 400)) == LEAST_P


def test_mover_is_wilsons_for_two_shares() -> None:
    # Newcombe 1998, Statistics in Medicine 17, 873, table II, contrast (a), method 10: 0.0524 to 0.3339
    from calibrate.stats import wilson

    found = mover_interval(
        lambda level: wilson(56, 70, level=level), lambda level: wilson(48, 80, level=level), (56 / 70, 48 / 80)
    )
    assert found.low == pytest.approx(0.0524, abs=5e-5) and found.high == pytest.approx(0.3339, abs=5e-5)
    assert isinstance(found, Interval)
