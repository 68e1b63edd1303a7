"""How often is the judge right, on which clips, and how does it err?

The judge card is made from clips that training never saw: new rollouts in new looks, the same drawn by another
renderer, and drawn dice. It ships beside the weights, names them by hash, and `score` refuses scenes that are not on
it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from sim import InputError, PrerequisiteError
from sim.clip import whole_file
from sim.intervals import clopper_pearson

from .clips import Order
from .lesson import STATES
from .shards import Job, Load, Progress
from .trial import Trial, ruling, trials
from .weights import SHIPPED, Settings, digest_of, read_weights

FORMAT = 1
CARD_SEED = 2_000_003
"""Added to the training seed: rollouts and looks that neither training nor calibration saw."""
_ORDER_CLIPS = 50
COUNTS = ("n", "right", "false_null", "missed_null", "wrong_label")


def card_path(weights: Path) -> Path:
    """Where the card of a weights file is kept."""
    return weights.with_name("card.json")


def read_card(weights: Path = SHIPPED) -> dict[str, Any]:
    """The card of a weights file, as a dictionary.

    Raises:
        PrerequisiteError: There are no weights, or no card.
        InputError: The weights are no file, or the card has another format, is incomplete or belongs to other weights.
    """
    path, digest = card_path(weights), digest_of(weights)
    if not path.is_file():
        raise PrerequisiteError(f"the judge has no card: {path}; run `quincunx card --make` or reinstall quincunx")
    try:
        card = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as fault:
        raise InputError(f"{path} is not JSON ({fault}); run `quincunx card --make` or reinstall quincunx") from fault
    if not isinstance(card, dict):
        raise InputError(f"{path} is not a judge card; run `quincunx card --make` or reinstall quincunx")
    if card.get("format") != FORMAT:
        raise InputError(
            f"{path} has format {card.get('format')}, this program reads {FORMAT}; run `quincunx card --make`"
        )
    if card.get("weights") != digest:
        raise InputError(
            f"{path} was measured on other weights than {weights.name}, which are altered or new; reinstall "
            "quincunx, or measure them with `quincunx card --make`"
        )
    if not _is_complete(card):
        raise InputError(f"{path} lacks counts or was edited; run `quincunx card --make` or reinstall quincunx")
    return card


def _is_complete(card: dict[str, Any]) -> bool:
    """Whether each table of a card is there, with counts that add up in each row."""
    try:
        rows = [row for kind in ("scenes", *card["renderers"]) for row in card[kind].values()]
        counts = [[row[kind] for kind in COUNTS] for row in rows]
    except (KeyError, TypeError, AttributeError):
        return False
    whole = all(type(count) is int and count >= 0 for row in counts for count in row)
    return isinstance(card["renderers"], dict) and whole and all(row[0] == sum(row[1:]) for row in counts)


def make_card(
    weights: Path,
    load: Load,
    *,
    n_held_out: int = 300,
    n_other_renderer: int = 150,
    workers: int = 2,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Tries the judge on new clips, writes the card beside the weights and returns it.

    Args:
        weights: The weights file.
        load: Name -> scene; called in the worker processes.
        n_held_out: Clips per scene drawn like the training clips.
        n_other_renderer: Clips per scene drawn by PyBullet's renderer.
        workers: Number of processes; changes the speeds alone.
        progress: Called as the trials go on.
    """
    _, settings = read_weights(weights)
    seed = int(settings.training.get("seed", 0)) + CARD_SEED
    jobs = _jobs(settings, seed, {"mujoco": n_held_out, "bullet": n_other_renderer})
    found = trials(weights, jobs, load, workers=workers, progress=progress)
    card = summary(found, settings) | {"weights": digest_of(weights), "seed": seed}
    path = card_path(weights)
    with whole_file(path) as part:
        part.write_text(json.dumps(card, indent=1, sort_keys=True, allow_nan=False) + "\n", encoding="utf-8")
    return card


