"""What do models whose faults are known score, so that every other score has a scale?

`faithful` draws from the reference. `collapsed` always shows the likeliest outcome. `tilted` shows one outcome far too
often. `glitchy` draws from the reference and breaks a third of its clips. Here they give verdicts only; `standin_clips`
makes real clips of them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .clip_row import ClipRow

MODELS = ("faithful", "collapsed", "tilted", "glitchy")
"""Names of the stand-in models."""
TILT_TV = 0.45
"""Total variation between `tilted` and the reference."""
BROKEN_EVERY = 3
"""`glitchy` breaks every third clip."""
GLITCHES = (
    ("frozen", "not_settled"),
    ("vanishes", "object_lost"),
    ("doubles", "several_objects"),
    ("cut", "not_settled"),
)
"""How, in turn, with the null reason that follows; names of judge.faults."""


def standin_shares(model: str, reference: Sequence[float] | np.ndarray) -> np.ndarray:
    """(K,) outcome distribution of a stand-in model, among its clips that are not broken.

    Args:
        model: One of MODELS.
        reference: (K,) reference distribution.

    Raises:
        ValueError: There is no such model.
    """
    p = np.asarray(reference, dtype=float)
    likeliest, second = np.argsort(-p, kind="stable")[:2]
    if model in ("faithful", "glitchy"):
        return p
    if model == "collapsed":
        return np.asarray(np.eye(len(p))[likeliest])
    if model == "tilted":
        # TV(p, (1 - w) p + w e) = w (1 - p_second), and p_second is at most 1/2
        weight = TILT_TV / (1 - p[second])
        return np.asarray((1 - weight) * p + weight * np.eye(len(p))[second])
    raise ValueError(f"model must be one of {', '.join(MODELS)}, got {model!r}")


def glitch_of(model: str, k: int) -> tuple[str, str] | None:
    """Fault and null reason of the model's clip number k; None if it is sound."""
    if model != "glitchy" or k % BROKEN_EVERY != 0:
        return None
    return GLITCHES[(k // BROKEN_EVERY) % len(GLITCHES)]


def drawn_outcomes(
    model: str, outcomes: Sequence[str], reference: Sequence[float] | np.ndarray, *, n: int, rng: np.random.Generator
) -> list[str]:
    """The outcomes that n sound clips of a model show."""
    shares = standin_shares(model, reference)
    return [outcomes[k] for k in rng.choice(len(outcomes), size=n, p=shares / shares.sum())]


def standin_rows(
    model: str,
    token: str,
    outcomes: Sequence[str],
    reference: Sequence[float] | np.ndarray,
    *,
    n_clips: int = 24,
    rng: np.random.Generator,
) -> list[ClipRow]:
    """Verdicts of one cell of a stand-in model, as a judge without errors would give them.

    Args:
        model: One of MODELS.
        token: Scene token.
        outcomes: The scene's outcomes, (K,).
        reference: (K,) reference distribution.
        n_clips: Clips of the cell, the broken ones included.
        rng: Source of the draws.
    """
    rows = []
    for k, outcome in enumerate(drawn_outcomes(model, outcomes, reference, n=n_clips, rng=rng)):
        glitch = glitch_of(model, k)
        file = f"{model}/{token}/{k:03d}.mp4"
        if glitch is None:
            rows.append(ClipRow(model=model, scene=token, file=file, status="scored", outcome=outcome))
        else:
            rows.append(ClipRow(model=model, scene=token, file=file, status="null", reason=glitch[1]))
    return rows
