"""Which distributions do models have in the simulations of `benchmarks.coverage`?

Four scenes with textbook references, and for each a faithful model, one that is slightly off, one that always shows the
likeliest outcome, and the six published models.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from calibrate.stats import Baseline

REFERENCES: Mapping[str, Baseline] = {
    "coin": Baseline.exact([0.5, 0.5]),
    "roulette": Baseline.exact([18 / 37, 18 / 37, 1 / 37]),
    "die": Baseline.exact([1 / 6] * 6),
    "board": Baseline.exact([math.comb(10, i) / 1024 for i in range(11)]),
}
"""Scene -> its reference."""
MARGIN = 0.1
"""Total variation, of the equivalence test."""
SLIGHTLY = 0.05
"""Total variation of the model that is slightly off: mass moved from the likeliest outcome to the least likely one."""
LEGIBLE: Mapping[str, tuple[float, float]] = {
    "half": (0.5, 0.5),
    "nine of ten": (0.9, 0.1),
    "all but 7 of 1000": (0.993, 0.007),
}
"""Scorability: name -> probabilities that a clip is scored and that it is not."""
SHAPES: Mapping[str, Mapping[str, tuple[int, ...]]] = {
    "coin": {
        "wan": (24, 8),
        "seedance": (22, 10),
        "happyhorse": (15, 15),
        "veo31": (8, 23),
        "runway45": (11, 18),
        "cosmos3_super": (15, 12),
    },
    "roulette": {
        "wan": (14, 5, 3),
        "seedance": (13, 10, 4),
        "happyhorse": (10, 21, 0),
        "veo31": (12, 8, 1),
        "runway45": (3, 3, 1),
        "cosmos3_super": (3, 3, 6),
    },
    "die": {
        "wan": (27, 0, 1, 1, 3, 0),
        "seedance": (18, 1, 6, 2, 5, 0),
        "happyhorse": (30, 0, 0, 0, 1, 0),
        "veo31": (0, 0, 0, 0, 32, 0),
        "runway45": (2, 0, 6, 16, 2, 4),
        "cosmos3_super": (6, 2, 8, 5, 11, 0),
    },
    "board": {
        "wan": (0, 0, 0, 0, 0, 29, 0, 0, 0, 0, 0),
        "seedance": (10, 7, 1, 0, 1, 4, 1, 1, 1, 1, 1),
        "happyhorse": (0, 0, 0, 0, 0, 27, 0, 2, 0, 0, 0),
        "veo31": (0, 0, 0, 0, 3, 19, 0, 6, 2, 1, 0),
        "runway45": (1, 2, 2, 2, 6, 7, 2, 3, 1, 2, 0),
        "cosmos3_super": (0, 0, 0, 0, 1, 0, 1, 1, 1, 2, 0),
    },
}
"""Scene -> published model -> its outcome counts in CaliBench (commit 4533e877): `ball`, `roulette`, `dice` and
`galton_board`, for cosmos3_super's single legible board `galton_board_real`; their shares are taken as the truth."""


def truths(scene: str) -> dict[str, np.ndarray]:
    """Name -> the distribution (K,) of a model on a scene."""
    p = np.asarray(REFERENCES[scene].p)
    likeliest, least = int(p.argmax()), len(p) - 1 - int(p[::-1].argmin())
    off = p.copy()
    off[likeliest], off[least] = off[likeliest] - SLIGHTLY, off[least] + SLIGHTLY
    shapes = {model: np.asarray(counts) / sum(counts) for model, counts in SHAPES[scene].items()}
    return {"calibrated": p, "slightly off": off, "collapsed": np.eye(len(p))[likeliest], **shapes}


def at_margin(scene: str) -> dict[str, np.ndarray]:
    """Name -> a distribution (K,) at the margin of the equivalence test, where its level is largest."""
    p = np.asarray(REFERENCES[scene].p)
    order = np.argsort(-p, kind="stable")
    found = {}
    for name, source, target in (
        ("likeliest to least", order[0], order[-1]),
        ("likeliest to second", order[0], order[1]),
        ("second to likeliest", order[1], order[0]),
    ):
        q = p.copy()
        q[source], q[target] = q[source] - MARGIN, q[target] + MARGIN
        found[f"{name}, {MARGIN:g}"] = q
    half = len(p) // 2
    spread = np.where(np.arange(len(p)) < half, p * (1 - MARGIN / p[:half].sum()), p * (1 + MARGIN / p[half:].sum()))
    return {**found, f"first half to second, {MARGIN:g}": spread}
