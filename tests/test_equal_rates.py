import numpy as np
import pytest
from scipy import stats as reference

from calibrate.stats.equal_rates import equal_rates_test


@pytest.mark.parametrize(("hits", "n"), [((1, 9), (40, 60)), ((0, 5), (20, 20)), ((7, 7), (50, 50))])
def test_two_groups_are_tested_as_by_pearson_within_the_conditional_law(hits, n) -> None:
    total, laws = sum(hits), reference.hypergeom(sum(n), n[0], sum(hits))
    first = np.arange(total + 1)
    expected = np.array(n) * total / sum(n)
    table = np.stack([first, total - first], axis=1)
    far = ((table - expected) ** 2 / expected).sum(axis=1)
    exact = laws.pmf(first)[far >= far[hits[0]] - 1e-9].sum()
    assert equal_rates_test(hits, n, seed=0) == pytest.approx(exact, abs=0.01)


def test_level_holds_for_many_groups_with_few_hits() -> None:
    rng, n = np.random.default_rng(2), [3, 10, 40, 40, 20, 1]
    below = sum(equal_rates_test(rng.binomial(n, 0.05), n, seed=0) < 0.05 for _ in range(300))
    assert below <= reference.binom(300, 0.05).ppf(0.99)


def test_without_hits_or_groups_there_is_nothing_to_find() -> None:
    assert equal_rates_test([0, 0], [5, 6], seed=0) == 1
    assert equal_rates_test([5, 6], [5, 6], seed=0) == 1
    assert equal_rates_test([2, 0], [5, 0], seed=0) == 1
    with pytest.raises(ValueError, match="hits must lie between 0 and n"):
        equal_rates_test([6, 0], [5, 5], seed=0)
