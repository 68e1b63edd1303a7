"""Where one cannot tell, the record says what these clips would have found and how many more would decide."""

from __future__ import annotations

import numpy as np
import pytest

from calibrate.cell import adjusted, measure
from calibrate.clip_row import ClipRow
from calibrate.outlook import with_outlook
from calibrate.record import Cell
from calibrate.stats import Baseline
from calibrate.stats.power import DEPARTURES, departure, detection_power, equivalence_power


def cells(made_references: dict, *tables: tuple[int, int, int]) -> tuple[Cell, ...]:
    """Cells with (heads, tails, nulls)."""
    found = []
    for k, (heads, tails, nulls) in enumerate(tables):
        fates = [("scored", "heads", None)] * heads + [("scored", "tails", None)] * tails
        fates += [("null", None, "no_motion")] * nulls
        rows = [
            ClipRow(model=f"m{k}", scene="coin_toss", file=str(i), status=status, outcome=outcome, reason=reason)
            for i, (status, outcome, reason) in enumerate(fates)
        ]
        found.append(measure(f"m{k}", "coin_toss", rows, made_references["coin_toss"], seed=0))
    return with_outlook(adjusted(found), seed=0)


def test_the_distance_that_would_have_been_found_has_its_power(made_references: dict) -> None:
    (cell,) = cells(made_references, (25, 25, 0))
    p = Baseline.exact([0.52, 0.48])
    power = [detection_power(50, p, departure(p.p, cell.detectable_tv, k), level=0.05, seed=0) for k in DEPARTURES]
    assert 0.8 <= min(power) < 0.84
    # normal approximation: 2.8016 standard errors of a share of about one half
    assert cell.detectable_tv == pytest.approx(2.8016 * (0.25 / 50) ** 0.5, abs=0.03)


def test_more_clips_show_a_faithful_model_to_be_one(made_references: dict) -> None:
    cell, half_read = cells(made_references, (13, 11, 0), (13, 11, 24))
    n, p = 24 + cell.more_clips, Baseline.exact([0.52, 0.48])
    shown = [equivalence_power(m, p, np.array(p.p), margin=0.1, level=0.025, seed=0) for m in (n, n // 2)]
    assert shown[0] >= 0.8 > shown[1]
    assert half_read.more_clips > 1.9 * cell.more_clips


def test_clips_of_one_group_find_as_much_as_what_they_are_worth(made_references: dict) -> None:
    fates = ["heads"] * 26 + ["tails"] * 22
    rows = [
        ClipRow(model="m", scene="coin_toss", file=str(i), status="scored", outcome=outcome, group=str(i // 2))
        for i, outcome in enumerate(fates)
    ]
    (pairs,) = with_outlook(adjusted([measure("m", "coin_toss", rows, made_references["coin_toss"], seed=0)]), seed=0)
    alone, all_apart = cells(made_references, (13, 11, 0))[0], cells(made_references, (26, 22, 0))[0]
    assert pairs.n_independent == 24 and pairs.detectable_tv == alone.detectable_tv > all_apart.detectable_tv
    assert pairs.more_clips == 2 * alone.more_clips  # of 24 pairs each is worth one clip


def test_the_more_cells_are_tested_the_less_one_of_them_finds(made_references: dict) -> None:
    alone, among = cells(made_references, (13, 11, 0)), cells(made_references, *[(13, 11, 0)] * 10)
    assert alone[0].detectable_tv < among[0].detectable_tv and alone[0].more_clips < among[0].more_clips


def test_what_is_decided_has_no_outlook(made_references: dict) -> None:
    found = cells(made_references, (24, 0, 0), (520, 480, 0), (0, 0, 3))
    assert [cell.finding for cell in found] == ["miscalibrated", "calibrated", "not_tested"]
    assert {(cell.detectable_tv, cell.more_clips) for cell in found} == {(None, None)}


@pytest.mark.parametrize("n", [1, 2])
def test_too_few_clips_to_find_anything_have_no_distance(made_references: dict, n: int) -> None:
    (cell,) = cells(made_references, (n, 0, 0))
    assert cell.detectable_tv is None and cell.more_clips > 100
