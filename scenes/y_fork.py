"""Into which arm of a symmetric Y does a ball roll down a tilted board?

The answer is a distribution because the ball meets the edge of the divider head-on: a sideways drift of a few millimetres a
second, which no picture shows, decides. Apparatus and launch law are the same after a mirror image left to right, so 1/2 is
exact. Left and right are the viewer's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sim import Camera, Look, Normal, Null, Params, Scene, States, Trajectory, Uniform, Variant
from sim import contact, hidden, unknown, world

if TYPE_CHECKING:
    import mujoco

RADIUS_M = 0.010
TILT_RAD, LIFT_M = 0.30, 0.062
ARM_RAD = 0.55
START_M, FLARE_M, SPLIT_M, END_M = 0.145, 0.020, -0.012, -0.165
"""Distances up the board: the ball's start, where the stem widens, the divider's edge, the lower end."""
STEM_HALF_M, WALL_HALF_M, WALL_HEIGHT_M = 0.019, 0.004, 0.016
TAN, COS = np.tan(ARM_RAD), np.cos(ARM_RAD)


def _on_board(x_m: float, up_m: float, height_m: float = 0.0) -> np.ndarray:
    """(3,) world position of a point of the board: sideways, up the slope, and off the surface."""
    c, s = np.cos(TILT_RAD), np.sin(TILT_RAD)
    return np.array([x_m, up_m * c - height_m * s, LIFT_M + up_m * s + height_m * c])


def _walls() -> list[tuple[str, tuple[float, float], tuple[float, float]]]:
    """Name and the two ends (x, up) of each wall's centre line, right half first."""
    outer, half = STEM_HALF_M + WALL_HALF_M, []
    drop = FLARE_M - END_M
    half.append(("stem", (outer, START_M + 0.03), (outer, FLARE_M)))
    half.append(("outer", (outer, FLARE_M), (outer + drop * TAN, END_M)))
    half.append(("inner", (0.0, SPLIT_M), ((SPLIT_M - END_M) * TAN, END_M)))
    walls = [(f"{name}_right", a, b) for name, a, b in half]
    walls += [(f"{name}_left", (-a[0], a[1]), (-b[0], b[1])) for name, a, b in half]
    wide = outer + drop * TAN + WALL_HALF_M
    return [*walls, ("top", (-outer, START_M + 0.03), (outer, START_M + 0.03)), ("end", (-wide, END_M), (wide, END_M))]


