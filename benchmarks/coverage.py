"""How often do the intervals of a score cover the truth, and its tests keep quiet about a faithful model?

Counts are drawn from known distributions (`benchmarks.coverage_truths`) and given to the functions behind the verbs
`score` and `replicate`. Of an interval the figure is its coverage and mean width; of a test, the share of faithful
models (or families of 24 cells) about which it claims nothing: 0.95 or more for one at the level 0.05; of the
equivalence test, the share of models just at its margin that it does not call equivalent.

All of it takes about a quarter of an hour on one core; `--scenes`, `--n`, `--methods` and `--trials` shorten it.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from calibrate.stats import Baseline, clopper_pearson

from . import coverage_methods as m
from .coverage_truths import LEGIBLE, REFERENCES, at_margin, truths

N_CLIPS = (8, 16, 32, 50, 200)
TRIALS = 400
PROMISED = 0.94
"""What an interval or test on which a finding rests must keep, within the error of the trials."""
FEW_SCENES = ("coin", "roulette")
"""The only scenes of the methods in SLOW, for which every trial is a computation of its own."""
INTERVALS = {
    "share, Clopper-Pearson": (m.SHARE_EXACT, True),
    "share, Wilson": (m.SHARE_SCORE, False),
    "all shares, Goodman": (m.all_shares, False),
    "total variation, exact reference": (m.tv_exact, True),
    "total variation, sampled reference": (m.tv_sampled, True),
    "total variation, percentile bootstrap": (m.tv_bootstrap, False),
}
"""Interval -> how it is simulated, and whether a finding or a headline figure rests on it."""
TESTS = {
    "test of total variation, exact reference": (m.tv_test_exact, True),
    "test of total variation, sampled reference": (m.tv_test_sampled, True),
    "equivalence test, exact reference": (m.equivalence_exact, True),
    "equivalence test, sampled reference": (m.equivalence_sampled, True),
    "test of chi-square": (m.published_test("chi2"), False),
    "test of likelihood ratio": (m.published_test("likelihood_ratio"), False),
}
"""Test -> the same; the model is faithful, for the equivalence test it is just at the margin."""
SLOW = (
    "total variation, sampled reference",
    "test of total variation, sampled reference",
    "equivalence test, sampled reference",
    "test of chi-square",
    "test of likelihood ratio",
)
FAMILIES = {
    "Holm, 24 faithful cells": (m.holm_family(0), True),
    "Holm, 12 of 24 faithful": (m.holm_family(12), True),
    "Benjamini-Hochberg, 24 faithful cells": (m.bh_family(0), False),
    "Benjamini-Hochberg, 12 of 24 faithful": (m.bh_family(12), False),
    "mnTV, CaliBench's bootstrap": (m.calibench_bootstrap, False),
}
"""What is said of many cells together -> the same; all scenes at once."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """One method, scene, truth and number of clips."""

    method: str
    scene: str
    truth: str
    n: int
    rests: bool
    """Whether a finding or a headline figure rests on it."""
    coverage: float
    """Share of the trials in which it was right."""
    error: float
    """Monte Carlo standard error of `coverage`, sqrt(c (1 - c) / trials) with c = (right + 1) / (trials + 2)."""
    trials: int
    mean_width: float | None
    """None of a test."""

    @property
    def name(self) -> str:
        """Key of the row."""
        return f"{self.method}; {self.scene}; {self.truth}; n = {self.n}"

    @property
    def falls_short(self) -> bool:
        """Whether the coverage is below what is promised, by more than the trials' error explains."""
        right = round(self.coverage * self.trials)
        return clopper_pearson(right, self.trials, level=0.998).high < PROMISED


def _row(method: str, how: tuple[m.Method, bool], scene: str, truth: str, setting: m.Setting) -> Row:
    simulate, rests = how
    found = simulate(setting)
    c = (found.right + 1) / (setting.trials + 2)
    return Row(
        method=method,
        scene=scene,
        truth=truth,
        n=setting.n,
        rests=rests,
        coverage=found.right / setting.trials,
        error=math.sqrt(c * (1 - c) / setting.trials),
        trials=setting.trials,
        mean_width=found.mean_width,
    )


