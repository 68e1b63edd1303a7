"""Which clips of a study are one file, byte for byte, and what is to be done with them?

A batch whose "random" seed repeats gives one film several times. Copies in one cell are worth one clip
(calibrate.clusters); `without_copies` takes them out of the shares too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .clip_row import ClipRow

COPY = "copy"
"""Reason of a missing clip whose file is that of another clip of its cell."""


def without_copies(rows: Sequence[ClipRow]) -> list[ClipRow]:
    """The clips, in order; of those of a cell that are one file all but the first are missing, reason `copy`.

    They stay in the sum of what was asked for: another clip was asked for in their place.
    """
    seen: set[tuple[str, str, str]] = set()
    found = []
    for row in sorted(rows, key=lambda row: row.file or ""):
        place = (row.model, row.scene, row.sha256 or "")
        if row.sha256 is not None and place in seen and row.status in ("scored", "null"):
            row = replace(row, status="missing", outcome=None, reason=COPY, confidence=None, probabilities=None)
        seen.add(place)
        found.append(row)
    return found


def copies_told(rows: Sequence[ClipRow]) -> list[str]:
    """A warning for each file that several clips are."""
    groups: dict[str, list[ClipRow]] = {}
    for row in rows:
        if row.sha256 is not None and (row.status in ("scored", "null") or row.reason == COPY):
            groups.setdefault(row.sha256, []).append(row)
    warnings = []
    for group in groups.values():
        if len(group) < 2:
            continue
        text = f"{len(group)} clips are the same file, byte for byte: {', '.join(str(row.file) for row in group)}"
        left = sum(row.reason == COPY for row in group)
        if left:
            text += f"; {left} of them left out as missing"
        elif len({(row.model, row.scene) for row in group}) < len(group):
            text += "; in one cell they are worth one clip, and --drop-copies leaves them out of its shares"
        warnings.append(text)
    return warnings
