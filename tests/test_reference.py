"""A reference counts everything, comes back from its file unchanged, and refuses what was edited."""

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import beta

from sim import InputError
from sim.reference import Comparison, Reference


def toy(**changes):
    fields = {
        "scene": "toy",
        "version": 1,
        "outcomes": ("a", "b", "c"),
        "counts": {"a": 50, "b": 40, "c": 4},
        "null": {"not_settled": 3},
        "failed": {"left_the_scene": [7, 12, 90]},
        "n": 100,
        "seed": 0,
        "engine": "mujoco",
        "engine_version": "3.17.0",
        "platform": "Linux-x86_64",
        "settings_hash": "00",
    }
    return Reference(**{**fields, **changes})


def test_shares_leave_out_nulls_and_failures():
    assert np.allclose(toy().shares, np.array([50, 40, 4]) / 94)
    assert toy().bad_share == pytest.approx(0.06)


def test_intervals_are_clopper_pearson():
    low, high = toy().intervals()["b"]
    assert low == pytest.approx(beta.ppf(0.025, 40, 55)) and high == pytest.approx(beta.ppf(0.975, 41, 54))


def test_half_width_of_two_outcomes_is_the_binomial_one():
    # TV of two outcomes is |p* - p|: the 0.95 quantile is 1.96 sd
    even = toy(outcomes=("a", "b"), counts={"a": 5000, "b": 5000}, n=10000, null={}, failed={})
    assert even.half_width == pytest.approx(1.96 * 0.5 / 100, rel=0.05)


def test_comes_back_from_its_file_unchanged(tmp_path):
    beside = Comparison(
        engine="bullet", engine_version="1", n=3, counts={"a": 1, "b": 1, "c": 1}, null={}, failed={}, tv=0.1,
        tv_expected=0.2, p=0.5,
    )  # fmt: skip
    reference = toy(second_engine=beside, not_causal={"sign": beside})
    reference.write(tmp_path / "toy.json")
    assert Reference.read(tmp_path / "toy.json") == reference
    assert [p.name for p in tmp_path.iterdir()] == ["toy.json"]


def test_edited_or_foreign_files_are_refused(tmp_path):
    path = tmp_path / "toy.json"
    with pytest.raises(InputError, match="does not exist; make it with: quincunx references"):
        Reference.read(path)
    path.write_text("{")
    with pytest.raises(InputError, match="is not JSON"):
        Reference.read(path)
    data = toy().to_json()
    with pytest.raises(InputError, match="has reference format 9; this version reads 1 and 2"):
        Reference.from_json({**data, "format": 9}, origin="x")
    with pytest.raises(InputError, match="x was edited: its counts do not match"):
        Reference.from_json({**data, "counts": {"a": 51, "b": 40, "c": 4}}, origin="x")
    with pytest.raises(InputError, match="x is not a whole reference"):
        Reference.from_json({k: v for k, v in data.items() if k != "seed"}, origin="x")
    path.write_text("[" * 100_000)
    with pytest.raises(InputError, match="is not JSON: maximum recursion depth"):
        Reference.read(path)


@pytest.mark.parametrize("text", ["[]", "null", "5"])
def test_json_that_is_no_object_is_refused(tmp_path, text):
    (tmp_path / "toy.json").write_text(text)
    with pytest.raises(InputError, match="toy.json is not a reference, which is a JSON object; make it again"):
        Reference.read(tmp_path / "toy.json")


@pytest.mark.parametrize(
    "change",
    [
        {"first_index": None},
        {"first_index": "0"},
        {"first_index": -3},
        {"first_index": float("nan")},
        {"n": 100.0},
        {"counts": {"a": 50.0, "b": 40, "c": 4}},
        {"counts": {"a": 55, "b": 40, "c": -1}},
        {"failed": {"left_the_scene": "xyz"}},
    ],
)
def test_counts_and_indices_are_whole_numbers(change):
    with pytest.raises(InputError, match="x was edited: its counts do not match"):
        Reference.from_json({**toy().to_json(), **change}, origin="x")


def test_a_file_of_format_1_is_read_as_a_point():
    old = {k: v for k, v in toy().to_json().items() if k not in ("members", "null_rows", "code_hash", "first_index")}
    found = Reference.from_json({**old, "format": 1}, origin="x")
    assert found == toy() and found.members is None and found.spread.dispersion == 0
    assert np.array_equal(found.member_shares, found.shares[None])


def test_counts_by_draw_and_rows_must_match_the_counts():
    table = ((30, 20, 1), (20, 20, 3))
    whole = toy(members=table, null_rows={"not_settled": [1, 2, 3]})
    assert Reference.from_json(json.loads(json.dumps(whole.to_json())), origin="x") == whole
    for edit in ({"members": [[30, 20, 1], [20, 20, 4]]}, {"null_rows": {"not_settled": [1, 2]}}):
        with pytest.raises(InputError, match="x was edited: its counts do not match"):
            Reference.from_json({**whole.to_json(), **edit}, origin="x")
    for edit in ({"members": [[30, 20], [20, 20, 4]]}, {"members": 7}, {"null_rows": [1]}):
        with pytest.raises(InputError, match="x is not a whole reference|x was edited"):
            Reference.from_json({**whole.to_json(), **edit}, origin="x")


def test_a_table_stands_in_its_file_with_one_row_a_line(tmp_path):
    toy(members=((30, 20, 1), (20, 20, 3)), null_rows={"not_settled": [1, 2, 3]}).write(tmp_path / "toy.json")
    assert "\n  [30, 20, 1],\n" in (tmp_path / "toy.json").read_text()


def test_members_are_shrunk_only_as_far_as_the_table_asks():
    even = toy(outcomes=("a", "b"), counts={"a": 400, "b": 400}, null={}, failed={}, n=800, members=((40, 40),) * 10)
    assert even.spread.dispersion == 0 and even.member_shares.tolist() == [[0.5, 0.5]]
    apart = replace(even, members=((80, 0), (0, 80)) * 5)
    assert apart.spread.dispersion > 1 and apart.member_shares[0, 0] > 0.99


def test_no_outcome_at_all_is_an_error_not_a_nan():
    empty = toy(counts={"a": 0, "b": 0, "c": 0}, null={"not_settled": 97})
    with pytest.raises(InputError, match="toy: no rollout of 100 has an outcome"):
        _ = empty.shares


def test_counts_without_any_outcome_are_still_written(tmp_path):
    empty = toy(counts={"a": 0, "b": 0, "c": 0}, null={"not_settled": 97})
    empty.write(tmp_path / "toy.json")
    assert Reference.read(tmp_path / "toy.json") == empty and empty.to_json()["shares"] is None


def test_json_has_no_nan_and_confidence_is_checked():
    assert "NaN" not in json.dumps(toy().to_json())
    with pytest.raises(ValueError, match="confidence must lie strictly between 0 and 1, got 95"):
        toy().intervals(95)
    assert replace(toy(), seed=3).seed == 3
