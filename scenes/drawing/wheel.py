"""What is a European roulette wheel made of, as solids and as a picture, and which pocket is where?

Collision: tilted boxes that overlap (the highest of them is the surface, so a valley has no gaps and needs no meshes),
frets as boxes, the pockets' inner wall as one cylinder. Picture: turned meshes with one material each. The two differ
by less than 1 mm, the height of a facet.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

_HALF_ORDER = (0, 32, 15, 19, 4, 21, 2, 25, 17, 34, 6, 27, 13, 36, 11, 30, 8, 23, 10)
_OTHER_HALF = (5, 24, 16, 33, 1, 20, 14, 31, 9, 22, 18, 29, 7, 28, 12, 35, 3, 26)
ORDER = _HALF_ORDER + _OTHER_HALF
"""Numbers of the pockets, counter-clockwise seen from above, the first at the wheel's x axis.

Real wheels carry the order clockwise; this one is its mirror image, which changes no neighbourhood and no share.
"""
N_POCKETS = len(ORDER)
COLOURS = tuple("green" if k == 0 else "red" if k % 2 else "black" for k in range(N_POCKETS))
"""Colour of each pocket of ORDER: red and black take turns after the zero."""
POCKET_RAD = 2 * math.pi / N_POCKETS
HUB_M, FRET_END_M, ROTOR_M, RIM_M = 0.115, 0.174, 0.175, 0.228
"""Radii: inner wall of the pockets, outer end of the frets, edge of the wheel, rim of the bowl."""
FLOOR_SLOPE, BOWL_SLOPE = math.radians(15), math.radians(28)
"""Slopes of the wheel and of the bowl, both rising outwards."""
FRET_M, FRET_HALF_M = 0.010, 0.001
"""Height of a fret above the pocket's floor, and half its thickness."""
LEDGE_M = 0.018
"""Height of the bowl's inner edge; the wheel's edge lies 2 mm lower."""
HUB_TOP_M, CONE_TOP_M, RIM_TOP_M = 0.020, 0.052, 0.085
_DRAWN_TOP_M = 0.072
"""The rim's solid goes on above what is drawn, so that no jump of the ball clears it."""
_GRAVITY_M_S2, _MARGIN_M = 9.81, 0.003
_N_BOWL, _N_RIM, _N_DEFLECTORS, _THICK_M = 48, 72, 8, 0.006
_PAINT = {
    "mark_red": (0.80, 0.04, 0.05),
    "mark_black": (0.03, 0.03, 0.035),
    "mark_green": (0.02, 0.55, 0.16),
    "wood": (0.40, 0.22, 0.11),
    "track": (0.52, 0.31, 0.16),
    "brass": (0.83, 0.69, 0.36),
    "steel": (0.74, 0.75, 0.78),
    "ball": (0.97, 0.97, 0.95),
}
_DRAWN = {"contype": 0, "conaffinity": 0, "mass": 0, "group": 1}
FIXED, TURNING, BALL = ({"contype": bit, "conaffinity": bit} for bit in (1, 2, 3))
"""Collision bits: the ball meets both the bowl and the wheel, which never meet each other."""


def floor_m(radius_m: float) -> float:
    """Height of the wheel's floor at a distance from the axis."""
    return (radius_m - HUB_M) * math.tan(FLOOR_SLOPE)


def bowl_m(radius_m: float) -> float:
    """Height of the bowl at a distance from the axis."""
    return LEDGE_M + (radius_m - ROTOR_M) * math.tan(BOWL_SLOPE)


def in_pocket(
    position_m: np.ndarray, velocity: np.ndarray, wheel_rad_s: np.ndarray, *, ball_radius_m: float
) -> np.ndarray:
    """(N,) True where the ball lies between two frets and has too little energy, seen from the wheel, to leave them.

    Args:
        position_m: (N, 3) of the ball's centre.
        velocity: (N, 6) of the ball, linear and angular.
        wheel_rad_s: (N,) angular velocity of the wheel.
        ball_radius_m: Radius of the ball.
    """
    x, y, z = position_m.T
    seen = velocity - np.stack([-wheel_rad_s * y, wheel_rad_s * x, *[0 * x] * 3, wheel_rad_s], axis=1)
    radius_m = np.hypot(x, y)
    energy = (seen[:, :3] ** 2).sum(axis=1) / 2 + ball_radius_m**2 * (seen[:, 3:] ** 2).sum(axis=1) / 5
    energy += wheel_rad_s**2 * (ROTOR_M**2 - radius_m**2) / 2  # the most that the centrifugal force can add
    saddle_m = floor_m(HUB_M + ball_radius_m) + FRET_M + ball_radius_m  # over a fret, where it is lowest
    low = z + energy / _GRAVITY_M_S2 < saddle_m - _MARGIN_M
    return np.asarray(low & (z > 0) & (radius_m > HUB_M) & (radius_m < FRET_END_M))


