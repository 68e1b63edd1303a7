"""How often does one method cover the truth, or keep quiet about a faithful model, when its data are simulated?

Each function takes a `Setting` and returns for each trial whether the method was right, and how wide it was.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from calibrate.stats import (
    Baseline,
    Interval,
    benjamini_hochberg,
    clopper_pearson,
    equivalence_test,
    excess,
    expected_total_variation,
    goodman,
    holm,
    multinomial_test,
    tv_interval,
    tv_test,
    wilson,
)
from calibrate.stats.multinomial_test import Statistic

from .coverage_truths import MARGIN, REFERENCES

LEVEL = 0.05
N_REFERENCE = 5_120
"""Rollouts of a reference that is itself a sample, drawn anew in every trial."""
N_BOOTSTRAP = 1_000
FAMILY = ("coin", "roulette", "die") * 8
"""Scenes of the 24 cells that are tested together."""
CALIBENCH = ("board",) * 2 + ("coin",) * 3 + ("die", "cards", "lottery", "roulette")
"""CaliBench's nine scenes."""
_UNIFORM = {"cards": Baseline.exact([0.25] * 4), "lottery": Baseline.exact([0.05] * 20)}


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What is simulated."""

    reference: Baseline
    truth: np.ndarray
    """(K,) the model's distribution."""
    n: int
    """Clips."""
    trials: int
    seed: int

    @property
    def tv(self) -> float:
        """True total variation."""
        return 0.5 * float(np.abs(self.truth - np.asarray(self.reference.p)).sum())

    @property
    def rng(self) -> np.random.Generator:
        """Source of the clips."""
        return np.random.default_rng(self.seed)


@dataclass(frozen=True, kw_only=True)
class Simulated:
    """What came out."""

    right: float
    """Trials in which the truth was covered, or nothing was claimed wrongly; BH counts parts of a trial."""
    mean_width: float | None = None
    """Of an interval."""


Method = Callable[[Setting], Simulated]


def covers(interval: Interval, truth: float) -> bool:
    """Whether it holds the truth, rounding forgiven."""
    return interval.low - 1e-9 <= truth <= interval.high + 1e-9


def _each_table(setting: Setting, of: Callable[[list[int]], tuple[float, float]]) -> Simulated:
    """Means over trials of (right, width), each distinct table of counts computed once."""
    drawn = setting.rng.multinomial(setting.n, setting.truth, size=setting.trials)
    tables, times = np.unique(drawn, axis=0, return_counts=True)
    found = np.array([of(table.tolist()) for table in tables])
    return Simulated(right=float(times @ found[:, 0]), mean_width=float(times @ found[:, 1] / setting.trials))


def share(interval: Callable[[int, int], Interval]) -> Method:
    """An interval of one share: the first outcome's."""

    def simulate(setting: Setting) -> Simulated:
        def of(counts: list[int]) -> tuple[float, float]:
            found = interval(counts[0], setting.n)
            return covers(found, float(setting.truth[0])), found.high - found.low

        return _each_table(setting, of)

    return simulate


def all_shares(setting: Setting) -> Simulated:
    """Goodman's intervals, right if all hold."""

    def of(counts: list[int]) -> tuple[float, float]:
        found = goodman(counts)
        right = all(covers(i, q) for i, q in zip(found, setting.truth.tolist(), strict=True))
        return right, float(np.mean([i.high - i.low for i in found]))

    return _each_table(setting, of)


def tv_exact(setting: Setting) -> Simulated:
    """`tv_interval` with an exact reference."""

    def of(counts: list[int]) -> tuple[float, float]:
        found = tv_interval(counts, setting.reference, seed=setting.seed)
        return covers(found, setting.tv), found.high - found.low

    return _each_table(setting, of)


def tv_sampled(setting: Setting) -> Simulated:
    """`tv_interval` with a reference that is a sample."""
    rng, right, width = setting.rng, 0, 0.0
    for counts in rng.multinomial(setting.n, setting.truth, size=setting.trials):
        reference = Baseline.sample(rng.multinomial(N_REFERENCE, setting.reference.p).tolist())
        found = tv_interval(counts, reference, seed=setting.seed)
        right, width = right + covers(found, setting.tv), width + found.high - found.low
    return Simulated(right=right, mean_width=width / setting.trials)


def tv_bootstrap(setting: Setting) -> Simulated:
    """Percentile bootstrap of total variation, for comparison."""
    rng, p = np.random.default_rng(setting.seed + 1), np.asarray(setting.reference.p)

    def of(counts: list[int]) -> tuple[float, float]:
        again = rng.multinomial(setting.n, np.asarray(counts) / setting.n, size=N_BOOTSTRAP) / setting.n
        low, high = np.quantile(0.5 * np.abs(again - p).sum(axis=1), [0.025, 0.975])
        return covers(Interval(low=float(low), high=float(high)), setting.tv), float(high - low)

    return _each_table(setting, of)


