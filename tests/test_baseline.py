import pytest

from calibrate.stats import Baseline


def test_a_sample_knows_its_size_and_exact_probabilities_have_none() -> None:
    assert Baseline.sample([3, 1]) == Baseline(p=(0.75, 0.25), counts=(3, 1))
    assert Baseline.sample([3, 1]).n == 4
    assert Baseline.exact([0.75, 0.25]).n is None


def test_accepts_totals_that_are_off_by_rounding() -> None:
    assert sum(Baseline.exact([1 / 3 + 1e-10, 1 / 3, 1 / 3]).p) == pytest.approx(1, abs=1e-15)
    assert sum(Baseline.exact([0.333333, 0.333333, 0.333333]).p) == pytest.approx(1, abs=1e-15)
    assert Baseline.exact([0.2, 0.3, 0.5]).p == (0.2, 0.3, 0.5)


def test_refuses_what_is_not_a_distribution() -> None:
    with pytest.raises(ValueError, match="must sum to 1"):
        Baseline.exact([0.5, 0.4])
    with pytest.raises(ValueError, match=r"probabilities in \[0, 1\]"):
        Baseline.exact([1.5, -0.5])
    with pytest.raises(ValueError, match="must sum to 1"):
        Baseline.exact([0.5, 0.5001])
    for counts in ([1.5, 2], [float("nan"), 1], [float("inf"), 1]):
        with pytest.raises(ValueError, match="must be whole numbers"):
            Baseline.sample(counts)
    for p in ([float("nan"), 0.5], [float("inf"), 0.5]):
        with pytest.raises(ValueError, match=r"probabilities in \[0, 1\]"):
            Baseline.exact(p)
    with pytest.raises(ValueError, match="two or more"):
        Baseline.exact([1.0])
    with pytest.raises(ValueError, match="not be negative nor all zero"):
        Baseline.sample([0, 0])
    with pytest.raises(ValueError, match="not be negative nor all zero"):
        Baseline.sample([-1, 2])
