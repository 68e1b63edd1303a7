from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibrate.stats import Baseline, expected_total_variation, rarefaction, total_variation
from calibrate.stats.rarefaction import rarefied, rarefied_total_variation


@given(counts=st.lists(st.integers(0, 4), min_size=2, max_size=3).filter(lambda c: sum(c) >= 2), data=st.data())
def test_is_the_mean_over_every_choice_of_clips(counts: list[int], data: st.DataObject) -> None:
    n = data.draw(st.integers(1, sum(counts)))
    clips = [k for k, count in enumerate(counts) for _ in range(count)]
    p = (np.arange(1, len(counts) + 1) / np.arange(1, len(counts) + 1).sum()).tolist()
    baseline = Baseline.exact(p)

    def tv(table: tuple[int, ...]) -> float:
        return total_variation(table, baseline)

    plain = np.mean([tv(tuple(np.bincount(some, minlength=len(counts)))) for some in combinations(clips, n)])
    assert rarefied(counts, n, tv, n_draws=1, seed=0) == pytest.approx(plain)
    assert rarefied_total_variation(counts, n, p) == pytest.approx(plain)


def test_many_tables_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    counts, p = [9, 5, 7, 3], [0.25] * 4
    exact = rarefied_total_variation(counts, 10, p)
    monkeypatch.setattr(rarefaction, "MOST_TABLES", 10)
    baseline = Baseline.exact(p)
    drawn = rarefied(counts, 10, lambda c: total_variation(c, baseline), n_draws=4000, seed=3)
    assert drawn != exact and drawn == pytest.approx(exact, abs=0.005)


def test_clips_of_a_model_show_on_average_what_fewer_of_its_clips_would() -> None:
    q, p, rng = np.array([0.7, 0.2, 0.1]), [0.4, 0.3, 0.3], np.random.default_rng(2)
    few = 0.5 * np.abs(rng.multinomial(8, q, size=40_000) / 8 - p).sum(axis=1)
    many = np.array([rarefied_total_variation(c, 8, p) for c in rng.multinomial(40, q, size=1500).tolist()])
    assert many.mean() == pytest.approx(few.mean(), abs=4 * (few.std() / 200 + many.std() / 38))
    assert many.std() < 0.7 * few.std()
    faithful = rng.multinomial(40, p, size=1500).tolist()
    expected = expected_total_variation(8, Baseline.exact(p))
    assert np.mean([rarefied_total_variation(c, 8, p) for c in faithful]) == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize("n", [0, 5])
def test_refuses_more_clips_than_there_are(n: int) -> None:
    with pytest.raises(ValueError, match="n must lie between 1 and the number of clips, got . of 4"):
        rarefied_total_variation([2, 2], n, [0.5, 0.5])
    with pytest.raises(ValueError, match="n must lie between 1 and the number of clips"):
        rarefied([2, 2], n, lambda counts: 0.0, n_draws=1, seed=0)
