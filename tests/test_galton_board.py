import math
from dataclasses import replace

import numpy as np
import pytest

import scenes
from scenes.drawing.pegboard import (
    BALL_RADIUS_M,
    DEPTH_M,
    DIVIDER_TOP_M,
    HALF_WIDTH_M,
    HEIGHT_M,
    N_BINS,
    N_ROWS,
    PEG_RADIUS_M,
    PITCH_M,
    ROW_M,
    START_M,
    pegs,
)
from sim import Null, Params, States, Trajectory
from sim.mujoco_engine import MujocoEngine, compile_scene
from sim.rollout import simulate
from sim.view import View

BOARD = scenes.load("galton_board")


def path(*, x_m, z_m):
    """Two rows: the start, then a ball somewhere on the board."""
    return Trajectory(
        bodies=("ball",),
        time_s=np.array([0, 1 / 60]),
        position_m=np.array([[[0.0, 0, START_M]], [[x_m, 0, z_m]]]),
        quaternion=np.array([[[1.0, 0, 0, 0]]] * 2),
        velocity=np.zeros((2, 1, 6)),
    )


def states(*, z_m, up_m_s, restitution):
    return States(
        bodies=("ball",),
        time_s=1.0,
        position_m=np.array([[[0.0, 0, z_m]]]),
        quaternion=np.array([[[1.0, 0, 0, 0]]]),
        velocity=np.array([[[0.0, 0, up_m_s, 0, 0, 0]]]),
        params={"restitution": np.array([restitution])},
    )


def test_ten_rows_alternate_and_the_last_stands_on_the_dividers():
    found = pegs()
    rows = [sorted(x for row, x, _ in found if row == r) for r in range(N_ROWS)]
    assert [len(row) for row in rows] == [9, 10] * 5
    np.testing.assert_allclose(rows[-1], [(k - 4.5) * PITCH_M for k in range(10)], atol=1e-12)
    assert 0.0 in rows[0]
    heights = sorted({round(z, 9) for _, _, z in found}, reverse=True)
    np.testing.assert_allclose(np.diff(heights), -ROW_M)


def test_the_ball_fits_through_every_gap_and_cannot_rest_on_two_pegs():
    assert PITCH_M - 2 * PEG_RADIUS_M > 2.4 * BALL_RADIUS_M
    assert math.hypot(PITCH_M / 2, ROW_M) - 2 * PEG_RADIUS_M > 2.4 * BALL_RADIUS_M
    assert 1.1 <= DEPTH_M / (2 * BALL_RADIUS_M) <= 1.3


@pytest.mark.parametrize("k", range(N_BINS))
def test_reads_every_bin_from_left_to_right(k):
    middle = (k - 5) * PITCH_M
    for x in (middle - 0.49 * PITCH_M, middle, middle + 0.49 * PITCH_M):
        assert BOARD.read(path(x_m=x, z_m=BALL_RADIUS_M)) == f"bin_{k + 1}"


def test_reads_nulls():
    assert BOARD.read(path(x_m=0, z_m=START_M)) == Null("no_motion")
    assert BOARD.read(path(x_m=0.03, z_m=DIVIDER_TOP_M + 0.001)) == Null("not_settled")
    assert BOARD.read(path(x_m=HALF_WIDTH_M + 0.01, z_m=0.05)) == Null("out_of_frame")
    assert BOARD.read(path(x_m=0, z_m=HEIGHT_M + 0.01)) == Null("out_of_frame")
    assert BOARD.read(path(x_m=math.nan, z_m=0.05)) == Null("object_lost")


def test_is_decided_only_when_no_bounce_can_lift_the_ball_out():
    # from 80 mm above the bottom at 1.5 m/s: v^2/2g + h = 0.185 m; 0.36 of that is 66 mm, 0.81 of it 150 mm
    middle = BALL_RADIUS_M + 0.070
    assert BOARD.decided(states(z_m=middle, up_m_s=-1.5, restitution=0.6))[0]
    assert not BOARD.decided(states(z_m=middle, up_m_s=-1.5, restitution=0.9))[0]
    assert not BOARD.decided(states(z_m=middle, up_m_s=1.5, restitution=0.6))[0]
    assert not BOARD.decided(states(z_m=DIVIDER_TOP_M, up_m_s=0.0, restitution=0.2))[0]


