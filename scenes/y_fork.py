"""Into which arm of a symmetric Y does a ball roll down a tilted board?

The answer is a distribution because the ball meets the edge of the divider head-on: a sideways drift of a centimetre a
second, which no picture shows, decides. Apparatus and launch law are the same after a mirror image left to right, so
1/2 is exact. Left and right are the viewer's. A ball that comes to rest on the edge is null: none of
5,120 in MuJoCo, but 27 of 512 in Bullet, whose contacts hold a balanced ball longer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sim.contact import contact, world
from sim.factor import Normal, Uniform, hidden, unknown
from sim.scene import Camera, Look, Null, Params, Scene, Variant
from sim.trajectory import States, Trajectory

from .drawing.fork_board import ForkBoard

if TYPE_CHECKING:
    import mujoco

RADIUS_M = 0.010
START_M = 0.145
BOARD = ForkBoard()


def build(params: Params) -> mujoco.MjSpec:
    """The ball at the top of the stem, at rest but for a drift too small to see."""
    import mujoco

    from .drawing.card import add_sign, add_table

    spec, kinds = world(params), mujoco.mjtGeom
    add_table(spec)
    BOARD.add_to(spec)
    spec.add_material(name="ball", rgba=(0.80, 0.22, 0.17, 1), specular=0.5, shininess=0.6)
    if params["sign"]:
        turn3 = np.array([[1.0, 0, 0], [0, 0.35, -0.937], [0, 0.937, 0.35]])
        add_sign(spec, "THIS WAY", position_m=BOARD.point(0.084, 0.10, 0.026), turn=turn3, half_m=(0.045, 0.026))
    ball = spec.worldbody.add_body(name="ball")
    ball.add_freejoint(name="ball")
    given = {name: params[name] for name in ("restitution", "friction")}
    law = contact(params, **given, torsional_m=1e-5, rolling_m=3e-5)
    ball.add_geom(name="ball", type=kinds.mjGEOM_SPHERE, size=[RADIUS_M, 0, 0], density=2500, material="ball", **law)
    at = BOARD.point(params["release_right_m"] + params["offset_m"], START_M, RADIUS_M)
    drift = params["drift_right_m_s"]
    # rolling without slipping: the spin about the board's up-slope axis belongs to the drift
    spin = np.array([0, np.cos(BOARD.tilt_rad), np.sin(BOARD.tilt_rad)]) * drift / RADIUS_M
    spec.add_key(name="start", qpos=[*at, 1, 0, 0, 0], qvel=[drift, 0, 0, *spin])
    return spec


def _passed(position_m: np.ndarray) -> np.ndarray:
    """(...) bool: the ball lies past the divider's edge by more than its diameter."""
    return np.asarray(BOARD.up(position_m) < BOARD.split_m - 2 * RADIUS_M)


def decided(states: States) -> np.ndarray:
    """(N,) bool: the ball is in an arm; the energy left after a bounce (0.25) cannot lift it back over the edge."""
    return _passed(states.position_m[:, 0])


def read(trajectory: Trajectory) -> str | Null:
    """The viewer's side of the arm that the ball went into."""
    if np.ptp(trajectory.position_m[:, 0], axis=0).max() < 1e-3:
        return Null("no_motion")
    if not _passed(trajectory.position_m[-1, 0]):
        return Null("not_settled")
    return "right" if trajectory.position_m[-1, 0, 0] > 0 else "left"


SCENE = Scene(
    name="y_fork",
    version=1,
    group="routing",
    prompt="A red ball is let go at the top of a tilted board. It rolls down a straight channel, meets the divider of "
    "a Y-shaped fork, takes one arm and comes to rest at its end. Fixed camera, one continuous real-time shot.",
    negative_prompt="cuts, camera motion, hands, several balls, deformed ball, moving walls",
    outcomes=("left", "right"),
    null_rules=(
        "Nothing moves, or the ball has not entered an arm by the end: it sits on the divider or in the channel.",
        "It passes through a wall, jumps between the arms or leaves the board.",
        "There is more than one ball, or it disappears.",
    ),
    duration_s=3.0,
    camera=Camera(position_m=(0.0, -0.42, 0.52), target_m=(0.0, -0.005, 0.05), fovy_deg=33.0),
    look=Look(),
    factors={
        "release_right_m": hidden(Normal(0.0, 7e-5)),
        "drift_right_m_s": hidden(Normal(0.0, 0.014)),
        "friction": unknown(Uniform(0.15, 0.4)),
        "restitution": unknown(Uniform(0.2, 0.5)),
    },
    moving_bodies=("ball",),
    bounds_m=((-0.2, -0.25, 0.0), (0.2, 0.25, 0.2)),
    build=build,
    read=read,
    decided=decided,
    settings={"offset_m": 0.0, "sign": False},
    ideal={"left": 0.5, "right": 0.5},
    exact=True,
    published=("calibench:ball", "pawbench:A-07"),
    variants={
        "offset": Variant(
            change="the ball starts visibly left of the channel's middle", causal=True, settings={"offset_m": -0.0075}
        ),
        "sign": Variant(
            change="a sign stands on one side", causal=False, settings={"sign": True}, published=("pawbench:A-12",)
        ),
    },
)
