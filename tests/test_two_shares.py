import numpy as np
import pytest
from scipy.stats import barnard_exact, binom

from calibrate.stats import clopper_pearson, two_shares
from calibrate.stats.two_shares import change_interval, change_p


@pytest.mark.parametrize(("hits", "n"), [((1, 9), (10, 10)), ((7, 12), (15, 14)), ((3, 3), (9, 12))])
def test_without_a_change_it_is_barnards_test(hits: tuple[int, int], n: tuple[int, int]) -> None:
    table = [[hits[1], hits[0]], [n[1] - hits[1], n[0] - hits[0]]]
    expected = barnard_exact(table, alternative="greater", pooled=True, n=256).pvalue
    assert change_p(hits, n, 0.0, side="above") == pytest.approx(expected, abs=2e-4)


def test_sides_mirror_each_other() -> None:
    assert change_p((3, 9), (12, 15), 0.1, side="above") == change_p((9, 3), (15, 12), -0.1, side="below")
    found, back = change_interval((3, 9), (12, 15)), change_interval((9, 3), (15, 12))
    assert (found.low, found.high) == (-back.high, -back.low)


def test_many_clips_get_the_normal_limit_which_is_near_the_sum(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = change_p((90, 120), (200, 200), 0.05, side="above")
    monkeypatch.setattr(two_shares, "MOST_TABLES", 10)
    assert change_p((90, 120), (200, 200), 0.05, side="above") == pytest.approx(exact, rel=0.15)


@pytest.mark.parametrize("n", [(8, 12), (24, 24)])
@pytest.mark.parametrize(("before", "change"), [(0.5, 0.0), (0.5, 0.48), (0.05, 0.1), (0.9, -0.3)])
def test_the_interval_covers_and_the_test_keeps_its_level(n: tuple[int, int], before: float, change: float) -> None:
    # summed over all tables, not simulated; those of probability below 1e-4 count as misses
    missed = false_alarms = 0.0
    for x in range(n[0] + 1):
        for y in range(n[1] + 1):
            weight = binom.pmf(x, n[0], before) * binom.pmf(y, n[1], before + change)
            if weight < 1e-4:
                missed += weight
                continue
            found = change_interval((x, y), n)
            missed += weight * (not found.low <= change <= found.high)
            false_alarms += weight * (change_p((x, y), n, change, side="above") <= 0.05)
    assert missed <= 0.05 + 1e-3 and false_alarms <= 0.05 + 1e-3


def test_a_certain_first_share_gives_nearly_the_interval_of_the_second_alone() -> None:
    alone = clopper_pearson(7, 10)
    found = change_interval((0, 7), (400, 10))
    assert found.low == pytest.approx(alone.low, abs=0.05) and found.high == pytest.approx(alone.high, abs=0.02)


@pytest.mark.parametrize(("hits", "n"), [((44, 83), (45, 83)), ((40, 80), (41, 80)), ((12, 33), (20, 40))])
def test_p_is_the_largest_over_every_share_that_both_may_have(hits: tuple[int, int], n: tuple[int, int]) -> None:
    x, y = np.arange(n[0] + 1)[:, None], np.arange(n[1] + 1)[None]
    pooled = (x + y) / (n[0] + n[1])
    with np.errstate(invalid="ignore"):  # without a change the likeliest common share is the pooled one
        z = np.nan_to_num((y / n[1] - x / n[0]) / np.sqrt(pooled * (1 - pooled) * (1 / n[0] + 1 / n[1])))
    far = z >= z[hits] - 1e-9
    share = np.linspace(0, 1, 5001)
    first, second = (binom.pmf(np.arange(size + 1), size, share[:, None]) for size in n)
    assert change_p(hits, n, 0.0, side="above") == pytest.approx(((first @ far) * second).sum(axis=1).max(), rel=0.005)


def test_refuses_what_is_no_pair_of_counts() -> None:
    with pytest.raises(ValueError, match="hits must lie between 0 and n"):
        change_p((3, 1), (2, 4), 0.0, side="above")
    with pytest.raises(ValueError, match="change must lie in"):
        change_p((1, 1), (2, 4), 1.5, side="above")
    assert np.isnan(change_p((0, 1), (0, 4), 0.0, side="above")) and np.isnan(change_interval((0, 1), (0, 4)).low)
