import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibrate.stats import benjamini_hochberg, holm

CELLS = json.loads((Path(__file__).parent / "data" / "calibench_exact.json").read_text())["cells"]


def test_equals_r() -> None:
    # R 4.3: p.adjust(c(0.01, 0.04, 0.03, 0.005), "BH")
    # [1] 0.02 0.04 0.04 0.02
    assert benjamini_hochberg([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.02, 0.04, 0.04, 0.02])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20), st.randoms(use_true_random=False))
def test_is_the_least_bound_over_ranks_below_holm_and_blind_to_order(p_values: list[float], random) -> None:
    found, m = benjamini_hochberg(p_values), len(p_values)
    for p, q, h in zip(p_values, found, holm(p_values), strict=True):
        slow = min(m * other / sum(each <= other for each in p_values) for other in p_values if other >= p)
        assert q == pytest.approx(min(1.0, slow), abs=1e-12) and q <= h + 1e-12
    order = list(range(m))
    random.shuffle(order)
    assert benjamini_hochberg([p_values[i] for i in order]) == pytest.approx([found[i] for i in order], abs=1e-12)


def test_28_of_the_44_published_cells_are_significant_and_27_if_the_untested_count_as_one() -> None:
    p_values = [cell["p_exact"] for cell in CELLS]
    found = benjamini_hochberg(p_values)
    assert sum(q is not None and q < 0.05 for q in found) == 28
    assert found.count(None) == p_values.count(None) == 10
    assert sum(q < 0.05 for q in benjamini_hochberg([1.0 if p is None else p for p in p_values])) == 27


def test_no_cell_is_no_cell_and_what_is_no_p_value_is_refused() -> None:
    assert benjamini_hochberg([]) == [] and benjamini_hochberg([None]) == [None]
    with pytest.raises(ValueError, match=r"p_values must lie in \[0, 1\], got \[1.2\]"):
        benjamini_hochberg([1.2])
