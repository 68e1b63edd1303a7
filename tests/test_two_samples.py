import numpy as np
import pytest
from scipy.stats import fisher_exact

from calibrate.stats import two_samples as module
from calibrate.stats.two_samples import two_samples
from calibrate.stats.two_shares import change_interval, change_p


def test_two_outcomes_of_equal_samples_give_fishers_p() -> None:
    found = two_samples([3, 9], [10, 2], margin=0.1, seed=0)
    assert found.p == pytest.approx(fisher_exact([[3, 9], [10, 2]]).pvalue, abs=0.002)
    assert found.tv == pytest.approx(7 / 12)
    change = change_interval((3, 10), (12, 12))
    assert (found.interval.low, found.interval.high) == (change.low, change.high)


def test_two_outcomes_within_a_margin_are_two_one_sided_tests() -> None:
    found = two_samples([48, 52], [50, 50], margin=0.25, seed=0)
    below = change_p((48, 50), (100, 100), 0.25, side="below")
    above = change_p((48, 50), (100, 100), -0.25, side="above")
    assert found.p_apart == pytest.approx(max(below, above)) and found.p_apart < 0.01


def test_order_of_outcomes_and_samples_does_not_matter() -> None:
    a, b = [3, 5, 9, 1], [1, 9, 2, 6]
    found = two_samples(a, b, margin=0.1, seed=0)
    for other in (two_samples(a[::-1], b[::-1], margin=0.1, seed=0), two_samples(b, a, margin=0.1, seed=0)):
        assert other.tv == pytest.approx(found.tv) and other.p == pytest.approx(found.p, abs=0.01)
        assert other.interval.high == pytest.approx(found.interval.high) and other.p_apart == found.p_apart


def test_with_very_many_outcomes_the_worst_case_stands_for_all_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    a, b = [3, 5, 9, 1], [2, 6, 8, 2]
    found = two_samples(a, b, margin=0.3, seed=0)
    monkeypatch.setattr(module, "MOST_OUTCOMES", 3)
    worst = two_samples(a, b, margin=0.3, seed=0)
    assert worst.p_apart >= found.p_apart and worst.interval.high >= found.interval.high and worst.p == found.p


@pytest.mark.parametrize(("a", "b"), [([1, 2, 8, 5, 0], [1, 3, 23, 18, 2]), ([9, 4, 1, 1, 0, 18], [2, 1, 0, 1, 0, 6])])
def test_p_of_the_margin_is_the_largest_over_all_sets(a: list[int], b: list[int]) -> None:
    sets = [[k for k in range(len(a)) if code >> k & 1] for code in range(1, 2 ** len(a) - 1)]
    hits = [(sum(a[k] for k in chosen), sum(b[k] for k in chosen)) for chosen in sets]
    largest = max(change_p(pair, (sum(a), sum(b)), 0.5, side="below") for pair in hits)
    assert two_samples(a, b, margin=0.5, seed=0).p_apart == pytest.approx(largest)


@pytest.mark.parametrize(
    ("first", "second"),
    [([0.3, 0.3, 0.4], [0.3, 0.3, 0.4]), ([0.3, 0.3, 0.4], [0.6, 0.2, 0.2]), ([0.98, 0.01, 0.01], [0.9, 0.05, 0.05])],
)
def test_interval_and_tests_keep_what_they_promise(monkeypatch: pytest.MonkeyPatch, first: list, second: list) -> None:
    monkeypatch.setattr(module, "N_DRAWS", 1000)
    truth, trials = 0.5 * np.abs(np.subtract(first, second)).sum(), 250
    rng = np.random.default_rng(7)
    covered = alarms = within = 0
    for k in range(trials):
        a, b = rng.multinomial(16, first), rng.multinomial(24, second)
        found = two_samples(a, b, margin=max(truth, 0.05), seed=k)
        covered += found.interval.low - 1e-9 <= truth <= found.interval.high + 1e-9
        alarms += found.p <= 0.05
        within += found.p_apart <= 0.05  # they are just the margin apart, or at most that
    error = 3 * np.sqrt(0.05 * 0.95 / trials)
    assert covered / trials >= 0.95 - error
    assert truth > 0 or alarms / trials <= 0.05 + error
    assert truth == 0 or within / trials <= 0.05 + error


def test_refuses_what_are_no_counts_and_says_nothing_of_empty_samples() -> None:
    with pytest.raises(ValueError, match="two rows of counts"):
        two_samples([1, 2], [1, 2, 3], margin=0.1, seed=0)
    with pytest.raises(ValueError, match="margin must lie"):
        two_samples([1, 2], [1, 2], margin=1, seed=0)
    assert np.isnan(two_samples([0, 0], [1, 2], margin=0.1, seed=0).p)
