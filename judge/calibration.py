"""How is the network's confidence made equal to its accuracy, and below which confidence does it rule nothing?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from .clips import Order
from .shards import Job, Load, Progress
from .trial import Trial, ruling, softmax, trials
from .weights import Settings, read_weights

if TYPE_CHECKING:
    from .train import Training

VALIDATION_SEED = 1_000_003
"""Added to the training seed: other rollouts, other looks."""
N_CLIPS = 80
"""Validation clips per scene."""
LOST_TO_THRESHOLD = 0.002
"""Share of right rulings that the threshold may turn into nulls."""
_HIGHEST_THRESHOLD = 0.6


def calibrated(
    weights: Path, training: Training, load: Load, *, workers: int, progress: Progress | None = None
) -> Settings:
    """The settings of an uncalibrated weights file, with temperatures and threshold fitted on new clips.

    References:
        Guo et al., On calibration of modern neural networks, ICML 2017, section 4.2 (temperature scaling).
    """
    _, settings = read_weights(weights)
    order = Order(kind="tray", seed=training.seed + VALIDATION_SEED, number=0, n_clips=N_CLIPS // 2)
    jobs = [
        Job(scene=name, version=settings.versions[name], order=replace(order, number=number))
        for name in training.scenes
        for number in range(2)
    ]
    found = trials(weights, jobs, load, workers=workers, progress=progress)
    # One temperature for all scenes: eighty clips with a handful of errors cannot support one each.
    both = (
        temperature([t.state_logits for t in found], [t.state for t in found]),
        temperature([t.outcome_logits for t in found if t.outcome >= 0], [t.outcome for t in found if t.outcome >= 0]),
    )
    return replace(
        settings, temperature={name: both for name in settings.outcomes}, threshold=threshold_of(found, both)
    )


def temperature(logits: Sequence[np.ndarray], truth: Sequence[int]) -> float:
    """What must divide the logits so that the log likelihood of the truth is highest; between 0.5 and 5."""
    grid = np.exp(np.linspace(np.log(0.5), np.log(5), 60))
    loss = [
        -sum(float(np.log(max(softmax(row / t)[k], 1e-12))) for row, k in zip(logits, truth, strict=True)) for t in grid
    ]
    return float(grid[int(np.argmin(loss))])


def threshold_of(found: Sequence[Trial], both: tuple[float, float]) -> float:
    """The highest threshold, at most 0.6, that costs no more than 0.2 % of the right rulings."""
    right = []
    for trial in found:
        said = ruling(trial.state_logits, trial.outcome_logits, both, 0.0)
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
