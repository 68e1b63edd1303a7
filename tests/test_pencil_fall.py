import numpy as np
import pytest

import scenes
from scenes.drawing.pencil import LENGTH_M, RADIUS_M, TIP_M, pencil_skin
from sim import Null, Params, Trajectory
from sim.mujoco_engine import MujocoEngine, compile_scene
from sim.rollout import simulate
from sim.view import View

PENCIL = scenes.load("pencil_fall")
MIRRORED = ("tilt_right_rad", "push_right_rad_s")


def path(*, tilt_deg, heading_deg):
    """Two rows: upright, then tilted towards a heading (0 right, 90 away from the camera)."""
    half, heading = np.radians(tilt_deg) / 2, np.radians(heading_deg)
    turned = [np.cos(half), -np.sin(half) * np.sin(heading), np.sin(half) * np.cos(heading), 0]
    return Trajectory(
        bodies=("pencil",),
        time_s=np.array([0, 1 / 60]),
        position_m=np.zeros((2, 1, 3)),
        quaternion=np.array([[[1, 0, 0, 0]], [turned]], dtype=float),
        velocity=np.zeros((2, 1, 6)),
    )


@pytest.mark.parametrize(
    ("tilt_deg", "heading_deg", "answer"),
    [
        (88, 0, "falls_right"),
        (88, 180, "falls_left"),
        (88, 80, "falls_right"),
        (88, 100, "falls_left"),
        (88, -80, "falls_right"),
        (88, 90, Null("not_settled")),
        (88, -91, Null("not_settled")),
        (30, 0, Null("not_settled")),
        (0, 0, Null("no_motion")),
    ],
)
def test_reads_the_side_of_the_eraser(tilt_deg, heading_deg, answer):
    assert PENCIL.read(path(tilt_deg=tilt_deg, heading_deg=heading_deg)) == answer


def test_right_is_right_in_the_picture():
    found = list(simulate(PENCIL, seed=3, indices=range(8), full=True, keep_trajectory=True))
    view = View(camera=PENCIL.camera, height_px=512, width_px=512)
    assert {r.outcome for r in found} == set(PENCIL.outcomes)
    for rollout in found:
        middle, turn = rollout.trajectory.position_m[-1, 0], rollout.trajectory.quaternion[-1, 0]
        w, x, y, z = turn
        axis = np.array([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)])
        tip, eraser = view.pixels(np.array([middle - axis * LENGTH_M / 2, middle + axis * LENGTH_M / 2]))
        assert (eraser[0] > tip[0]) == (rollout.outcome == "falls_right")


def test_a_mirrored_launch_falls_to_the_other_side():
    params = [PENCIL.params(3, i) for i in range(6)]
    turned = [Params({**p.entries, **{name: -p[name] for name in MIRRORED}}, p.solver) for p in params]
    runs = MujocoEngine().run(PENCIL, [*params, *turned], full=False, threads=2)
    sides = [PENCIL.read(run.trajectory) for run in runs]
    assert all({a, b} == set(PENCIL.outcomes) for a, b in zip(sides[:6], sides[6:], strict=True))


def test_a_full_run_shows_the_outcome_of_the_stopped_one():
    stopped = list(simulate(PENCIL, seed=2, indices=range(10)))
    full = list(simulate(PENCIL, seed=2, indices=range(10), full=True))
    assert [(r.outcome, r.null, r.failed) for r in stopped] == [(r.outcome, r.null, r.failed) for r in full]


def test_leaning_left_always_falls_left():
    assert {r.outcome for r in simulate(PENCIL, variant="leaning_left", seed=2, indices=range(32))} == {"falls_left"}


def test_sign_and_light_do_not_touch_the_physics():
    base = list(simulate(PENCIL, seed=4, indices=range(3), keep_trajectory=True))
    for variant in ("sign_on_table", "other_light"):
        other = list(simulate(PENCIL, variant=variant, seed=4, indices=range(3), keep_trajectory=True))
        for a, b in zip(base, other, strict=True):
            assert a.trajectory.position_m.tobytes() == b.trajectory.position_m.tobytes()


def test_falls_as_fast_as_a_rod_on_its_end():
    # from rest at 0.1 rad a thin rod on a fixed pivot takes the integral of d angle / sqrt(3 g (cos a0 - cos a) / L)
    from scipy.integrate import quad

    length = LENGTH_M - TIP_M
    expected = quad(lambda u: 2 * u / np.sqrt(3 * 9.81 / length * (np.cos(0.1) - np.cos(0.1 + u * u))), 0, 0.9**0.5)[0]
    fixed = dict.fromkeys(PENCIL.factors, 0.0) | {
        "friction": 5.0,
        "restitution": 0.2,
        "lean_right_rad": 0.1,
        "sign": False,
    }
    (run,) = MujocoEngine().run(PENCIL, [Params(fixed, PENCIL.solver)], full=True, threads=1)
    _, x, y, _ = np.moveaxis(run.trajectory.quaternion[:, 0], -1, 0)
    angle = np.arccos(np.clip(1 - 2 * (x * x + y * y), -1, 1))
    assert np.interp(1.0, angle[:40], run.trajectory.time_s[:40]) == pytest.approx(expected, rel=0.05)


def test_starts_with_its_tip_on_the_table():
    model = compile_scene(PENCIL, PENCIL.params(0, 0, variant="leaning_left"))
    height, (_, x, y, _) = model.key_qpos[0, 2], model.key_qpos[0, 3:7]
    upright = 1 - 2 * (x * x + y * y)
    assert height - upright * (LENGTH_M / 2 - TIP_M) == pytest.approx(TIP_M, abs=1e-9)


def test_skin_is_closed_and_faces_outwards():
    vertices, faces, uv = pencil_skin()
    corners = vertices[faces]
    volume = np.einsum("fi,fi->f", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum() / 6
    cylinder = np.pi * RADIUS_M**2 * LENGTH_M
    assert 0.8 * cylinder < volume < cylinder
    assert uv.min() >= 0 and uv.max() <= 1
