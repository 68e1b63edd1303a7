"""Which questions does every judge answer, whether a network, a rubric model or people?"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from pathlib import Path

from .verdict import Verdict


class Judge(ABC):
    """Reads the outcome of clips. Abstract: subclass it, never instantiate it."""

    @property
    @abstractmethod
    def digest(self) -> str:
        """Hash of everything that decides a verdict (weights, thresholds, settings)."""

    @abstractmethod
    def covers(self, scene: str) -> bool:
        """True if the judge's card has measured it on the scene of that name."""

    @abstractmethod
    def verdicts(self, files: Sequence[Path], token: str) -> Iterator[Verdict]:
        """One verdict per file, in order; a bad file or a failure of the judge is a verdict, never an exception."""
