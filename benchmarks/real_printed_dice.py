"""Do 3D-printed dice of published shape show their outcomes as often as real rolls of them did?

Three dice of Baktash and others (ACM Trans. Graph. 44(4), 155, 2025) whose corners are published. The source states
neither size, surface nor throw: each die is told by the law under which the rolls of the *other two* are likeliest,
over a declared grid; what a declared prior of an energetic hand throw gives, without any fit, stands beside it. Which
face bears which label is told by rank: the face that a die at rest most likely shows has the label that the source's
own model of a die at rest makes most likely. The dice are mirror images of themselves and nobody says which half bears
which label, so each of a pair has half of what both get; the real counts are not made even.

    python -m benchmarks.real_printed_dice --json
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from calibrate.stats.baseline import Baseline
from calibrate.stats.total_variation import expected_total_variation, total_variation
from sim import InputError
from sim.impact import polyhedron
from sim.impact.body import Body

from .real_cubes import SOFT
from .real_results import finish, parser, row
from .throwing import COUNTS, Law, published, quasi_static, thrown

DICE = ("baktash_2d6_hendecahedron_V1", "baktash_binom3", "baktash_binom4")
SIZE_M, DENSITY_KG_M3 = 0.015, 1100.0
"""From the centre of mass to the farthest corner, and a printed resin; the source states neither."""
PRIOR = replace(SOFT, restitution=(0.0, 0.6), friction=(0.15, 0.5))
VIGOUR = ((1.5, 60.0), (0.7, 30.0), (0.35, 15.0), (0.0, 5.0))
"""Standard deviation of the speed along each level axis, m/s, and of the spin about each axis, rad/s."""
RESTITUTION, FRICTION = (0.0, 0.3, 0.6), (0.05, 0.15, 0.3, 0.5)
AIM = 0.07
FLAT_RAD = 0.05
"""Faces to rest on whose normals differ by less are one: the corners of a printed plane are not quite in a plane."""


def laws() -> list[Law]:
    """The grid of the fit."""
    return [
        replace(PRIOR.with_surface(restitution=e, friction=mu), level_m_s=v, spin_rad_s=w)
        for (v, w), e, mu in product(VIGOUR, RESTITUTION, FRICTION)
    ]


def die(vertices: Sequence[Sequence[float]]) -> Body:
    """A die from its corners (V, 3) in any unit, made so large that its farthest corner is `SIZE_M` from its centre."""
    points = np.array(vertices, dtype=float)
    free = polyhedron(points, density_kg_m3=1.0)
    resting = free.rest.faces[np.isfinite(free.rest.barrier_m)]
    near = np.unique(resting @ resting.T > np.cos(FLAT_RAD), axis=0)
    for plane in near[near.sum(axis=1) > 1]:
        normal = free.matrix @ resting[plane].mean(axis=0)
        normal /= np.linalg.norm(normal)
        height = points @ normal
        corner = height > height.max() - FLAT_RAD * free.reach_m
        points[corner] += (height[corner].min() - height[corner])[:, None] * normal
    return polyhedron(points * (SIZE_M / free.reach_m), density_kg_m3=DENSITY_KG_M3)


def labelled(body: Body, at_rest: Sequence[float]) -> np.ndarray:
    """(K,) the face of each outcome.

    Args:
        body: The die.
        at_rest: (K,) the source's shares of the outcomes of a die at rest.

    Raises:
        InputError: The die has not as many faces to rest on as outcomes.
    """
    faces, still = np.flatnonzero(np.isfinite(body.rest.barrier_m)), quasi_static(body)
    if len(faces) != len(at_rest):
        raise InputError(
            f"the die can rest on {len(faces)} faces but has {len(at_rest)} outcomes; give its own corners"
        )
    found = np.empty(len(faces), dtype=int)
    found[np.argsort(at_rest, kind="stable")] = faces[np.argsort(still[faces], kind="stable")]
    return found


def evened(by_face: Sequence[float] | np.ndarray, face_of: np.ndarray) -> np.ndarray:
    """(K,) shares of the outcomes from counts or shares of the faces (F,), the two of a mirror pair alike."""
    shares = np.asarray(by_face, dtype=float)[face_of]
    return np.asarray((shares + shares[::-1]) / 2 / shares.sum())


def apart(counts: np.ndarray, shares: np.ndarray) -> float:
    """Total variation of real counts (K,) from shares (K,) of any sum."""
    return total_variation(counts, Baseline.exact((shares / shares.sum()).tolist()))


class Rolled:
    """One die: its body, its real rolls, and what throws of it show."""

    def __init__(self, entry: Mapping[str, Any]) -> None:
        """From an entry of the published counts."""
        self.entry = entry
        self.body = die(entry["geometry"]["vertices"])
        self.face_of = labelled(self.body, entry["simulators"]["geometric"])
        self.counts = np.array(list(entry["outcomes"].values()))

    def shares(self, law: Law, n: int) -> tuple[np.ndarray, dict[str, int]]:
        """(K,) shares of the outcomes of n throws, and the throws without one by reason."""
        found = thrown(self.body, law, n)
        return evened(found.faces, self.face_of), found.failed

    def log_likelihood(self, law: Law, n: int) -> float:
        """That of the real rolls (multinomial), half a throw more on each outcome."""
        shares = self.shares(law, n)[0] * n + 0.5
        return float(self.counts @ np.log(shares / shares.sum()))


def told(name: str, dice: Mapping[str, Rolled], fits: Mapping[str, Sequence[float]], n: int) -> dict[str, Any]:
    """How far throws of one die are from its real rolls, by the law fitted on the others."""
    own, grid = dice[name], laws()
    law = grid[int(np.argmax(np.sum([fits[other] for other in dice if other != name], axis=0)))]
    (shares, failed), (prior, prior_failed) = own.shares(law, n), own.shares(PRIOR, n)
    return {
        "shares": dict(zip(own.entry["outcomes"], shares.tolist(), strict=True)),
        "real": dict(own.entry["outcomes"]),
        "tv": apart(own.counts, shares),
        "tv_expected": expected_total_variation(int(own.counts.sum()), Baseline.exact(shares.tolist())),
        "tv_prior": apart(own.counts, prior),
        "tv_quasi_static": apart(own.counts, evened(quasi_static(own.body), own.face_of)),
        "tv_published": {k: apart(own.counts, np.array(p)) for k, p in own.entry["simulators"].items()},
        "fitted_on_the_others": asdict(law),
        "failed": failed,
        "failed_prior": prior_failed,
    }


def measure(*, n: int, n_fit: int, counts: Path = COUNTS) -> dict[str, Any]:
    """How far the throws of each die are from its real rolls.

    Args:
        n: Throws of each die.
        n_fit: Throws of each die by each law of the fit.
        counts: File of published counts.
    """
    dice = {name: Rolled(published(name, counts)) for name in DICE}
    fits = {name: [own.log_likelihood(law, n_fit) for law in laws()] for name, own in dice.items()}
    found = {name: told(name, dice, fits, n) for name in dice}
    return {
        "dice": found,
        "fitted": {name: f["fitted_on_the_others"] for name, f in found.items()},
        "prior": {**asdict(PRIOR), "reach_m": SIZE_M},
        "grid": {"vigour": VIGOUR, "restitution": RESTITUTION, "friction": FRICTION},
        "n": n,
        "n_fit": n_fit,
        "table": [_line(name, f, n) for name, f in found.items()],
    }


def _line(name: str, found: dict[str, Any], n: int) -> dict[str, Any]:
    theirs = ", ".join(f"{k} {v:.3f}" for k, v in found["tv_published"].items())
    return row(
        f"3D-printed die {name.removeprefix('baktash_')}, {n} throws by the law fitted on the other two: distance",
        real=f"{sum(found['real'].values())} hand rolls; published simulators: {theirs}",
        simulated=f"{found['tv']:.3f} (by chance alone {found['tv_expected']:.3f}); not fitted, thrown hard "
        f"{found['tv_prior']:.3f}",
        aim=f"total variation at most {AIM}",
        reached=found["tv"] <= AIM,
        quasi_static=f"{found['tv_quasi_static']:.3f}",
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the comparison from the command line; the exit code."""
    made = parser("real_printed_dice", __doc__)
    made.add_argument("--n", type=int, default=10_000, help="throws of each die")
    made.add_argument("--n-fit", type=int, default=600, help="throws of each die by each law of the fit")
    made.add_argument("--counts", type=Path, default=COUNTS, help="file of published counts")
    chosen = made.parse_args(arguments)
    return finish(
        "real_printed_dice",
        chosen,
        arguments,
        lambda: measure(n=chosen.n, n_fit=chosen.n_fit, counts=chosen.counts),
    )


if __name__ == "__main__":
    sys.exit(main())
