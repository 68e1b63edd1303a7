"""What does the network say of clips whose truth is known? The raw material of calibration and of the judge card."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from .lesson import STATES
from .shards import Job, Load, Progress
from .weights import Scaling


@dataclass(frozen=True, kw_only=True)
class Trial:
    """One clip: its truth and the network's logits."""

    scene: str
    kind: str
    renderer: str
    state: int
    """Position in STATES."""
    outcome: int
    """Position in the scene's outcomes; -1 for a null."""
    fault: str
    state_logits: np.ndarray
    """(5,)."""
    outcome_logits: np.ndarray
    """(K,)."""
    seconds: float
    """Time that reading took, drawing not included."""


@dataclass(frozen=True, kw_only=True)
class Ruling:
    """What the judge makes of the logits of one clip."""

    state: str
    """`sound`, or the null reason."""
    outcome: int
    """Likeliest outcome."""
    confidence: float
    """Probability that the ruling is right."""
    p_outcome: np.ndarray
    """(K,) given that the clip is sound."""


def softmax(logits: np.ndarray) -> np.ndarray:
    """Probabilities of logits (K,)."""
    shifted = np.exp(logits - logits.max())
    return np.asarray(shifted / shifted.sum())


def ruling(state_logits: np.ndarray, outcome_logits: np.ndarray, scaling: Scaling, threshold: float) -> Ruling:
    """The likeliest of all nulls and all outcomes; `out_of_domain` if even that is less likely than the threshold.

    Args:
        state_logits: (5,) logits of STATES.
        outcome_logits: (K,) logits of the outcomes.
        scaling: What turns them into probabilities.
        threshold: Least confidence.

    Raises:
        FloatingPointError: A logit is not a number.
    """
    if not (np.isfinite(state_logits).all() and np.isfinite(outcome_logits).all()):
        raise FloatingPointError("the network returned something that is not a number")
    p_state = softmax(state_logits / scaling.state + np.asarray(scaling.bias))
    p_outcome = softmax(outcome_logits / scaling.outcome)
    joint = np.concatenate([p_state[0] * p_outcome, p_state[1:]])
    best, k = int(joint.argmax()), len(p_outcome)
    state = "sound" if best < k else STATES[best - k + 1]
    if joint[best] < threshold:
        state = "out_of_domain"
    return Ruling(state=state, outcome=int(p_outcome.argmax()), confidence=float(joint[best]), p_outcome=p_outcome)


def trials(
    weights: Path, jobs: Sequence[Job], load: Load, *, workers: int, progress: Progress | None = None
) -> list[Trial]:
    """One trial per clip of the jobs, in their order; the number of workers changes nothing but the time.

    Args:
        weights: The weights file to try.
        jobs: Which clips to make.
        load: Name -> scene; called in the worker processes.
        workers: Number of processes.
        progress: Called after each job.
    """
    out: list[Trial] = []
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        for done, part in enumerate(
            pool.map(_try, *zip(*[(weights, job, load) for job in jobs], strict=True)), start=1
        ):
            out.extend(part)
            if progress is not None:
                progress("trials", done, len(jobs))
    return out


def _try(weights: Path, job: Job, load: Load) -> list[Trial]:
    from time import perf_counter

    import cv2

    from .clips import clips
    from .reader import read_frames
    from .weights import read_weights

    cv2.setNumThreads(1)
    network, settings = read_weights(weights)
    out = []
    for clip in clips(load(job.scene), job.order):
        start = perf_counter()
        reading = read_frames(network, clip.frames, job.scene, len(settings.outcomes[job.scene]))
        out.append(
            Trial(
                scene=job.scene,
                kind=job.order.kind,
                renderer=job.order.renderer if job.order.kind == "tray" else "drawn",
                state=clip.truth.state,
                outcome=clip.truth.outcome,
                fault=clip.truth.fault,
                state_logits=reading.state,
                outcome_logits=reading.outcome,
                seconds=perf_counter() - start,
            )
        )
    return out
