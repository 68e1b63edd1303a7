"""How often does a thick coin land on its edge, when it is flipped about a diameter and when it is dropped?

Nothing is fitted. Neither surface nor throw is published, so both are drawn from a declared prior, throw by throw. A
flipped coin starts flat and spins about a diameter; a dropped one starts at a random attitude and hardly spins. A few
stay undecided: the rolling resistance holds a coin that balances on its rim to within half a millimetre.
`--restitution` and `--friction` narrow the surface and `--level` sets the speed along the ground, to see how far the
answer hangs on them.

    python -m benchmarks.real_thick_coin --ratio 0.354 --throw flipped --json
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from sim import InputError
from sim.impact import cylinder
from sim.impact.body import Body

from .real_results import finish, parser, row
from .throwing import COUNTS, SEED, Law, counted, published, quasi_static, starts

EXPERIMENT = "standupmaths_coin_0354"
RADIUS_M, DENSITY_KG_M3 = 0.0125, 8000.0
PRIOR = Law(
    fall_m=(0.2, 0.8), level_m_s=0.3, spin_rad_s=1.0, restitution=(0.0, 0.6), friction=(0.15, 0.5), rolling_m=5e-4
)
FLIP_HZ = (10.0, 30.0)
"""Revolutions a second of a flipped coin, about a diameter."""
WOBBLE_RAD = 0.1
"""Standard deviation of a flipped coin's tilt at the start, about each level axis."""
EDGE, AIM = 2, 0.03
THROWS = ("flipped", "dropped")


def coin(ratio: float) -> Body:
    """A brass coin of 25 mm diameter.

    Raises:
        InputError: The ratio is not positive.
    """
    if not ratio > 0:
        raise InputError(f"ratio must be positive, got {ratio}; give thickness over diameter")
    return cylinder(RADIUS_M, RADIUS_M * ratio, density_kg_m3=DENSITY_KG_M3)


def flipped(body: Body, law: Law, n: int, *, seed: int) -> np.ndarray:
    """(N, 13) states of coins that start flat, either side up, and spin about a level diameter."""
    rng, states = np.random.default_rng([seed, 2]), starts(body, law, n, seed=seed)
    tilt = np.concatenate([np.ones((n, 1)), 0.5 * rng.normal(0, WOBBLE_RAD, (n, 2)), np.zeros((n, 1))], axis=1)
    states[:, 6:10] = tilt / np.linalg.norm(tilt, axis=1, keepdims=True)
    heading, rate = rng.uniform(0, 2 * np.pi, n), 2 * np.pi * rng.uniform(*FLIP_HZ, n)
    states[:, 10:12] += rate[:, None] * np.stack([np.cos(heading), np.sin(heading)], axis=1)
    return states


def measure(ratio: float, kind: str, *, n: int, counts: Path = COUNTS, prior: Law = PRIOR) -> dict[str, Any]:
    """Share of coins that land on the edge.

    Args:
        ratio: Thickness over diameter.
        kind: One of `THROWS`.
        n: How many throws.
        counts: File of published counts.
        prior: Surface and throw.
    """
    body = coin(ratio)
    states = flipped(body, prior, n, seed=SEED) if kind == "flipped" else starts(body, prior, n, seed=SEED)
    found = counted(body, states, prior.touch(n, seed=SEED))
    share, still = found.share(EDGE), float(quasi_static(body)[EDGE])
    figures: dict[str, Any] = {
        "edge_share": share,
        "interval": found.interval(EDGE),
        "n": found.n,
        "failed": found.failed,
        "quasi_static": still,
        "fitted": {},
        "prior": {**asdict(prior), "flip_hz": FLIP_HZ, "wobble_rad": WOBBLE_RAD, "diameter_m": 2 * RADIUS_M},
        "table": [],
    }
    entry = published(EXPERIMENT, counts)
    if abs(ratio - entry["geometry"]["height_over_diameter"]) < 1e-3:
        real = float(entry["outcomes"]["edge"])
        figures["real"] = real
        aim = f"within {AIM} of {real}" if kind == "flipped" else "differs from flipped"
        figures["table"] = [
            row(
                f"thick coin, ratio {ratio:g}, {kind}: edge share",
                real=f"{real} of {entry['n']}, flipped" if kind == "flipped" else "none",
                simulated=f"{share:.3f} ({figures['interval'][0]:.3f} to {figures['interval'][1]:.3f})",
                aim=aim,
                reached=abs(share - real) <= AIM if kind == "flipped" else None,
                quasi_static=f"{still:.3f}",
            )
        ]
    return figures


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the comparison from the command line; the exit code."""
    made = parser("real_thick_coin", __doc__)
    made.add_argument("--ratio", type=float, default=0.354, help="thickness over diameter")
    made.add_argument("--throw", choices=THROWS, default="flipped", help="how it is thrown")
    made.add_argument("--n", type=int, default=5000, help="how many throws")
    made.add_argument("--counts", type=Path, default=COUNTS, help="file of published counts")
    for name in ("restitution", "friction"):
        ends = getattr(PRIOR, name)
        made.add_argument(
            f"--{name}", nargs=2, type=float, default=ends, metavar=("LOW", "HIGH"), help="of the surface"
        )
    made.add_argument("--level", type=float, default=PRIOR.level_m_s, help="spread of the speed along the ground, m/s")
    chosen = made.parse_args(arguments)
    prior = replace(
        PRIOR, level_m_s=chosen.level, restitution=tuple(chosen.restitution), friction=tuple(chosen.friction)
    )
    return finish(
        "real_thick_coin",
        chosen,
        arguments,
        lambda: measure(chosen.ratio, chosen.throw, n=chosen.n, counts=chosen.counts, prior=prior),
        suffix=f"_{chosen.throw}",
    )


if __name__ == "__main__":
    sys.exit(main())