def build(params: Params) -> mujoco.MjSpec:
    """The ball at the top of the stem, at rest but for a drift too small to see."""
    import mujoco

    from scenes.drawing.card import add_sign, add_table

    spec, kinds = world(params), mujoco.mjtGeom
    add_table(spec)
    for name, rgba in (("board", (0.90, 0.84, 0.72, 1)), ("wall", (0.30, 0.47, 0.50, 1)), ("ball", (0.80, 0.22, 0.17, 1))):
        spec.add_material(name=name, rgba=rgba, specular=0.4, shininess=0.5)
    lean = [np.cos(TILT_RAD / 2), np.sin(TILT_RAD / 2), 0, 0]
    board = spec.worldbody.add_body(name="board", pos=[0, 0, LIFT_M], quat=lean)
    wide = STEM_HALF_M + 2 * WALL_HALF_M + (FLARE_M - END_M) * TAN
    middle, half = (START_M + 0.04 + END_M - 0.01) / 2, (START_M + 0.05 - END_M) / 2
    size = [wide + 0.008, half, 0.006]
    board.add_geom(name="board", type=kinds.mjGEOM_BOX, size=size, pos=[0, middle, -0.006], material="board")
    tall: dict[str, Any] = {"material": "wall"}
    for name, a, b in _walls():
        (x0, y0), (x1, y1) = a, b
        along, turn = np.hypot(x1 - x0, y1 - y0), np.arctan2(y1 - y0, x1 - x0) / 2
        size = [along / 2, WALL_HALF_M, WALL_HEIGHT_M / 2]
        at, quat = [(x0 + x1) / 2, (y0 + y1) / 2, WALL_HEIGHT_M / 2], [np.cos(turn), 0, 0, np.sin(turn)]
        board.add_geom(name=name, type=kinds.mjGEOM_BOX, size=size, pos=at, quat=quat, **tall)
        for end, (x, y) in enumerate((a, b)):  # round posts close the joints; the divider's edge is one
            size, at = [WALL_HALF_M, WALL_HEIGHT_M / 2, 0], [x, y, WALL_HEIGHT_M / 2]
            if (name, end) != ("inner_left", 0):
                board.add_geom(name=f"{name}_post_{end}", type=kinds.mjGEOM_CYLINDER, size=size, pos=at, **tall)
    if params["sign"]:
        turn3 = np.array([[1.0, 0, 0], [0, 0.35, -0.937], [0, 0.937, 0.35]])
        add_sign(spec, "THIS WAY", position_m=(0.105, 0.10, 0.035), turn=turn3, half_m=(0.05, 0.03))
    ball = spec.worldbody.add_body(name="ball")
    ball.add_freejoint(name="ball")
    law = contact(params, restitution=params["restitution"], friction=params["friction"], torsional_m=1e-4, rolling_m=3e-5)
    ball.add_geom(name="ball", type=kinds.mjGEOM_SPHERE, size=[RADIUS_M, 0, 0], density=2500, material="ball", **law)
    at = _on_board(params["release_right_m"] + params["offset_m"], START_M, RADIUS_M)
    drift = params["drift_right_m_s"]
    # rolling without slipping: the spin about the board's up-slope axis belongs to the drift
    spin = np.array([0, np.cos(TILT_RAD), np.sin(TILT_RAD)]) * drift / RADIUS_M
    spec.add_key(name="start", qpos=[*at, 1, 0, 0, 0], qvel=[drift, 0, 0, *spin])
    return spec


def _passed(position_m: np.ndarray) -> np.ndarray:
    """(...) bool: the ball lies past the divider's edge by more than its diameter."""
    up = position_m[..., 1] * np.cos(TILT_RAD) + (position_m[..., 2] - LIFT_M) * np.sin(TILT_RAD)
    return np.asarray(up < SPLIT_M - 2 * RADIUS_M)


def decided(states: States) -> np.ndarray:
    """(N,) bool: the ball is in an arm; what it keeps after a bounce (at most 0.36) cannot lift it back over the edge."""
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
    prompt="A red ball is let go at the top of a tilted board. It rolls down a straight channel, meets the divider of a "
    "Y-shaped fork, takes one arm and comes to rest at its end. Fixed camera, one continuous real-time shot.",
    negative_prompt="cuts, camera motion, hands, several balls, deformed ball, moving walls",
    outcomes=("left", "right"),
    null_rules=(
        "The ball has not entered an arm by the end: it sits on the divider or in the channel.",
        "It passes through a wall, jumps between the arms or leaves the board.",
        "There is more than one ball, or it disappears.",
        "Nothing moves at all.",
    ),
    duration_s=2.5,
    camera=Camera(position_m=(0.0, -0.42, 0.52), target_m=(0.0, -0.005, 0.05), fovy_deg=33.0),
    look=Look(),
    factors={
        "release_right_m": hidden(Normal(0.0, 1e-4)),
        "drift_right_m_s": hidden(Normal(0.0, 0.006)),
        "friction": unknown(Uniform(0.2, 0.5)),
        "restitution": unknown(Uniform(0.2, 0.6)),
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
            change="the ball starts visibly left of the middle of the channel", causal=True, settings={"offset_m": -0.006}
        ),
        "sign": Variant(
            change="a sign stands beside the right arm", causal=False, settings={"sign": True}, published=("pawbench:A-12",)
        ),
    },
)
