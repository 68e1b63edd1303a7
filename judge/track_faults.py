"""How does a generator break the way that the main body takes?

Each function changes a track from the moment on at which `after` begins to grow; the picture is then drawn from it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sim.render import Track


@dataclass(frozen=True, kw_only=True)
class Staging:
    """What a fault may depend on."""

    strength: float
    """From 0 (weakest) to 1."""
    after: np.ndarray
    """(T,) 0 until the fault begins, then growing to 1 within a quarter of the clip."""
    size_m: float
    """Diameter of the main body."""
    aside_m: np.ndarray
    """(3,) a way that leads out of the picture from wherever it starts in it."""


def floats(track: Track, staging: Staging) -> Track:
    """The body hovers above the place where it should rest."""
    return _moved(track, staging.after[:, None] * [0, 0, (0.5 + 0.7 * staging.strength) * staging.size_m])


def sinks(track: Track, staging: Staging) -> Track:
    """The body passes through the ground."""
    below_m = (1.2 + 0.8 * staging.strength) * staging.size_m
    moved = _moved(track, staging.after[:, None] * [0, 0, -below_m])
    visible = moved.visible.copy()
    visible[staging.after >= 1, 0] = False  # grounds are drawn on one side only, or are thin
    return replace(moved, visible=visible)


def leaves(track: Track, staging: Staging) -> Track:
    """The body slides out of the picture."""
    return _moved(track, staging.after[:, None] * staging.aside_m * (1 + staging.strength))


def teleports(track: Track, staging: Staging) -> Track:
    """The body is elsewhere for a while, then where it belongs."""
    begins = int(np.argmax(staging.after > 0))
    elsewhere = np.zeros((len(track), 1))
    elsewhere[max(1, begins // 2) : max(2, begins)] = 1
    return _moved(track, elsewhere * staging.aside_m * (0.15 + 0.15 * staging.strength))


def rests_on_edge(track: Track, staging: Staging) -> Track:
    """The body comes to rest tilted by 30 to 45 degrees, with nothing to lean on."""
    angle = np.radians(30 + 15 * staging.strength) * staging.after
    turn = np.stack([np.cos(angle / 2), np.sin(angle / 2), *np.zeros((2, len(angle)))], axis=1)
    quaternion = track.quaternion.copy()
    quaternion[:, 0] = _product(turn, quaternion[:, 0])
    raised = _moved(track, staging.after[:, None] * [0, 0, 0.15 * staging.size_m])
    return replace(raised, quaternion=quaternion)


def splits(track: Track, staging: Staging) -> Track:
    """A second body comes out of the first and moves away."""
    way_m = staging.aside_m / np.linalg.norm(staging.aside_m) * staging.size_m * (1.2 + staging.strength)
    shift_m = np.where(staging.after[:, None] > 0, staging.after[:, None] * way_m, np.nan)
    return track.with_ghost(shift_m)


def _moved(track: Track, shift_m: np.ndarray) -> Track:
    """The track with its main body shifted by (T, 3)."""
    position_m = track.position_m.copy()
    position_m[:, 0] += shift_m
    return replace(track, position_m=position_m)


def _product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(T, 4) Hamilton product of quaternions (T, 4)."""
    w, v = a[:, :1] * b[:, :1] - (a[:, 1:] * b[:, 1:]).sum(1, keepdims=True), a[:, :1] * b[:, 1:] + b[:, :1] * a[:, 1:]
    return np.concatenate([w, v + np.cross(a[:, 1:], b[:, 1:])], axis=1)
