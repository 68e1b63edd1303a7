"""Which clips should people look at to find out how often the judge errs, and what did they see?

Two lists are offered for labels. The *doubtful* clips of a cell, those of which the judge is least sure, come first
there: a label mends the verdict, but these clips say nothing of how often the judge errs elsewhere. The *audit* is a
random sample of all clips with a verdict, in an order that the record's seed fixes. Audit labels count up to the
first clip in that order without one, so that leaving out hard clips cannot tilt the sample.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .agreement import agree
from .clip_row import ClipRow

AUDIT_CLIPS = 60
"""Clips of the audit that a report shows, unless asked for another number."""
LEAST_AUDIT = 50
"""Audited clips of a scene from which on they, instead of the judge's card, say how often the judge errs there."""
_ORDER = 0x41554449
"""Second word of the seed, so that the order shares no random number with the tests."""


def as_judged(row: ClipRow) -> ClipRow:
    """The row with what the judge said, where a person's label has replaced it."""
    if row.judged is None:
        return row
    return replace(row, **row.judged, label=None, judged=None)


def audit_order(rows: Sequence[ClipRow], *, seed: int) -> list[ClipRow]:
    """All clips on which the judge gave a verdict, in the random order in which they are to be labelled.

    Args:
        rows: The record's clips, labelled or not.
        seed: The record's seed.
    """
    judged = [row for row in rows if as_judged(row).status in ("scored", "null")]
    judged.sort(key=lambda row: (row.model, row.scene, row.file or ""))
    order = np.random.default_rng([seed, _ORDER]).permutation(len(judged))
    return [judged[k] for k in order]


def audited(rows: Sequence[ClipRow], *, seed: int) -> list[ClipRow]:
    """The clips whose labels may tell how often the judge errs: of the audit, up to the first one without a label."""
    found = []
    for row in audit_order(rows, seed=seed):
        if row.label != "audit":
            break
        found.append(row)
    return found


def agreement_with_people(rows: Sequence[ClipRow], *, seed: int) -> dict[str, dict[str, Any]]:
    """List -> how far the judge agrees with people's labels, who are taken to be right; empty without labels.

    Args:
        rows: The record's clips.
        seed: The record's seed.
    """
    lists = {"audit": audited(rows, seed=seed), "doubtful": [row for row in rows if row.label == "doubtful"]}
    return {name: _agreement(some) for name, some in lists.items() if some}


def _agreement(rows: Sequence[ClipRow]) -> dict[str, Any]:
    pairs = [row for row in rows if as_judged(row).status in ("scored", "null")]
    found = agree(pairs, [as_judged(row) for row in pairs]).to_json()
    kept = ("n", "agreement", "agreement_interval", "kappa", "kappa_interval")
    return {"labelled": len(rows), **{name: found[name] for name in kept}, **found["against_a"]}


def confusion_table(rows: Sequence[ClipRow]) -> dict[str, dict[str, int]]:
    """What people saw -> {what the judge said: clips}, as on a judge's card."""
    table: dict[str, dict[str, int]] = {}
    for row in rows:
        truth, said = _state(row), _state(as_judged(row))
        table.setdefault(truth, {})[said] = table.get(truth, {}).get(said, 0) + 1
    return table


def _state(row: ClipRow) -> str:
    return row.outcome or row.reason or row.status


def error_tables(
    card: Mapping[str, Mapping[str, Any]] | None, rows: Sequence[ClipRow], *, seed: int
) -> dict[str, tuple[dict[str, dict[str, int]], str]]:
    """Scene -> how the judge errs there (truth -> {said: clips}), and which clips tell.

    Args:
        card: Scene -> figures of the judge's card; None for a judge without a card.
        rows: The record's clips.
        seed: The record's seed.
    """
    found = {}
    by_scene: dict[str, list[ClipRow]] = {}
    for row in audited(rows, seed=seed):
        by_scene.setdefault(row.scene.partition("@")[0], []).append(row)
    for scene, figures in (card or {}).items():
        if (table := figures.get("confusion")) is not None:
            n = sum(sum(row.values()) for row in table.values())
            about = f"{n} clips of {scene} on the judge's card: simulated, kept from its training, not this model's"
            found[scene] = (table, about)
    for scene, some in by_scene.items():
        if len(some) >= LEAST_AUDIT:
            found[scene] = (confusion_table(some), f"{len(some)} clips of {scene} in this record's random audit")
    return found
