import numpy as np
import pytest
from scipy import stats as reference

from calibrate.stats import Baseline
from calibrate.stats.compositions import compositions, draws, log_coefficients, n_compositions, probabilities


@pytest.mark.parametrize(("n", "k"), [(1, 2), (5, 3), (4, 6)])
def test_lists_every_table_once(n: int, k: int) -> None:
    tables = compositions(n, k)
    assert len({tuple(t) for t in tables.tolist()}) == len(tables) == n_compositions(n, k)
    assert (tables.sum(axis=1) == n).all() and (tables >= 0).all()


def test_probabilities_are_the_multinomial_and_the_dirichlet_multinomial_law() -> None:
    tables = compositions(5, 3)
    np.testing.assert_allclose(
        probabilities(tables, Baseline.exact([0.2, 0.5, 0.3])), reference.multinomial(5, [0.2, 0.5, 0.3]).pmf(tables)
    )
    expected = [reference.dirichlet_multinomial([4.5, 10.5, 0.5], 5).pmf(t) for t in tables]
    np.testing.assert_allclose(probabilities(tables, Baseline.sample([4, 10, 0])), expected)
    np.testing.assert_allclose(np.exp(log_coefficients(np.array([[2, 1], [3, 0]]))), [3, 1])


def test_draws_follow_the_same_law() -> None:
    drawn = draws(3, Baseline.sample([4, 10, 0]), n_draws=40_000, rng=np.random.default_rng(5))
    tables = compositions(3, 3)
    seen = np.array([(drawn == t).all(axis=1).mean() for t in tables])
    expected = probabilities(tables, Baseline.sample([4, 10, 0]))
    assert (np.abs(seen - expected) < 4.5 * np.sqrt(expected * (1 - expected) / 40_000) + 1e-9).all()