def _jobs(settings: Settings, seed: int, n_clips: dict[str, int]) -> list[Job]:
    jobs = []
    for name, version in settings.versions.items():
        base = Order(
            kind="tray",
            seed=seed,
            number=0,
            n_clips=_ORDER_CLIPS,
            flat=False,
            candidates=1,
            clips_per_rollout=1,
            p_fault=1 / 3,
        )
        orders = [
            replace(base, renderer=renderer, number=number)
            for renderer, wanted in n_clips.items()
            for number in range(-(-wanted // _ORDER_CLIPS))
        ]
        if settings.training.get("drawn_dice", {}).get(name):
            orders += [replace(base, kind="drawn_dice", number=number) for number in range(4)]
        jobs += [Job(scene=name, version=version, order=order) for order in orders]
    return jobs


def summary(found: Sequence[Trial], settings: Settings) -> dict[str, Any]:
    """The card of a list of trials, without the hash of the weights."""

    def tables(wanted: Callable[[Trial], bool]) -> dict[str, Any]:
        by_scene: dict[str, list[Trial]] = {}
        for trial in found:
            if wanted(trial):
                by_scene.setdefault(trial.scene, []).append(trial)
        return {name: table(some, settings) for name, some in by_scene.items()}

    return {
        "format": FORMAT,
        "about": "counts of clips that training never saw; right + false_null + missed_null + wrong_label = n; "
        "a null on a null clip is right; intervals are Clopper-Pearson at 95 % for `right` over `n`",
        "scenes": tables(lambda t: t.renderer == "mujoco"),
        "other_renderer": tables(lambda t: t.renderer == "bullet"),
        "drawn_dice": tables(lambda t: t.kind == "drawn_dice"),
        "renderers": {
            "scenes": "MuJoCo (OpenGL), new rollouts and looks",
            "other_renderer": "PyBullet TinyRenderer (software)",
            "drawn_dice": "ray-cast in numpy, dice of many makes",
        },
        "milliseconds_per_clip": round(1e3 * float(np.median([t.seconds for t in found])), 1) if found else None,
        "threshold": settings.threshold,
    }


def table(some: Sequence[Trial], settings: Settings) -> dict[str, Any]:
    """Counts of one scene on clips of one kind.

    Args:
        some: Trials of one scene, at least one.
        settings: Scalings, threshold and names of outcomes.
    """
    labels, counts, by_fault = settings.outcomes[some[0].scene], Counter[str](), dict[str, Counter[str]]()
    confusion: dict[str, Counter[str]] = {}
    sure: list[tuple[float, bool]] = []
    for trial in some:
        said = ruling(trial.state_logits, trial.outcome_logits, settings.scaling[trial.scene], settings.threshold)
        truth = labels[trial.outcome] if trial.outcome >= 0 else STATES[trial.state]
        given = labels[said.outcome] if said.state == "sound" else said.state
        kind = _kind(trial, said.state, said.outcome)
        counts[kind] += 1
        confusion.setdefault(truth, Counter())[given] += 1
        by_fault.setdefault(trial.fault or ("none" if trial.outcome >= 0 else "natural null"), Counter())[kind] += 1
        if said.state != "out_of_domain":
            sure.append((said.confidence, given == truth))
    low, high = clopper_pearson(counts["right"], len(some))
    return {
        "n": len(some),
        **{kind: counts[kind] for kind in COUNTS[1:]},
        "interval": {"low": low, "high": high},
        "confusion": {truth: dict(sorted(row.items())) for truth, row in sorted(confusion.items())},
        "by_fault": {fault: {"n": row.total(), **row} for fault, row in sorted(by_fault.items())},
        "calibration_error": calibration_error(sure),
        "renderer": some[0].renderer,
    }


def _kind(trial: Trial, state: str, outcome: int) -> str:
    if trial.outcome < 0:
        return "missed_null" if state == "sound" else "right"
    if state != "sound":
        return "false_null"
    return "right" if outcome == trial.outcome else "wrong_label"


def calibration_error(sure: Sequence[tuple[float, bool]], n_bins: int = 10) -> float | None:
    """Expected calibration error over equal-width bins of confidence; None without a ruling.

    References:
        Guo et al., On calibration of modern neural networks, ICML 2017, eq. 3.
    """
    if not sure:
        return None
    confidence, right = np.array([c for c, _ in sure]), np.array([r for _, r in sure], dtype=float)
    bins = np.minimum((confidence * n_bins).astype(int), n_bins - 1)
    gaps = [abs(float((confidence - right)[bins == b].sum())) for b in range(n_bins)]
    return sum(gaps) / len(sure)
