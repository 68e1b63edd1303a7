from dataclasses import replace

import numpy as np
import pytest
from scipy import stats as reference

from calibrate.cell import measure
from calibrate.clip_row import ClipRow
from calibrate.clusters import cluster_names, clusters, independent_clips
from calibrate.corrected import corrected
from calibrate.stats.clustered import effective_number, whole_counts
from calibrate.stats.confusion import Confusion


def rows_of(outcomes, *, seeds=None, groups=None) -> list[ClipRow]:
    return [
        ClipRow(
            model="m",
            scene="coin_toss",
            file=str(k),
            status="scored" if outcome else "null",
            outcome=outcome,
            reason=None if outcome else "no_motion",
            seed=None if seeds is None else seeds[k],
            group=None if groups is None else groups[k],
        )
        for k, outcome in enumerate(outcomes)
    ]


@pytest.mark.parametrize(("faithful_within", "size"), [(1.0, 4), (0.5, 4), (0.0, 4), (1.0, 2)])
def test_level_and_coverage_hold_however_strongly_clips_of_a_group_hang_together(
    faithful_within: float, size: int, made_references
) -> None:
    """Each clip copies its group's first outcome with a chance, else draws its own."""
    rng, trials, rejected, missed, naive = np.random.default_rng(3), 200, 0, 0, 0
    groups = [k // size for k in range(40)]
    known = {}
    for _ in range(trials):
        own = np.where(rng.random(40) < 0.52, "heads", "tails")
        copied = rng.random(40) < faithful_within
        said = [own[g * size] if copy else own[k] for k, (g, copy) in enumerate(zip(groups, copied, strict=True))]
        n_heads = said.count("heads")
        if n_heads not in known:
            cell = measure("m", "coin_toss", rows_of(said, groups=groups), made_references["coin_toss"], seed=0)
            plain = measure("m", "coin_toss", rows_of(said), made_references["coin_toss"], seed=0)
            known[n_heads] = (cell.p <= 0.05, cell.tv_interval[0] > 0, plain.p <= 0.05)
        p_low, low_above, plain_low = known[n_heads]
        rejected, missed, naive = rejected + p_low, missed + low_above, naive + plain_low
    allowed = reference.binom(trials, 0.05).ppf(0.99)
    assert rejected <= allowed and missed <= allowed
    if faithful_within == 1.0 and size == 4:
        assert naive > 2 * allowed  # so that the test would fail without the clusters


def test_a_cell_says_what_its_clips_are_worth(made_references) -> None:
    found = made_references["coin_toss"]
    said = ["heads"] * 18 + ["tails"] * 6 + [None]
    paired = measure("m", "coin_toss", rows_of(said, groups=[k // 2 for k in range(25)]), found, seed=0)
    half = measure("m", "coin_toss", rows_of(["heads"] * 9 + ["tails"] * 3), found, seed=0)
    assert paired.n_independent == 12 and paired.scored == 24
    assert (paired.p, paired.tv_expected, paired.tv_interval) == (half.p, half.tv_expected, half.tv_interval)
    assert paired.p_method.endswith("as of 12 independent clips")


def test_the_judges_error_is_carried_through_as_of_so_many_clips(made_references) -> None:
    found = made_references["coin_toss"]
    whole = corrected(
        {"heads": 18, "tails": 6}, 2, found, Confusion.exact(np.eye(3)), confusion_from="", seed=0, worth=0.5
    )
    half = corrected({"heads": 9, "tails": 3}, 1, found, Confusion.exact(np.eye(3)), confusion_from="", seed=0)
    assert whole.n_effective == pytest.approx(12) and whole.p == half.p and whole.tv_interval == half.tv_interval


def test_seeds_tell_where_there_is_no_group_but_not_one_seed_for_all() -> None:
    said = ["heads"] * 6
    assert independent_clips(rows_of(said, seeds=[1, 1, 2, 2, 3, 4])) == pytest.approx(36 / 10)
    assert independent_clips(rows_of(said, seeds=range(6))) is None
    assert independent_clips(rows_of(said, seeds=[7] * 6)) is None
    assert independent_clips(rows_of(said, seeds=[7] * 6, groups=[0] * 6)) == 1
    assert independent_clips(rows_of(said)) is None and independent_clips(rows_of([None])) is None
    # a clip without an outcome is not counted
    assert independent_clips(rows_of(["heads", None, "tails"], seeds=[1, 1, 2])) is None


def test_effective_number_and_whole_counts_by_hand() -> None:
    assert effective_number([5]) == 1 and effective_number([3, 1]) == pytest.approx(1.6)
    assert np.isnan(effective_number([]))
    assert whole_counts([1 / 3, 2 / 3], 4) == (1, 3) and whole_counts([1, 0], 0) == (0, 0)


def test_copies_and_what_they_share_with_others_are_one_cluster() -> None:
    rows = rows_of(["heads"] * 6, groups=[0, 0, 1, 1, None, None])
    files = ["x", "a", "x", "b", "c", "d"]
    rows = [replace(row, sha256=file) for row, file in zip(rows, files, strict=True)]
    assert clusters(rows) == [[0, 1, 2, 3], [4], [5]]
    assert independent_clips(rows) == pytest.approx(36 / 18)


def test_names_of_groups_and_seeds_are_the_same_in_all_cells() -> None:
    some = rows_of("hhhh", seeds=[1, 1, 2, None], groups=[None, None, "g", None])
    other = [replace(row, model="other") for row in some]
    names, others = cluster_names(some), cluster_names(other)
    assert names[:3] == others[:3] == [("seed", 1), ("seed", 1), ("group", "g")] and names[3] != others[3]
    batch = cluster_names(rows_of("hhh", seeds=[7, 7, 7]))  # one seed for all says nothing
    assert len(set(batch)) == 3 and ("seed", 7) not in batch
    assert cluster_names(rows_of("h", seeds=[7])) == [("seed", 7)] and cluster_names([]) == []
