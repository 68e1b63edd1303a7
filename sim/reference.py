"""What is the outcome distribution of a scene, how sure is it, and what is needed to make it again?"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .errors import InputError

FORMAT = 1
"""Format number of reference files."""
_N_DRAWS = 20_000
"""Multinomial draws behind a half-width."""


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """A second sample of the same scene beside the reference: another engine, or a variant that should not matter."""

    engine: str
    engine_version: str
    n: int
    counts: Mapping[str, int]
    null: Mapping[str, int]
    failed: Mapping[str, Sequence[int]]
    tv: float
    """Total variation between the two samples' shares."""
    tv_expected: float
    """Its expectation if both came from one distribution (the pooled shares)."""
    p: float
    """Monte Carlo p-value of that hypothesis for the statistic TV; ties counted, add-one."""


@dataclass(frozen=True, kw_only=True)
class Reference:
    """The outcome distribution of one scene token, as counted, with its evidence."""

    scene: str
    """Scene token."""
    version: int
    """Version of the scene."""
    outcomes: tuple[str, ...]
    counts: Mapping[str, int]
    null: Mapping[str, int]
    """Reason -> number of rollouts that came to rest without an outcome, or not to rest."""
    failed: Mapping[str, Sequence[int]]
    """What went wrong -> indices of the rollouts; with scene, version and seed they reproduce it."""
    n: int
    """Number of rollouts, indices 0 to n - 1."""
    seed: int
    engine: str
    engine_version: str
    platform: str
    settings_hash: str
    """Hash of the record's facts that decide the counts: name, version, settings, factors, duration, solver, engine.

    `build`, `read` and `decided` are code: a change of theirs that moves a count must raise the scene's version.
    """
    second_engine: Comparison | None = None
    not_causal: Mapping[str, Comparison] | None = None
    """Variant that should not matter -> its own sample beside this one."""

    @property
    def shares(self) -> np.ndarray:
        """(K,) share of each outcome among the rollouts that have one.

        Raises:
            InputError: No rollout has an outcome.
        """
        counts = np.array([self.counts[o] for o in self.outcomes], dtype=float)
        if not counts.sum():
            raise InputError(f"{self.scene}: no rollout of {self.n} has an outcome, so there are no shares")
        return np.asarray(counts / counts.sum())

    @property
    def n_failed(self) -> int:
        """Number of failed rollouts."""
        return sum(len(indices) for indices in self.failed.values())

    @property
    def bad_share(self) -> float:
        """Share of rollouts that failed or were not settled in time."""
        return (self.n_failed + self.null.get("not_settled", 0)) / self.n

    @property
    def half_width(self) -> float:
        """Sampling half-width: the 0.95 quantile of TV between a new sample of this size and these shares.

        It holds for these draws of the unknown factors; what other draws would give is not in it.
        """
        total = sum(self.counts.values())
        rng = np.random.default_rng(0)
        draws = rng.multinomial(total, self.shares, size=_N_DRAWS) / total
        return float(np.quantile(0.5 * np.abs(draws - self.shares).sum(axis=1), 0.95))

    def intervals(self, confidence: float = 0.95) -> dict[str, tuple[float, float]]:
        """Outcome -> Clopper-Pearson interval of its share, given these draws of the unknown factors.

        Raises:
            ValueError: `confidence` does not lie strictly between 0 and 1.
        """
        if not 0 < confidence < 1:
            raise ValueError(f"confidence must lie strictly between 0 and 1, got {confidence}")
        from scipy.stats import binomtest

        total = sum(self.counts.values())
        found = {}
        for outcome in self.outcomes:
            interval = binomtest(self.counts[outcome], total).proportion_ci(confidence, method="exact")
            found[outcome] = (float(interval.low), float(interval.high))
        return found

    def to_json(self) -> dict[str, Any]:
        """A dictionary that JSON can hold; shares and intervals are written for readers and ignored when read."""
        extra: dict[str, Any] = {"shares": None, "interval": None, "half_width": None}
        if sum(self.counts.values()):
            extra = {
                "shares": dict(zip(self.outcomes, (round(float(s), 6) for s in self.shares), strict=True)),
                "interval": {o: [round(low, 6), round(high, 6)] for o, (low, high) in self.intervals().items()},
                "half_width": round(self.half_width, 6),
            }
        return {"format": FORMAT, **asdict(self), **extra}

    @staticmethod
    def from_json(data: Mapping[str, Any], *, origin: str) -> Reference:
        """The reference that `to_json` wrote.

        Args:
            data: The dictionary.
            origin: Where it came from, for messages.

        Raises:
            InputError: Another format, or fields that are missing or contradict each other.
        """
        if data.get("format") != FORMAT:
            raise InputError(f"{origin} has reference format {data.get('format')!r}; this version reads {FORMAT}")
        try:
            fields = {name: data[name] for name in Reference.__dataclass_fields__}
            second = fields["second_engine"]
            fields["second_engine"] = Comparison(**second) if second is not None else None
            if fields["not_causal"] is not None:
                fields["not_causal"] = {v: Comparison(**c) for v, c in fields["not_causal"].items()}
            reference = Reference(**{**fields, "outcomes": tuple(fields["outcomes"])})
        except (KeyError, TypeError) as fault:
            raise InputError(f"{origin} is not a whole reference ({fault}); make it again") from fault
        total = sum(reference.counts.values()) + sum(reference.null.values()) + reference.n_failed
        if tuple(reference.counts) != reference.outcomes or total != reference.n:
            raise InputError(f"{origin} was edited: its counts do not match its outcomes and n; make it again")
        return reference

    def write(self, path: Path) -> None:
        """Writes the JSON file, whole or not at all."""
        text = json.dumps(self.to_json(), indent=1) + "\n"
        write_text(path, text)

    @staticmethod
    def read(path: Path) -> Reference:
        """The reference in a JSON file.

        Raises:
            InputError: The file is missing or not a reference.
        """
        try:
            data = json.loads(path.read_text())
        except FileNotFoundError as fault:
            raise InputError(f"{path} does not exist; make it with: quincunx references") from fault
        except ValueError as fault:
            raise InputError(f"{path} is not JSON: {fault}") from fault
        return Reference.from_json(data, origin=str(path))


def write_text(path: Path, text: str) -> None:
    """Writes a text file through a temporary neighbour, so that nobody ever sees half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    part.write_text(text)
    part.replace(path)
