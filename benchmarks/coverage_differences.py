"""How often do the intervals of `quincunx compare` cover the true difference of two models?

Every pair of the models of `benchmarks.coverage_truths` is drawn and compared, also a model with itself. *Clips*: of A
and B independent; with `--coupled`, every clip of A and the clip of B with the same seed come from one random number,
once with equal sign and once with opposite sign, and so do the clips of all scenes. With `--times N`, A has N times as
many clips as B, and its excess is that of as many as B has, as in `compare`.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import cache, lru_cache, partial
from itertools import product
from typing import Any

import numpy as np

from calibrate.stats import Interval, expected_total_variation, total_variation, tv_interval
from calibrate.stats.difference_interval import difference_interval, mover_interval
from calibrate.stats.efron_stein import efron_stein_interval
from calibrate.stats.excess_spread import Part, excess_spread
from calibrate.stats.rarefaction import rarefied_total_variation

from .coverage import N_CLIPS, Row, told
from .coverage_methods import covers
from .coverage_truths import REFERENCES, truths

TRIALS = 400
BONFERRONI, MOVER = "difference of total variations, Bonferroni", "difference of total variations, MOVER"
EXCESS, MEAN = "difference of excess", "mean difference of excess"
METHODS = {BONFERRONI: True, MOVER: False, EXCESS: True, MEAN: True}
"""Method -> whether a finding or a headline figure rests on it."""
N_AVERAGE = 20_000
"""Draws behind the average total variation of a model, which is what its excess stands for."""
COUPLINGS = ("independent", "equal", "opposite")


def _key(*parts: object) -> int:
    return zlib.crc32("; ".join(map(str, parts)).encode())


def _uniforms(n: int, trials: int, coupling: str, *who: object) -> np.ndarray:
    """(trials, n) the random number behind each clip; the same for all, if they are coupled."""
    if coupling == "independent":
        return np.random.default_rng(_key(n, *who)).random((trials, n))
    drawn = np.random.default_rng(_key(n, coupling, who[0])).random((trials, n))
    return 1 - drawn if coupling == "opposite" and who[1] == "B" else drawn


def _outcomes(uniforms: np.ndarray, q: np.ndarray) -> np.ndarray:
    """The outcome of each clip: the inverse of the distribution function."""
    return np.minimum(np.searchsorted(np.cumsum(q), uniforms, side="right"), len(q) - 1)


@cache
def _average(scene: str, truth: str, n: int) -> float:
    """Average total variation that a model shows with n clips."""
    rng, p = np.random.default_rng(_key(scene, truth, n)), np.asarray(REFERENCES[scene].p)
    drawn = rng.multinomial(n, truths(scene)[truth], size=N_AVERAGE) / n
    return float(0.5 * np.abs(drawn - p).sum(axis=1).mean())


@lru_cache(maxsize=200_000)
def _limits(scene: str, counts: tuple[int, ...], level: float) -> Interval:
    return tv_interval(counts, REFERENCES[scene], seed=0, level=level)


def _row(method: str, scene: str, truth: str, n: int, right: int, trials: int, width: float) -> Row:
    c = (right + 1) / (trials + 2)
    return Row(
        method=method,
        scene=scene,
        truth=truth,
        n=n,
        rests=METHODS[method],
        coverage=right / trials,
        error=math.sqrt(c * (1 - c) / trials),
        trials=trials,
        mean_width=width / trials,
    )


def pairs(scene: str) -> list[tuple[str, str]]:
    """Every pair of models, and every model with itself."""
    names = list(truths(scene))
    return [(x, y) for i, x in enumerate(names) for y in names[i:]]


def distance_rows(scene: str, n: int, trials: int, seed: int, methods: Sequence[str]) -> Iterator[Row]:
    """Coverage of the difference of the true total variations."""
    baseline, known = REFERENCES[scene], truths(scene)
    drawn = {
        (x, side): np.random.default_rng(_key(seed, scene, x, n, side)).multinomial(n, q, size=trials).tolist()
        for x, q in known.items()
        for side in "AB"
    }
    p = np.asarray(baseline.p)
    true = {x: 0.5 * float(np.abs(q - p).sum()) for x, q in known.items()}
    for method in (BONFERRONI, MOVER):
        if method not in methods:
            continue
        for x, y in pairs(scene):
            right, width = 0, 0.0
            for a, b in zip(drawn[x, "A"], drawn[y, "B"], strict=True):
                first, second = partial(_limits, scene, tuple(a)), partial(_limits, scene, tuple(b))
                if method == BONFERRONI:
                    found = difference_interval(first, second)
                else:
                    found = mover_interval(first, second, (total_variation(a, baseline), total_variation(b, baseline)))
                right, width = right + covers(found, true[x] - true[y]), width + found.high - found.low
            yield _row(method, scene, f"{x} - {y}", n, right, trials, width)


def excess_rows(
    method: str, scenes: Sequence[str], n: int, trials: int, seed: int, coupling: str, times: int = 1
) -> Iterator[Row]:
    """Coverage of the mean difference of excess over some scenes, that of what n clips of both have on average."""
    for x, y in pairs(scenes[0]):
        parts: list[list[Part]] = [[] for _ in range(trials)]
        true = 0.0
        for scene, (name, side, sign) in product(scenes, ((x, "A", 1), (y, "B", -1))):
            expected = expected_total_variation(n, REFERENCES[scene])
            true += sign * (_average(scene, name, n) - expected) / (1 - expected) / len(scenes)
            size = n * times if side == "A" else n
            shown = _outcomes(_uniforms(size, trials, coupling, seed, side, scene, name), truths(scene)[name])
            about: dict[str, Any] = {"n_outcomes": len(REFERENCES[scene].p), "tv": partial(_tv, scene)}
            about |= {"expected": expected, "weight": sign / len(scenes)}
            where = (scene, side) if coupling == "independent" else ()
            about["clusters"] = tuple((*where, k) for k in range(size))
            for each, row in zip(parts, shown.tolist(), strict=True):
                fewer = None if size == n else _fewer(scene, tuple(sorted(row)), n)
                each.append(Part(shown=tuple(row), rarefied=fewer, **about))
        found = [efron_stein_interval(excess_spread(each)) for each in parts]
        right, width = sum(covers(each, true) for each in found), sum(each.high - each.low for each in found)
        how = "" if coupling == "independent" else f", coupled ({coupling})"
        how += f", {times} times" if times != 1 else ""
        yield _row(method, "+".join(scenes) + how, f"{x} - {y}", n, right, trials, width)


@lru_cache(maxsize=200_000)
def _fewer(scene: str, shown: tuple[int, ...], n: int) -> float:
    p = REFERENCES[scene].p
    return rarefied_total_variation([shown.count(k) for k in range(len(p))], n, p)


@lru_cache(maxsize=200_000)
def _tv(scene: str, counts: tuple[int, ...]) -> float:
    return total_variation(counts, REFERENCES[scene])


def rows(
    *,
    n_clips: Sequence[int] = N_CLIPS,
    trials: int = TRIALS,
    scenes: Sequence[str] = tuple(REFERENCES),
    methods: Sequence[str] = tuple(METHODS),
    coupled: bool = False,
    times: int = 1,
    seed: int = 0,
) -> Iterator[Row]:
    """Every row; a row depends on its own name, the trials and the seed alone.

    Args:
        n_clips: Numbers of scored clips of each model.
        trials: Simulated pairs behind each row.
        scenes: Names in REFERENCES; the mean is over all of them.
        methods: Names in METHODS.
        coupled: Whether one seed has one random number, in both models and on all scenes; for the excess alone.
        times: How many times as many clips as B has A has; for the excess alone.
        seed: Seed of the simulation.
    """
    for n in n_clips:
        for coupling in COUPLINGS[1:] if coupled else COUPLINGS[:1]:
            if EXCESS in methods:
                for scene in scenes:
                    yield from excess_rows(EXCESS, [scene], n, trials, seed, coupling, times)
            if MEAN in methods:
                yield from excess_rows(MEAN, scenes, n, trials, seed, coupling, times)
        if not coupled and times == 1:
            for scene in scenes:
                yield from distance_rows(scene, n, trials, seed, methods)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the coverage; exit with 1 if something on which a finding rests falls short."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.coverage_differences", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--n", type=int, nargs="+", default=list(N_CLIPS), help="numbers of clips")
    parser.add_argument("--trials", type=int, default=TRIALS, help="simulated pairs behind each figure")
    parser.add_argument("--scenes", nargs="+", choices=list(REFERENCES), default=list(REFERENCES))
    parser.add_argument("--methods", nargs="+", default=list(METHODS), help="beginnings of their names")
    parser.add_argument("--coupled", action="store_true", help="one seed, one random number; for the excess")
    parser.add_argument("--times", type=int, default=1, help="clips of A for each of B; for the excess")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true", help="every row as JSON")
    chosen = parser.parse_args(arguments)
    methods = [name for name in METHODS if name.startswith(tuple(chosen.methods))]
    if min(chosen.n) < 2 or chosen.trials < 1 or not methods:
        parser.error(f"--n must be 2 or more, --trials positive, and --methods begin as one of: {'; '.join(METHODS)}")
    if chosen.times < 1 or (chosen.times > 1 and chosen.coupled):
        parser.error("--times must be 1 or more, and stands without --coupled")
    how = {"methods": methods, "coupled": chosen.coupled, "times": chosen.times}
    found = list(rows(n_clips=chosen.n, scenes=chosen.scenes, trials=chosen.trials, seed=chosen.seed, **how))
    if chosen.json:
        print(json.dumps({row.name: asdict(row) for row in found}, indent=1, allow_nan=False))
    else:
        print("\n".join(told(found)))
    return int(any(row.rests and row.falls_short for row in found))


if __name__ == "__main__":
    sys.exit(main())
