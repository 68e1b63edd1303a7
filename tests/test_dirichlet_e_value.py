import math
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as reference

from calibrate.stats import Baseline, Hull
from calibrate.stats.dirichlet_e_value import likeliest, log_e_value


@given(st.lists(st.integers(0, 30), min_size=3, max_size=3).filter(sum))
def test_it_is_the_ratio_of_two_laws_that_scipy_has_too(counts: list[int]) -> None:
    n, p = sum(counts), [0.2, 0.3, 0.5]
    mixture = reference.dirichlet_multinomial(np.full(3, 0.5), n).logpmf(counts)
    assert log_e_value(counts, Baseline.exact(p)) == pytest.approx(
        mixture - reference.multinomial(n, p).logpmf(counts), abs=1e-8
    )
    sampled = reference.dirichlet_multinomial(np.array([200, 300, 500]) + 0.5, n).logpmf(counts)
    assert log_e_value(counts, Baseline.sample([200, 300, 500])) == pytest.approx(mixture - sampled, abs=1e-6)


def test_its_mean_under_the_reference_is_one() -> None:
    p, n = [0.1, 0.9], 12
    values = [math.exp(log_e_value([k, n - k], Baseline.exact(p))) for k in range(n + 1)]
    assert reference.binom(n, 0.1).pmf(range(n + 1)) @ values == pytest.approx(1)


def test_an_impossible_outcome_is_infinite_evidence_and_no_clip_is_none() -> None:
    assert log_e_value([0, 0], Baseline.exact([0.5, 0.5])) == 0
    assert log_e_value([1, 0], Baseline.exact([0.0, 1.0])) == math.inf
    assert log_e_value([1, 0], Hull.of([[0.0, 1.0], [0.0, 1.0]])) == math.inf


@given(st.lists(st.integers(0, 20), min_size=3, max_size=3).filter(sum), st.integers(0, 9))
def test_of_a_set_no_point_has_a_smaller_value(counts: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    members = rng.dirichlet([2.0, 2.0, 2.0], size=5)
    found = log_e_value(counts, Hull.of(members))
    point, left = likeliest(np.array(counts, dtype=float), Hull.of(members))
    assert left < 0.2
    for weights in rng.dirichlet(np.full(5, 0.3), size=50):
        assert found <= log_e_value(counts, Baseline.exact(weights @ members)) + 1e-9
    assert found == pytest.approx(log_e_value(counts, Baseline.exact(point)), abs=left + 1e-9)


def paths(q, n: int, trials: int, seed: int) -> np.ndarray:
    """(trials, n, K) counts after every clip."""
    drawn = np.random.default_rng(seed).choice(len(q), size=(trials, n), p=q)
    return np.cumsum(np.eye(len(q), dtype=int)[drawn], axis=1)


@pytest.mark.parametrize("q", [[0.5, 0.5], [18 / 37, 18 / 37, 1 / 37], [1 / 6] * 6])
def test_whoever_looks_after_every_clip_is_hardly_ever_misled(q: list[float]) -> None:
    # e exceeds 20 at any time up to 300 clips in at most 5 % (Ville's inequality); those for a fixed n mislead
    trials = 300
    tables = paths(q, 300, trials, 7)
    known: dict[tuple[int, ...], float] = {}
    reached = fixed = 0
    for path in tables:
        ever = False
        for counts in path[4::2]:
            key = tuple(sorted(counts.tolist())) if len(set(q)) == 1 else tuple(counts.tolist())
            if key not in known:
                known[key] = log_e_value(key, Baseline.exact(q))
            ever = ever or known[key] >= math.log(20)
        reached += ever
        if len(q) == 2:
            p = reference.chi2.sf(
                ((path[4::2] - path[4::2].sum(1, keepdims=True) / 2) ** 2 / (path[4::2].sum(1, keepdims=True) / 2)).sum(
                    1
                ),
                1,
            )
            fixed += bool((p < 0.05).any())
    assert reached <= reference.binom(trials, 0.05).ppf(0.999)
    if len(q) == 2:
        assert fixed > 0.2 * trials  # what it guards from


def test_a_reference_that_is_a_sample_or_a_set_keeps_the_level_too() -> None:
    rng, trials, reached = np.random.default_rng(3), 200, 0
    for _ in range(trials):
        known = Baseline.sample(rng.multinomial(1000, [0.3, 0.7]).tolist())
        path = np.cumsum(rng.random(300) < 0.3)
        reached += any(
            log_e_value([k, n - k], known) >= math.log(20) for n, k in enumerate(path.tolist(), 1) if n % 10 == 0
        )
    assert reached <= reference.binom(trials, 0.05).ppf(0.999)
    hull, reached = Hull.of([[0.2, 0.8], [0.4, 0.6]]), 0
    e_value = cache(lambda counts: log_e_value(counts, hull))
    for path in paths([0.4, 0.6], 200, trials, 5):  # a member is the worst case
        reached += any(e_value(tuple(counts)) >= math.log(20) for counts in path[19::20].tolist())
    assert reached <= reference.binom(trials, 0.05).ppf(0.999)
