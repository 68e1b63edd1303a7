"""A reference is refused by its own evidence, and evidence comes back from its file unchanged."""

from dataclasses import replace

import numpy as np
import pytest

from sim import EngineError, InputError, Solver
from sim.comparison import compare
from sim.evidence import Evidence, check_reference, ideal_distance, twin_solvers, unknown_spread
from sim.sampling import sample


def test_a_reference_with_too_many_bad_rollouts_is_refused_with_its_rows(ball):
    one = sample(ball, n=4, seed=1)
    bad = replace(one, counts={"near": 900, "far": 90}, n=1000, failed={"engine_warning": list(range(10))})
    with pytest.raises(EngineError, match=r"ball version 1, seed 1: 1.00% of the rollouts .*'engine_warning': \[0, 1"):
        check_reference(bad, twins={}, not_causal={})


def test_a_variant_that_moves_the_distribution_is_not_let_through_as_not_causal(ball):
    one = sample(ball, n=4, seed=1)
    base = replace(one, counts={"near": 500, "far": 500}, n=1000)
    moved = replace(one, counts={"near": 900, "far": 100}, n=1000)
    with pytest.raises(EngineError, match="ball@sign is said not to be causal, but moves the distribution: TV 0.400"):
        check_reference(base, twins={}, not_causal={"sign": compare(base, moved)})
    check_reference(base, twins={}, not_causal={"sign": compare(base, base)})


def test_a_twin_that_differs_beyond_sampling_error_refuses_the_reference(ball):
    base = replace(sample(ball, n=4, seed=1), counts={"near": 500, "far": 500}, n=1000)
    finer = twin_solvers(ball.solver)["half_step"]
    moved = compare(base, replace(base, counts={"near": 600, "far": 400}), solver=finer)
    assert moved.p < 1e-3
    with pytest.raises(
        EngineError, match=r"ball: the twin half_step \(\{'timestep_s'.* differs beyond sampling error: TV"
    ):
        check_reference(base, twins={"half_step": moved}, not_causal={})
    near = compare(base, replace(base, counts={"near": 520, "far": 480}), solver=finer)
    check_reference(base, twins={"half_step": near}, not_causal={})


def test_twins_halve_the_step_and_double_the_frequency():
    twins = twin_solvers(Solver(timestep_s=1 / 4800, contact_frequency_rad_s=1440))
    half, both = twins["half_step"], twins["half_step_double_frequency"]
    assert (half.timestep_s, half.contact_frequency_rad_s) == (1 / 9600, 1440)
    assert (both.timestep_s, both.contact_frequency_rad_s) == (1 / 9600, 2880)


def test_spread_over_the_unknown_factors_is_told_by_outcome(ball):
    one = sample(ball, n=4, seed=1)
    rng = np.random.default_rng(0)
    table = [(int(x), 80 - int(x)) for x in rng.binomial(80, rng.beta(10, 10, size=64))]
    near = sum(x for x, _ in table)
    found = unknown_spread(replace(one, counts={"near": near, "far": 5120 - near}, n=5120, members=tuple(table)))
    # Beta(10, 10) has sd sqrt(1/84) = 0.109 and intraclass correlation 1/21
    assert found["sd"]["near"] == pytest.approx(0.109, abs=0.025)
    assert found["intraclass"] == pytest.approx(1 / 21, rel=0.45)
    assert found["p_none"] < 0.01 and not found["is_point"] and found["n_draws"] == 64
    assert found["low"]["near"] < 0.4 < 0.6 < found["high"]["near"] and 0 < found["tv_mean"] < found["tv_most"]
    unkept = unknown_spread(replace(one, members=None))
    assert unkept["is_point"] and unkept["why_undefined"] == "the counts by draw were not kept"


def test_distance_from_the_ideal_has_an_interval(ball):
    one = replace(sample(ball, n=4, seed=1), counts={"near": 600, "far": 400}, n=1000)
    found = ideal_distance(one, {"near": 0.5, "far": 0.5})
    low, high = found["tv_interval"]
    # one sample of two outcomes: 1.96 sqrt(.24/1000) = 0.0304
    assert found["tv"] == 0.1 and (low, high) == pytest.approx((0.0696, 0.1304), abs=0.002) and found["p"] < 1e-3
    assert ideal_distance(one, None) is None


def made(ball, **changes):
    one = sample(ball, n=16, seed=1)
    facts = {
        "scene": "ball", "version": 1, "settings_hash": "0", "code_hash": "1", "seed": 1, "n": 16,
        "sampling": {"half_width": 0.3, "reached": False, "aimed_half_width": 0.01, "budget_cpu_s": 9.0},
        "failed_share": 0.0, "undecided_share": 0.0, "failed": {}, "null": {},
        "unknown_spread": unknown_spread(one), "ideal": None, "ideal_distance": None,
        "twins": {"half_step": compare(one, one)}, "engines": {"bullet": compare(one, one)}, "engines_missing": {},
        "not_causal": {}, "penetration": None, "predictability": None,
    }  # fmt: skip
    return Evidence(**{**facts, **changes})


def test_comes_back_from_its_file_unchanged(ball, tmp_path):
    made(ball).write(tmp_path / "ball.json")
    assert Evidence.read(tmp_path / "ball.json") == made(ball)


def test_edited_or_foreign_files_are_refused(ball, tmp_path):
    path = tmp_path / "ball.json"
    with pytest.raises(InputError, match="does not exist; make it with: quincunx references"):
        Evidence.read(path)
    for content, why in (
        ("{", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ("[]", "is not evidence; make it again"),
    ):
        path.write_text(content)
        with pytest.raises(InputError, match=why):
            Evidence.read(path)
    data = made(ball).to_json()
    with pytest.raises(InputError, match="x has evidence format 9; this version reads 1"):
        Evidence.from_json({**data, "format": 9}, origin="x")
    with pytest.raises(InputError, match="x is not whole evidence .*make it again"):
        Evidence.from_json({k: v for k, v in data.items() if k != "twins"}, origin="x")
    for change, why in (
        ({"sampling": None}, "sampling is no table"),
        ({"ideal": 5}, "ideal is no table"),
        ({"failed_share": float("nan")}, "failed_share is no number"),
        ({"version": "1"}, "version is no number"),
    ):
        with pytest.raises(InputError, match=rf"x is not whole evidence \({why}\); make it again"):
            Evidence.from_json({**data, **change}, origin="x")


def test_a_symmetry_that_the_rollouts_do_not_keep_refuses_the_reference(ball):
    base = replace(sample(ball, n=4, seed=1), counts={"near": 520, "far": 480}, n=1000)
    even = {"near": 0.5, "far": 0.5}
    check_reference(base, twins={}, not_causal={}, exact=even)
    check_reference(replace(base, counts={"near": 600, "far": 400}), twins={}, not_causal={})
    with pytest.raises(EngineError, match="ball says that a symmetry forces its ideal, but its shares are 0.100 away"):
        check_reference(replace(base, counts={"near": 600, "far": 400}), twins={}, not_causal={}, exact=even)
