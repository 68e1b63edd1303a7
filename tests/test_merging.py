"""Parts made on several machines become, byte for byte, the reference of one."""

from dataclasses import replace

import numpy as np
import pytest

from sim import InputError, Null
from sim.comparison import compare
from sim.merging import index_range, merge
from sim.sampling import sample


def uneven(ball):
    """The ball, with nulls for slow throws and failures for quick ones."""

    def read(trajectory):
        speed = trajectory.velocity[0, 0, 0]
        return Null("not_settled") if speed < 1.1 else "far" if speed > 1.3 else "near"

    return replace(ball, read=read, bounds_m=((-2, -2, -0.01), (0.5, 2, 2)))


def part(ball, first, stop, **more):
    return sample(uneven(ball), first_index=first, n=stop - first, **{"seed": 1, **more})


def test_merged_file_is_that_of_one_machine(ball, tmp_path):
    part(ball, 0, 40).write(tmp_path / "single.json")
    parts = {str(a): part(ball, a, b, threads=1) for a, b in ((24, 40), (0, 7), (7, 24))}
    merge(parts).write(tmp_path / "whole.json")
    whole = (tmp_path / "whole.json").read_bytes()
    assert whole == (tmp_path / "single.json").read_bytes()
    assert b'"not_settled": [' in whole and b'"left_the_scene": [' in whole


def test_ranges_that_overlap_or_leave_rollouts_out_are_refused(ball):
    a, b, c = part(ball, 0, 4), part(ball, 3, 8), part(ball, 6, 8)
    with pytest.raises(InputError, match="a.json and b.json overlap: both hold rollout 3; leave one out"):
        merge({"b.json": b, "a.json": a})
    with pytest.raises(InputError, match="a.json and again.json overlap: both hold rollout 0"):
        merge({"a.json": a, "again.json": a})
    cure = "rollouts 4 to 5 are in no part; make them with: quincunx reference ball --indices 4:6 --seed 1 --engine"
    with pytest.raises(InputError, match=cure):
        merge({"a.json": a, "c.json": c})
    with pytest.raises(InputError, match="rollouts 0 to 5 are in no part"):
        merge({"c.json": c})
    with pytest.raises(InputError, match="there is nothing to merge"):
        merge({})


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"seed": 2}, "b.json has seed 2, a.json has 1; merge parts of one run alone"),
        ({"scene": "ball@sign"}, "b.json has the scene ball@sign, a.json has ball"),
        ({"version": 2}, "b.json has version 2"),
        ({"engine": "bullet"}, "b.json has engine bullet"),
        ({"engine_version": "4.1"}, "b.json has engine version 4.1"),
        ({"settings_hash": "0"}, "b.json has settings hash 0"),
        ({"code_hash": "0"}, "b.json has code hash 0"),
        ({"platform": "Darwin-arm64"}, "b.json has platform Darwin-arm64"),
        ({"members": None}, "a.json is of an older format|b.json is of an older format"),
        ({"members": ((1, 1), (1, 1))}, "b.json has 2 draws of the unknown factors, a.json 1"),
    ],
)
def test_parts_of_different_runs_are_refused(ball, change, why):
    a, b = part(ball, 0, 4), part(ball, 4, 8)
    with pytest.raises(InputError, match=why):
        merge({"a.json": a, "b.json": replace(b, **change)})


def test_a_finished_reference_is_no_part(ball):
    a = part(ball, 0, 8)
    with pytest.raises(InputError, match="a.json carries evidence, so it is a finished reference"):
        merge({"a.json": replace(a, second_engine=compare(a, a))})


def test_parts_keep_the_draw_that_each_rollout_belongs_to():
    import scenes

    die = scenes.load("die_roll")
    parts = [sample(die, n=3, seed=1, first_index=first) for first in (0, 3)]
    whole = merge({str(k): p for k, p in enumerate(parts)})
    assert np.array_equal(np.sum(whole.members, axis=1)[:7], [1] * 6 + [0])


def test_ranges_are_written_with_a_colon():
    assert index_range("128:256") == range(128, 256)
    for wrong in ("5", "5:5", "6:5", "-1:5", "a:b", "1:2:3", "", "٣:٥"):
        with pytest.raises(InputError, match="indices must be A:B with 0 <= A < B"):
            index_range(wrong)
