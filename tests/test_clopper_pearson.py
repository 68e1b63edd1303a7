import math

import pytest
from scipy import stats as reference

from calibrate.stats import clopper_pearson


@pytest.mark.parametrize(("hits", "n"), [(0, 10), (3, 10), (10, 10), (1, 1), (12, 24), (499, 500)])
def test_equals_scipy(hits: int, n: int) -> None:
    for level in (0.9, 0.95):
        expected = reference.binomtest(hits, n).proportion_ci(level, method="exact")
        found = clopper_pearson(hits, n, level=level)
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-12)
        assert found.low <= hits / n <= found.high


def test_nothing_tried_is_undefined() -> None:
    found = clopper_pearson(0, 0)
    assert math.isnan(found.low) and math.isnan(found.high)


def test_refuses_impossible_arguments() -> None:
    with pytest.raises(ValueError, match="hits must lie between 0 and n"):
        clopper_pearson(3, 2)
    with pytest.raises(ValueError, match="level must lie strictly between 0 and 1, got 95"):
        clopper_pearson(1, 2, level=95)
