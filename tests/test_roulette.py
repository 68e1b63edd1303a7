import math

import numpy as np
import pytest

import scenes
from scenes.drawing import wheel
from scenes.roulette import BALL_M, TRACK_M
from sim import Null, Trajectory
from sim.mujoco_engine import compile_scene
from sim.rollout import simulate
from sim.view import View

ROULETTE = scenes.load("roulette")
# The colours of the numbers on a French wheel (rules of the game: Encyclopaedia Britannica, "Roulette").
RED = {1, 3, 5, 7, 9, 12, 14, 16, 18, 19, 21, 23, 25, 27, 30, 32, 34, 36}


def path(*, pocket=0, wheel_rad=0.0, radius_m=wheel.HUB_M + BALL_M, z_m=0.0115, wheel_rad_s=-2.0, extra_m_s=0.0):
    """Two rows: the launch, then a ball that turns with the wheel, over the middle of a pocket."""
    angle = pocket * wheel.POCKET_RAD + wheel_rad
    at = [radius_m * math.cos(angle), radius_m * math.sin(angle), z_m]
    turn = [math.cos(wheel_rad / 2), 0, 0, math.sin(wheel_rad / 2)]
    carried = [-wheel_rad_s * at[1], wheel_rad_s * at[0], extra_m_s, 0, 0, wheel_rad_s]
    return Trajectory(
        bodies=("ball", "wheel"),
        time_s=np.array([0, 1 / 60]),
        position_m=np.array([[[TRACK_M, 0, 0.05], [0, 0, 0]], [at, [0, 0, 0]]]),
        quaternion=np.array([[[1, 0, 0, 0], [1, 0, 0, 0]], [[1, 0, 0, 0], turn]], dtype=float),
        velocity=np.array([[[0] * 6, [0] * 6], [carried, [0, 0, 0, 0, 0, wheel_rad_s]]], dtype=float),
    )


def test_pockets_have_the_european_order_and_its_colours():
    assert sorted(wheel.ORDER) == list(range(37))
    for number, colour in zip(wheel.ORDER, wheel.COLOURS, strict=True):
        assert colour == ("green" if number == 0 else "red" if number in RED else "black")


@pytest.mark.parametrize("wheel_rad", [0.0, 1.0, -7.3, 3.1])
def test_reads_the_pocket_under_the_ball_whatever_the_pose_of_the_wheel(wheel_rad):
    for pocket, colour in enumerate(wheel.COLOURS):
        assert ROULETTE.read(path(pocket=pocket, wheel_rad=wheel_rad)) == colour
        for side in (-0.45, 0.45):
            assert ROULETTE.read(path(pocket=pocket + side, wheel_rad=wheel_rad)) == colour


def test_reads_nulls():
    assert ROULETTE.read(path(extra_m_s=1.0)) == Null("not_settled")
    assert ROULETTE.read(path(z_m=0.03)) == Null("not_settled")
    assert ROULETTE.read(path(pocket=9, radius_m=TRACK_M, z_m=0.05)) == Null("not_settled")
    assert ROULETTE.read(path(radius_m=0.05, z_m=0.012)) == Null("not_settled")
    assert ROULETTE.read(path(radius_m=0.3)) == Null("out_of_frame")
    assert ROULETTE.read(path(z_m=math.nan)) == Null("object_lost")
    assert ROULETTE.read(path().until(1)) == Null("no_motion")


def test_is_caught_by_the_energy_seen_from_the_wheel():
    # a fret is 10 mm high, so 0.44 m/s would clear it; the margin of 3 mm and the wheel take some of that
    position = np.array([[wheel.HUB_M + BALL_M, 0.0, BALL_M + wheel.floor_m(wheel.HUB_M + BALL_M)]])
    for slip, caught in ((0.0, True), (0.25, True), (0.40, False)):
        velocity = np.array([[0, -2.0 * position[0, 0] + slip, 0, 0, 0, -2.0]])
        answer = wheel.in_pocket(position, velocity, np.array([-2.0]), ball_radius_m=BALL_M)
        assert answer[0] == caught
    still = np.zeros((1, 6))
    assert not wheel.in_pocket(position, still, np.array([-4.0]), ball_radius_m=BALL_M)[0]


