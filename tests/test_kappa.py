import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibrate.stats import cohen_kappa, stratified_kappa

FLEISS = [[75, 1, 4], [5, 4, 1], [0, 0, 10]]
PATHOLOGISTS = [[22, 2, 2, 0], [5, 7, 14, 0], [0, 2, 36, 0], [0, 1, 17, 10]]
TABLES = st.integers(2, 5).flatmap(
    lambda k: st.lists(st.lists(st.integers(0, 30), min_size=k, max_size=k), min_size=k, max_size=k)
)


def test_fleiss_diagnoses() -> None:
    # Fleiss 1981, Statistical Methods for Rates and Proportions, table 13.1: by hand p_o = .75 + .04 + .10 = .89,
    # p_e = .80 x .80 + .10 x .05 + .10 x .15 = .66, kappa = (.89 - .66) / (1 - .66) = .676
    found = cohen_kappa(FLEISS)
    assert (found.n, found.agreement, found.by_chance) == (100, pytest.approx(0.89), pytest.approx(0.66))
    assert found.kappa == pytest.approx(0.23 / 0.34, abs=1e-12)


def test_agresti_pathologists() -> None:
    # Agresti 2002, Categorical Data Analysis, table 10.8 and section 10.5.4: p_o = .636, p_e = .281, kappa = .493,
    # standard error .057
    found = cohen_kappa(PATHOLOGISTS)
    assert found.n == 118
    assert round(found.agreement, 3) == 0.636 and round(found.by_chance, 3) == 0.281
    assert round(found.kappa, 3) == 0.493 and round(found.standard_error, 3) == 0.057


def test_the_standard_error_is_that_of_simulated_tables() -> None:
    n, share = 4_000, np.array(PATHOLOGISTS) / 118
    tables = np.random.default_rng(5).multinomial(n, share.ravel(), size=1_500).reshape(-1, 4, 4)
    kappas = [cohen_kappa(table).kappa for table in tables]
    stated = cohen_kappa(np.round(share * n).astype(int)).standard_error
    assert np.std(kappas) == pytest.approx(stated, rel=0.06)  # 3 standard errors of a spread from 1,500 values


def true_table(margin: list[float], other: list[float], kappa: float) -> np.ndarray:
    """(K, K) probabilities: in a share kappa of the clips both see the same, else each guesses by its own habit."""
    a, b = np.array(margin), np.array(other)
    return kappa * np.diag((a + b) / 2) + (1 - kappa) * np.outer(a, b)


def kappa_of(share: np.ndarray) -> float:
    chance = float(share.sum(axis=1) @ share.sum(axis=0))
    return (float(np.trace(share)) - chance) / (1 - chance)


@pytest.mark.parametrize("n", [8, 32, 200])
@pytest.mark.parametrize("margin", [[0.5, 0.5], [0.9, 0.1], [0.95, 0.05], [0.7, 0.2, 0.1], [1 / 7] * 7])
@pytest.mark.parametrize("kappa", [0.0, 0.6, 0.9, 0.98])
def test_intervals_cover_the_truth_in_95_of_100_tables(n: int, margin: list[float], kappa: float) -> None:
    for other in (margin, margin[::-1]):
        share = true_table(margin, other, kappa)
        truth = kappa_of(share)
        tables = np.random.default_rng(n).multinomial(n, share.ravel(), size=400).reshape(-1, len(margin), len(margin))
        found = [cohen_kappa(table) for table in tables]
        missed = sum(not (f.interval.low <= truth <= f.interval.high) for f in found if not math.isnan(f.kappa))
        assert missed <= 33  # of 400 at 5 %: beyond 20 + 3 sqrt(400 x 0.05 x 0.95)


def test_the_usual_interval_fails_where_all_agree_by_luck() -> None:
    truth, n = 0.9, 16
    tables = np.random.default_rng(2).multinomial(n, true_table([0.5, 0.5], [0.5, 0.5], truth).ravel(), size=300)
    found = [cohen_kappa(table.reshape(2, 2)) for table in tables]
    usual = np.mean([abs(f.kappa - truth) <= 1.96 * f.standard_error for f in found])
    ours = np.mean([f.interval.low <= truth <= f.interval.high for f in found])
    assert usual < 0.7 and ours >= 0.94


@given(TABLES)
def test_swapping_judges_and_reordering_outcomes_changes_nothing(rows: list[list[int]]) -> None:
    table = np.array(rows)
    found, order = cohen_kappa(table), np.arange(len(table))[::-1]
    for other in (cohen_kappa(table.T), cohen_kappa(table[order][:, order])):
        assert (other.n, other.agreement, other.kappa) == pytest.approx(
            (found.n, found.agreement, found.kappa), nan_ok=True
        )
        assert other.standard_error == pytest.approx(found.standard_error, abs=1e-6, nan_ok=True)
    if not math.isnan(found.kappa):
        assert (
            -1 <= found.interval.low <= found.kappa + 1e-12 and found.kappa <= found.interval.high + 1e-12 <= 1 + 1e-9
        )
        assert (found.kappa == pytest.approx(1)) == (int(np.trace(table)) == found.n)


def test_what_is_undefined_is_nan() -> None:
    always = cohen_kappa([[7, 0], [0, 0]])
    assert always.agreement == 1 and always.by_chance == 1
    assert math.isnan(always.kappa) and math.isnan(always.interval.low) and math.isnan(always.standard_error)
    empty = cohen_kappa(np.zeros((3, 3), int))
    assert empty.n == 0 and math.isnan(empty.agreement) and math.isnan(empty.kappa)


def test_scenes_are_weighted_by_their_clips_and_those_without_kappa_are_counted() -> None:
    fleiss, pathologists = cohen_kappa(FLEISS), cohen_kappa(PATHOLOGISTS)
    found = stratified_kappa([fleiss, pathologists, cohen_kappa([[7, 0], [0, 0]])])
    assert found.kappa == pytest.approx((100 * fleiss.kappa + 118 * pathologists.kappa) / 218)
    assert found.n_left_out == 1
    widths = [k.interval.high - k.interval.low for k in (fleiss, pathologists)]
    assert found.interval.high - found.interval.low < min(widths)
    alone = stratified_kappa([fleiss])
    assert (alone.kappa, alone.interval.low) == pytest.approx((fleiss.kappa, fleiss.interval.low))
    nothing = stratified_kappa([])
    assert math.isnan(nothing.kappa) and nothing.n_left_out == 0


def test_stratified_intervals_cover_the_truth() -> None:
    rng = np.random.default_rng(11)
    shares = [true_table([0.5, 0.5], [0.5, 0.5], 0.9), true_table([1 / 6] * 6, [1 / 6] * 6, 0.95)]
    truth, n = (0.9 * 24 + 0.95 * 48) / 72, (24, 48)
    missed = 0
    for _ in range(400):
        tables = [rng.multinomial(m, s.ravel()).reshape(s.shape) for m, s in zip(n, shares, strict=True)]
        interval = stratified_kappa([cohen_kappa(table) for table in tables]).interval
        missed += not (interval.low <= truth <= interval.high)
    assert missed <= 33


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ([[1, 2]], r"table must be square, got shape \(1, 2\)"),
        ([], "table must be square"),
        ([[1, -1], [0, 1]], "table must hold whole counts that are not negative"),
        ([[1, 0.5], [0, 1]], "table must hold whole counts"),
    ],
)
def test_refuses_what_is_no_table(table: list, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        cohen_kappa(table)
