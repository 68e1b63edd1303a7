import numpy as np
import pytest

from calibrate.stats import holm


def test_equals_r() -> None:
    # R 4.3: p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm")
    # [1] 0.03 0.06 0.06 0.02
    np.testing.assert_allclose(holm([0.01, 0.04, 0.03, 0.005]), [0.03, 0.06, 0.06, 0.02])


def test_cells_that_were_not_tested_stay_out_of_the_family() -> None:
    assert holm([None, 0.02, None]) == [None, 0.02, None]
    assert holm([]) == []


def test_never_exceeds_one_and_keeps_the_order() -> None:
    p = [0.5, 0.2, 0.9, 0.2]
    adjusted = holm(p)
    assert max(adjusted) == 1.0 and adjusted[1] == adjusted[3]
    assert all(a >= b for a, b in zip(adjusted, p, strict=True))


def test_refuses_what_is_no_probability() -> None:
    with pytest.raises(ValueError, match=r"p_values must lie in \[0, 1\]"):
        holm([1.2])
