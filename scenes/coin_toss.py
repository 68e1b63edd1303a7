"""Which side does a coin show that is flicked from a table and lands on it again?

The answer is a distribution because nobody flicks alike twice: speed and spin decide the number of half turns. Heads
starts up, in plain sight, so nothing forces 1/2: spin about the normal outlives the bounces and favours the side that
was up (0.50 of 1,277 tosses without it, 0.52 at 0.3 rad/s, 0.65 at 5 rad/s, each +- 0.027). A hand's wobble is unknown,
here 0 to 2 rad/s: 0.556 +- 0.022 of 2,044 tosses show the first side; 4 more stood on edge (null).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sim.contact import contact, world
from sim.factor import Normal, Uniform, hidden, unknown
from sim.scene import Camera, Look, Null, Params, Scene, Solver, Variant
from sim.trajectory import States, Trajectory, rotation_matrices

if TYPE_CHECKING:
    import mujoco

RADIUS_M, HALF_M = 0.024, 0.0012
ROLLING_M, GRAVITY_M_S2 = 4e-4, 9.81
BARRIER_M = (RADIUS_M**2 + HALF_M**2) ** 0.5  # centre's height when it balances on a rim: the least energy to turn over
EDGE = HALF_M / BARRIER_M  # vertical part of a face's normal at that balance: below it the coin stands on its edge


def build(params: Params) -> mujoco.MjSpec:
    """The coin flat in its tray, already moving up and turning about the axis that runs left to right."""
    import mujoco

    from .drawing.card import add_table
    from .drawing.coin_faces import add_faces
    from .drawing.flared_tray import add_flared_tray

    spec, size = world(params), [RADIUS_M, HALF_M, 0]
    add_table(spec)
    add_flared_tray(spec, floor_half_m=0.078, slope_rad=0.5, slope_length_m=0.06, lip_m=0.032)
    spec.add_material(name="edge", rgba=(0.62, 0.50, 0.28, 1), specular=0.6)
    coin = spec.worldbody.add_body(name="coin")
    coin.add_freejoint(name="coin")
    law = {"restitution": params["restitution"], "friction": params["friction"], "torsional_m": ROLLING_M}
    touch = contact(params, **law, rolling_m=ROLLING_M)
    coin.add_geom(name="coin", type=mujoco.mjtGeom.mjGEOM_CYLINDER, size=size, density=8000, material="edge", **touch)
    add_faces(spec, coin, radius_m=RADIUS_M, half_m=HALF_M)
    spin = np.array([params["spin_rad_s"], params["spin_skew_rad_s"], params["wobble_rad_s"] * params["spin_normal"]])
    speed = [params[name] for name in ("drift_right_m_s", "drift_back_m_s", "speed_up_m_s")]
    turn = [0, 1, 0, 0] if params["tails_up"] else [1, 0, 0, 0]  # the spin is kept in the world's frame
    spec.add_key(name="start", qpos=[0, 0, HALF_M, *turn], qvel=[*speed, *(rotation_matrices(np.array(turn)).T @ spin)])
    return spec


def _settled(position_m: np.ndarray, quaternion: np.ndarray, velocity: np.ndarray) -> np.ndarray:
    """(...) bool: too little energy to balance on a rim (inertia at most that about the normal), and not on edge."""
    kinetic = 0.5 * (velocity[..., :3] ** 2).sum(-1) + RADIUS_M**2 / 4 * (velocity[..., 3:] ** 2).sum(-1)
    return (GRAVITY_M_S2 * position_m[..., 2] + kinetic < GRAVITY_M_S2 * BARRIER_M) & (abs(_facing(quaternion)) > EDGE)


def _facing(quaternion: np.ndarray) -> np.ndarray:
    """(...) vertical part of the normal of heads."""
    return np.asarray(rotation_matrices(quaternion)[..., 2, 2])


def decided(states: States) -> np.ndarray:
    """(N,) bool: the coin can no longer turn over."""
    return _settled(states.position_m[:, 0], states.quaternion[:, 0], states.velocity[:, 0])


def read(trajectory: Trajectory) -> str | Null:
    """The side whose normal points up, once the coin can no longer turn over."""
    if np.ptp(trajectory.position_m[:, 0], axis=0).max() < 1e-4:
        return Null("no_motion")
    if not _settled(trajectory.position_m[-1, 0], trajectory.quaternion[-1, 0], trajectory.velocity[-1, 0]):
        return Null("not_settled")
    return "heads" if _facing(trajectory.quaternion[-1, 0]) > 0 else "tails"


SCENE = Scene(
    name="coin_toss",
    version=1,
    group="tossing",
    prompt="A coin lies in a shallow tray on a wooden table. It is flicked up once, spins through the air, falls back "
    "into the tray and comes to rest flat. Fixed camera, one continuous real-time shot, the coin stays in view.",
    negative_prompt="cuts, camera motion, hands, several coins, deformed coin, blurry coin",
    outcomes=("heads", "tails"),
    null_rules=(
        "Nothing moves at all, or the coin is still moving, or stands on its edge, at the end.",
        "The upper side cannot be told: hidden, blurred, deformed, or unlike both sides of the coin.",
        "There is more than one coin, or it disappears or leaves the picture for good.",
    ),
    duration_s=3.5,
    camera=Camera(position_m=(0.0, -0.30, 0.58), target_m=(0.0, -0.002, 0.0), fovy_deg=25.8),
    look=Look(),
    factors={
        "speed_up_m_s": hidden(Normal(1.85, 0.13)),
        "spin_rad_s": hidden(Normal(58.0, 10.0)),
        "spin_skew_rad_s": hidden(Normal(0.0, 2.0)),
        "spin_normal": hidden(Normal(0.0, 1.0)),
        "drift_right_m_s": hidden(Normal(0.0, 0.04)),
        "drift_back_m_s": hidden(Normal(0.0, 0.04)),
        "wobble_rad_s": unknown(Uniform(0.0, 2.0)),
        "friction": unknown(Uniform(0.15, 0.5)),
        "restitution": unknown(Uniform(0.1, 0.4)),
    },
    moving_bodies=("coin",),
    bounds_m=((-0.15, -0.15, 0.0), (0.15, 0.15, 0.6)),
    build=build,
    read=read,
    decided=decided,
    settings={"tails_up": False},
    ideal={"heads": 0.5, "tails": 0.5},
    solver=Solver(timestep_s=1 / 9600, contact_frequency_rad_s=2400.0),
    published=("pawbench:A-01",),
    variants={
        "tails_up": Variant(change="tails up", causal=True, settings={"tails_up": True}, published=("pawbench:A23",)),
    },
)