def colour_under(position_m: np.ndarray, wheel_quaternion: np.ndarray) -> str:
    """Colour of the pocket that lies under a point.

    Args:
        position_m: (3,) the point.
        wheel_quaternion: (4,) pose of the wheel, w x y z, turned about z only.
    """
    angle = math.atan2(position_m[1], position_m[0]) - 2 * math.atan2(wheel_quaternion[3], wheel_quaternion[0])
    return COLOURS[round(angle / POCKET_RAD) % N_POCKETS]


def _turned(angle: float, slope: float) -> list[float]:
    """Quaternion: x points outwards at the angle and upwards by the slope, y along the circle."""
    a, s = angle / 2, -slope / 2
    return [math.cos(a) * math.cos(s), -math.sin(a) * math.sin(s), math.cos(a) * math.sin(s), math.sin(a) * math.cos(s)]


def _plank(
    angle: float, slope: float, inner_m: float, outer_m: float, top_m: float, half_width_m: float
) -> dict[str, Any]:
    """Size, position and quaternion of a tilted box whose upper face starts at (inner_m, top_m) and ends at outer_m."""
    half = (outer_m - inner_m) / 2 / math.cos(slope)
    radius = (inner_m + outer_m) / 2 + _THICK_M * math.sin(slope)
    z = top_m + (outer_m - inner_m) / 2 * math.tan(slope) - _THICK_M * math.cos(slope)
    pos = [radius * math.cos(angle), radius * math.sin(angle), z]
    return {"size": [half, half_width_m, _THICK_M], "pos": pos, "quat": _turned(angle, slope)}


@lru_cache(maxsize=8)
def _lathe(profile: tuple[tuple[float, float], ...], n: int = 72) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (V, 3) and faces (F, 3) of a closed (radius, height) outline, clockwise, turned about z."""
    points, m = np.array(profile), len(profile)
    angle = 2 * np.pi * np.arange(n)[:, None] / n
    r, z = points[None, :, 0], np.broadcast_to(points[None, :, 1], (n, m))
    vertices = np.stack([r * np.cos(angle), r * np.sin(angle), z], axis=-1).reshape(-1, 3)
    i, j = np.meshgrid(np.arange(n), np.arange(m), indexing="ij")
    a, b = i * m + j, i * m + (j + 1) % m
    c, d = ((i + 1) % n) * m + (j + 1) % m, ((i + 1) % n) * m + j
    faces = np.concatenate([np.stack([a, b, c], -1).reshape(-1, 3), np.stack([a, c, d], -1).reshape(-1, 3)])
    return vertices, faces


@lru_cache(maxsize=3)
def _patches(colour: str) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and faces of all pockets of one colour, from the hub to the wheel's edge, 0.3 mm above the boxes."""
    shape = np.array([[0, 1, 2], [0, 2, 3], [4, 6, 5], [4, 7, 6]] + [[a, a + 4, (a + 1) % 4] for a in range(4)])
    shape = np.concatenate([shape, [[(a + 1) % 4, a + 4, (a + 1) % 4 + 4] for a in range(4)]])
    vertices: list[list[list[float]]] = []
    faces: list[np.ndarray] = []
    for k in (k for k, c in enumerate(COLOURS) if c == colour):
        corners = []
        for low in (0.0, 0.003):
            for r, side in ((HUB_M, -1), (ROTOR_M, -1), (ROTOR_M, 1), (HUB_M, 1)):
                angle = (k + side / 2) * POCKET_RAD
                far = r / math.cos(POCKET_RAD / 2)
                corners.append([far * math.cos(angle), far * math.sin(angle), floor_m(r) + 0.0003 - low])
        faces.append(shape + 8 * len(vertices))
        vertices.append(corners)
    return np.concatenate(vertices), np.concatenate(faces)


def _draw(spec: Any, body: Any, name: str, material: str, mesh: tuple[np.ndarray, np.ndarray]) -> None:
    import mujoco

    vertices, faces = mesh
    shell = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL
    spec.add_mesh(name=name, uservert=vertices.ravel(), userface=faces.astype(np.int32).ravel(), inertia=shell)
    body.add_geom(name=name, type=mujoco.mjtGeom.mjGEOM_MESH, meshname=name, material=material, **_DRAWN)