def test_ideal_is_the_binomial():
    from scipy.stats import binom

    np.testing.assert_allclose(list(BOARD.ideal.values()), binom.pmf(np.arange(11), 10, 0.5))
    assert not BOARD.exact


def test_a_full_run_shows_the_outcome_of_the_stopped_one_and_lies_still_in_the_picture():
    stopped = list(simulate(BOARD, seed=2, indices=range(12)))
    full = list(simulate(BOARD, seed=2, indices=range(12), full=True, keep_trajectory=True))
    assert [(r.outcome, r.null, r.failed) for r in stopped] == [(r.outcome, r.null, r.failed) for r in full]
    assert len({r.outcome for r in full}) >= 4
    view = View(camera=BOARD.camera, height_px=512, width_px=512)
    for rollout in full:
        assert np.abs(rollout.trajectory.velocity[-15:, 0, :3]).max() < 0.02
        ((x, y),) = view.pixels(rollout.trajectory.position_m[-1:, 0])
        assert 60 < x < 452 and 370 < y < 500


def test_a_mirrored_release_falls_into_the_mirrored_bin():
    # chaos outruns rounding after the first rows, so only the first turn is compared
    params = [BOARD.params(3, i) for i in range(4)]
    turned = [Params({**p.entries, "offset_x_m": -p["offset_x_m"]}, p.solver) for p in params]
    runs = MujocoEngine().run(replace(BOARD, duration_s=0.3), [*params, *turned], full=True, threads=2)
    ends = np.array([run.trajectory.position_m[-1, 0] for run in runs])
    assert (np.abs(ends[:4, 0]) > 0.002).all()
    np.testing.assert_allclose(ends[:4, 0], -ends[4:, 0], atol=1e-5)
    np.testing.assert_allclose(ends[:4, 2], ends[4:, 2], atol=1e-5)


def test_no_contact_is_deeper_than_a_tenth_of_the_ball():
    import mujoco

    for index in range(3):
        model = compile_scene(BOARD, BOARD.params(5, index))
        data = mujoco.MjData(model)
        mujoco.mj_resetDataKeyframe(model, data, 0)
        deepest = 0.0
        while data.qpos[2] > 0.5 * DIVIDER_TOP_M and data.time < BOARD.duration_s:
            mujoco.mj_step(model, data)
            deepest = min([deepest, *data.contact.dist])
        assert -0.1 * BALL_RADIUS_M < deepest < 0


@pytest.mark.parametrize("target", ["peg", "divider"])
def test_no_ball_passes_through_a_peg_or_a_divider(target):
    import mujoco

    model = compile_scene(BOARD, BOARD.params(0, 0))
    data = mujoco.MjData(model)
    random = np.random.default_rng(7)
    for _ in range(250):
        if target == "peg":  # at a peg of the middle row, from any side
            at = next(np.array([x, z]) for row, x, z in pegs() if row == 4 and abs(x) < 1e-9)
            angle = random.uniform(0, 2 * np.pi)
        else:
            at, angle = np.array([PITCH_M / 2, random.uniform(0.03, 0.08)]), random.choice([0, np.pi])
        way = np.array([np.cos(angle), np.sin(angle)])
        start, speed = at - way * (BALL_RADIUS_M + PEG_RADIUS_M + 0.0005), random.uniform(1, 3)
        mujoco.mj_resetData(model, data)
        data.qpos[:7] = [start[0], 0, start[1], 1, 0, 0, 0]
        data.qvel[:] = [way[0] * speed, 0, way[1] * speed, 0, 0, 0]
        for _ in range(40):  # 8 ms: a ball that nothing stops would be through
            mujoco.mj_step(model, data)
            assert (data.qpos[[0, 2]] - at) @ way < 0
