import json
import math
from math import comb
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibrate.stats import Baseline, excess, expected_total_variation, total_variation

PUBLISHED = json.loads((Path(__file__).parent / "data" / "calibench_cells.json").read_text())["cells"]


def published_baseline(cell: str, k: int) -> Baseline:
    """CaliBench's references: Binomial(10, 1/2), 18/37 18/37 1/37, else uniform."""
    if "galton" in cell:
        return Baseline.exact([comb(10, i) / 1024 for i in range(11)])
    return Baseline.exact([18 / 37, 18 / 37, 1 / 37] if "roulette" in cell else [1 / k] * k)


@pytest.mark.parametrize("row", PUBLISHED, ids=lambda row: row["cell"])
def test_agrees_with_every_published_cell(row: dict) -> None:
    baseline = published_baseline(row["cell"], len(row["counts"]))
    tv, e0 = total_variation(row["counts"], baseline), expected_total_variation(sum(row["counts"]), baseline)
    np.testing.assert_allclose([tv, e0, excess(tv, e0)], [row["tv"], row["e0"], row["excess"]], rtol=0, atol=1e-12)


@given(st.lists(st.integers(1, 30), min_size=2, max_size=7), st.integers(1, 60))
def test_expectation_equals_the_sum_over_the_binomial_law(weights: list[int], n: int) -> None:
    p = [w / sum(weights) for w in weights]
    slow = sum(comb(n, x) * q**x * (1 - q) ** (n - x) * abs(x - n * q) for q in p for x in range(n + 1)) / (2 * n)
    assert expected_total_variation(n, Baseline.exact(p)) == pytest.approx(slow, abs=1e-12)


@given(st.lists(st.integers(0, 40), min_size=2, max_size=8).filter(any), st.randoms(use_true_random=False))
def test_relabelling_the_outcomes_and_doubling_the_counts_change_nothing(counts: list[int], random) -> None:
    p = [random.random() + 0.01 for _ in counts]
    p = [q / sum(p) for q in p]
    order = random.sample(range(len(p)), len(p))
    tv = total_variation(counts, Baseline.exact(p))
    assert 0 <= tv <= 1
    assert total_variation([counts[i] for i in order], Baseline.exact([p[i] for i in order])) == pytest.approx(tv)
    assert total_variation([2 * c for c in counts], Baseline.exact(p)) == pytest.approx(tv)


def test_is_undefined_and_not_zero_for_no_clips() -> None:
    baseline = Baseline.exact([0.5, 0.5])
    assert math.isnan(total_variation([0, 0], baseline))
    assert math.isnan(expected_total_variation(0, baseline))
    assert math.isnan(excess(1.0, 1.0))


def test_an_outcome_of_probability_zero_or_one_is_finite() -> None:
    baseline = Baseline.exact([1.0, 0.0])
    assert total_variation([3, 1], baseline) == 0.25
    assert expected_total_variation(4, baseline) == 0.0
    assert expected_total_variation(5, Baseline.exact([1 - 1e-16, 1e-16])) == pytest.approx(1e-16, rel=0.2)


def test_refuses_counts_that_are_not_counts() -> None:
    baseline = Baseline.exact([0.5, 0.5])
    with pytest.raises(ValueError, match="one per outcome"):
        total_variation([1, 2, 3], baseline)
    with pytest.raises(ValueError, match="whole and not negative"):
        total_variation([1, -1], baseline)
    with pytest.raises(ValueError, match="whole and not negative"):
        total_variation([0.5, 1], baseline)
    with pytest.raises(ValueError, match="n must not be negative"):
        expected_total_variation(-1, baseline)
