from dataclasses import replace

import numpy as np
import pytest

from sim import Rotation, Uniform, hidden, unknown, world
from sim.start import hidden_shift_px, start_track
from sim.view import View


def placed(params):
    """A ball whose start depends on the factors."""
    spec = world(params)
    body = spec.worldbody.add_body(name="ball")
    body.add_freejoint(name="ball")
    if params["box"]:
        import mujoco

        body.add_geom(name="ball", type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.05, 0.05, 0.05], mass=1)
    else:
        body.add_geom(name="ball", size=[0.05, 0, 0], mass=1)
    spec.add_key(name="start", qpos=[params["x_m"], 0, 0, *params["turn"]], qvel=[params["speed_m_s"], 0, 0, 0, 0, 0])
    return spec


def scene(ball, *, box=False, **factors):
    still = {"x_m": hidden(Uniform(0, 0)), "speed_m_s": hidden(Uniform(0, 1))} | factors
    settings = {"box": box} | ({} if "turn" in factors else {"turn": (1.0, 0, 0, 0)})
    return replace(ball, build=placed, factors=still, settings=settings)


def test_speeds_cannot_be_seen(ball):
    assert hidden_shift_px(scene(ball)) == 0


@pytest.mark.parametrize("kind", [hidden, unknown])
def test_a_shifted_start_is_measured_at_the_ends_of_its_law(ball, kind):
    seen = View(camera=ball.camera, height_px=512, width_px=512)
    left, right = seen.pixels(np.array([[-0.001, -0.05, -0.05], [0.001, -0.05, -0.05]]))
    shift = hidden_shift_px(scene(ball, x_m=kind(Uniform(-0.001, 0.001))))
    full = float(np.linalg.norm(right - left))
    assert shift == pytest.approx(full, rel=0.05 if kind is hidden else 0.3)


def test_the_shift_grows_with_the_picture(ball):
    shifted = scene(ball, x_m=hidden(Uniform(-0.001, 0.001)))
    small, large = (hidden_shift_px(shifted, size_px=(side, side)) for side in (128, 512))
    assert large == pytest.approx(4 * small)


def test_the_turn_of_a_ball_cannot_be_seen_and_that_of_a_box_can(ball):
    turn = hidden(Rotation())
    assert hidden_shift_px(scene(ball, turn=turn)) == pytest.approx(0, abs=1e-9)
    assert hidden_shift_px(scene(ball, turn=turn, box=True)) > 10


def test_one_draw_tells_nothing(ball):
    with pytest.raises(ValueError, match="n_draws must be at least 2, got 1"):
        hidden_shift_px(ball, n_draws=1)


def test_start_track_is_one_frame_at_the_keyframe(ball):
    track = start_track(ball, seed=3, index=2)
    np.testing.assert_allclose(track.position_m, [[[0, 0, 0.1]]])
    np.testing.assert_allclose(track.quaternion, [[[1, 0, 0, 0]]])
    assert track.visible.all()
