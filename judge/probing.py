"""Can the network's answer decide anything: is it made of numbers, and does it depend on what it is shown?

Weights that were damaged, or whose training failed, may answer the same to every clip. Such a judge would call every
clip by the first label, so that it is refused before the first clip.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sim import InputError

from .views import N_FRAMES

if TYPE_CHECKING:
    from pathlib import Path

    from .network import Network
    from .weights import Settings

_SIDE_PX = 96
_LEAST_CHANGE = 1e-4
"""By so much a logit must differ between clips that have nothing in common; trained networks differ by over 1."""


def probe_clips() -> tuple[np.ndarray, ...]:
    """Clips (8, H, W, 3) uint8 that have nothing in common: noise, and a square that moves over black."""
    shape = (N_FRAMES, _SIDE_PX, _SIDE_PX, 3)
    noise = np.random.default_rng(5).integers(0, 256, shape, dtype=np.uint8)
    square = np.zeros(shape, np.uint8)
    for k in range(N_FRAMES):
        square[k, 8 * k : 8 * k + 24, 40:64] = 250
    return noise, square


def check_answers(network: Network, settings: Settings, path: Path) -> None:
    """Refuse a network whose answers are no numbers, or the same whatever it is shown.

    Args:
        network: The network, in evaluation mode.
        settings: Its settings.
        path: The weights file, for messages.

    Raises:
        InputError: It cannot judge.
    """
    from .reader import read_frames

    for scene, labels in settings.outcomes.items():
        said = []
        for frames in probe_clips():
            try:
                reading = read_frames(network, frames, scene, len(labels))
            except FloatingPointError as fault:
                raise _broken(path, scene, str(fault)) from fault
            said.append(np.concatenate([reading.state, reading.outcome]))
        answers = np.stack(said)  # (2, 5 + K)
        if not np.isfinite(answers).all():
            raise _broken(path, scene, "the network returned something that is not a number")
        parts = {"states": answers[:, : -len(labels)], "outcomes": answers[:, -len(labels) :]}
        for name, logits in parts.items():
            relative = logits - logits.mean(axis=1, keepdims=True)  # what is added to all of them decides nothing
            if len(logits[0]) > 1 and np.ptp(relative, axis=0).max() < _LEAST_CHANGE:
                raise _broken(path, scene, f"its answer about {name} is the same for everything")


def _broken(path: Path, scene: str, why: str) -> InputError:
    return InputError(f"{path} cannot judge {scene}: {why}; retrain with `quincunx train` or reinstall quincunx")
