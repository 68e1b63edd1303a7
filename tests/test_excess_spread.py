import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibrate.stats import Baseline, excess, expected_total_variation, total_variation
from calibrate.stats.excess_spread import Part, excess_spread

COIN = Baseline.exact([0.5, 0.5])


def part(shown, clusters=None, weight=1.0, baseline=COIN) -> Part:
    return Part(
        shown=tuple(shown),
        clusters=tuple(clusters if clusters is not None else range(len(shown))),
        n_outcomes=len(baseline.p),
        tv=lambda counts: total_variation(counts, baseline),
        expected=expected_total_variation(len(shown), baseline),
        weight=weight,
    )


@given(st.lists(st.integers(0, 1), min_size=2, max_size=12), st.floats(-1, 1))
def test_changes_are_those_of_the_statistic_computed_anew(shown: list[int], weight: float) -> None:
    found = excess_spread([part(shown, weight=weight)])
    expected = expected_total_variation(len(shown), COIN)

    def value(clips: list[int]) -> float:
        counts = [clips.count(0), clips.count(1)]
        return weight * excess(total_variation(counts, COIN), expected)

    assert found.estimate == pytest.approx(value(shown))
    without = [value(shown[:i] + shown[i + 1 :]) - value(shown) for i in range(len(shown))]
    assert found.changes == pytest.approx(without)
    assert found.floor == pytest.approx((weight / (1 - expected) / len(shown)) ** 2)


def test_a_cluster_is_left_out_of_all_cells_together() -> None:
    a, b = part([0, 0, 0, 1], weight=1.0), part([0, 0, 0, 1], weight=-1.0)
    paired = excess_spread([a, b])
    assert paired.estimate == 0 and paired.changes == pytest.approx([0] * 4)
    apart = excess_spread([a, part([0, 0, 0, 1], clusters="abcd", weight=-1.0)])
    assert len(apart.changes) == 8 and apart.error > paired.error


def test_a_cell_that_is_left_empty_changes_by_as_much_as_one_can() -> None:
    found = excess_spread([part([0, 1], clusters=[7, 7])])
    assert found.changes == pytest.approx([1 / (1 - expected_total_variation(2, COIN))])


def test_the_error_is_no_less_than_the_true_one_on_average() -> None:
    # Efron and Stein's inequality, for the statistic and the truths that `compare` meets
    rng, n = np.random.default_rng(1), 12
    for q in (0.5, 0.8, 0.95):
        shown = (rng.random((1500, n)) > q).astype(int)
        spreads = [excess_spread([part(row.tolist())]) for row in shown]
        mean_square = np.mean([sum(c * c for c in s.changes) for s in spreads])
        assert mean_square >= 0.95 * np.var([s.estimate for s in spreads])
