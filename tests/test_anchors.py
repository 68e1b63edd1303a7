import pytest

from calibrate.anchors import ANCHORS, anchors


def test_anchors_of_a_point_are_worked_out_by_hand(made_references) -> None:
    found = anchors(made_references["coin_toss"], 0.08)  # heads 0.52, tails 0.48
    assert tuple(found) == ANCHORS
    assert found["faithful"] == {"tv": 0.08, "scorability": 1}
    assert found["uniform"]["tv"] == pytest.approx(0.02) and found["likeliest"]["tv"] == pytest.approx(0.48)
    assert found["all_null"] == {"tv": None, "scorability": 0}
    die = anchors(made_references["die_roll"], None)
    assert die["likeliest"]["tv"] == pytest.approx(1 - 840 / 5000) and die["faithful"]["tv"] is None


def test_anchors_of_a_set_are_measured_from_its_nearest_point(made_set) -> None:
    found = anchors(made_set, 0.1)
    high = max(shares[0] for shares in made_set.member_shares)
    assert found["uniform"]["tv"] == pytest.approx(0, abs=1e-8)
    assert found["likeliest"]["tv"] == pytest.approx(1 - high, abs=1e-8)