def calibench_bootstrap(setting: Setting) -> Simulated:
    """CaliBench's interval of mnTV for a faithful model on nine scenes with every clip legible: does it hold 0?

    Resampled within each cell, percentile limits; its method, see `calibrate.published.calibench`.
    """
    rng, right, width = setting.rng, 0, 0.0
    references = [{**REFERENCES, **_UNIFORM}[scene] for scene in CALIBENCH]
    floors = [expected_total_variation(setting.n, reference) for reference in references]
    for _ in range(setting.trials):
        scores = np.zeros(N_BOOTSTRAP)
        for reference, floor in zip(references, floors, strict=True):
            shares = rng.multinomial(setting.n, reference.p) / setting.n
            again = rng.multinomial(setting.n, shares, size=N_BOOTSTRAP) / setting.n
            tv = 0.5 * np.abs(again - np.asarray(reference.p)).sum(axis=1)
            scores += excess(tv, floor) / len(references)
        low, high = np.quantile(scores, [0.025, 0.975])
        right, width = right + (low <= 0 <= high), width + high - low
    return Simulated(right=right, mean_width=float(width / setting.trials))


def _kept(setting: Setting, p: Callable[[list[int]], float]) -> Simulated:
    """Trials whose p is above the level; each distinct table computed once."""
    return Simulated(right=_each_table(setting, lambda counts: (p(counts) > LEVEL, 0.0)).right)


def tv_test_exact(setting: Setting) -> Simulated:
    """`tv_test` with an exact reference, of a faithful model."""
    return _kept(setting, lambda counts: tv_test(counts, setting.reference, seed=setting.seed).p)


def tv_test_sampled(setting: Setting) -> Simulated:
    """`tv_test` with a reference that is a sample."""
    rng, right = setting.rng, 0
    for counts in rng.multinomial(setting.n, setting.truth, size=setting.trials):
        reference = Baseline.sample(rng.multinomial(N_REFERENCE, setting.reference.p).tolist())
        right += tv_test(counts, reference, seed=setting.seed).p > LEVEL
    return Simulated(right=right)


def equivalence_exact(setting: Setting) -> Simulated:
    """`equivalence_test` with an exact reference, of a model just at the margin: right if equivalence is not shown."""
    return _kept(setting, lambda counts: equivalence_test(counts, setting.reference, margin=MARGIN).p)


def equivalence_sampled(setting: Setting) -> Simulated:
    """The same with a reference that is a sample."""
    rng, right = setting.rng, 0
    for counts in rng.multinomial(setting.n, setting.truth, size=setting.trials):
        reference = Baseline.sample(rng.multinomial(N_REFERENCE, setting.reference.p).tolist())
        right += equivalence_test(counts, reference, margin=MARGIN).p > LEVEL
    return Simulated(right=right)


def published_test(statistic: Statistic) -> Method:
    """`multinomial_test`, as `quincunx replicate` prints it."""

    def simulate(setting: Setting) -> Simulated:
        return _kept(
            setting,
            lambda counts: multinomial_test(counts, setting.reference, seed=setting.seed, statistic=statistic).p,
        )

    return simulate


def _family(setting: Setting, n_off: int) -> list[list[float]]:
    """p-values (trials, 24) of a family whose first cells are of collapsed models, the others of faithful ones."""
    rng, rows = setting.rng, []
    for _ in range(setting.trials):
        row = []
        for i, scene in enumerate(FAMILY):
            reference = REFERENCES[scene]
            truth = np.eye(len(reference.p))[0] if i < n_off else np.asarray(reference.p)
            row.append(tv_test(rng.multinomial(setting.n, truth), reference, seed=setting.seed).p)
        rows.append(row)
    return rows


def holm_family(n_off: int) -> Method:
    """Holm over 24 cells: right if no faithful cell is claimed to differ."""

    def simulate(setting: Setting) -> Simulated:
        false = [any(_below(holm(row)[n_off:])) for row in _family(setting, n_off)]
        return Simulated(right=len(false) - sum(false))

    return simulate


def bh_family(n_off: int) -> Method:
    """Benjamini and Hochberg over 24 cells: right in the part of its alarms that are not false."""

    def simulate(setting: Setting) -> Simulated:
        right = 0.0
        for row in _family(setting, n_off):
            alarms = _below(benjamini_hochberg(row))
            right += 1 - sum(alarms[n_off:]) / max(1, sum(alarms))
        return Simulated(right=right)

    return simulate


def _below(adjusted: Sequence[float | None]) -> list[bool]:
    return [p is not None and not math.isnan(p) and p < LEVEL for p in adjusted]


SHARE_EXACT, SHARE_SCORE = share(clopper_pearson), share(wilson)
