"""How often does a cylinder as high as it is wide stand on an end, and which surface does a real one's share need?

The source let its cylinder fall onto thick glass in a machine that lets a die fall freely by at least 10 cm; it states
neither size, surface nor speed. `MACHINE` is that fall: a random attitude, hardly any speed and spin. The end share is
shown over a declared grid of friction, restitution and rolling resistance, with those that give the real share. Thrown
along the ground a cylinder rolls, and stands on an end far less often: `--throw hand` shows it.

    python -m benchmarks.real_cylinders --json
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from itertools import product
from pathlib import Path
from typing import Any

from sim.impact import cylinder
from sim.impact.body import Body

from .real_results import finish, parser, row
from .throwing import COUNTS, MACHINE, Law, published, quasi_static, thrown

EXPERIMENT = "okanagan_cylinder_h_eq_d_thick_glass"
RADIUS_M, DENSITY_KG_M3 = 0.01, 1200.0
FRICTION, RESTITUTION, ROLLING_M = (0.05, 0.1, 0.2, 0.4), (0.3, 0.5, 0.7), (1e-4, 5e-4)
THROWS = {"machine": MACHINE, "hand": replace(MACHINE, level_m_s=0.7, spin_rad_s=30.0)}
ENDS, AIM = (0, 1), 0.05


def body() -> Body:
    """A cylinder as high as it is wide."""
    return cylinder(RADIUS_M, RADIUS_M, density_kg_m3=DENSITY_KG_M3)


def laws(throw: Law) -> list[Law]:
    """The grid of surfaces."""
    return [
        replace(throw.with_surface(restitution=e, friction=mu), rolling_m=rolling)
        for mu, e, rolling in product(FRICTION, RESTITUTION, ROLLING_M)
    ]


def needed(cells: Sequence[dict[str, Any]], real: float) -> dict[str, list[float]]:
    """Friction, restitution and rolling resistance of the surfaces whose share is within the aim of the real one."""
    near = [c for c in cells if abs(c["end_share"] - real) <= AIM]
    return {name: sorted({c[name] for c in near}) for name in ("friction", "restitution", "rolling_m")}


def measure(kind: str, *, n: int, counts: Path = COUNTS) -> dict[str, Any]:
    """Share of throws that end on an end, on every surface of the grid.

    Args:
        kind: One of `THROWS`.
        n: Throws on each surface.
        counts: File of published counts.
    """
    thing, real = body(), float(published(EXPERIMENT, counts)["outcomes"]["end (both)"])
    cells: list[dict[str, Any]] = []
    for law in laws(THROWS[kind]):
        found = thrown(thing, law, n)
        cells.append(
            {
                "friction": law.friction[0],
                "restitution": law.restitution[0],
                "rolling_m": law.rolling_m,
                "end_share": found.share(*ENDS),
                "interval": found.interval(*ENDS),
                "failed": found.failed,
            }
        )
    shares: list[float] = [c["end_share"] for c in cells]
    fit = needed(cells, real)
    near = sum(abs(s - real) <= AIM for s in shares)
    mean, still = sum(shares) / len(shares), float(quasi_static(thing)[list(ENDS)].sum())
    return {
        "mean_end_share": mean,
        "cells": cells,
        "needed": fit,
        "real": real,
        "quasi_static": still,
        "fitted": {},
        "prior": {**asdict(THROWS[kind]), "diameter_m": 2 * RADIUS_M},
        "n": n,
        "table": [
            row(
                f"cylinder as high as wide, {kind}: end share, {n} throws on each of {len(cells)} surfaces",
                real=f"{real} on thick glass",
                simulated=f"{mean:.3f} on average, {min(shares):.3f} to {max(shares):.3f}; near {real} on {near}: "
                + _text(fit),
                aim=f"within {AIM} of {real}; state friction and rolling resistance",
                reached=near > 0 if kind == "machine" else None,
                quasi_static=f"{still:.3f}",
            )
        ],
    }


def _text(fit: dict[str, list[float]]) -> str:
    if not fit["friction"]:
        return "none"
    spans = {name: f"{min(found):g} to {max(found):g}" for name, found in fit.items()}
    return (
        f"friction {spans['friction']}, restitution {spans['restitution']}, rolling resistance {spans['rolling_m']} m"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the comparison from the command line; the exit code."""
    made = parser("real_cylinders", __doc__)
    made.add_argument("--throw", choices=tuple(THROWS), default="machine", help="how it is thrown")
    made.add_argument("--n", type=int, default=2000, help="throws on each surface")
    made.add_argument("--counts", type=Path, default=COUNTS, help="file of published counts")
    chosen = made.parse_args(arguments)
    return finish(
        "real_cylinders",
        chosen,
        arguments,
        lambda: measure(chosen.throw, n=chosen.n, counts=chosen.counts),
        suffix=f"_{chosen.throw}",
    )


if __name__ == "__main__":
    sys.exit(main())
