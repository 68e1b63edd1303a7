"""How is a tilted board made on which a channel forks into two arms, alike in a mirror?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

_WALL_HALF_M, _EDGE_HALF_M, _WALL_HEIGHT_M = 0.004, 0.0025, 0.016


@dataclass(frozen=True, kw_only=True)
class ForkBoard:
    """Measures of the board. Distances up the board are counted along its slope from the middle."""

    tilt_rad: float = 0.30
    lift_m: float = 0.062
    """Height of its middle above the table."""
    arm_rad: float = 0.55
    """Angle between an arm and the stem."""
    stem_half_m: float = 0.019
    """Half the width of the stem."""
    top_m: float = 0.175
    flare_m: float = 0.020
    """Where the stem widens into the arms."""
    split_m: float = -0.012
    """The divider's edge."""
    end_m: float = -0.165

    def point(self, x_m: float, up_m: float, off_m: float = 0.0) -> np.ndarray:
        """(3,) world position: sideways, up the slope, and off the surface."""
        c, s = np.cos(self.tilt_rad), np.sin(self.tilt_rad)
        return np.array([x_m, up_m * c - off_m * s, self.lift_m + up_m * s + off_m * c])

    def up(self, position_m: np.ndarray) -> np.ndarray:
        """(...) distance up the slope of world positions (..., 3)."""
        c, s = np.cos(self.tilt_rad), np.sin(self.tilt_rad)
        return np.asarray(position_m[..., 1] * c + (position_m[..., 2] - self.lift_m) * s)

    def walls(self) -> list[tuple[str, tuple[float, float], tuple[float, float]]]:
        """Name and the two ends (sideways, up) of each wall's centre line."""
        outer, slant = self.stem_half_m + _WALL_HALF_M, np.tan(self.arm_rad)
        half = (
            ("stem", (outer, self.top_m), (outer, self.flare_m)),
            ("outer", (outer, self.flare_m), (outer + (self.flare_m - self.end_m) * slant, self.end_m)),
            ("inner", (0.0, self.split_m), ((self.split_m - self.end_m) * slant, self.end_m)),
        )
        walls = [(f"{name}_right", a, b) for name, a, b in half]
        walls += [(f"{name}_left", (-a[0], a[1]), (-b[0], b[1])) for name, a, b in half]
        for name, reach, up in (("top", outer, self.top_m), ("end", self.half_width_m, self.end_m)):
            walls.append((name, (-reach, up), (reach, up)))
        return walls

    @property
    def half_width_m(self) -> float:
        """Half the distance of the arms' outer walls at the lower end."""
        return float(self.stem_half_m + _WALL_HALF_M + (self.flare_m - self.end_m) * np.tan(self.arm_rad))

    def add_to(self, spec: Any) -> None:
        """Adds the board to the world of a spec."""
        import mujoco

        kinds = mujoco.mjtGeom
        spec.add_material(name="board", rgba=(0.90, 0.84, 0.72, 1), specular=0.2)
        spec.add_material(name="wall", rgba=(0.30, 0.47, 0.50, 1), specular=0.3)
        lean = [np.cos(self.tilt_rad / 2), np.sin(self.tilt_rad / 2), 0, 0]
        board = spec.worldbody.add_body(name="board", pos=[0, 0, self.lift_m], quat=lean)
        size = [self.half_width_m + 0.012, (self.top_m - self.end_m) / 2 + 0.014, 0.006]
        middle = (self.top_m + self.end_m) / 2
        board.add_geom(name="board", type=kinds.mjGEOM_BOX, size=size, pos=[0, middle, -0.006], material="board")
        for name, a, b in self.walls():
            thick = _EDGE_HALF_M if name.startswith("inner") else _WALL_HALF_M
            along, turn = np.hypot(b[0] - a[0], b[1] - a[1]), np.arctan2(b[1] - a[1], b[0] - a[0]) / 2
            at, quat = [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2, _WALL_HEIGHT_M / 2], [np.cos(turn), 0, 0, np.sin(turn)]
            size = [along / 2, thick, _WALL_HEIGHT_M / 2]
            board.add_geom(name=name, type=kinds.mjGEOM_BOX, size=size, pos=at, quat=quat, material="wall")
            if name == "inner_left":  # one post is the divider's edge
                continue
            at, size = [*a, _WALL_HEIGHT_M / 2], [thick, _WALL_HEIGHT_M / 2 + 2e-4, 0]  # round posts close the joints
            board.add_geom(name=f"post_{name}", type=kinds.mjGEOM_CYLINDER, size=size, pos=at, material="wall")
