"""Each fault breaks a painted trajectory in its own way, and only after it is due."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from judge.faults import FAULTS, Plan, mid_air_s, settling_s, stage
from sim import NULL_REASONS, Null, Trajectory


def fall(x_end: float = 0.1, *, n_frames: int = 121) -> Trajectory:
    """A body that falls from 0.2 m for half a second, slides to `x_end` until one second, lies still for another."""
    time = np.arange(n_frames) / 60
    position = np.zeros((n_frames, 1, 3))
    position[:, 0, 2] = np.clip(0.2 - 0.8 * time**2, 0, None)
    position[:, 0, 0] = x_end * np.clip(time, 0, 1)
    quaternion = np.tile([1.0, 0, 0, 0], (n_frames, 1, 1))
    return Trajectory(
        bodies=("body",), time_s=time, position_m=position, quaternion=quaternion, velocity=np.zeros((n_frames, 1, 6))
    )


def staged(name: str, *, seed: int = 0, donors: tuple[Trajectory, ...] = ()) -> Plan | None:
    rng = np.random.default_rng(seed)
    return stage(name, fall(), duration_s=2.0, size_m=0.02, rng=rng, donors=donors)


def sure(name: str, *, seed: int = 0, donors: tuple[Trajectory, ...] = ()) -> Plan:
    plan = staged(name, seed=seed, donors=donors)
    assert plan is not None
    return plan


TIMES = np.linspace(0, 2, 25)


def test_every_fault_has_a_null_reason_and_is_named() -> None:
    assert {f.reason for f in FAULTS.values()} == {"no_motion", "not_settled", "object_lost", "several_objects"}
    assert all(f.reason in NULL_REASONS and f.name == name and f.strength for name, f in FAULTS.items())


def test_unknown_fault_is_refused() -> None:
    with pytest.raises(ValueError, match="fault must be one of still, slow_zoom"):
        staged("melts")


def test_a_sound_plan_shows_the_trajectory() -> None:
    plan = Plan(trajectory=fall(), duration_s=2.0)
    track = plan.track(TIMES)
    assert plan.reason is None and track.visible.all() and track.ghost_position_m is None
    assert track.position_m[-1, 0] == pytest.approx([0.1, 0, 0])


@pytest.mark.parametrize("name", ["still", "slow_zoom"])
def test_nothing_moves_in_a_still(name: str) -> None:
    track = sure(name).track(TIMES)
    assert np.ptp(track.position_m, axis=0).max() == 0 and track.position_m[0, 0, 2] == pytest.approx(0.2)


def test_slow_zoom_enlarges_about_the_middle() -> None:
    plan = sure("slow_zoom")
    frames = np.zeros((2, 100, 100, 3), np.uint8)
    frames[:, 40:60, 40:60] = 255
    out = plan.finish(frames, np.array([0.0, 2.0]))
    sides = [np.sqrt((frame[..., 0] > 127).sum()) for frame in out]
    assert sides[0] == 20 and sides[1] == pytest.approx(20 * (1 + plan.zoom), abs=1)
    assert out[1, 49:51, 49:51].min() == 255


@pytest.mark.parametrize("seed", range(10))
def test_frozen_stops_in_mid_air(seed: int) -> None:
    plan = sure("frozen", seed=seed)
    track = plan.track(TIMES)
    assert track.position_m[-1, 0, 2] > 0.2 * 0.2 - 1e-9
    assert np.ptp(track.position_m[TIMES > plan.stops_s], axis=0).max() == 0


@pytest.mark.parametrize("seed", range(10))
def test_cut_ends_in_mid_air_and_is_long_enough_to_be_read(seed: int) -> None:
    plan = sure("cut", seed=seed)
    assert plan.duration_s >= 0.8
    assert plan.track(np.array([plan.duration_s])).position_m[0, 0, 2] > 0.2 * 0.2 - 1e-9


@pytest.mark.parametrize("seed", range(10))
def test_what_vanishes_stays_away(seed: int) -> None:
    seen = sure("vanishes", seed=seed).track(TIMES).visible[:, 0]
    assert seen[0] and not seen[-1] and (np.diff(seen.astype(int)) <= 0).all()


def test_the_second_copy_ends_elsewhere() -> None:
    near, far = fall(0.105), fall(-0.1)
    track = sure("doubles", donors=(near, far)).track(TIMES)
    assert track.ghost_position_m is not None
    assert np.isnan(track.ghost_position_m[0]).all()
    assert track.ghost_position_m[-1] == pytest.approx([-0.1, 0, 0])


def test_no_second_copy_without_a_place_for_it() -> None:
    assert staged("doubles", donors=(fall(0.105),)) is None
    assert staged("doubles") is None


def test_what_never_leaves_the_ground_cannot_freeze_in_mid_air() -> None:
    flat = fall()
    flat = replace(flat, position_m=flat.position_m * [1, 1, 0])
    assert len(mid_air_s(flat)) == 0
    assert stage("frozen", flat, duration_s=2.0, size_m=0.02, rng=np.random.default_rng(0)) is None


@pytest.mark.parametrize("seed", range(10))
def test_nothing_stops_in_mid_air_once_the_outcome_can_be_read(seed: int) -> None:
    def read(trajectory: Trajectory) -> str | Null:
        return "low" if trajectory.position_m[-1, 0, 2] < 0.15 else Null("not_settled")

    rng = np.random.default_rng(seed)
    plan = stage("frozen", fall(), duration_s=2.0, size_m=0.02, rng=rng, read=read)
    assert plan is not None and plan.track(TIMES).position_m[-1, 0, 2] >= 0.15
    assert stage("cut", fall(), duration_s=2.0, size_m=0.02, rng=rng, read=lambda _: "low") is None


def test_settles_when_the_last_move_ends() -> None:
    assert settling_s(fall()) == pytest.approx(1.0, abs=0.05)


def test_the_same_random_numbers_give_the_same_plan() -> None:
    assert sure("vanishes", seed=4).lost_s == sure("vanishes", seed=4).lost_s != sure("vanishes", seed=5).lost_s


def test_a_ball_that_rides_on_a_turning_wheel_lies_still_on_it() -> None:
    time = np.arange(181) / 60
    angle = np.minimum(4 * time, 8 + 0 * time) + 0.5 * time  # runs around for two seconds, then is carried
    position = np.zeros((181, 2, 3))
    position[:, 0, :2] = 0.2 * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    quaternion = np.tile([1.0, 0, 0, 0], (181, 2, 1))
    quaternion[:, 1] = np.stack([np.cos(time / 4), 0 * time, 0 * time, np.sin(time / 4)], axis=1)  # 0.5 rad/s
    carried = Trajectory(
        bodies=("ball", "wheel"),
        time_s=time,
        position_m=position,
        quaternion=quaternion,
        velocity=np.zeros((181, 2, 6)),
    )
    assert settling_s(carried) == pytest.approx(2.0, abs=0.05)
