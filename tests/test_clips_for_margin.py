import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calibrate.stats import Baseline, clips_for_margin


@pytest.mark.parametrize(
    ("p", "margin", "n"),
    # Cochran 1977, eq. 4.2: n = z^2 p (1 - p) / d^2 with z = 1.959964
    [(0.5, 0.1, 96.04), (0.5, 0.05, 384.15), (0.2, 0.05, 245.85), (0.9, 0.1, 34.57)],
)
def test_two_outcomes_take_as_many_clips_as_the_textbook_says(p: float, margin: float, n: float) -> None:
    found = clips_for_margin(Baseline.exact([p, 1 - p]), margin, seed=3)
    assert found == pytest.approx(n, rel=0.02, abs=1)


@pytest.mark.parametrize("p", [[1 / 6] * 6, [0.7, 0.2, 0.05, 0.05], [0.0, 0.3, 0.7]])
def test_faithful_models_stay_within_the_margin_in_95_of_100_studies(p: list[float]) -> None:
    n = clips_for_margin(Baseline.exact(p), 0.02, seed=1)
    shares = np.random.default_rng(8).multinomial(n, p, size=20_000) / n
    tv = 0.5 * np.abs(shares - p).sum(axis=1)
    step = 1 / n  # total variation of n clips comes in steps
    assert 0.94 <= (tv <= 0.02 + step).mean() and (tv <= 0.02 - step).mean() <= 0.96


@settings(max_examples=10)
@given(st.lists(st.integers(1, 50), min_size=2, max_size=6), st.floats(0.02, 0.4))
def test_the_order_of_the_outcomes_and_a_wider_margin_ask_for_no_more(counts: list[int], margin: float) -> None:
    n = clips_for_margin(Baseline.sample(counts), margin, seed=0)
    assert clips_for_margin(Baseline.sample(counts[::-1]), margin, seed=0) == pytest.approx(n, rel=0.05, abs=1)
    assert 1 <= clips_for_margin(Baseline.sample(counts), min(0.9, 2 * margin), seed=0) <= n


def test_a_certain_outcome_takes_one_clip_and_no_margin_is_refused() -> None:
    assert clips_for_margin(Baseline.exact([1, 0]), 0.1, seed=0) == 1
    for margin in (0, 1, -0.1):
        with pytest.raises(ValueError, match="margin must lie strictly between 0 and 1, got"):
            clips_for_margin(Baseline.exact([0.5, 0.5]), margin, seed=0)
