from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibrate.cell import adjusted, measure
from calibrate.clip_row import ClipRow
from calibrate.conclusion import finding_of
from calibrate.stats import Baseline, equivalence_test, expected_total_variation, goodman, total_variation, wilson
from sim import NULL_REASONS

FATES = [("scored", "heads", None), ("scored", "tails", None), ("judge_error", None, None), ("refused", None, None)]
FATES += [("missing", None, "no_file"), ("unreadable", None, "damaged"), ("unreadable", None, "too_short")]
FATES += [("null", None, reason) for reason in NULL_REASONS]


def row(fate: tuple[str, str | None, str | None], k: int, **more: object) -> ClipRow:
    status, outcome, reason = fate
    return ClipRow(model="m", scene="coin_toss", file=str(k), status=status, outcome=outcome, reason=reason, **more)


@given(fates=st.lists(st.sampled_from(FATES), min_size=1, max_size=40))
def test_every_clip_is_accounted_for_whatever_became_of_it(made_references: dict, fates: list) -> None:
    rows = [row(fate, k) for k, fate in enumerate(fates)]
    cell = measure("m", "coin_toss", rows, made_references["coin_toss"], seed=0)
    assert (
        cell.requested
        == len(rows)
        == (
            cell.scored
            + sum(cell.null.values())
            + sum(cell.unreadable.values())
            + cell.judge_error
            + cell.refused
            + cell.missing
        )
    )
    assert sum(cell.missing_reasons.values()) == cell.missing
    assert sum(cell.counts.values()) == cell.scored
    assert cell.scorability == cell.scored / cell.requested
    assert cell.scorability_interval[0] <= cell.scorability <= cell.scorability_interval[1]
    for share in cell.shares.values():
        assert 0 <= share["least"] <= share["most"] <= 1
        assert (share["share"] is None) == (cell.scored == 0)
    assert cell.tv_bounds[0] <= cell.tv_bounds[1]
    if cell.scored == 0:
        assert (cell.tv, cell.tv_expected, cell.excess, cell.p, cell.tv_interval) == (None,) * 5
        assert cell.why_undefined == "no clip was scored"
    else:
        assert cell.tv_interval[0] <= cell.tv <= cell.tv_interval[1]


def test_figures_are_those_of_the_statistics(made_references: dict) -> None:
    rows = [row(FATES[0], k) for k in range(9)] + [row(FATES[1], k + 9) for k in range(3)]
    cell = measure("m", "coin_toss", rows, made_references["coin_toss"], seed=0)
    baseline = Baseline.sample([2600, 2400])
    assert cell.tv == total_variation([9, 3], baseline)
    assert cell.tv_expected == expected_total_variation(12, baseline)
    assert cell.excess == (cell.tv - cell.tv_expected) / (1 - cell.tv_expected)
    together = goodman([9, 3])[0]
    assert cell.shares["heads"]["low_together"] == together.low
    assert cell.shares["heads"]["high_together"] == together.high
    assert cell.scorability_wilson == (wilson(12, 12).low, 1.0)
    assert cell.p_method == "exact" and cell.p_holm is None and cell.token == "coin_toss"


def test_an_outcome_that_the_reference_never_gave_is_reported_apart(made_references: dict) -> None:
    bad = ClipRow(model="m", scene="galton_board", file="1", status="scored", outcome="bin_1")
    fine = replace(bad, outcome="bin_6", file="2")
    cell = measure("m", "galton_board", [bad, fine], made_references["galton_board"], seed=0)
    assert cell.impossible == {"bin_1": 1}
    assert 0 < cell.p <= 1 and cell.tv < 1


def test_says_which_seeds_are_recorded(made_references: dict) -> None:
    def seeds(*values: object) -> str:
        rows = [row(FATES[0], k, seed=seed) for k, seed in enumerate(values)]
        return measure("m", "coin_toss", rows, made_references["coin_toss"], seed=0).seeds

    assert [seeds(None, None), seeds(1, None), seeds(7, 7), seeds(1, 2)] == ["none", "some", "shared", "per_clip"]


