"""Draws are keyed, uniform and never change when something else does."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from sim import LogUniform, Normal, Rotation, Uniform, hidden, rotation_matrices, unknown
from sim.factor import uniforms


def draws(law, n=4000):
    return [law.value(uniforms(3, "s", 1, "f", i, n=law.n_uniforms)) for i in range(n)]


def test_golden_draw_never_changes():
    # computed by hand with hashlib: blake2b("7\x1fdie\x1f1\x1ffriction\x1f0", digest_size=8)
    import hashlib

    word = int.from_bytes(hashlib.blake2b(b"7\x1fdie\x1f1\x1ffriction\x1f0", digest_size=8).digest(), "little")
    assert uniforms(7, "die", 1, "friction", 0, n=1) == (((word >> 11) + 0.5) / 2**53,)


@given(st.integers(), st.text(), st.integers(), st.text(), st.integers(), st.integers(1, 8))
def test_uniforms_lie_strictly_inside_the_unit_interval(seed, scene, version, factor, index, n):
    u = uniforms(seed, scene, version, factor, index, n=n)
    assert len(u) == n and all(0 < x < 1 for x in u)
    assert u == uniforms(seed, scene, version, factor, index, n=n)


@pytest.mark.parametrize(
    ("law", "cdf"),
    [
        (Uniform(-2, 5), stats.uniform(-2, 7).cdf),
        (LogUniform(0.1, 10), stats.loguniform(0.1, 10).cdf),
        (Normal(3, 0.5), stats.norm(3, 0.5).cdf),
    ],
)
def test_draws_follow_their_law(law, cdf):
    assert stats.kstest(draws(law), cdf).pvalue > 1e-3


def test_rotations_turn_an_axis_uniformly_over_the_sphere():
    turned = rotation_matrices(np.array(draws(Rotation())))[:, :, 2]
    assert np.allclose(np.linalg.norm(turned, axis=1), 1)
    for k in range(3):  # Archimedes: each coordinate of a uniform point on the sphere is uniform
        assert stats.kstest(turned[:, k], stats.uniform(-1, 2).cdf).pvalue > 1e-3


def test_different_keys_give_unrelated_draws():
    a = [uniforms(1, "s", 1, "a", i, n=1)[0] for i in range(3000)]
    b = [uniforms(1, "s", 1, "b", i, n=1)[0] for i in range(3000)]
    assert abs(stats.pearsonr(a, b).statistic) < 4 / math.sqrt(3000)


@pytest.mark.parametrize("n", [0, 9])
def test_number_of_uniforms_is_checked(n):
    with pytest.raises(ValueError, match=f"n must lie between 1 and 8, got {n}"):
        uniforms(0, "s", 1, "f", 0, n=n)


def test_impossible_laws_are_refused():
    with pytest.raises(ValueError, match="low must not exceed high, got 2 and 1"):
        Uniform(2, 1)
    with pytest.raises(ValueError, match="low must be positive"):
        LogUniform(0, 1)
    with pytest.raises(ValueError, match="sd must not be negative"):
        Normal(0, -1)
    with pytest.raises(ValueError, match="mean must be finite, got nan"):
        Normal(math.nan, 1)
    with pytest.raises(ValueError, match="sd must be finite, got inf"):
        Normal(0, math.inf)
    for law in (Uniform, LogUniform):
        with pytest.raises(ValueError, match="high must be finite, got inf"):
            law(1, math.inf)
    with pytest.raises(TypeError, match=r"law must be a Law, as Uniform\(0.2, 0.5\), got 5"):
        hidden(5)


def test_ends_are_extreme():
    for law in (Uniform(1, 2), LogUniform(1, 2), Normal(1, 2)):
        low, high = law.ends()
        assert all(low <= x <= high for x in draws(law, 500))


def test_factor_kinds():
    assert hidden(Uniform(0, 1)).kind == "hidden" and unknown(Uniform(0, 1)).kind == "unknown"
