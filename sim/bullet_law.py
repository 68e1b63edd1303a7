"""Which friction and restitution must each Bullet body carry, so that every pair meets as it does in MuJoCo?

MuJoCo lets the geom of higher priority decide a contact, or mixes the two; Bullet multiplies friction and
restitution of the two. Factors are therefore solved for such that the products give every pair its MuJoCo law.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .contact import restitution_of
from .errors import SceneError

_CLOSE = 1e-6


@dataclass(frozen=True)
class Surface:
    """What MuJoCo knows of one side of a contact; geoms that share it share a Bullet body or link."""

    body: int
    """Id of the moving body; 0 for all that is fixed."""
    contype: int
    conaffinity: int
    condim: int
    priority: int
    solmix: float
    friction: tuple[float, ...]
    solref: tuple[float, ...]

    @classmethod
    def of(cls, model: Any, geom: int) -> Surface:
        """The surface of one geom of a compiled model."""
        return cls(
            body=int(model.body_weldid[model.geom_bodyid[geom]]),
            contype=int(model.geom_contype[geom]),
            conaffinity=int(model.geom_conaffinity[geom]),
            condim=int(model.geom_condim[geom]),
            priority=int(model.geom_priority[geom]),
            solmix=float(model.geom_solmix[geom]),
            friction=tuple(float(x) for x in model.geom_friction[geom]),
            solref=tuple(float(x) for x in model.geom_solref[geom]),
        )

    def meets(self, other: Surface) -> bool:
        """True if the two can touch: MuJoCo's rule of contype and conaffinity."""
        shared = self.contype & other.conaffinity | other.contype & self.conaffinity
        return self.body != other.body and bool(shared)


@dataclass(frozen=True, kw_only=True)
class Law:
    """What one Bullet body or link carries; or, for a pair, what the contact has."""

    friction: float
    spinning_m: float
    rolling_m: float
    restitution: float


def pair_law(a: Surface, b: Surface, timestep_s: float) -> Law:
    """The law of a contact between two surfaces, by MuJoCo's rules of mixing.

    Raises:
        ValueError: The contact is a stock soft one, which has no coefficient of restitution.
    """
    if a.priority == b.priority:
        condim = max(a.condim, b.condim)
        friction = tuple(max(x, y) for x, y in zip(a.friction, b.friction, strict=True))
        solref = tuple(min(x, y) for x, y in zip(a.solref, b.solref, strict=True))
    else:
        chief = a if a.priority > b.priority else b
        condim, friction, solref = chief.condim, chief.friction, chief.solref
    return Law(
        friction=friction[0] if condim > 1 else 0.0,
        spinning_m=friction[1] if condim > 3 else 0.0,
        rolling_m=friction[2] if condim > 4 else 0.0,
        restitution=restitution_of((solref[0], solref[1]), timestep_s),
    )


def _product(a: Law, b: Law) -> Law:
    """What Bullet makes of two bodies' coefficients (btManifoldResult, calculateCombined...)."""
    return Law(
        friction=a.friction * b.friction,
        spinning_m=a.spinning_m * b.friction + b.spinning_m * a.friction,
        rolling_m=a.rolling_m * b.friction + b.rolling_m * a.friction,
        restitution=a.restitution * b.restitution,
    )


def _close(a: Law, b: Law) -> bool:
    pairs = zip(vars(a).values(), vars(b).values(), strict=True)
    return all(abs(x - y) <= _CLOSE * abs(y) + 1e-12 for x, y in pairs)


def _share(wanted: float, held: float) -> float:
    """The partner's factor that makes a product; 1 where the other factor is zero and so decides alone."""
    return wanted / held if held > 0 else 1.0


def _rest(missing: float, held: float) -> float:
    """The partner's own part of a sum of products; none where it would be negative, which the check then finds."""
    return missing / held if missing > 1e-12 and held > 0 else 0.0


def laws(surfaces: Sequence[Surface], timestep_s: float, scene: str) -> dict[Surface, Law]:
    """What each surface must carry in Bullet.

    Args:
        surfaces: All surfaces of the scene.
        timestep_s: Step for which the scene's contacts were built.
        scene: Name for messages.

    Raises:
        SceneError: A contact is a stock soft one, or no factors give every pair its law.
    """
    wanted: dict[tuple[Surface, Surface], Law] = {}
    ordered = sorted(surfaces, key=lambda s: (s.body == 0, s.priority if s.body == 0 else -s.priority, s.body))
    for i, a in enumerate(ordered):
        for b in ordered[i + 1 :]:
            if a.meets(b):
                try:
                    wanted[a, b] = pair_law(a, b, timestep_s)
                except ValueError as fault:
                    raise SceneError(f"{scene}: {fault}; give the moving body's geoms sim.contact(...)") from fault
    held: dict[Surface, Law] = {}
    unit = Law(friction=1.0, spinning_m=0.0, rolling_m=0.0, restitution=1.0)
    for (a, b), law in wanted.items():
        if a not in held:
            other = held.get(b, unit)
            held[a] = Law(
                friction=_share(law.friction, other.friction),
                spinning_m=_share(law.spinning_m, other.friction),
                rolling_m=_share(law.rolling_m, other.friction),
                restitution=_share(law.restitution, other.restitution),
            )
        if b not in held:
            mine = held[a]
            friction = _share(law.friction, mine.friction)
            held[b] = Law(
                friction=friction,
                spinning_m=_rest(law.spinning_m - mine.spinning_m * friction, mine.friction),
                rolling_m=_rest(law.rolling_m - mine.rolling_m * friction, mine.friction),
                restitution=_share(law.restitution, mine.restitution),
            )
    for (a, b), law in wanted.items():
        if not _close(_product(held[a], held[b]), law):
            raise SceneError(
                f"{scene}: Bullet multiplies the coefficients of two bodies and cannot give these contacts their laws; "
                "let one moving body's priority decide, or set one_engine_only"
            )
    return {s: held.get(s, unit) for s in ordered}
