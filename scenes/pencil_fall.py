"""To which side does a pencil fall that is let go upright on its tip?

The answer is a distribution because upright is unstable: a push of the parting fingers far too small to see grows by
a factor e every 0.1 s until it decides. Apparatus and launch law equal their mirror image, so 1/2 is exact. The fingers
part to the left and right: the push lies in the plane of the picture but for 4 %, so that a fall along the line
of sight, whose side nobody could call, stays rare (null). The tip is blunt, a sphere of 0.8 mm.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sim.contact import contact, world
from sim.factor import Normal, Uniform, hidden, unknown
from sim.scene import Camera, Look, Null, Params, Scene, Variant
from sim.trajectory import States, Trajectory, rotation_matrices

if TYPE_CHECKING:
    import mujoco

FALLEN = 0.5  # vertical part of its axis: 60 degrees; a bounce gives back a quarter of its energy at most
IN_LINE, CLEAR = 0.05, 0.3  # sideways part of its direction: within 3 degrees nobody calls a side, from 17 on it stays
EVENING = Look(light_position_m=(0.9, -0.5, 0.6), light_diffuse=0.6, ambient=0.22, background_rgb=(0.55, 0.45, 0.42))


def build(params: Params) -> mujoco.MjSpec:
    """The pencil on its tip, a push away from upright."""
    from .drawing.card import add_sign, add_table
    from .drawing.pencil import LENGTH_M, TIP_M, add_pencil

    spec = world(params)
    add_table(spec)
    if params["sign"]:
        facing_us = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
        add_sign(spec, "THIS WAY >>", position_m=(0.11, 0.17, 0.026), turn=facing_us, half_m=(0.06, 0.026))
    law = {"restitution": params["restitution"], "friction": params["friction"], "torsional_m": 1e-4}
    add_pencil(spec, barrel=contact(params, **law, rolling_m=5e-4), tip=contact(params, **law))
    right, back = params["tilt_right_rad"] + params["lean_right_rad"], params["tilt_back_rad"]
    half_angle = np.hypot(right, back) / 2
    turn = [np.cos(half_angle), *(np.sinc(half_angle / np.pi) / 2 * np.array([-back, right, 0]))]
    axes = rotation_matrices(np.array(turn))
    arm = axes[:, 2] * (LENGTH_M / 2 - TIP_M)
    spin = np.array([-params["push_back_rad_s"], params["push_right_rad_s"], 0])
    at, speed = arm + (0, 0, TIP_M), np.cross(spin, arm)  # the tip starts at rest
    spec.add_key(name="start", qpos=[*at, *turn], qvel=[*speed, *(axes.T @ spin)])
    return spec


def _side(quaternion: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(...) bool: the pencil has fallen; (...) part of its lying direction that points right, -1 to 1."""
    axis = rotation_matrices(quaternion)[..., 2]
    flat = np.hypot(axis[..., 0], axis[..., 1])
    return axis[..., 2] < FALLEN, axis[..., 0] / np.maximum(flat, 1e-12)


def decided(states: States) -> np.ndarray:
    """(N,) bool: the pencil has fallen, clearly to one side."""
    fallen, right = _side(states.quaternion[:, 0])
    return np.asarray(fallen & (np.abs(right) > CLEAR))


def read(trajectory: Trajectory) -> str | Null:
    """The side of the eraser end, once the pencil has fallen; null if it lies in line with the view."""
    if np.ptp(trajectory.quaternion[:, 0], axis=0).max() < 1e-3:
        return Null("no_motion")
    fallen, right = _side(trajectory.quaternion[-1, 0])
    if not fallen or abs(right) < IN_LINE:
        return Null("not_settled")
    return "falls_right" if right > 0 else "falls_left"


SCENE = Scene(
    name="pencil_fall",
    version=1,
    group="tossing",
    prompt="A thick yellow pencil stands upright on its tip on a table and is let go. It tips over once and comes to "
    "rest lying on the table. Fixed camera, one continuous real-time shot, the whole pencil stays in view.",
    negative_prompt="cuts, camera motion, hands, several pencils, bending pencil, broken pencil",
    outcomes=("falls_left", "falls_right"),
    null_rules=(
        "Nothing moves, the pencil does not fall over, or it is still moving at the end. Leaning alone is not a fall.",
        "It lies in line with the camera, so that the side of its eraser end cannot be told.",
        "There is more than one pencil, or it bends, breaks, disappears or leaves the picture.",
    ),
    duration_s=2.5,
    camera=Camera(position_m=(0.0, -0.62, 0.17), target_m=(0.0, 0.0, 0.062), fovy_deg=30.0),
    look=Look(),
    factors={
        "tilt_right_rad": hidden(Normal(0.0, 3e-4)),
        "tilt_back_rad": hidden(Normal(0.0, 5e-5)),
        "push_right_rad_s": hidden(Normal(0.0, 0.04)),
        "push_back_rad_s": hidden(Normal(0.0, 0.0015)),
        "friction": unknown(Uniform(0.2, 0.6)),
        "restitution": unknown(Uniform(0.1, 0.5)),
    },
    moving_bodies=("pencil",),
    bounds_m=((-0.3, -0.3, 0.0), (0.3, 0.3, 0.2)),
    build=build,
    read=read,
    decided=decided,
    settings={"lean_right_rad": 0.0, "sign": False},
    ideal={"falls_left": 0.5, "falls_right": 0.5},
    exact=True,
    published=("pawbench:A-09",),
    variants={
        "leaning_left": Variant(
            change="the pencil leans left", causal=True, settings={"lean_right_rad": -0.1}, published=("pawbench:A25",)
        ),
        "sign_on_table": Variant(change="a sign stands on the table", causal=False, settings={"sign": True}),
        "other_light": Variant(change="low light from the right, warm and dim behind", causal=False, look=EVENING),
    },
)
