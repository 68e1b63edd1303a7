"""Which plain MuJoCo worlds show none of the catalogue's scenes? A single smooth body that drops onto bare boards.

They are scenes like any other, so that light, lens and codec vary as in the clips that the judge learns from; their
outcomes (on which side the body ends) mean nothing to anybody.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from sim.contact import contact, world
from sim.factor import Normal, Uniform, hidden, unknown
from sim.scene import Camera, Look, Null, Params, Scene
from sim.trajectory import Trajectory

if TYPE_CHECKING:
    import mujoco

_Size = tuple[float, float, float]
_SHAPES: Mapping[str, tuple[str, _Size, _Size]] = {
    "plain_brick": ("mjGEOM_BOX", (0.034, 0.021, 0.012), (0.70, 0.30, 0.22)),
    "plain_drum": ("mjGEOM_CYLINDER", (0.020, 0.022, 0.0), (0.25, 0.45, 0.70)),
    "plain_egg": ("mjGEOM_ELLIPSOID", (0.020, 0.020, 0.030), (0.92, 0.88, 0.78)),
    "plain_capsule": ("mjGEOM_CAPSULE", (0.015, 0.020, 0.0), (0.35, 0.62, 0.30)),
    "plain_slab": ("mjGEOM_BOX", (0.040, 0.030, 0.006), (0.55, 0.55, 0.58)),
    "plain_ball": ("mjGEOM_SPHERE", (0.024, 0.0, 0.0), (0.85, 0.55, 0.15)),
}
"""Name -> MuJoCo's shape, its half sizes in metres, its colour; none is a cube, a disc or a stick."""
_BOARDS = ((-0.11, 0.07, 0.3), (0.12, 0.05, -0.5), (0.02, 0.13, 0.1))
"""Place in metres and turn of the boards that lie about."""


def _build(name: str, params: Params) -> mujoco.MjSpec:
    import mujoco

    kind, size, rgb = _SHAPES[name]
    spec, kinds = world(params), mujoco.mjtGeom
    for material, rgba in (("ground", (0.62, 0.60, 0.56, 1)), ("board", (0.45, 0.36, 0.28, 1)), ("body", (*rgb, 1))):
        spec.add_material(name=material, rgba=rgba, specular=0.2)
    ground = spec.worldbody
    ground.add_geom(name="ground", type=kinds.mjGEOM_PLANE, size=[0.6, 0.6, 0.01], material="ground")
    for k, (x, y, angle) in enumerate(_BOARDS[: 1 + len(name) % 3]):
        where = {"pos": [x, y, 0.01], "quat": [np.cos(angle), 0, 0, np.sin(angle)]}
        ground.add_geom(name=f"board_{k}", type=kinds.mjGEOM_BOX, size=[0.05, 0.012, 0.01], material="board", **where)
    body = ground.add_body(name="body")
    body.add_freejoint(name="body")
    law = contact(params, restitution=0.35, friction=params["friction"], torsional_m=1e-3, rolling_m=1e-3)
    body.add_geom(name="body", type=getattr(kinds, kind), size=size, density=900, material="body", **law)
    turn = np.array([params["turn_w"], params["turn_x"], params["turn_y"], params["turn_z"]])
    speed = [params["speed_right_m_s"], params["speed_back_m_s"], 0.0]
    spin = [params["spin_x_rad_s"], params["spin_y_rad_s"], 0.0]
    start = [0.0, -0.02, 0.12, *(turn / np.linalg.norm(turn))]
    spec.add_key(name="start", qpos=start, qvel=[*speed, *spin])
    return spec


def _read(trajectory: Trajectory) -> str | Null:
    if np.ptp(trajectory.position_m[:, 0], axis=0).max() < 1e-4:
        return Null("no_motion")
    return "right" if trajectory.position_m[-1, 0, 0] > 0 else "left"


def plain_worlds() -> tuple[Scene, ...]:
    """The worlds, in a fixed order."""
    factors = {f"turn_{axis}": hidden(Normal(0.0, 1.0)) for axis in "wxyz"}
    factors |= {f"speed_{way}_m_s": hidden(Normal(0.0, 0.25)) for way in ("right", "back")}
    factors |= {f"spin_{axis}_rad_s": hidden(Normal(0.0, 12.0)) for axis in "xy"}
    return tuple(
        Scene(
            name=name,
            version=1,
            group="tossing",
            prompt="A smooth body drops onto the ground.",
            negative_prompt="",
            outcomes=("left", "right"),
            null_rules=("Nothing moves.",),
            duration_s=2.0,
            camera=Camera(position_m=(0.0, -0.42, 0.26), target_m=(0.0, 0.01, 0.02), fovy_deg=36.0),
            look=Look(),
            factors={**factors, "friction": unknown(Uniform(0.3, 0.7))},
            moving_bodies=("body",),
            bounds_m=((-0.6, -0.6, 0.0), (0.6, 0.6, 0.3)),
            build=partial(_build, name),
            read=_read,
        )
        for name in _SHAPES
    )
