"""Into a pocket of which colour does the ball fall on a European roulette wheel?

The answer is a distribution because no picture shows the speed of ball and wheel: a few per cent of either moves the
pocket that comes under the ball by many places. Red and black take turns, so the shares are close to 18/37, 18/37 and
1/37, but no symmetry forces them: the wheel starts with the zero at one visible place.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from sim import Camera, Look, Null, Params, Scene, States, Trajectory, Uniform, contact, hidden, unknown, world

from .drawing import wheel

if TYPE_CHECKING:
    import mujoco

BALL_M = 0.0085
START_RAD = math.radians(115)
TRACK_M = wheel.RIM_M - BALL_M
MOVED_M = 1e-3


def build(params: Params) -> mujoco.MjSpec:
    """The bowl, the turning wheel, and the ball running along the rim against it."""
    import mujoco

    spec = world(params)
    wheel.add_bowl(spec)
    wheel.add_wheel(spec)
    angle, speed = START_RAD + params["offset_m"] / TRACK_M, params["ball_speed_m_s"]
    out, along = np.array([math.cos(angle), math.sin(angle), 0]), np.array([-math.sin(angle), math.cos(angle), 0])
    start = out * TRACK_M + [0, 0, wheel.bowl_m(TRACK_M) + BALL_M / math.cos(wheel.BOWL_SLOPE)]
    ball = spec.worldbody.add_body(name="ball", pos=start)
    ball.add_freejoint(name="ball")
    law = contact(params, restitution=params["restitution"], friction=params["friction"], rolling_m=params["rolling_m"])
    size, sphere = [BALL_M, 0, 0], mujoco.mjtGeom.mjGEOM_SPHERE
    ball.add_geom(name="ball", type=sphere, size=size, mass=0.0042, material="ball", **wheel.BALL, **law)
    spin = [0, 0, -speed / BALL_M]  # it rolls along the rim
    spec.add_key(
        name="start", qpos=[0, *start, 1, 0, 0, 0], qvel=[-params["wheel_speed_rad_s"], *(along * speed), *spin]
    )
    return spec


def decided(states: States) -> np.ndarray:
    """(N,) True where the ball is caught in a pocket."""
    ball, spin = states.body("ball"), states.velocity[:, states.body("wheel"), 5]
    return wheel.in_pocket(states.position_m[:, ball], states.velocity[:, ball], spin, ball_radius_m=BALL_M)


def read(trajectory: Trajectory) -> str | Null:
    """Colour of the pocket in which the ball lies at the end, found with the wheel's pose."""
    ball, turning = trajectory.body("ball"), trajectory.body("wheel")
    path = ball.position_m[:, 0]
    if not (np.isfinite(path).all() and np.isfinite(turning.quaternion).all()):
        return Null("object_lost")
    if np.linalg.norm(path - path[0], axis=-1).max() < MOVED_M:
        return Null("no_motion")
    if (path[-1] < SCENE.bounds_m[0]).any() or (path[-1] > SCENE.bounds_m[1]).any():
        return Null("out_of_frame")
    velocity, spin = ball.velocity[-1:, 0], turning.velocity[-1:, 0, 5]
    if not wheel.in_pocket(path[-1:], velocity, spin, ball_radius_m=BALL_M)[0]:
        return Null("not_settled")
    return wheel.colour_under(path[-1], turning.quaternion[-1, 0])


SCENE = Scene(
    name="roulette",
    version=1,
    group="rotation",
    prompt=(
        "A roulette wheel seen from above turns steadily clockwise. The white ball runs counter-clockwise along the "
        "rim of the bowl, slows down, drops past the deflectors, bounces over the frets and comes to rest in one "
        "pocket of the turning wheel. Fixed camera."
    ),
    negative_prompt="camera motion, cuts, hands, several balls, ball leaving the bowl, colours of pockets changing",
    outcomes=("red", "black", "green"),
    null_rules=(
        "Neither the ball nor the wheel moves.",
        "At the end the ball still runs along the rim or the bowl, or still jumps from pocket to pocket.",
        "There is no ball, or more than one, at the end, or the ball has left the wheel.",
        "The ball lies on a fret or off the pockets, so that no single pocket holds it.",
        "The pockets change so much that the colour of the ball's pocket cannot be told.",
    ),
    duration_s=5.0,
    camera=Camera(position_m=(0.0, -0.30, 0.98), target_m=(0.0, -0.002, 0.03), fovy_deg=28.8),
    look=Look(light_position_m=(-0.25, -0.35, 1.5), background_rgb=(0.10, 0.30, 0.22)),
    factors={
        "offset_m": hidden(Uniform(-0.0004, 0.0004)),
        "ball_speed_m_s": hidden(Uniform(1.9, 2.5)),
        "wheel_speed_rad_s": hidden(Uniform(1.8, 2.6)),
        "restitution": unknown(Uniform(0.3, 0.6)),
        "friction": unknown(Uniform(0.15, 0.30)),
        "rolling_m": unknown(Uniform(4e-4, 7e-4)),
    },
    moving_bodies=("ball", "wheel"),
    bounds_m=((-wheel.RIM_M, -wheel.RIM_M, -0.01), (wheel.RIM_M, wheel.RIM_M, 0.11)),
    build=build,
    read=read,
    decided=decided,
    ideal={"red": 18 / 37, "black": 18 / 37, "green": 1 / 37},
    published=("calibench:roulette",),
)
