"""Where two engines differ beyond chance, a model that follows either of them is faithful; else nothing changes."""

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom

from calibrate.distance import distance
from sim.comparison import compare
from sim.engine_gap import engine_gap, n_moved, spanned
from sim.reference import Reference


@pytest.fixture
def two_engines(made_references):
    """A reference of coin_toss with these heads of n, and these of a second engine."""

    def made(heads, n, other_heads, other_n, members=None):
        point = replace(made_references["coin_toss"], counts={"heads": heads, "tails": n - heads}, n=n, members=members)
        theirs = {"heads": other_heads, "tails": other_n - other_heads}
        other = replace(point, engine="bullet", counts=theirs, n=other_n, members=None)
        return replace(point, second_engine=compare(point, other))

    return made


def test_a_difference_that_chance_explains_adds_nothing(two_engines):
    near = two_engines(2560, 5120, 1040, 2048)
    assert near.second_engine.p > 0.3 and engine_gap(near) is None and near.why_point is not None
    assert near.about_set is None and near.member_shares.tolist() == [[0.5, 0.5]] and near.n_member == 5120
    assert engine_gap(replace(near, second_engine=None)) is None


def test_engines_that_differ_make_a_set_of_both(two_engines):
    apart = two_engines(4741, 5120, 1792, 2048)  # 0.926 and 0.875
    assert apart.why_point is None and apart.engine_gap == pytest.approx([-0.051, 0.051], abs=1e-3)
    assert apart.member_shares == pytest.approx(np.array([[4741 / 5120, 379 / 5120], [0.875, 0.125]]))
    assert apart.about_set == "every mixture of mujoco and bullet, which differ by 0.051 (p = 5e-05)"
    # var = q (1 - q) (1 / 5120 + 1 / 2048)
    assert apart.n_member == 1463 == n_moved(5120, 2048)
    back = Reference.from_json(json.loads(json.dumps(apart.to_json())), origin="x")
    assert back.member_shares.tolist() == apart.member_shares.tolist()


def test_every_draw_is_moved_as_the_other_engine_moves_their_mean(two_engines):
    rng = np.random.default_rng(0)
    rows = tuple((int(x), 80 - int(x)) for x in rng.binomial(80, rng.beta(16, 4, size=64)))
    heads = sum(x for x, _ in rows)
    apart = two_engines(heads, 5120, 1400, 2048, members=rows)
    draws, whole = apart.draw_shares, apart.member_shares
    assert len(draws) == 64 and len(whole) == 128 and np.array_equal(whole[:64], draws)
    assert (whole[64:] - draws)[:, 0] == pytest.approx(1400 / 2048 - heads / 5120)
    assert apart.about_set.startswith("every mixture of its 64 draws of the unknown constants, in mujoco and bullet,")
    assert apart.n_member < replace(apart, second_engine=None).n_member


def test_moved_members_stay_distributions():
    members = np.array([[0.02, 0.08, 0.9], [0.3, 0.3, 0.4]])
    found = spanned(members, np.array([-0.05, 0.0, 0.05]))
    assert found.min() == 0 and found.sum(axis=1) == pytest.approx(1)
    assert found[2] == pytest.approx([0, 0.08 / 1.03, 0.95 / 1.03]) and found[3] == pytest.approx([0.25, 0.3, 0.45])


def refused(reference, n, share):
    """Probability that n clips of a model with this share of heads have p <= 0.05, summed exactly."""
    p = [distance([heads, n - heads], 0, reference, seed=0).p for heads in range(n + 1)]
    return float(binom.pmf(np.flatnonzero(np.array(p) <= 0.05), n, share).sum())


def test_a_model_that_follows_either_engine_is_refused_no_more_often_than_stated(two_engines):
    apart = two_engines(4741, 5120, 1792, 2048)
    assert max(refused(apart, 60, share) for share in (0.926, 0.9, 0.875)) <= 0.05
    # with the first engine alone, one that follows the second is refused three times as often as it may be
    alone = replace(apart, second_engine=None)
    assert refused(alone, 60, 0.875) > 0.15
    assert refused(apart, 60, 0.6) > 0.95  # and what neither shows is still found
