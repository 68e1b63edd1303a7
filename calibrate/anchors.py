"""Where do models that everybody can picture lie on the scale of a cell's score?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .stats import Hull, nearest

if TYPE_CHECKING:
    from sim.reference import Reference

ANCHORS = ("faithful", "uniform", "likeliest", "all_null")
"""One that draws from the reference, one for which all outcomes are alike, one that always shows the likeliest outcome,
and one that never shows any."""


def anchors(reference: Reference, tv_expected: float | None) -> dict[str, dict[str, float | None]]:
    """Anchor -> `tv` and `scorability`.

    The total variation of `uniform` and `likeliest` is that of endlessly many clips, from the nearest point where the
    reference is a set. That of `faithful` is what it has on average with as many clips as were scored, since with
    endlessly many it is 0. That of `all_null` is undefined.

    Args:
        reference: The scene's reference.
        tv_expected: `Cell.tv_expected`.
    """
    pooled = np.asarray([reference.counts[outcome] for outcome in reference.outcomes], dtype=float)
    pooled /= pooled.sum()
    hull = Hull.of(reference.member_shares if reference.why_point is None else pooled[None])
    k = len(pooled)
    always = np.eye(k)[int(pooled.argmax())]
    return {
        "faithful": {"tv": tv_expected, "scorability": 1.0},
        "uniform": {"tv": nearest((1 / k,) * k, hull).tv, "scorability": 1.0},
        "likeliest": {"tv": nearest(tuple(always.tolist()), hull).tv, "scorability": 1.0},
        "all_null": {"tv": None, "scorability": 0.0},
    }
