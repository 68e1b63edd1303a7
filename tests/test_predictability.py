"""Jitter is scaled about its middle, and entropy falls with it to nothing."""

import math
from dataclasses import replace
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import entropy

from sim import LogUniform, Normal, Rotation, Uniform, hidden, unknown
from sim.predictability import Scaled, _given_constants, curve, entropy_bits, with_jitter


@given(u=st.floats(1e-6, 1 - 1e-6), scale=st.floats(0, 4))
def test_scaled_laws_are_those_of_another_spread(u, scale):
    quantile = NormalDist().inv_cdf(u)
    assert Scaled(Normal(2, 3), scale).value((u,)) == pytest.approx(Normal(2, 3 * scale).mean + 3 * scale * quantile)
    wide = Uniform(1.5 - 0.5 * scale, 1.5 + 0.5 * scale)
    assert Scaled(Uniform(1, 2), scale).value((u,)) == pytest.approx(wide.value((u,)))
    middle = math.sqrt(2 * 8)
    wide = LogUniform(middle * 2**-scale, middle * 2**scale)
    assert Scaled(LogUniform(2, 8), scale).value((u,)) == pytest.approx(wide.value((u,)))


def test_a_rotation_turns_by_a_part_of_its_angle():
    u = (0.3, 0.6, 0.8)
    whole, half = np.array(Rotation().value(u)), np.array(Scaled(Rotation(), 0.5).value(u))
    whole *= np.sign(whole[0])
    assert np.linalg.norm(half) == pytest.approx(1)
    assert math.acos(half[0]) == pytest.approx(0.5 * math.acos(whole[0]))
    assert np.cross(half[1:], whole[1:]) == pytest.approx(0, abs=1e-12)
    assert Scaled(Rotation(), 0).value(u) == pytest.approx((1, 0, 0, 0))
    assert Scaled(Rotation(), 99).value(u)[0] == pytest.approx(0, abs=1e-12)
    assert Scaled(Rotation(), 0.5).ends()[0] == (1.0, 0.0, 0.0, 0.0)


def test_scales_that_cannot_be_are_refused():
    for scale in (-1, math.nan, math.inf):
        with pytest.raises(ValueError, match="scale must be finite and not negative"):
            Scaled(Normal(0, 1), scale)


def test_only_hidden_factors_are_scaled_and_the_draws_stay(ball):
    scene = replace(ball, factors={**ball.factors, "mass_kg": unknown(Uniform(1, 2))})
    half = with_jitter(scene, 0.5)
    for index in range(5):
        before, after = scene.params(1, index), half.params(1, index)
        assert after["mass_kg"] == before["mass_kg"]
        assert after["extra_m_s"] - 0.25 == pytest.approx(0.5 * (before["extra_m_s"] - 0.25))
    assert with_jitter(scene, 1.0).factors == dict(scene.factors)


def test_entropy_is_that_of_scipy_with_millers_correction():
    assert entropy_bits([30, 50, 20]) == pytest.approx(entropy([3, 5, 2], base=2) + 2 / 200 / math.log(2))
    assert entropy_bits([7, 0]) == 0 and entropy_bits([5, 5]) == 1 and math.isnan(entropy_bits([0, 0]))


def test_entropy_is_less_biased_than_without_the_correction():
    rng = np.random.default_rng(0)
    truth = entropy([0.5, 0.3, 0.2], base=2)
    found = [entropy_bits(rng.multinomial(40, [0.5, 0.3, 0.2])) for _ in range(1000)]
    plain = [entropy(rng.multinomial(40, [0.5, 0.3, 0.2]), base=2) for _ in range(1000)]
    assert abs(np.mean(found) - truth) < 0.25 * abs(np.mean(plain) - truth)


def test_the_picture_tells_the_outcome_once_the_jitter_is_small(ball, tmp_path):
    found = curve(ball, seed=1, n=24, scales=(1 / 64, 4), work=tmp_path)
    points = found["points"]
    assert [p["scale"] for p in points] == [1 / 64, 1, 4] and found["n"] == 24
    assert points[0]["entropy_bits"] == 0 < points[1]["entropy_bits"] and points[1]["tv"] == 0 < points[0]["tv"]
    # a scene without unknown factors has one draw of them
    assert all(p["entropy_bits"] == p["entropy_given_constants_bits"] for p in points)
    assert len(list(tmp_path.glob("*jitter*"))) == 3
    seen = []
    again = curve(ball, seed=1, n=24, scales=(1 / 64, 4), work=tmp_path, progress=lambda d, n: seen.append((d, n)))
    assert again == found and seen == [(24, 72), (48, 72), (72, 72)]


def test_entropy_given_the_constants_is_that_of_single_draws():
    assert _given_constants([[8, 0], [0, 8]]) == 0
    assert _given_constants([[8, 0], [4, 4], [0, 0]]) == pytest.approx(0.5 * entropy_bits([4, 4]))
    assert _given_constants([[4, 0], [2, 2]]) is None  # too few to tell


def test_a_scale_at_which_the_scene_cannot_be_staged_is_said_with_the_reason(ball):
    def build(params):
        if params["extra_m_s"] < 0:
            raise ValueError("extra_m_s must not be negative")
        return ball.build(params)

    scene = replace(ball, build=build, factors={"extra_m_s": hidden(Uniform(0, 0.5))})
    point = curve(scene, seed=1, n=8, scales=(4,))["points"][-1]
    assert point["scale"] == 4 and point["entropy_bits"] is None
    assert "extra_m_s must not be negative" in point["why_undefined"]
