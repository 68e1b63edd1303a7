"""What does CaliBench say of a table of outcomes, by its own rules, and what does a test with a known error say?

References:
    CaliBench, arXiv 2608.16829 and github.com/odysseyml/CaliBench: scorability, floor, excess, score, mnTV, chi-square
    by Monte Carlo with 50,000 draws of seed 0, Benjamini-Hochberg over the cells with 4 or more legible clips.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from calibrate.stats import (
    Baseline,
    clopper_pearson,
    excess,
    expected_total_variation,
    holm,
    multinomial_test,
    total_variation,
    tv_test,
)
from sim import InputError

WEIGHTS: Mapping[str, tuple[int, ...]] = {
    "galton_board_real": tuple(math.comb(10, i) for i in range(11)),
    "galton_board": tuple(math.comb(10, i) for i in range(11)),
    "ball": (1, 1),
    "walking": (1, 1),
    "pendulum": (1, 1),
    "dice": (1,) * 6,
    "cards": (1,) * 4,
    "lottery": (1,) * 20,
    "roulette": (18, 18, 1),
}
"""Scene -> whole numbers in the proportions of its published reference."""
RECOMPUTED_MNTV: Mapping[str, float] = {
    "wan": 0.5780,
    "seedance": 0.3907,
    "happyhorse": 0.5402,
    "veo31": 0.6515,
    "runway45": 0.4826,
    "cosmos3_super": 0.6315,
}
"""mnTV of the committed outcomes (commit 4533e877), group main, recomputed independently to four digits."""
LEAST_TESTED = 4
N_DRAWS = 50_000
LEVEL = 0.05


@dataclass(frozen=True, kw_only=True)
class PublishedCell:
    """One scene and one model; None where nothing was legible, or too little to be tested."""

    scene: str
    model: str
    counts: tuple[int, ...]
    requested: int
    n: int
    """Legible clips."""
    rho: float
    tv: float | None
    e0: float | None
    excess: float | None
    score: float
    chi2: float | None
    p_exact: float | None
    """Exact multinomial p of chi-square; the published p is `p_monte_carlo`."""
    p_monte_carlo: float | None
    q: float | None
    """Benjamini-Hochberg over the tested cells, of `p_monte_carlo` as published."""
    rho_interval: tuple[float, float]
    """95 % Clopper-Pearson."""
    p_tv: float | None
    """Mended: p of total variation itself."""
    p_tv_holm: float | None
    """Mended: Holm over the tested cells."""


@dataclass(frozen=True, kw_only=True)
class Replication:
    """Every cell, and mnTV of every model."""

    cells: tuple[PublishedCell, ...]
    mntv: Mapping[str, float]

    @property
    def tested(self) -> int:
        """Cells with enough legible clips for a test."""
        return sum(cell.q is not None for cell in self.cells)

    @property
    def significant(self) -> int:
        """Cells with q below 0.05."""
        return sum(cell.q is not None and cell.q < LEVEL for cell in self.cells)

    @property
    def significant_mended(self) -> int:
        """Cells whose total variation is beyond chance by Holm's p."""
        return sum(cell.p_tv_holm is not None and cell.p_tv_holm < LEVEL for cell in self.cells)


def replicate(outcomes: Path | str, group: str) -> Replication:
    """The published method applied to one group of a file laid out like CaliBench's outcomes.

    Args:
        outcomes: JSON: group -> scene -> model -> outcome of every clip, from 1, null if illegible.
        group: Which group.

    Raises:
        InputError: The file cannot be read, has no such group, an unknown scene, or an outcome out of range.
    """
    table = _group(Path(outcomes), group)
    cells = [_cell(scene, model, clips) for scene, row in table.items() for model, clips in row.items()]
    tested = [i for i, cell in enumerate(cells) if cell.p_monte_carlo is not None]
    q = _q_values([cells[i].p_monte_carlo or 0.0 for i in tested])
    mended = holm([cells[i].p_tv for i in tested])
    for i, q_value, p in zip(tested, q, mended, strict=True):
        cells[i] = replace(cells[i], q=q_value, p_tv_holm=p)
    scores: dict[str, list[float]] = {}
    for cell in cells:
        scores.setdefault(cell.model, []).append(cell.score)
    return Replication(cells=tuple(cells), mntv={m: math.fsum(s) / len(s) for m, s in scores.items()})


