import pytest

from calibrate.stats import Baseline


def test_a_sample_knows_its_size_and_exact_probabilities_have_none() -> None:
    assert Baseline.sample([3, 1]) == Baseline(p=(0.75, 0.25), counts=(3, 1))
    assert Baseline.sample([3, 1]).n == 4
    assert Baseline.exact([0.75, 0.25]).n is None


def test_accepts_totals_that_are_off_by_rounding() -> None:
    Baseline.exact([1 / 3 + 1e-10, 1 / 3, 1 / 3])


def test_refuses_what_is_not_a_distribution() -> None:
    with pytest.raises(ValueError, match="must sum to 1"):
        Baseline.exact([0.5, 0.4])
    with pytest.raises(ValueError, match=r"probabilities in \[0, 1\]"):
        Baseline.exact([1.5, -0.5])
    with pytest.raises(ValueError, match="two or more"):
        Baseline.exact([1.0])
    with pytest.raises(ValueError, match="not be negative nor all zero"):
        Baseline.sample([0, 0])
    with pytest.raises(ValueError, match="not be negative nor all zero"):
        Baseline.sample([-1, 2])
