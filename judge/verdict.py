"""What does a judge say of one clip?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from sim import NULL_REASONS

UNREADABLE_REASONS = ("empty_file", "not_a_video", "no_video_stream", "damaged", "too_short", "over_limit")
"""Reasons for which a file cannot be decoded as a clip."""

Status = Literal["scored", "null", "unreadable", "judge_error"]


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """A judge's verdict of one clip of one scene."""

    scene: str
    """Scene token."""
    status: Status
    """`scored` has an outcome; `null` and `unreadable` have a reason; `judge_error` has a message in `detail`."""
    outcome: str | None = None
    reason: str | None = None
    confidence: float | None = None
    """Calibrated probability that the verdict (outcome or null) is right; None if nothing was judged."""
    probabilities: Mapping[str, float] | None = None
    """Outcome -> probability given that the clip is readable; None if nothing was judged."""
    detail: str | None = None
    """One line for people: what was wrong with the file, or which error the judge met."""
    judge: str
    """Digest of the judge (weights and settings) that gave the verdict."""

    def __post_init__(self) -> None:
        """Refuse verdicts that contradict themselves."""
        if (self.status == "scored") != (self.outcome is not None):
            raise ValueError(f"a verdict has an outcome if and only if it is scored, got {self.status}, {self.outcome}")
        allowed = {"null": NULL_REASONS, "unreadable": UNREADABLE_REASONS}.get(self.status)
        if allowed is None and self.reason is not None:
            raise ValueError(f"a verdict that is {self.status} has no reason, got {self.reason!r}")
        if allowed is not None and self.reason not in allowed:
            raise ValueError(
                f"reason of a {self.status} verdict must be one of {', '.join(allowed)}, got {self.reason!r}"
            )

    def to_json(self) -> dict[str, Any]:
        """A dictionary that JSON can hold."""
        return asdict(self)
