"""Two samples are compared as chance allows, and their difference has an interval."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom, fisher_exact, kstest

from sim import InputError, Solver
from sim.comparison import compare
from sim.sampling import sample


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


def test_p_of_two_outcomes_is_that_of_an_exact_test(ball):
    one = sample(ball, n=4, seed=1)
    a = replace(one, counts={"near": 12, "far": 8}, n=20)
    b = replace(one, counts={"near": 4, "far": 16}, n=20)
    # equal sample sizes: "as far apart" is Fisher's order of tables
    assert compare(a, b).p == pytest.approx(fisher_exact([[12, 8], [4, 16]]).pvalue, abs=0.003)


def test_a_comparison_says_how_to_make_its_rollouts_again(ball):
    a, b = sample(ball, n=8, seed=1), sample(ball, n=8, seed=1, first_index=64)
    found = compare(a, b, solver=Solver(timestep_s=1 / 9600))
    assert (found.seed, found.first_index, found.solver["timestep_s"]) == (1, 64, 1 / 9600)
    low, high = found.tv_interval
    assert 0 <= low <= found.tv <= high <= 1
    for outcome, (difference, least, most) in found.differences.items():
        assert difference == pytest.approx((b.counts[outcome] - a.counts[outcome]) / 8)
        assert least <= difference <= most


def test_nothing_to_compare_is_an_error(ball):
    a = sample(ball, n=8, seed=1)
    empty = replace(a, counts={"near": 0, "far": 0}, n=8, null={"not_settled": 8})
    with pytest.raises(InputError, match="ball: no rollout of 8 has an outcome"):
        compare(a, empty)
