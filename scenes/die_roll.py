"""Which face does a die show that is thrown into a low-walled tray?

The answer is a distribution because the hand's throw varies: speed and spin are hidden, and a few bounces turn small
differences into other faces. The cube is a rounded convex mesh, not MuJoCo's box: real dice have rounded edges, and the
mesh costs no more time. A clear guard above the wooden rim, not drawn, keeps a lively die inside. The starting face is
visible and the roll is short, so 1/6 is not forced: face_1, on top at the start, comes up in about 0.19 of the rolls,
and the total variation from 1/6 is about 0.03 (the shipped reference has the figures).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sim.contact import contact, world
from sim.factor import Normal, Uniform, hidden, unknown
from sim.scene import Camera, Look, Null, Params, Scene
from sim.trajectory import States, Trajectory, rotation_matrices

if TYPE_CHECKING:
    import mujoco

HALF_EDGE_M, ROUNDING_M = 0.011, 0.0025
TRAY_HALF_M, WALL_HALF_M, WALL_HEIGHT_M, GUARD_HALF_M = 0.058, 0.004, 0.022, 0.1
GRAVITY_M_S2, START_M = 9.81, (-0.034, 0.0, 0.055)
BARRIER_M = (HALF_EDGE_M - ROUNDING_M) * 2**0.5 + ROUNDING_M
"""Height of the centre when the die stands on an edge: below this energy the face can no longer change."""


def build(params: Params) -> mujoco.MjSpec:
    """The die in the air beside the middle of its tray, moving right and spinning."""
    import mujoco

    from scenes.drawing.die import add_die

    spec, kinds = world(params), mujoco.mjtGeom
    for name, rgba in (("felt", (0.16, 0.42, 0.30, 1)), ("wood", (0.55, 0.36, 0.20, 1))):
        spec.add_material(name=name, rgba=rgba, specular=0.1)
    ground = spec.worldbody
    ground.add_geom(name="floor", type=kinds.mjGEOM_PLANE, size=[0.3, 0.3, 0.01], material="felt")
    reach, half = TRAY_HALF_M + WALL_HALF_M, WALL_HEIGHT_M / 2
    for name, x, y, length_x, length_y in (
        ("left", -reach, 0, WALL_HALF_M, TRAY_HALF_M),
        ("right", reach, 0, WALL_HALF_M, TRAY_HALF_M),
        ("front", 0, -reach, reach + WALL_HALF_M, WALL_HALF_M),
        ("back", 0, reach, reach + WALL_HALF_M, WALL_HALF_M),
    ):
        size, at = [length_x, length_y, half], [x, y, half]
        ground.add_geom(name=f"rim_{name}", type=kinds.mjGEOM_BOX, size=size, pos=at, material="wood")
        size, at = [length_x, length_y, GUARD_HALF_M], [x, y, WALL_HEIGHT_M + GUARD_HALF_M]
        ground.add_geom(name=f"guard_{name}", type=kinds.mjGEOM_BOX, size=size, pos=at, group=3)
    die = ground.add_body(name="die")
    die.add_freejoint(name="die")
    law = contact(params, restitution=params["restitution"], friction=params["friction"], torsional_m=2e-4)
    add_die(spec, die, half_edge_m=HALF_EDGE_M, rounding_m=ROUNDING_M, density=1180, **law)
    speed = [params["speed_right_m_s"], params["speed_back_m_s"], params["speed_up_m_s"]]
    spin = [params["spin_x_rad_s"], params["spin_y_rad_s"], params["spin_z_rad_s"]]
    spec.add_key(name="start", qpos=[*START_M, 1, 0, 0, 0], qvel=[*speed, *spin])
    return spec


def _settled(height_m: np.ndarray, velocity: np.ndarray) -> np.ndarray:
    """(...) bool: the energy per mass lies below that of standing on an edge (inertia at most that of a sharp cube)."""
    inertia_per_mass = (2 * HALF_EDGE_M) ** 2 / 6
    kinetic = 0.5 * (velocity[..., :3] ** 2).sum(-1) + 0.5 * inertia_per_mass * (velocity[..., 3:] ** 2).sum(-1)
    return np.asarray(GRAVITY_M_S2 * height_m + kinetic < GRAVITY_M_S2 * BARRIER_M)


def decided(states: States) -> np.ndarray:
    """The energy no longer suffices to turn the die over."""
    return _settled(states.position_m[:, 0, 2], states.velocity[:, 0])


def read(trajectory: Trajectory) -> str | Null:
    """The face whose normal points up most, once the die can no longer turn over."""
    from scenes.drawing.die import FACE_NORMALS

    if np.ptp(trajectory.position_m[:, 0], axis=0).max() < 1e-4:
        return Null("no_motion")
    if not _settled(trajectory.position_m[-1, 0, 2], trajectory.velocity[-1, 0]):
        return Null("not_settled")
    up = rotation_matrices(trajectory.quaternion[-1, 0])[2]  # world z in the die's frame
    return f"face_{max(FACE_NORMALS, key=lambda face: float(up @ np.array(FACE_NORMALS[face])))}"


SCENE = Scene(
    name="die_roll",
    version=1,
    group="tossing",
    prompt="A single die is thrown into a small wooden tray lined with green felt. It tumbles, bounces off the low "
    "walls and comes to rest. Fixed camera, one continuous real-time shot, the die stays in view.",
    negative_prompt="cuts, camera motion, hands, several dice, deformed die, blurry pips",
    outcomes=tuple(f"face_{k}" for k in range(1, 7)),
    null_rules=(
        "The die is still moving, or rests tilted on an edge or against a wall, at the end; or nothing moves at all.",
        "The top face cannot be counted: hidden, blurred, deformed, or with a pattern that no die has.",
        "There is more than one die, or the die disappears or leaves the picture.",
    ),
    duration_s=2.0,
    camera=Camera(position_m=(0.0, -0.12, 0.25), target_m=(0.0, -0.006, 0.0), fovy_deg=32.0),
    look=Look(),
    factors={
        "speed_right_m_s": hidden(Normal(1.2, 0.2)),
        "speed_back_m_s": hidden(Normal(0.0, 0.4)),
        "speed_up_m_s": hidden(Normal(-0.6, 0.3)),
        "spin_x_rad_s": hidden(Normal(0.0, 100.0)),
        "spin_y_rad_s": hidden(Normal(0.0, 100.0)),
        "spin_z_rad_s": hidden(Normal(0.0, 60.0)),
        "friction": unknown(Uniform(0.15, 0.5)),
        "restitution": unknown(Uniform(0.2, 0.6)),
    },
    moving_bodies=("die",),
    bounds_m=((-0.06, -0.06, 0.0), (0.06, 0.06, 0.3)),
    build=build,
    read=read, decided=decided,
    ideal={f"face_{k}": 1 / 6 for k in range(1, 7)},
    published=("calibench:dice", "pawbench:A-02"),
)