def _settings(method: str, scenes: Sequence[str]) -> Iterator[tuple[str, str, Baseline, np.ndarray]]:
    """(scene, truth, reference, distribution) of every case in which a method is simulated."""
    one = Baseline.exact([0.5, 0.5])
    if method in FAMILIES:
        yield "all", "calibrated", one, np.array(one.p)
        return
    if method.startswith("share"):
        for name, both in LEGIBLE.items():
            yield "scorability", name, one, np.array(both)
        return
    for scene in scenes:
        if method in SLOW and scene not in FEW_SCENES:
            continue
        for truth, q in (at_margin if method.startswith("equivalence") else truths)(scene).items():
            if truth == "calibrated" or method not in TESTS or method.startswith("equivalence"):
                yield scene, truth, REFERENCES[scene], q


def rows(
    *,
    n_clips: Sequence[int] = N_CLIPS,
    trials: int = TRIALS,
    scenes: Sequence[str] = tuple(REFERENCES),
    methods: Sequence[str] = (),
    seed: int = 0,
) -> Iterator[Row]:
    """Every row, in order; a row depends on its own name, the trials and the seed alone.

    Args:
        n_clips: Numbers of scored clips.
        trials: Simulated cells (or families) behind each row.
        scenes: Names in REFERENCES.
        methods: Beginnings of the names of the methods that are wanted; all if empty.
        seed: Seed of the simulation.
    """
    for method, how in {**INTERVALS, **TESTS, **FAMILIES}.items():
        if methods and not method.startswith(tuple(methods)):
            continue
        for scene, truth, reference, q in _settings(method, scenes):
            for n in n_clips:
                key = zlib.crc32(f"{seed}; {scene}; {truth}; {n}".encode())
                setting = m.Setting(reference=reference, truth=q, n=n, trials=trials, seed=key)
                yield _row(method, how, scene, truth, setting)


def told(found: Sequence[Row]) -> list[str]:
    """A line a method: its least coverage and where, its mean width, and how often it falls short."""
    lines = []
    for method in dict.fromkeys(row.method for row in found):
        own = [row for row in found if row.method == method]
        least = min(own, key=lambda row: row.coverage)
        widths = [row.mean_width for row in own if row.mean_width is not None]
        width = f", mean width {np.mean(widths):.3f}" if widths else ""
        short = sum(row.falls_short for row in own)
        lines.append(
            f"{method}: least {least.coverage:.3f} +- {least.error:.3f} ({least.scene}, {least.truth}, "
            f"n = {least.n}){width}; below {PROMISED} in {short} of {len(own)}"
            + ("" if own[0].rests else " (nothing rests on it)")
        )
    return lines


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the coverage; exit with 1 if something on which a finding rests falls short."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coverage", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--n", type=int, nargs="+", default=list(N_CLIPS), help="numbers of clips")
    parser.add_argument("--trials", type=int, default=TRIALS, help="simulated cells behind each figure")
    parser.add_argument("--scenes", nargs="+", choices=list(REFERENCES), default=list(REFERENCES))
    parser.add_argument("--methods", nargs="+", default=[], help="beginnings of their names; all if left out")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true", help="every row as JSON")
    chosen = parser.parse_args(arguments)
    if min(chosen.n) < 1 or chosen.trials < 1:
        parser.error("--n and --trials must be positive")
    asked = {"n_clips": chosen.n, "scenes": chosen.scenes, "methods": chosen.methods}
    found = list(rows(**asked, trials=chosen.trials, seed=chosen.seed))
    if not found:
        parser.error(f"no method begins so; they are: {'; '.join({**INTERVALS, **TESTS, **FAMILIES})}")
    if chosen.json:
        print(json.dumps({row.name: asdict(row) for row in found}, indent=1, allow_nan=False))
    else:
        print("\n".join(told(found)))
    return int(any(row.rests and row.falls_short for row in found))


if __name__ == "__main__":
    sys.exit(main())
