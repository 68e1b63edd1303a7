"""How do the counts of several machines become the reference that one machine would have made?"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from .errors import InputError
from .reference import Reference

_SAME = {
    "scene": "the scene",
    "version": "version",
    "seed": "seed",
    "engine": "engine",
    "engine_version": "engine version",
    "settings_hash": "settings hash",
    "code_hash": "code hash",
    "platform": "platform",
    "outcomes": "outcomes",
}


def index_range(text: str) -> range:
    """The rollout indices that `A:B` names: A to B - 1.

    Raises:
        InputError: It is no such range.
    """
    found = re.fullmatch(r"([0-9]{1,15}):([0-9]{1,15})", text)
    if found is None or int(found[1]) >= int(found[2]):
        raise InputError(f"indices must be A:B with 0 <= A < B, for the rollouts A to B - 1, got {text!r}")
    return range(int(found[1]), int(found[2]))


def merge(parts: Mapping[str, Reference]) -> Reference:
    """The reference of all rollouts of the parts: equal to that of one call, whatever the order of the parts.

    Args:
        parts: Where each part came from, for messages -> the part.

    Raises:
        InputError: There is no part; they are of different runs; their ranges overlap or leave rollouts out; or one
            carries evidence, which belongs to the whole.
    """
    if not parts:
        raise InputError("there is nothing to merge; name the parts that `quincunx reference --indices` wrote")
    ordered = sorted(parts.items(), key=lambda item: (item[1].first_index, item[1].n))
    origin, first = ordered[0]
    for name, part in ordered:
        _check_same(origin, first, name, part)
    _check_ranges(ordered)
    whole = [part for _, part in ordered]
    members = np.sum([np.asarray(part.members) for part in whole], axis=0).tolist()
    null_rows = _joined([part.null_rows or {} for part in whole])
    return replace(
        first,
        counts={o: sum(part.counts[o] for part in whole) for o in first.outcomes},
        null={reason: len(rows) for reason, rows in null_rows.items()},
        null_rows=null_rows,
        failed=_joined([part.failed for part in whole]),
        n=sum(part.n for part in whole),
        members=tuple(tuple(row) for row in members),
    )


def _check_same(origin: str, first: Reference, name: str, part: Reference) -> None:
    for field, word in _SAME.items():
        here, there = getattr(part, field), getattr(first, field)
        if here != there:
            raise InputError(f"{name} has {word} {here}, {origin} has {there}; merge parts of one run alone")
    if part.members is None or part.null_rows is None or part.code_hash is None:
        raise InputError(f"{name} is of an older format, without the counts by draw; make it again")
    if part.second_engine is not None or part.not_causal is not None:
        raise InputError(f"{name} carries evidence, so it is a finished reference, not a part; leave it out")
    if first.members is not None and len(part.members) != len(first.members):
        raise InputError(f"{name} has {len(part.members)} draws of the unknown factors, {origin} {len(first.members)}")


def _check_ranges(ordered: Sequence[tuple[str, Reference]]) -> None:
    done, before = 0, ""
    for name, part in ordered:
        if part.first_index < done:
            raise InputError(
                f"{before} and {name} overlap: both hold rollout {part.first_index}; leave one out or make it again"
            )
        if part.first_index > done:
            raise InputError(
                f"rollouts {done} to {part.first_index - 1} are in no part; make them with: quincunx reference "
                f"{part.scene} --indices {done}:{part.first_index} --seed {part.seed} --engine {part.engine} --out FILE"
            )
        done, before = part.first_index + part.n, name


def _joined(tables: Sequence[Mapping[str, Sequence[int]]]) -> dict[str, list[int]]:
    """Reason -> indices of all parts, both in order."""
    reasons = sorted({reason for table in tables for reason in table})
    return {reason: [i for table in tables for i in table.get(reason, ())] for reason in reasons}
