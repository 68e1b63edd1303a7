"""What is true of a staged clip, against the camera, the staging and the scene's own rule."""

from __future__ import annotations

import numpy as np
import pytest

from judge.clips import Order, body_sphere, rollouts
from judge.faults import Plan, stage
from judge.truth import Lens, truth_of
from scenes.registry import load
from sim import Trajectory
from sim.surface import surfaces

DIE = load("die_roll")
LENS = Lens(camera=DIE.camera, size_px=(240, 416))
TIMES = np.linspace(0, 2, 8)
BODY = body_sphere(surfaces(DIE))


@pytest.fixture(scope="module")
def roll() -> tuple[str, Trajectory]:
    """A roll with an outcome."""
    cast = rollouts(DIE, Order(kind="tray", seed=3, number=0, n_clips=8, clips_per_rollout=4))
    return next((answer, path) for answer, path in cast if isinstance(answer, str))


def test_a_still_clip_stays_at_its_first_place_and_a_zoom_leaves_the_middle(roll: tuple[str, Trajectory]) -> None:
    answer, trajectory = roll
    rng = np.random.default_rng(0)
    plans = [stage(f, trajectory, duration_s=2.0, size_m=BODY.diameter_m, rng=rng) for f in ("still", "slow_zoom")]
    still, zoom = (truth_of(DIE, answer, plan, TIMES, LENS, BODY) for plan in plans if plan is not None)
    assert np.ptp(still.path, axis=0) == pytest.approx([0, 0], abs=1e-6)
    assert still.path[0] == pytest.approx(still.where[:2], abs=1e-6)
    away = np.linalg.norm(zoom.path - 0.5, axis=1)
    assert zoom.path[0] == pytest.approx(still.path[0], abs=1e-6) and (np.diff(away) > 0).all()
    assert np.linalg.norm(np.array(zoom.where[:2]) - 0.5) > away[-1]
    assert zoom.outcome == -1 and np.isnan(zoom.twin_path).all()


def test_up_points_out_of_the_face_that_the_rule_reads(roll: tuple[str, Trajectory]) -> None:
    answer, trajectory = roll
    truth = truth_of(DIE, answer, Plan(trajectory=trajectory, duration_s=9.0), np.linspace(0, 9, 8), LENS, BODY)
    assert np.linalg.norm(truth.up) == pytest.approx(1, abs=1e-6)
    assert np.sort(np.abs(truth.up)) == pytest.approx([0, 0, 1], abs=0.05)  # a face, not an edge
    assert DIE.outcomes[truth.outcome] == answer


def test_what_is_not_drawn_has_no_place_and_a_ball_no_pose(roll: tuple[str, Trajectory]) -> None:
    answer, trajectory = roll
    lost = truth_of(DIE, answer, Plan(trajectory=trajectory, duration_s=2.0, lost_s=1.0), TIMES, LENS, BODY)
    assert np.isnan([*lost.where, *lost.at, *lost.up]).all()
    assert np.isfinite(lost.path[TIMES[:-1] <= 1]).all() and np.isnan(lost.path[TIMES[:-1] > 1]).all()
    assert body_sphere(surfaces(load("galton_board"))).filled and not BODY.filled
