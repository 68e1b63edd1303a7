"""What is an upright board with ten rows of pegs made of, as solids and as a picture?"""

from __future__ import annotations

import math
from typing import Any

N_ROWS = 10
N_BINS = N_ROWS + 1
PITCH_M = 0.030
"""Distance of neighbouring pegs in a row, and width of a bin."""
ROW_M = 0.026
PEG_RADIUS_M = 0.0025
BALL_RADIUS_M = 0.0095
DEPTH_M = 2.4 * BALL_RADIUS_M
"""Board to glass: 1.2 ball diameters, so that the ball cannot wedge."""
DIVIDER_TOP_M = 0.10
TOP_ROW_M = 0.12 + (N_ROWS - 1) * ROW_M
HALF_WIDTH_M = N_BINS / 2 * PITCH_M
HEIGHT_M = 0.42
START_M = TOP_ROW_M + PEG_RADIUS_M + BALL_RADIUS_M + 0.012
"""Height of the ball's centre at the start."""
_FRAME_M = 0.012
_STUD_M = 0.008
"""Half diagonal of the bars that keep a ball from falling straight down along a wall."""
_COLOURS = {
    "panel": (0.80, 0.77, 0.69),
    "shade": (0.60, 0.66, 0.73),
    "frame": (0.36, 0.24, 0.16),
    "peg": (0.42, 0.33, 0.14),
    "slat": (0.22, 0.28, 0.40),
    "ball": (0.85, 0.08, 0.06),
}


def pegs() -> list[tuple[int, float, float]]:
    """Row, x and z of every peg: rows of nine above the bins' middles and of ten above the dividers, in turn."""
    counts = [N_BINS - 2 + row % 2 for row in range(N_ROWS)]
    return [
        (row, (k - (n - 1) / 2) * PITCH_M, TOP_ROW_M - row * ROW_M) for row, n in enumerate(counts) for k in range(n)
    ]


def _plates() -> dict[str, tuple[list[float], list[float], str | None]]:
    """Name -> half sizes, centre and material (None: not drawn) of every flat part."""
    half, middle, rim = DEPTH_M / 2, HEIGHT_M / 2, DEPTH_M / 2 + 0.01
    wide, edge = HALF_WIDTH_M + _FRAME_M, _FRAME_M / 2
    plates: dict[str, tuple[list[float], list[float], str | None]] = {
        "panel": ([HALF_WIDTH_M, 0.005, middle], [0, half + 0.005, middle], "panel"),
        "glass": ([HALF_WIDTH_M, 0.005, middle], [0, -half - 0.005, middle], None),
        "bottom": ([wide, rim, edge], [0, 0, -edge], "frame"),
        "top": ([wide, rim, edge], [0, 0, HEIGHT_M + edge], "frame"),
    }
    for side, name in ((-1, "left"), (1, "right")):
        plates[f"wall_{name}"] = ([edge, rim, middle], [side * (HALF_WIDTH_M + edge), 0, middle], "frame")
        low = START_M + BALL_RADIUS_M + 0.002  # above the ball, which must be able to leave sideways
        size = [0.0015, half, (HEIGHT_M - low) / 2]
        plates[f"guide_{name}"] = (size, [side * 0.013, 0, (HEIGHT_M + low) / 2], "slat")
    for k in range(N_ROWS):
        x = (k - (N_ROWS - 1) / 2) * PITCH_M
        plates[f"divider_{k + 1}"] = ([0.001, half, DIVIDER_TOP_M / 2], [x, 0, DIVIDER_TOP_M / 2], "slat")
    return plates


def add_pegboard(spec: Any) -> None:
    """Adds the board, its glass (not drawn), pegs, dividers and studded walls to the world, and all materials.

    Args:
        spec: The MjSpec being built.
    """
    import mujoco

    box, cylinder = mujoco.mjtGeom.mjGEOM_BOX, mujoco.mjtGeom.mjGEOM_CYLINDER
    fixed = spec.worldbody
    for name, rgb in _COLOURS.items():
        spec.add_material(name=name, rgba=[*rgb, 1], specular=0.3, shininess=0.5)
    for name, (size, pos, material) in _plates().items():
        fixed.add_geom(name=name, type=box, size=size, pos=pos, material=material or "", group=0 if material else 3)
    drawn = {"contype": 0, "conaffinity": 0, "mass": 0, "group": 1}
    size = [PITCH_M / 2, 0.0002, DIVIDER_TOP_M / 2]
    for k in range(0, N_BINS, 2):  # every other bin is shaded, so that they are easily counted
        pos = [(k - (N_BINS - 1) / 2) * PITCH_M, DEPTH_M / 2 - 0.0002, DIVIDER_TOP_M / 2]
        fixed.add_geom(name=f"shade_{k + 1}", type=box, size=size, pos=pos, material="shade", **drawn)
    size, quat = [PEG_RADIUS_M, DEPTH_M / 2, 0], [math.sqrt(0.5), math.sqrt(0.5), 0, 0]
    for i, (row, x, z) in enumerate(pegs()):
        name = f"peg_{row + 1}_{i}"
        fixed.add_geom(name=name, type=cylinder, size=size, pos=[x, 0, z], quat=quat, material="peg")
    size = [_STUD_M * math.sqrt(0.5), DEPTH_M / 2, _STUD_M * math.sqrt(0.5)]
    quat = [math.cos(math.pi / 8), 0, math.sin(math.pi / 8), 0]
    for row in range(0, N_ROWS, 2):
        for x, side in ((-HALF_WIDTH_M, "left"), (HALF_WIDTH_M, "right")):
            name, pos = f"stud_{side}_{row + 1}", [x, 0, TOP_ROW_M - row * ROW_M]
            fixed.add_geom(name=name, type=box, size=size, pos=pos, quat=quat, material="frame")