def test_copies_are_counted_once_in_the_number_of_distinct_clips(made_references: dict) -> None:
    rows = [row(FATES[0], k, sha256=sha) for k, sha in enumerate(["a", "a", "b", None, None])]
    assert measure("m", "coin_toss", rows, made_references["coin_toss"], seed=0).n_distinct == 4


def test_findings_follow_from_both_adjusted_p(made_references: dict) -> None:
    def cell(heads: int, tails: int):
        rows = [row(FATES[0], k) for k in range(heads)] + [row(FATES[1], k) for k in range(tails)]
        rows += [row(FATES[3], 0)]
        return measure("m", "coin_toss", rows, made_references["coin_toss"], seed=0)

    cells = adjusted([cell(24, 0), cell(13, 11), cell(520, 480), cell(0, 0), cell(18, 6)])
    assert [c.finding for c in cells] == ["miscalibrated", "cannot_tell", "calibrated", "not_tested", "cannot_tell"]
    assert cells[3].p_equivalence is None and cells[3].p_equivalence_holm is None
    near = cells[2]
    expected = equivalence_test([520, 480], Baseline.sample([2600, 2400]), margin=0.1).p
    assert near.p_equivalence == expected and near.p_equivalence_holm == 4 * expected < 0.05 and near.margin == 0.1
    # 0.05 off and ten thousand clips: a difference is found, and shown to be a small one
    assert adjusted([cell(5700, 4300)])[0].finding == "calibrated" and adjusted([cell(5700, 4300)])[0].p_holm < 1e-4
    assert cells[4].p < 0.05 < cells[4].p_holm and cells[3].p_holm is None
    assert cells[4].p < cells[4].q < cells[4].p_holm and cells[3].q is None


def test_a_cell_says_which_reference_it_was_measured_against(made_references: dict, made_set) -> None:
    rows = [row(FATES[0], k) for k in range(20)] + [row(FATES[1], k + 20) for k in range(4)]
    point = measure("m", "coin_toss", rows, made_references["coin_toss"], seed=0)
    assert (point.reference_kind, point.tv_point) == ("point", point.tv)
    assert point.reference_note == "its counts are not kept by draw of the unknown constants"
    found = measure("m", "coin_toss", rows, made_set, seed=0)
    assert (found.reference_kind, found.reference_note) == (
        "set",
        "every mixture of its 64 draws of the unknown constants",
    )
    heads = found.shares["heads"]
    # 0.5 + 0.96 * 0.2, where 0.96 is the weight of their own shares, see sim.spread.members
    assert (heads["reference"], heads["reference_low"]) == (0.5, pytest.approx(1 - heads["reference_high"]))
    assert heads["reference_high"] == pytest.approx(heads["nearest"]) == pytest.approx(0.692, abs=0.001)
    assert found.tv == pytest.approx(20 / 24 - heads["nearest"]) and found.tv_point == pytest.approx(20 / 24 - 0.5)
    assert found.p > point.p and found.tv_interval[0] <= found.tv <= found.tv_interval[1]


def test_a_model_that_holds_to_one_draw_of_the_unknown_constants_does_not_differ(made_references, made_set) -> None:
    rows = [row(FATES[0], k) for k in range(280)] + [row(FATES[1], k) for k in range(120)]
    one = adjusted([measure("m", "coin_toss", rows, made_references["coin_toss"], seed=0)])[0]
    assert one.finding == "miscalibrated"
    (cell,) = adjusted([measure("m", "coin_toss", rows, made_set, seed=0)])
    assert cell.tv < 0.02 and cell.p > 0.5 and cell.finding == "cannot_tell"  # one draw of them is known too little


def test_being_within_the_margin_outweighs_a_small_difference() -> None:
    found = [finding_of(differs, near) for differs, near in ((0.001, 0.2), (0.001, 0.001), (0.3, 0.001), (0.3, 0.2))]
    assert found == ["miscalibrated", "calibrated", "calibrated", "cannot_tell"]
    assert finding_of(None, None) == "not_tested" and finding_of(0.05, 0.05) == "cannot_tell"
