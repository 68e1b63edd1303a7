"""How is the network's confidence made equal to its accuracy, and below which confidence does it rule nothing?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from .clips import Order
from .lesson import STATES
from .shards import Job, Load, Progress
from .trial import Trial, ruling, softmax, trials
from .weights import Scaling, Settings, read_weights

if TYPE_CHECKING:
    from .train import Training

VALIDATION_SEED = 1_000_003
"""Added to the training seed: other rollouts, other looks."""
N_CLIPS = 160
"""Validation clips per scene; as many of them are null as of the card's clips."""
LOST_TO_THRESHOLD = 0.002
"""Share of right rulings that the threshold may turn into nulls."""
_HIGHEST_THRESHOLD = 0.6
_TEMPERATURES = (0.5, 5.0)
_BIAS_SPREAD = 1.0
"""Standard deviation of the biases before any clip is seen: a scene has too few nulls of a kind to be free of one."""


def calibrated(
    weights: Path, training: Training, load: Load, *, workers: int, progress: Progress | None = None
) -> Settings:
    """The settings of an uncalibrated weights file, with scalings and threshold fitted on new clips.

    One pair of temperatures for all scenes, because few errors cannot support one each; but each scene leans towards
    some null or away from it in its own way, so that the logits of its states are given biases.

    References:
        Guo et al., On calibration of modern neural networks, ICML 2017, section 4.2: temperature scaling, and vector
        scaling, of which only the biases are used.
    """
    _, settings = read_weights(weights)
    order = Order(kind="tray", seed=training.seed + VALIDATION_SEED, number=0, n_clips=N_CLIPS // 4)
    jobs = [
        Job(scene=name, version=settings.versions[name], order=replace(order, number=number))
        for name in training.scenes
        for number in range(4)
    ]
    found = trials(weights, jobs, load, workers=workers, progress=progress)
    sound = [t for t in found if t.outcome >= 0]
    outcome = temperature([t.outcome_logits for t in sound], [t.outcome for t in sound])
    scaling = scalings(found, outcome)
    return replace(settings, scaling=scaling, threshold=threshold_of(found, scaling))


def scalings(found: Sequence[Trial], outcome: float) -> dict[str, Scaling]:
    """The likeliest temperature of all states, and biases of each scene's: highest posterior, biases normal around 0.

    Args:
        found: Trials of some scenes.
        outcome: Temperature of the outcomes.
    """
    from scipy.optimize import minimize
    from scipy.special import log_softmax

    names = sorted({t.scene for t in found})
    logits, state = np.stack([t.state_logits for t in found]), np.array([t.state for t in found])
    scene, rows = np.array([names.index(t.scene) for t in found]), np.arange(len(found))

    def biases(free: np.ndarray) -> np.ndarray:  # sound has none: one state can be left as it is
        return np.pad(free[1:].reshape(len(names), -1), ((0, 0), (1, 0)))

    def loss(free: np.ndarray) -> float:
        log_p = log_softmax(logits / np.exp(free[0]) + biases(free)[scene], axis=1)
        return float(-log_p[rows, state].sum() + 0.5 * ((free[1:] / _BIAS_SPREAD) ** 2).sum())

    start = np.zeros(1 + len(names) * (len(STATES) - 1))
    limits = [np.log(_TEMPERATURES), *[(-8.0, 8.0)] * (len(start) - 1)]
    best = minimize(loss, start, method="L-BFGS-B", bounds=limits).x
    return {
        name: Scaling(state=float(np.exp(best[0])), outcome=outcome, bias=tuple(float(b) for b in added))
        for name, added in zip(names, biases(best), strict=True)
    }


def temperature(logits: Sequence[np.ndarray], truth: Sequence[int]) -> float:
    """What must divide the logits so that the log likelihood of the truth is highest; between 0.5 and 5."""
    grid = np.geomspace(*_TEMPERATURES, 60)
    loss = [
        -sum(float(np.log(max(softmax(row / t)[k], 1e-12))) for row, k in zip(logits, truth, strict=True)) for t in grid
    ]
    return float(grid[int(np.argmin(loss))])


def threshold_of(found: Sequence[Trial], scaling: Mapping[str, Scaling]) -> float:
    """The highest threshold, at most 0.6, that costs no more than 0.2 % of the right rulings."""
    right = []
    for trial in found:
        said = ruling(trial.state_logits, trial.outcome_logits, scaling[trial.scene], 0.0)
        if is_right(trial, said.state, said.outcome):
            right.append(said.confidence)
    if not right:
        return _HIGHEST_THRESHOLD
    return float(min(_HIGHEST_THRESHOLD, np.quantile(right, LOST_TO_THRESHOLD, method="lower")))


def is_right(trial: Trial, state: str, outcome: int) -> bool:
    """A null on a null clip is right, whatever its reason; so is the true outcome on a sound clip."""
    if trial.outcome < 0:
        return state != "sound"
    return state == "sound" and outcome == trial.outcome