def test_the_surface_of_the_boxes_is_the_drawn_profile():
    import mujoco

    model = compile_scene(ROULETTE, ROULETTE.params(0, 0))
    data = mujoco.MjData(model)
    mujoco.mj_resetData(model, data)
    data.qpos[1:4] = [0, 0, 5]
    mujoco.mj_forward(model, data)
    geom = np.zeros(1, dtype=np.int32)
    profile = [(r, wheel.floor_m(r)) for r in (0.12, 0.15, 0.17)] + [(r, wheel.bowl_m(r)) for r in (0.18, 0.205, 0.225)]
    for radius, height in profile:
        for angle in np.arange(37) * wheel.POCKET_RAD + 0.01:
            above = np.array([radius * np.cos(angle), radius * np.sin(angle), 1.0])
            fallen = mujoco.mj_ray(model, data, above, np.array([0, 0, -1.0]), None, 1, -1, geom)
            name = model.geom(geom[0]).name
            if name.startswith(("pocket", "bowl")):
                assert 1.0 - fallen == pytest.approx(height, abs=6e-4)
            else:
                assert name.startswith(("deflector", "fret"))


def test_no_ball_passes_through_a_fret():
    import mujoco

    model = compile_scene(ROULETTE, ROULETTE.params(0, 0))
    data = mujoco.MjData(model)
    random = np.random.default_rng(11)
    middle = 0.5 * wheel.POCKET_RAD
    out, across = np.array([np.cos(middle), np.sin(middle), 0]), np.array([-np.sin(middle), np.cos(middle), 0])
    for _ in range(1000):
        way = across * random.choice([-1, 1])
        radius = random.uniform(wheel.HUB_M + BALL_M, wheel.FRET_END_M - BALL_M)
        low = [0, 0, wheel.floor_m(radius) + BALL_M / math.cos(wheel.FLOOR_SLOPE)]
        mujoco.mj_resetData(model, data)
        data.qpos[1:8] = [*(out * radius + low - way * (BALL_M + wheel.FRET_HALF_M + 0.0005)), 1, 0, 0, 0]
        data.qvel[1:4] = way * random.uniform(1, 3)
        for _ in range(20):  # 4 ms: a ball that nothing stops would be through
            mujoco.mj_step(model, data)
            assert data.qpos[1:4] @ way < 0


def test_no_contact_of_a_run_is_deeper_than_a_fifth_of_the_ball():
    import mujoco

    model = compile_scene(ROULETTE, ROULETTE.params(5, 0))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    deepest = 0.0
    while data.time < 3:
        mujoco.mj_step(model, data)
        deepest = min([deepest, *data.contact.dist])
    assert -0.2 * BALL_M < deepest < 0


def test_a_full_run_keeps_the_pocket_and_shows_it_under_the_ball():
    stopped = list(simulate(ROULETTE, seed=2, indices=range(8)))
    full = list(simulate(ROULETTE, seed=2, indices=range(8), full=True, keep_trajectory=True))
    assert [(r.outcome, r.null, r.failed) for r in stopped] == [(r.outcome, r.null, r.failed) for r in full]
    assert {r.outcome for r in full} >= {"red", "black"}
    view = View(camera=ROULETTE.camera, height_px=512, width_px=512)
    for rollout in full:
        path = rollout.trajectory.position_m[:, 0]
        pixels = view.pixels(path)
        assert ((pixels > 0) & (pixels < 512)).all()
        assert rollout.trajectory.velocity[0, 1, 5] < 0  # the wheel turns clockwise
        turned = np.unwrap(np.arctan2(path[:60, 1], path[:60, 0]))
        assert turned[-1] - turned[0] > np.pi  # and the ball runs against it


def test_the_wheel_is_one_body_on_a_hinge_that_the_bowl_never_touches():
    import mujoco

    model = compile_scene(ROULETTE, ROULETTE.params(0, 0))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    data.qpos[1:4] = [0, 0, 5]
    for _ in range(300):
        mujoco.mj_step(model, data)
        assert data.ncon == 0
    assert data.qvel[0] == pytest.approx(model.key_qvel[0, 0])
    assert model.body("wheel").jntnum == 1 and model.body("wheel").mass == pytest.approx(4.0)
