"""To which side does a pencil fall that is let go upright on its tip?

The answer is a distribution because upright is unstable: a push of the parting fingers far too small to see grows by a factor
e every 0.1 s until it decides. Apparatus and launch law are the same after a mirror image left to right, so 1/2 is exact. The
fingers part to the left and right, so that the push lies almost wholly in the plane of the picture (a twentieth of it towards
the camera): a fall along the line of sight, whose side nobody could call, stays rare. The tip is blunt, a sphere of 0.8 mm.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sim import Camera, Look, Normal, Null, Params, Scene, States, Trajectory, Uniform, Variant
from sim import contact, hidden, rotation_matrices, unknown, world

if TYPE_CHECKING:
    import mujoco

LENGTH_M, RADIUS_M, CONE_M, TIP_M = 0.15, 0.0055, 0.020, 0.0008
FALLEN = 0.5  # vertical part of its axis: 60 degrees; a bounce gives back a quarter of its energy at most
IN_LINE, CLEAR = 0.05, 0.3  # sideways part of its direction: below 3 degrees nobody can call a side; above 17 it staysEVENING = Look(light_position_m=(0.9, -0.5, 0.6), light_diffuse=0.6, ambient=0.22, background_rgb=(0.55, 0.45, 0.42))


def build(params: Params) -> mujoco.MjSpec:
    """The pencil on its tip, a push away from upright."""
    import mujoco

    from .drawing.card import add_sign, add_table
    from .drawing.pencil import pencil_image, pencil_skin
    from .drawing.textured import add_textured_mesh

    spec, kinds = world(params), mujoco.mjtGeom
    add_table(spec)
    if params["sign"]:
        facing_us = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
        add_sign(spec, "THIS WAY >>", position_m=(0.11, 0.17, 0.026), turn=facing_us, half_m=(0.06, 0.026))
    pencil = spec.worldbody.add_body(name="pencil")
    pencil.add_freejoint(name="pencil")
    law = {"restitution": params["restitution"], "friction": params["friction"], "torsional_m": 1e-4}
    half = (LENGTH_M - CONE_M) / 2
    for name, kind, size, z, rolling_m in (
        ("barrel", kinds.mjGEOM_CYLINDER, [RADIUS_M, half, 0], CONE_M / 2, 5e-4),
        ("tip", kinds.mjGEOM_SPHERE, [TIP_M, 0, 0], TIP_M - LENGTH_M / 2, 0.0),
    ):
        touch = contact(params, **law, rolling_m=rolling_m)
        pencil.add_geom(name=name, type=kind, size=size, pos=[0, 0, z], density=800, group=3, **touch)
    vertices, faces, uv = pencil_skin(LENGTH_M, RADIUS_M, CONE_M, TIP_M)
    add_textured_mesh(spec, pencil, name="skin", vertices=vertices, faces=faces, uv=uv, image=pencil_image())
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
    prompt="A thick yellow pencil stands upright on its tip on a wooden table and is let go. It tips over once and comes to "
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
        "push_back_rad_s": hidden(Normal(0.0, 0.002)),
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
            change="the pencil leans to the left", causal=True, settings={"lean_right_rad": -0.1}, published=("pawbench:A25",)
        ),
        "sign_on_table": Variant(
            change="a card with an arrow to the right stands on the table", causal=False, settings={"sign": True}
        ),
        "other_light": Variant(change="low light from the right, warm and dim behind", causal=False, look=EVENING),
    },
)
