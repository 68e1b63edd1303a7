"""What became of one clip that was asked for?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True, kw_only=True)
class ClipRow:
    """One clip that was asked for, and what became of it."""

    model: str
    scene: str
    """Scene token."""
    file: str | None
    """Path in the study's folder; None if there is no file."""
    status: str
    """`scored`, `null`, `unreadable`, `judge_error`, `refused` or `missing`."""
    outcome: str | None = None
    reason: str | None = None
    """Of a null, an unreadable or a missing clip."""
    confidence: float | None = None
    """The judge's probability that its verdict is right."""
    probabilities: Mapping[str, float] | None = None
    detail: str | None = None
    judge: str | None = None
    """Digest of the judge that gave the verdict."""
    sha256: str | None = None
    """Hash of the file's bytes."""
    seed: int | str | None = None
    prompt: str | None = None
    """Hash of the prompt that the manifest gives (calibrate.prompts); None if it gives none."""
    group: int | str | None = None
    """Clips of one group depend on each other, as the manifest says."""
    label: Literal["audit", "doubtful"] | None = None
    """The list from which a person gave this verdict (calibrate.audit); None for the judge's own."""
    judged: Mapping[str, Any] | None = None
    """Of a labelled clip, what the judge said: `status`, `outcome`, `reason` and `confidence`."""