def human_agreement(outcomes: Path | str) -> tuple[int, int] | None:
    """(Agreeing, all) human labels of the file, against the group `main`; null is a value. None if it has no labels.

    Raises:
        InputError: The file cannot be read, or a label names a clip that is not there.
    """
    data = _read(Path(outcomes))
    if not data.get("human_labels"):
        return None
    names = data.get("_meta", {}).get("outcome_names", {})
    agree = 0
    try:
        for scene, model, seed, label in data["human_labels"]:
            said = names[scene].index(label) + 1 if isinstance(label, str) else label
            agree += data["main"][scene][model][seed] == said
    except (LookupError, TypeError, ValueError) as error:
        raise InputError(f"{outcomes}: a human label names no clip or no outcome ({error}); correct it") from error
    return agree, len(data["human_labels"])


def _read(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); give CaliBench's outcomes as JSON") from error
    except ValueError as error:
        raise InputError(f"{path} is no JSON ({error}); give CaliBench's outcomes as JSON") from error
    if not isinstance(data, dict):
        raise InputError(f"{path} is no table of groups; give group -> scene -> model -> outcomes")
    return data


def _group(path: Path, group: str) -> dict[str, dict[str, list[int | None]]]:
    data = _read(path)
    groups = [name for name in data if name not in ("_meta", "human_labels")]
    if group not in groups:
        raise InputError(f"{path} has no group {group!r}; it has {', '.join(groups) or 'none'}")
    table = data[group]
    if not isinstance(table, dict) or not table:
        raise InputError(f"{path}: group {group!r} holds no scenes; give scene -> model -> outcomes")
    for scene, row in table.items():
        if scene not in WEIGHTS:
            raise InputError(f"{path}: {scene!r} is no scene of CaliBench; they are {', '.join(WEIGHTS)}")
        if not isinstance(row, dict):
            raise InputError(f"{path}: {scene} holds no models; give model -> outcomes")
        for model, clips in row.items():
            _check(clips, len(WEIGHTS[scene]), f"{path}: {scene} of {model}")
    return table


def _check(clips: Any, k: int, where: str) -> None:
    if not isinstance(clips, list) or not clips:
        raise InputError(f"{where} lists no clips; leave the model out, or list every clip with null where illegible")
    for clip in clips:
        if clip is not None and (type(clip) is not int or not 1 <= clip <= k):
            raise InputError(f"{where} has the outcome {clip!r}; it must be a whole number from 1 to {k}, or null")


def _cell(scene: str, model: str, clips: Sequence[int | None]) -> PublishedCell:
    weights = WEIGHTS[scene]
    counts = [clips.count(i + 1) for i in range(len(weights))]
    n, requested = sum(counts), len(clips)
    rho, baseline = n / requested, Baseline.exact([w / sum(weights) for w in weights])
    tested = n >= LEAST_TESTED
    tv = total_variation(counts, baseline) if n else None
    e0 = expected_total_variation(n, baseline) if n else None
    above = excess(tv, e0) if tv is not None and e0 is not None else None
    interval, pearson = clopper_pearson(n, requested), multinomial_test(counts, baseline, seed=0, statistic="chi2")
    return PublishedCell(
        scene=scene,
        model=model,
        counts=tuple(counts),
        requested=requested,
        n=n,
        rho=rho,
        tv=tv,
        e0=e0,
        excess=above,
        score=(1 - rho) + rho * (above or 0.0),
        chi2=pearson.value if n else None,
        p_exact=pearson.p if n else None,
        p_monte_carlo=_published_p(counts, baseline) if tested else None,
        q=None,
        rho_interval=(interval.low, interval.high),
        p_tv=tv_test(counts, baseline, seed=0).p if tested else None,
        p_tv_holm=None,
    )


def _published_p(counts: Sequence[int], baseline: Baseline) -> float:
    """The published p: drawn, add-one, seed 0 for every cell."""
    return multinomial_test(counts, baseline, seed=0, statistic="chi2", n_draws=N_DRAWS, exact=False).p


def _q_values(p: Sequence[float]) -> list[float]:
    """Benjamini and Hochberg's q of each p."""
    from scipy.stats import false_discovery_control

    return np.asarray(false_discovery_control(p)).tolist() if p else []
