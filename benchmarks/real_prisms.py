"""How often do square steel prisms show a square face, against their height, fitted on some ratios, told on others?

Eight dice of x by y by y cut from one steel bar, rolled by pupils; size, surface and throw are not stated. Assumed: an
edge y of 20 mm. Fitted on `--fit-ratios` alone, by likelihood over a declared grid: friction, restitution, and how hard
they are thrown.

    python -m benchmarks.real_prisms --fit-ratios 0.47,0.93,1.44,1.87 --ratios 0.75,1.16,1.6,2.65 --json
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from sim import InputError
from sim.impact import cuboid
from sim.impact.body import Body

from .real_results import finish, parser, row
from .throwing import COUNTS, SEED, Law, published, quasi_static, thrown

EXPERIMENT = "budden_square_prisms"
HALF_M, DENSITY_KG_M3 = 0.01, 7800.0
FRICTION = (0.2, 0.3, 0.4, 0.5)
RESTITUTION = (0.1, 0.3, 0.5)
VIGOUR = ((1.5, 50.0), (0.7, 30.0), (0.35, 15.0))
"""Standard deviation of the speed along each level axis, m/s, and of the spin about each axis, rad/s."""
FALL_M = (0.05, 0.15)
AIM = 0.03
SQUARE = (4, 5)


def prism(ratio: float) -> Body:
    """A steel prism of a given height over its 20 mm edge.

    Raises:
        InputError: The ratio is not positive.
    """
    if not ratio > 0:
        raise InputError(f"a ratio must be positive, got {ratio}; give height over edge")
    return cuboid((HALF_M, HALF_M, HALF_M * ratio), density_kg_m3=DENSITY_KG_M3)


def laws() -> list[Law]:
    """The grid of the fit."""
    return [
        Law(fall_m=FALL_M, level_m_s=v, spin_rad_s=w, restitution=(e, e), friction=(mu, mu))
        for (v, w), e, mu in product(VIGOUR, RESTITUTION, FRICTION)
    ]


def real(counts: Path) -> dict[float, tuple[int, int]]:
    """Ratio -> rolls that showed a square face, and all rolls."""
    outcomes = published(EXPERIMENT, counts)["outcomes"]
    return {float(k.split("=")[1]): (int(v["count_reconstructed"]), int(v["n"])) for k, v in outcomes.items()}


def fit(ratios: Sequence[float], seen: dict[float, tuple[int, int]], n: int, *, seed: int = SEED) -> dict[str, Any]:
    """The law of the grid under which the rolls at some ratios are likeliest (binomial).

    Raises:
        InputError: A ratio has no published count.
    """
    for ratio in ratios:
        if ratio not in seen:
            raise InputError(f"no rolls are known at the ratio {ratio}; fit on some of {sorted(seen)}")
    likelihoods = [(law, sum(_log_likelihood(law, ratio, *seen[ratio], n, seed) for ratio in ratios)) for law in laws()]
    law, best = max(likelihoods, key=lambda pair: pair[1])
    return {"law": law, "log_likelihood": best}


def _log_likelihood(law: Law, ratio: float, hits: int, rolls: int, n: int, seed: int) -> float:
    """That of the rolls at one ratio, from n throws."""
    found = thrown(prism(ratio), law, n, seed=seed)
    share = (sum(found.faces[f] for f in SQUARE) + 0.5) / (found.n + 1)
    return float(hits * np.log(share) + (rolls - hits) * np.log1p(-share))


def measure(
    fit_ratios: Sequence[float], ratios: Sequence[float], *, n: int, n_fit: int, counts: Path = COUNTS
) -> dict[str, Any]:
    """Shares of the square faces at `ratios`, by the law fitted at `fit_ratios`.

    Args:
        fit_ratios: Ratios that the fit sees.
        ratios: Ratios to tell; those without a published count are told and not compared.
        n: Throws at each ratio told.
        n_fit: Throws at each ratio and law of the fit.
        counts: File of published counts.
    """
    seen = real(counts)
    if set(fit_ratios) & set(ratios):
        raise InputError(f"{sorted(set(fit_ratios) & set(ratios))} are fitted on and cannot be told; leave them out")
    found = fit(fit_ratios, seen, n_fit)
    law: Law = found["law"]
    thrown_at = {ratio: thrown(prism(ratio), law, n) for ratio in ratios}
    shares = {ratio: c.share(*SQUARE) for ratio, c in thrown_at.items()}
    still = {ratio: float(quasi_static(prism(ratio))[list(SQUARE)].sum()) for ratio in ratios}
    known = [r for r in ratios if r in seen]
    errors = {r: shares[r] - seen[r][0] / seen[r][1] for r in known}
    mean = float(np.mean(np.abs(list(errors.values())))) if known else None
    still_mean = float(np.mean([abs(still[r] - seen[r][0] / seen[r][1]) for r in known])) if known else None
    figures: dict[str, Any] = {
        "shares": {str(r): s for r, s in shares.items()},
        "fitted": {**asdict(law), "log_likelihood": found["log_likelihood"], "fit_ratios": list(fit_ratios)},
        "real": {str(r): seen[r][0] / seen[r][1] for r in known},
        "mean_absolute_error": mean,
        "intervals": {str(r): c.interval(*SQUARE) for r, c in thrown_at.items()},
        "failed": {str(r): c.failed for r, c in thrown_at.items()},
        "quasi_static": {str(r): s for r, s in still.items()},
        "prior": {"friction": FRICTION, "restitution": RESTITUTION, "vigour": VIGOUR, "fall_m": FALL_M, "edge_m": 0.02},
        "n": n,
        "n_fit": n_fit,
        "table": [],
    }
    if mean is not None and still_mean is not None:
        figures["table"] = [
            row(
                "steel prisms, square-face share, ratios " + ", ".join(f"{r:g}" for r in known),
                real=", ".join(f"{seen[r][0] / seen[r][1]:.3f}" for r in known),
                simulated=", ".join(f"{shares[r]:.3f}" for r in known) + f"; mean absolute error {mean:.3f}",
                aim=f"mean absolute error at most {AIM}",
                reached=mean <= AIM,
                quasi_static=f"mean absolute error {still_mean:.3f}",
            )
        ]
    return figures


def ratios_of(text: str) -> list[float]:
    """Numbers between commas."""
    return [float(part) for part in text.split(",")]


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the comparison from the command line; the exit code."""
    made = parser("real_prisms", __doc__)
    made.add_argument("--fit-ratios", type=ratios_of, default=[0.47, 0.93, 1.44, 1.87], help="ratios to fit on")
    made.add_argument("--ratios", type=ratios_of, default=[0.75, 1.16, 1.6, 2.65], help="ratios to tell")
    made.add_argument("--n", type=int, default=5000, help="throws at each ratio told")
    made.add_argument("--n-fit", type=int, default=600, help="throws at each ratio and law of the fit")
    made.add_argument("--counts", type=Path, default=COUNTS, help="file of published counts")
    made.add_argument("--suffix", default="", help="tells kept results apart")
    chosen = made.parse_args(arguments)
    return finish(
        "real_prisms",
        chosen,
        arguments,
        lambda: measure(chosen.fit_ratios, chosen.ratios, n=chosen.n, n_fit=chosen.n_fit, counts=chosen.counts),
        suffix=chosen.suffix,
    )


if __name__ == "__main__":
    sys.exit(main())
