"""How often is a faithful model found to differ from a reference that is a set, fitted to as few rollouts as ours are?

    python -m benchmarks.set_coverage --json

The worst case is asked for: two outcomes, a model with the constants of the outermost of 64 draws, and the reference
fitted to a table of those draws (`sim.spread`). Within one table nothing is drawn: the counts from which on p is at
most 0.05, or the lower limit of the 95 % interval lies above the true distance 0, are found; their binomial probability
is the error. Counts beyond the far end of the set are so rare that they are left out.

Of two outcomes the set is an interval, and p and the interval are those at its nearer end: `hull_score` and
`hull_interval` look at further points and can only reject and miss less.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from calibrate.stats import Baseline, Hull, tv_interval, tv_test
from sim.spread import fit_spread, members, n_behind_member

SEED = 11
MEAN, N_UNKNOWN = 0.55, 64
"""Mean share of the first outcome, and draws of the unknown constants."""
LAWS = ((0.02, 80), (0.02, 152), (0.02, 316), (0.05, 80), (0.05, 152))
"""(standard deviation of the share between draws, rollouts a draw)."""
N_CLIPS = (24, 100, 1000)


@dataclass(frozen=True, kw_only=True)
class Row:
    """Error rates of one law of the draws and one number of clips."""

    sd: float
    n_each: int
    """Rollouts a draw."""
    n_clips: int
    kind: str
    """`set`, or `point`: the tables in which no spread was found."""
    n_tables: int
    rejected: float
    """Mean probability of p <= 0.05; nominally at most 0.05."""
    low_missed: float
    """Mean probability that the lower limit lies above the true distance 0; nominally at most 0.025."""


def first(holds: Callable[[int], bool], start: int, stop: int) -> int:
    """The least whole number of start to stop - 1 at which a condition holds, given that it holds ever after; or stop.

    Args:
        holds: The condition.
        start: First number that may be returned.
        stop: One more than the last number that is asked about.
    """
    low, high = start - 1, stop
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def errors(end: Baseline, truth: float, n: int) -> tuple[float, float]:
    """Probabilities that n clips of a model at `truth` are rejected above an end of the set, and that 0 is missed."""
    from scipy.stats import binom

    inside = int(np.floor(n * end.p[0] + 1e-9)) + 1
    rejected = first(lambda k: tv_test([k, n - k], end, seed=0).p <= 0.05, inside, n + 1)
    missed = first(lambda k: tv_interval([k, n - k], end, seed=0).low > 0, inside, n + 1)
    return float(binom.sf(rejected - 1, n, truth)), float(binom.sf(missed - 1, n, truth))


def rows(sd: float, n_each: int, *, n_tables: int, seed: int) -> list[Row]:
    """The error rates of one law, by clips and by whether a spread was found.

    Args:
        sd: Standard deviation of the first outcome's share between draws.
        n_each: Rollouts a draw.
        n_tables: Tables of 64 draws to simulate.
        seed: Seed of the tables.
    """
    concentration, rng = MEAN * (1 - MEAN) / sd**2 - 1, np.random.default_rng(seed)  # variance of a Beta law
    found: dict[tuple[int, str], list[tuple[float, float]]] = {}
    for _ in range(n_tables):
        truth = rng.beta(MEAN * concentration, (1 - MEAN) * concentration, size=N_UNKNOWN)
        hits = rng.binomial(n_each, truth)
        table = np.stack([hits, n_each - hits], axis=1)
        spread = fit_spread(table)
        hull = Hull.of(members(table, spread), n=n_behind_member(table, spread))
        top = float(hull.array[:, 0].max())
        kind = "point" if spread.dispersion == 0 else "set"
        for n in N_CLIPS:
            both = errors(hull.baseline([top, 1 - top]), float(truth.max()), n)
            found.setdefault((n, kind), []).append(both)
    return [
        Row(
            sd=sd,
            n_each=n_each,
            n_clips=n,
            kind=kind,
            n_tables=len(pairs),
            rejected=float(np.mean([p for p, _ in pairs])),
            low_missed=float(np.mean([missed for _, missed in pairs])),
        )
        for (n, kind), pairs in sorted(found.items())
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints the error rates; as JSON with `--json`."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.set_coverage", description=__doc__)
    parser.add_argument("--tables", type=int, default=60, help="tables of 64 draws for each law")
    parser.add_argument("--json", action="store_true", help="nothing but JSON on stdout")
    given = parser.parse_args(arguments)
    if given.tables < 1:
        parser.error(f"--tables must be at least 1, got {given.tables}")
    all_rows = [row for sd, n_each in LAWS for row in rows(sd, n_each, n_tables=given.tables, seed=SEED)]
    if given.json:
        sys.stdout.write(json.dumps({"seed": SEED, "rows": [asdict(row) for row in all_rows]}, indent=1) + "\n")
        return
    sys.stdout.write("spread  rollouts a draw  clips  kind   tables  p <= 0.05  low missed\n")
    for r in all_rows:
        sys.stdout.write(
            f"{r.sd:<6}  {r.n_each:>15}  {r.n_clips:>5}  {r.kind:<5}  {r.n_tables:>6}  {r.rejected:>9.3f}  "
            f"{r.low_missed:>10.3f}\n"
        )


if __name__ == "__main__":
    main()