def add_bowl(spec: Any) -> None:
    """Adds the fixed bowl with its rim and deflectors to the world, and all materials.

    Args:
        spec: The MjSpec being built.
    """
    import mujoco

    box, capsule = mujoco.mjtGeom.mjGEOM_BOX, mujoco.mjtGeom.mjGEOM_CAPSULE
    for name, rgb in _PAINT.items():
        spec.add_material(name=name, rgba=[*rgb, 1], specular=0.4, shininess=0.6)
    fixed = spec.worldbody
    for k in range(_N_BOWL):
        outer, width = RIM_M + 0.004, (RIM_M + 0.004) * math.tan(math.pi / _N_BOWL)
        plank = _plank(2 * math.pi * k / _N_BOWL, BOWL_SLOPE, ROTOR_M, outer, LEDGE_M, width)
        fixed.add_geom(name=f"bowl_{k}", type=box, group=3, **plank, **FIXED)
    half_height, middle = (RIM_TOP_M - LEDGE_M) / 2, (RIM_TOP_M + LEDGE_M) / 2
    for k in range(_N_RIM):
        angle, radius = 2 * math.pi * k / _N_RIM, RIM_M + _THICK_M
        size = [_THICK_M, RIM_M * math.tan(math.pi / _N_RIM) + 0.0002, half_height]
        pos = [radius * math.cos(angle), radius * math.sin(angle), middle]
        fixed.add_geom(name=f"rim_{k}", type=box, size=size, pos=pos, quat=_turned(angle, 0), group=3, **FIXED)
    for k in range(_N_DEFLECTORS):
        angle, radius = 2 * math.pi * (k + 0.5) / _N_DEFLECTORS, 0.199
        pos = [radius * math.cos(angle), radius * math.sin(angle), bowl_m(radius) + 0.001]
        lie = _turned(angle, BOWL_SLOPE - math.pi / 2) if k % 2 else _across(angle)
        fixed.add_geom(
            name=f"deflector_{k}", type=capsule, size=[0.004, 0.011, 0], pos=pos, quat=lie, material="steel", **FIXED
        )
    low, top = bowl_m(RIM_M), _DRAWN_TOP_M
    bowl = ((ROTOR_M, LEDGE_M), (RIM_M, low), (RIM_M, low - 0.02), (ROTOR_M, -0.01))
    rim = ((RIM_M, low - 0.02), (RIM_M, top), (RIM_M + 0.014, top), (RIM_M + 0.014, -0.01))
    _draw(spec, fixed, "bowl", "track", _lathe(bowl))
    _draw(spec, fixed, "rim", "wood", _lathe(rim))


def _across(angle: float) -> list[float]:
    """Quaternion that lays a capsule along the circle."""
    a, s = angle / 2, math.sqrt(0.5)
    return [math.cos(a) * s, -math.cos(a) * s, -math.sin(a) * s, math.sin(a) * s]


def add_wheel(spec: Any) -> Any:
    """Adds the turning wheel, one body named `wheel` on a hinge about z, and returns the body.

    Args:
        spec: The MjSpec being built, which has the materials of `add_bowl`.
    """
    import mujoco

    kinds = mujoco.mjtGeom
    wheel = spec.worldbody.add_body(name="wheel")
    wheel.explicitinertial = True  # of a wooden disc with brass in it; the geoms below give only its surface
    wheel.mass, wheel.inertia, wheel.ipos = 4.0, [0.025, 0.025, 0.048], [0, 0, 0]
    wheel.add_joint(name="wheel", type=mujoco.mjtJoint.mjJNT_HINGE, axis=[0, 0, 1])
    width = ROTOR_M * math.tan(POCKET_RAD / 2)
    for k in range(N_POCKETS):
        plank = _plank(k * POCKET_RAD, FLOOR_SLOPE, HUB_M - 0.004, ROTOR_M, floor_m(HUB_M - 0.004), width)
        wheel.add_geom(name=f"pocket_{ORDER[k]}", type=kinds.mjGEOM_BOX, group=3, **plank, **TURNING)
        fret = _plank(
            (k + 0.5) * POCKET_RAD, FLOOR_SLOPE, HUB_M - 0.002, FRET_END_M, floor_m(HUB_M - 0.002) + FRET_M, FRET_HALF_M
        )
        wheel.add_geom(name=f"fret_{k}", type=kinds.mjGEOM_BOX, material="brass", **fret, **TURNING)
    size, pos = [HUB_M, (HUB_TOP_M + 0.02) / 2, 0], [0, 0, (HUB_TOP_M - 0.02) / 2]
    wheel.add_geom(name="hub", type=kinds.mjGEOM_CYLINDER, size=size, pos=pos, material="wood", **TURNING)
    cone, _ = _lathe(((0.02, HUB_TOP_M), (0.02, CONE_TOP_M), (HUB_M, HUB_TOP_M)), 48)
    spec.add_mesh(name="cone", uservert=cone.ravel())
    wheel.add_geom(name="cone", type=kinds.mjGEOM_MESH, meshname="cone", material="track", **TURNING)
    size, pos = [0.016, 0.018, 0], [0, 0, CONE_TOP_M + 0.018]
    wheel.add_geom(name="turret", type=kinds.mjGEOM_CYLINDER, size=size, pos=pos, material="brass", **TURNING)
    for k in range(4):
        end = [0.055 * math.cos(k * math.pi / 2 + 0.2), 0.055 * math.sin(k * math.pi / 2 + 0.2), CONE_TOP_M + 0.012]
        fromto = [0, 0, CONE_TOP_M + 0.020, *end]
        wheel.add_geom(
            name=f"arm_{k}", type=kinds.mjGEOM_CAPSULE, size=[0.005, 0, 0], fromto=fromto, material="brass", **_DRAWN
        )
    for colour in ("red", "black", "green"):
        _draw(spec, wheel, f"pockets_{colour}", f"mark_{colour}", _patches(colour))
    return wheel
