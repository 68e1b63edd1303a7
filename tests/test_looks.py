"""Random looks and cameras stay within what leaves the outcome readable."""

from __future__ import annotations

import numpy as np
import pytest

from judge.looks import close_camera, in_view, random_camera, random_look
from scenes.registry import load
from sim import Trajectory
from sim.view import View

SIZE_PX = (120, 160)


def at(*places: tuple[float, float, float]) -> Trajectory:
    n = len(places)
    return Trajectory(
        bodies=("die",),
        time_s=np.arange(n) / 60,
        position_m=np.array(places)[:, None],
        quaternion=np.tile([1.0, 0, 0, 0], (n, 1, 1)),
        velocity=np.zeros((n, 1, 6)),
    )


PATH = at((-0.034, 0, 0.055), (0.03, 0.02, 0.011))


@pytest.mark.parametrize("seed", range(30))
def test_the_start_and_the_end_stay_in_the_picture(seed: int) -> None:
    camera = random_camera(load("die_roll"), PATH.position_m, SIZE_PX, np.random.default_rng(seed))
    assert in_view(camera, PATH.position_m, SIZE_PX)


def test_cameras_differ_by_a_tenth_of_the_picture_or_so() -> None:
    scene = load("die_roll")
    cameras = [random_camera(scene, PATH.position_m, SIZE_PX, np.random.default_rng(k)) for k in range(60)]
    pixels = np.array([View(camera=c, height_px=120, width_px=160).pixels(np.zeros(3)) for c in cameras])
    assert 2 < pixels.std(axis=0).min() and pixels.std(axis=0).max() < 20


def test_marks_are_only_slightly_recoloured() -> None:
    scene = load("die_roll")
    looks = [random_look(scene.look, scene.camera, ("felt", "mark_pips"), np.random.default_rng(k)) for k in range(100)]
    marks, felts = (np.array([look.tint[name] for look in looks]) for name in ("mark_pips", "felt"))
    assert 0.87 < marks.min() and marks.max() < 1.13
    assert felts.min() < 0.6 and felts.max() > 1.5


def test_the_light_shines_from_above() -> None:
    scene = load("die_roll")
    looks = [random_look(scene.look, scene.camera, (), np.random.default_rng(k)) for k in range(50)]
    assert all(look.light_position_m[2] > scene.camera.target_m[2] for look in looks)


def test_the_close_camera_sees_the_end_large() -> None:
    for seed in range(20):
        camera = close_camera(PATH, 0.035, np.random.default_rng(seed))
        view = View(camera=camera, height_px=100, width_px=100)
        assert in_view(camera, PATH.position_m[-1, 0], (100, 100))
        top = PATH.position_m[-1, 0] + [0.0175, 0, 0]
        radius = np.linalg.norm(view.pixels(top) - view.pixels(PATH.position_m[-1, 0]))
        assert 10 < radius < 45


def test_behind_the_camera_is_not_in_view() -> None:
    scene = load("die_roll")
    assert not in_view(scene.camera, np.array([0.0, -1.0, 2.0]), SIZE_PX)
