"""What comes of many throws of one body on fixed planes?"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from .body import Body
from .records import FAILURES, Ground, Rules

FLOOR_SHARE = 0.056
"""Least separation speed in units of sqrt(g size): 2.5 cm/s for a die of 20 mm edge.

From 2 to 30 mm/s the square-face shares of prisms move by at most 0.0015 (n = 10,000), the speed by a factor of 8.
"""
WINDOW_S = 1e-5
"""Default window: the order of a hard die's time of touch."""
N_INCREMENTS = 24
MAX_IMPACTS = 100_000
GRAVITY_M_S2 = 9.81


@dataclass(frozen=True, kw_only=True)
class Touch:
    """The law of contact with a plane."""

    restitution: float | np.ndarray
    """Energetic coefficient, 0 to 1; or (N,), one per throw."""
    friction: float | np.ndarray
    """Coulomb's coefficient; or (N,), one per throw."""
    torsional_m: float = 0.0
    rolling_m: float = 0.0

    def __post_init__(self) -> None:
        """Refuse impossible coefficients."""
        e = np.asarray(self.restitution, dtype=float)
        if not np.all((e >= 0) & (e <= 1)):
            raise ValueError(f"restitution must lie in [0, 1], got {self.restitution}")
        for name in ("friction", "torsional_m", "rolling_m"):
            value = np.asarray(getattr(self, name), dtype=float)
            if not np.all((value >= 0) & np.isfinite(value)):
                raise ValueError(f"{name} must not be negative, got {getattr(self, name)}")

    def rows(self, n: int) -> np.ndarray:
        """(N, 4) restitution, friction, torsional and rolling length of each throw."""
        columns = (self.restitution, self.friction, self.torsional_m, self.rolling_m)
        return np.stack([np.broadcast_to(np.asarray(c, dtype=float), (n,)) for c in columns], axis=1)


@dataclass(frozen=True, kw_only=True)
class Result:
    """What came of N throws."""

    face: np.ndarray
    """(N,) index of the face on the ground (of `body.rest.faces`), -1 for a throw that failed."""
    failed: tuple[str, ...]
    """(N,) why a throw has no face; empty for one that has."""
    n_impacts: np.ndarray
    """(N,) impacts until the throw was decided or failed."""
    time_s: np.ndarray
    """(N,) when that was."""
    energy_j: np.ndarray
    """(N,) kinetic energy, and that of the centre's height over the first plane, at that time."""
    states: np.ndarray
    """(N, 13) position, velocity, quaternion (principal axes) and angular velocity at that time, world axes."""

    def counts(self, n_faces: int) -> np.ndarray:
        """(F,) throws that ended on each face."""
        return np.bincount(self.face[self.face >= 0], minlength=n_faces)

    @property
    def failures(self) -> dict[str, int]:
        """Reason -> number of throws that failed for it."""
        reasons = sorted(set(self.failed) - {""})
        return {reason: self.failed.count(reason) for reason in reasons}


def floor_m_s(body: Body, *, gravity_m_s2: float = GRAVITY_M_S2) -> float:
    """The least separation speed that suits a body's size, its smallest extent along a principal axis."""
    radii, heights = np.max(body.rims_m[:, 1], initial=0.0), np.max(np.abs(body.rims_m[:, 0]), initial=0.0)
    corners = np.max(np.abs(body.vertices_m), axis=0, initial=0.0)
    half = float(np.min(np.maximum(corners, [radii, radii, heights]))) + body.rounding_m
    return FLOOR_SHARE * float(np.sqrt(gravity_m_s2 * 2 * half))


def rules_for(
    body: Body,
    *,
    window_s: float = WINDOW_S,
    v_sep_m_s: float | None = None,
    n_increments: int = N_INCREMENTS,
    max_impacts: int = MAX_IMPACTS,
    gravity_m_s2: float = GRAVITY_M_S2,
) -> Rules:
    """Settings of the impacts.

    Args:
        body: The body.
        window_s: Contacts that would close within this time are solved together.
        v_sep_m_s: Least separation speed; None for `floor_m_s(body)`.
        n_increments: Pieces of an impact, at least 20.
        max_impacts: Impacts after which a throw has failed.
        gravity_m_s2: Gravity, for `floor_m_s`.

    Raises:
        ValueError: A setting is impossible.
    """
    floor = floor_m_s(body, gravity_m_s2=gravity_m_s2) if v_sep_m_s is None else v_sep_m_s
    for name, value, rule in (
        ("window_s", window_s, 0 <= window_s < 1),
        ("v_sep_m_s", floor, 0 < floor < 1),
        ("n_increments", n_increments, n_increments >= 20),
        ("max_impacts", max_impacts, max_impacts >= 1),
    ):
        if not rule:
            raise ValueError(f"{name} is out of its range, got {value}")
    return Rules(
        window_s=float(window_s),
        floor_m_s=float(floor),
        touch_m=1e-7 * body.size_m,
        n_increments=int(n_increments),
        max_impacts=int(max_impacts),
    )


