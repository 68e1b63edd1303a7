import pytest

from sim.bullet_check import bounce


@pytest.mark.parametrize("height_m", [0.5, 10.0])
@pytest.mark.parametrize("asked", [0.0, 0.2, 0.5, 0.9, 1.0])
def test_ball_rebounds_as_asked(asked, height_m):
    seen = bounce(asked, height_m=height_m)
    assert (seen.asked, seen.height_m) == (asked, height_m)
    assert seen.realised == pytest.approx(asked, abs=0.002)
