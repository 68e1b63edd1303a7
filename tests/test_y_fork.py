import numpy as np
import pytest

import scenes
from scenes.y_fork import BOARD, RADIUS_M, START_M
from sim import Null, Params, Trajectory
from sim.mujoco_engine import MujocoEngine
from sim.rollout import simulate
from sim.view import View

FORK = scenes.load("y_fork")


def path(*, right_m, up_m):
    """Two rows: the start, then a ball on the board."""
    rows = [BOARD.point(0.0, START_M, RADIUS_M), BOARD.point(right_m, up_m, RADIUS_M)]
    return Trajectory(
        bodies=("ball",),
        time_s=np.array([0, 1 / 60]),
        position_m=np.array(rows)[:, None],
        quaternion=np.array([[[1.0, 0, 0, 0]]] * 2),
        velocity=np.zeros((2, 1, 6)),
    )


def test_reads_the_arm_once_the_ball_is_a_diameter_past_the_edge():
    past = BOARD.split_m - 2 * RADIUS_M
    assert FORK.read(path(right_m=0.03, up_m=past - 0.001)) == "right"
    assert FORK.read(path(right_m=-0.03, up_m=past - 0.001)) == "left"
    assert FORK.read(path(right_m=0.03, up_m=past + 0.001)) == Null("not_settled")
    assert FORK.read(path(right_m=0.0, up_m=START_M)) == Null("no_motion")


def test_point_and_up_are_inverse():
    assert BOARD.up(BOARD.point(0.05, -0.1, 0.0)) == pytest.approx(-0.1)
    assert BOARD.up(BOARD.point(0.05, 0.07, 0.01)) == pytest.approx(0.07)


def test_walls_are_their_own_mirror_image():
    walls = {name: np.array(ends) for name, *ends in BOARD.walls()}
    for name in ("stem", "outer", "inner"):
        np.testing.assert_array_equal(walls[f"{name}_left"], walls[f"{name}_right"] * (-1, 1))


def test_the_ball_fits_through_both_arms():
    walls = {name: np.array(ends) for name, *ends in BOARD.walls()}
    along = walls["outer_right"][1] - walls["outer_right"][0]
    between = walls["inner_right"][0] - walls["outer_right"][0]
    gap = abs(along[0] * between[1] - along[1] * between[0]) / np.linalg.norm(along)
    assert gap - 0.004 - 0.0025 > 2.4 * RADIUS_M


def test_right_is_right_in_the_picture_and_a_full_run_agrees():
    stopped = list(simulate(FORK, seed=2, indices=range(10)))
    full = list(simulate(FORK, seed=2, indices=range(10), full=True, keep_trajectory=True))
    assert [(r.outcome, r.null, r.failed) for r in stopped] == [(r.outcome, r.null, r.failed) for r in full]
    assert {r.outcome for r in full} == set(FORK.outcomes)
    view = View(camera=FORK.camera, height_px=512, width_px=512)
    for rollout in full:
        ((x, y),) = view.pixels(rollout.trajectory.position_m[-1:, 0])
        assert (x > 256) == (rollout.outcome == "right") and 256 < y < 512
        assert np.abs(rollout.trajectory.velocity[-30:, 0, :3]).max() < 0.02  # half a second of rest


def test_a_mirrored_launch_takes_the_other_arm():
    params = [FORK.params(3, i) for i in range(6)]
    names = ("release_right_m", "drift_right_m_s")
    turned = [Params({**p.entries, **{name: -p[name] for name in names}}, p.solver) for p in params]
    runs = MujocoEngine().run(FORK, [*params, *turned], full=False, threads=2)
    arms = [FORK.read(run.trajectory) for run in runs]
    assert all({a, b} == set(FORK.outcomes) for a, b in zip(arms[:6], arms[6:], strict=True))


def test_rolls_down_the_stem_without_slipping():
    # a solid ball on a slope gains 5/7 g sin(tilt)
    fixed = dict.fromkeys(FORK.factors, 0.0) | {"friction": 0.4, "restitution": 0.3, "offset_m": 0.0, "sign": False}
    (run,) = MujocoEngine().run(FORK, [Params(fixed, FORK.solver)], full=True, threads=1)
    up = BOARD.up(run.trajectory.position_m[:19, 0])
    fallen = 5 / 7 * 9.81 * np.sin(BOARD.tilt_rad) * 0.3**2 / 2
    assert up[0] - up[18] == pytest.approx(fallen, rel=0.05)


def test_offset_goes_mostly_left_and_the_sign_changes_nothing():
    left = [r.outcome for r in simulate(FORK, variant="offset", seed=2, indices=range(24))]
    assert left.count("left") > 16
    base, sign = (
        list(simulate(FORK, variant=variant, seed=4, indices=range(3), keep_trajectory=True))
        for variant in (None, "sign")
    )
    for a, b in zip(base, sign, strict=True):
        assert a.trajectory.position_m.tobytes() == b.trajectory.position_m.tobytes()