def throw(
    body: Body,
    states: np.ndarray,
    touch: Touch | Sequence[Touch],
    *,
    planes: np.ndarray | None = None,
    rules: Rules | None = None,
    limit_s: float = 10.0,
    threads: int = 1,
    gravity_m_s2: float = GRAVITY_M_S2,
) -> Result:
    """Throws a body from given states until each throw's face is decided; a throw depends on its own state alone.

    Args:
        body: The body.
        states: (N, 13) position, velocity, quaternion w x y z of the principal axes, angular velocity; world axes.
        touch: The law of contact; one for all planes, or one per plane.
        planes: (P, 4) unit normals, towards the body, and heights along them; the first is flat ground. None: z = 0.
        rules: Settings of the impacts; `rules_for(body)` if None.
        limit_s: Time after which an undecided throw has failed.
        threads: Number of threads; never changes a result.
        gravity_m_s2: Gravity, downwards along the first plane's normal.

    Raises:
        ValueError: An array has the wrong shape, or a number is impossible.
    """
    from .compiled import contiguous, throw_entry

    states, planes = contiguous(states).copy(), contiguous([[0, 0, 1, 0]] if planes is None else planes)
    laws = _checked_laws(states, planes, touch)
    if not (threads >= 1 and limit_s > 0 and gravity_m_s2 > 0):
        raise ValueError(f"threads, limit_s and gravity_m_s2 must be positive, got {threads, limit_s, gravity_m_s2}")
    n = len(states)
    gravity = -gravity_m_s2 * planes[0, :3]
    ground = Ground(planes=planes, laws=laws[0] if n else planes, patches=np.empty((0, 10)), gravity_m_s2=gravity)
    settings = rules_for(body, gravity_m_s2=gravity_m_s2) if rules is None else rules
    faces, codes, impacts = (np.zeros(n, dtype=np.int64) for _ in range(3))
    times, shape = np.zeros(n), body.shape

    def part(low: int, high: int) -> Any:
        rows = slice(low, high)
        return throw_entry()(
            states[rows], shape, ground, laws[rows], body.rest, settings, float(limit_s),
            faces[rows], codes[rows], impacts[rows], times[rows],
        )  # fmt: skip

    edges = np.linspace(0, n, threads + 1).astype(int)
    if threads == 1:
        part(0, n)
    else:
        part(0, 0)  # compiled once, before the threads
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(part, edges[:-1], edges[1:]))
    return Result(
        face=faces,
        failed=tuple(FAILURES[code] for code in codes),
        n_impacts=impacts,
        time_s=times,
        energy_j=_energy(body, states, planes[0], gravity_m_s2),
        states=states,
    )


def replay(
    body: Body,
    states: np.ndarray,
    touch: Touch,
    *,
    frame_s: float,
    counts: np.ndarray,
    rules: Rules | None = None,
    gravity_m_s2: float = GRAVITY_M_S2,
) -> np.ndarray:
    """(N, T, 13) how a body moves on the plane z = 0 from given states, one row a frame; nan where there is none.

    Args:
        body: The body.
        states: (N, 13) as in `throw`.
        touch: The law of contact, the same for all throws.
        frame_s: Time between two rows.
        counts: (N,) rows asked of each throw, the starting one included; one that fails has fewer.
        rules: Settings of the impacts; `rules_for(body)` if None.
        gravity_m_s2: Gravity, downwards.

    Raises:
        ValueError: An array has the wrong shape, or a number is impossible.
    """
    from .compiled import contiguous, replay_entry

    states, planes = contiguous(states).copy(), contiguous([[0, 0, 1, 0]])
    if not (frame_s > 0 and gravity_m_s2 > 0 and len(counts) == len(states)):
        raise ValueError(f"frame_s and gravity_m_s2 must be positive, one count per state; got {frame_s, gravity_m_s2}")
    gravity = np.array([0.0, 0.0, -gravity_m_s2])
    laws = _checked_laws(states[:1], planes, touch)[0]
    ground = Ground(planes=planes, laws=laws, patches=np.empty((0, 10)), gravity_m_s2=gravity)
    settings = rules_for(body, gravity_m_s2=gravity_m_s2) if rules is None else rules
    out = np.full((len(states), int(np.max(counts, initial=0)), 13), np.nan)
    replay_entry()(states, body.shape, ground, settings, float(frame_s), np.asarray(counts, dtype=np.int64), out)
    return out


def _checked_laws(states: np.ndarray, planes: np.ndarray, touch: Touch | Sequence[Touch]) -> np.ndarray:
    """(N, P, 4) the law of each throw with each plane."""
    if states.ndim != 2 or states.shape[1] != 13:
        raise ValueError(f"states must be (N, 13), got {states.shape}")
    if planes.ndim != 2 or planes.shape[1] != 4 or np.abs(np.linalg.norm(planes[:, :3], axis=1) - 1).max() > 1e-9:
        raise ValueError(f"planes must be (P, 4) with unit normals, got {planes.tolist()}")
    touches = [touch] * len(planes) if isinstance(touch, Touch) else list(touch)
    if len(touches) != len(planes):
        raise ValueError(f"touch must be one law or one per plane, got {len(touches)} for {len(planes)} planes")
    return np.ascontiguousarray(np.stack([law.rows(len(states)) for law in touches], axis=1), dtype=float)


def _energy(body: Body, states: np.ndarray, plane: np.ndarray, gravity_m_s2: float) -> np.ndarray:
    """(N,) mechanical energy of states (N, 13)."""
    from sim.trajectory import rotation_matrices

    inside = np.einsum("nji,nj->ni", rotation_matrices(states[:, 6:10]), states[:, 10:13])
    spin = (body.inertia_kg_m2 * inside**2).sum(1)
    height = states[:, :3] @ plane[:3] - plane[3]
    return 0.5 * (body.mass_kg * (states[:, 3:6] ** 2).sum(1) + spin) + body.mass_kg * gravity_m_s2 * height
