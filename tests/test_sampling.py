"""Sampling resumes, cannot mix settings, and compares two samples as chance allows."""

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom, kstest

from sim import EngineError, InputError, Null
from sim.rollout import simulate
from sim.sampling import compare, sample, settings_hash, with_evidence


def test_counts_add_up_and_do_not_depend_on_threads(ball):
    a, b = (sample(ball, n=40, seed=1, threads=t) for t in (1, 2))
    assert a == b and sum(a.counts.values()) == 40


def test_an_interrupted_sample_goes_on_and_ends_alike(ball, tmp_path, monkeypatch):
    import sim.sampling as module

    monkeypatch.setattr(module, "CHUNK", 8)
    path = tmp_path / "checkpoint.json"

    def interrupt(done, n):
        if done >= 16:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sample(ball, n=40, seed=1, checkpoint=path, progress=interrupt)
    assert json.loads(path.read_text())["done"] == 16
    seen = []
    resumed = sample(ball, n=40, seed=1, checkpoint=path, progress=lambda done, n: seen.append(done))
    assert seen == [24, 32, 40] and resumed == sample(ball, n=40, seed=1)


def test_a_checkpoint_of_other_settings_is_refused(ball, tmp_path):
    path = tmp_path / "checkpoint.json"
    sample(ball, n=8, seed=1, checkpoint=path)
    with pytest.raises(InputError, match="delete it to start anew"):
        sample(ball, n=8, seed=2, checkpoint=path)
    with pytest.raises(InputError, match="holds 8 rollouts, more than n = 4"):
        sample(ball, n=4, seed=1, checkpoint=path)
    with pytest.raises(ValueError, match="n must be positive, got 0"):
        sample(ball, n=0, seed=1)


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\x00\x9c", b"[]", b"{}", b"7", b"null", b"[" * 100_000])
def test_a_torn_checkpoint_is_refused(ball, tmp_path, content):
    path = tmp_path / "checkpoint.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"checkpoint.json is torn or was edited; delete it to start anew"):
        sample(ball, n=8, seed=1, checkpoint=path)


@pytest.mark.parametrize(
    "edit",
    [
        {"counts": {"near": 4, "sideways": 4}},
        {"counts": {"near": 9, "far": -1}},
        {"counts": {"near": 7.5, "far": 0.5}},
        {"counts": {"near": True, "far": 7}},
        {"counts": [8]},
        {"counts": {"near": 9}},
        {"counts": {"near": 7}, "null": {"bored": 1}},
        {"counts": {"near": 7}, "failed": {"left_the_scene": [8]}},
        {"counts": {"near": 6}, "failed": {"left_the_scene": [3, 3]}},
        {"counts": {"near": 7}, "failed": ["left_the_scene"]},
        {"done": "8"},
        {"done": None},
        {"done": -1},
        {"key": []},
    ],
)
def test_an_edited_checkpoint_is_not_believed(ball, tmp_path, edit):
    path = tmp_path / "checkpoint.json"
    sample(ball, n=8, seed=1, checkpoint=path)
    state = json.loads(path.read_text())
    path.write_text(json.dumps({**state, **edit}))
    with pytest.raises(InputError, match="is torn or was edited; delete it to start anew"):
        sample(ball, n=8, seed=1, checkpoint=path)


def test_settings_hash_sees_what_decides_the_counts(ball):
    base = settings_hash(ball, None, solver=None, engine="mujoco")
    assert base != settings_hash(replace(ball, version=2), None, solver=None, engine="mujoco")
    assert base != settings_hash(ball, None, solver=None, engine="bullet")
    assert base != settings_hash(replace(ball, duration_s=0.3), None, solver=None, engine="mujoco")
    assert base == settings_hash(replace(ball, prompt="Another."), None, solver=None, engine="mujoco")


def test_p_of_a_comparison_is_uniform_under_equality(ball):
    rng = np.random.default_rng(0)
    one = sample(ball, n=4, seed=1)

    def drawn(n):
        far = int(rng.binomial(n, 0.4))
        return replace(one, counts={"near": n - far, "far": far}, n=n)

    ps = [compare(drawn(5000), drawn(500), seed=k).p for k in range(200)]
    rejected = sum(p <= 0.05 for p in ps)
    assert rejected <= binom.ppf(0.999, 200, 0.05)
    assert kstest(ps, "uniform").pvalue > 1e-4


def test_a_different_sample_is_told_apart(ball):
    one = sample(ball, n=4, seed=1)
    a = replace(one, counts={"near": 2500, "far": 2500}, n=5000)
    b = replace(one, counts={"near": 300, "far": 200}, n=500)
    found = compare(a, b)
    assert found.tv == pytest.approx(0.1) and found.p < 1e-3 and found.tv_expected < 0.03
    with pytest.raises(ValueError, match="outcomes must agree"):
        compare(a, replace(b, outcomes=("far", "near")))


def test_a_reference_with_too_many_bad_rollouts_is_refused_with_its_rows(ball):
    one = sample(ball, n=4, seed=1)
    bad = replace(one, counts={"near": 900, "far": 90}, n=1000, failed={"engine_warning": list(range(10))})
    with pytest.raises(EngineError, match=r"ball version 1, seed 1: 1.00% of the rollouts .*'engine_warning': \[0, 1"):
        with_evidence(bad, second_engine=None, not_causal=None)


def test_a_variant_that_moves_the_distribution_is_not_let_through_as_not_causal(ball):
    one = sample(ball, n=4, seed=1)
    base = replace(one, counts={"near": 500, "far": 500}, n=1000)
    moved = replace(one, counts={"near": 900, "far": 100}, n=1000)
    with pytest.raises(EngineError, match="ball@sign is said not to be causal, but moves the distribution: TV 0.400"):
        with_evidence(base, second_engine=None, not_causal={"sign": compare(base, moved)})
    kept = with_evidence(base, second_engine=compare(base, moved), not_causal={"sign": compare(base, base)})
    assert kept.second_engine.p < 1e-3  # engines may differ: that is shown, not hidden


def test_a_reader_that_raises_or_invents_is_named_with_its_row(ball):
    def broken(trajectory):
        raise ZeroDivisionError("oops")

    with pytest.raises(EngineError, match="ball version 1, seed 3, index 5: read raised ZeroDivisionError: oops"):
        list(simulate(replace(ball, read=broken), seed=3, indices=[5]))
    with pytest.raises(EngineError, match="read returned 'sideways', which is not an outcome"):
        list(simulate(replace(ball, read=lambda t: "sideways"), seed=3, indices=[5]))


def test_nulls_and_failures_are_counted_apart(ball):
    found = sample(replace(ball, read=lambda t: Null("not_settled")), n=5, seed=1)
    assert found.null == {"not_settled": 5} and sum(found.counts.values()) == 0
    lost = sample(replace(ball, bounds_m=((-2, -2, 0.2), (2, 2, 2))), n=5, seed=1)
    assert lost.failed == {"left_the_scene": [0, 1, 2, 3, 4]}
