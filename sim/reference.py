"""What is the outcome distribution of a scene, how sure is it, and what is needed to make it again?"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from .clip import whole_file
from .engine_gap import engine_gap, n_moved, spanned
from .errors import InputError
from .intervals import clopper_pearson
from .spread import Spread, fit_spread, members, n_behind_member

FORMAT = 2
"""Format of reference files: 2 keeps the counts by draw of the unknown factors and the rows without an outcome."""
READABLE = (1, FORMAT)
"""Formats that can be read; a reference of format 1 is a point, since its draws cannot be told apart."""
_SINCE_2 = ("code_hash", "first_index", "members", "null_rows")
_NUMBERS = re.compile(r"\[\s+-?\d[^][{}\"]*\]")
_N_DRAWS = 20_000
"""Multinomial draws behind a half-width."""


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """A second sample of the same scene beside the reference: other settings, another engine, or another variant."""

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
    tv_interval: tuple[float, float] | None = None
    """95 % interval of the total variation between the distributions behind the two, see sim.intervals.tv_limits."""
    differences: Mapping[str, tuple[float, float, float]] | None = None
    """Outcome -> its share here less that in the reference, and the ends of the 95 % interval (Newcombe)."""
    solver: Mapping[str, float] | None = None
    """Numerical settings that differ from the scene's own."""
    seed: int | None = None
    first_index: int | None = None
    """Index of the first rollout; with seed, engine and solver it makes them again."""

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Comparison:
        """The comparison that `asdict` wrote, lists made tuples again."""
        pairs, interval = data.get("differences"), data.get("tv_interval")
        return Comparison(
            **{
                **data,
                "tv_interval": None if interval is None else (interval[0], interval[1]),
                "differences": None if pairs is None else {o: (d[0], d[1], d[2]) for o, d in pairs.items()},
            }
        )


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
    """Number of rollouts, indices `first_index` to `first_index` + n - 1."""
    seed: int
    engine: str
    engine_version: str
    platform: str
    settings_hash: str
    """Hash of the record's facts that decide the counts: name, version, settings, factors, duration, solver, engine."""
    code_hash: str | None = None
    """Hash of what the scene's code does, see sim.fingerprint; None in a file of format 1."""
    first_index: int = 0
    """0, unless this is a part of a reference that is made on several machines."""
    members: tuple[tuple[int, ...], ...] | None = None
    """(M, K) counts by draw of the unknown factors: rollout i belongs to row i mod M; None in a file of format 1."""
    null_rows: Mapping[str, Sequence[int]] | None = None
    """Reason -> indices of the rollouts in `null`; None in a file of format 1."""
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
        total = sum(self.counts.values())
        return {o: clopper_pearson(self.counts[o], total, confidence=confidence) for o in self.outcomes}

    @cached_property
    def spread(self) -> Spread:
        """How far the draws of the unknown factors differ beyond counting; none where the draws are not kept."""
        return fit_spread([self._count_row] if self.members is None else self.members)

    @property
    def why_point(self) -> str | None:
        """Why this reference is a single distribution; None if it is the set of all mixtures of its members."""
        if self.engine_gap is not None:
            return None
        if self.members is None:
            return "its counts are not kept by draw of the unknown constants"
        if len(self.members) < 2:
            return "the scene has no unknown constants, or one draw of them"
        if self.spread.dispersion == 0:
            return f"its {len(self.members)} draws of the unknown constants differ no more than counting explains"
        return None

    @cached_property
    def engine_gap(self) -> np.ndarray | None:
        """(K,) how the second engine moves the shares; None where chance explains it, see sim.engine_gap."""
        return engine_gap(self)

    @property
    def draw_shares(self) -> np.ndarray:
        """(M, K) the distributions of single draws of the unknown factors, shrunk; one row, the shares, if alike."""
        return members([self._count_row] if self.members is None else self.members, self.spread)

    @property
    def member_shares(self) -> np.ndarray:
        """(M, K) the distributions whose convex hull this reference is; one row, its shares, if a point.

        Those of the draws and, where the engines differ, (2M, K), each of them also as the second engine moves it.
        """
        return self.draw_shares if self.engine_gap is None else spanned(self.draw_shares, self.engine_gap)

    @property
    def n_member(self) -> int:
        """As how many rollouts tell it, one member of the set is known; all of them if it is a point."""
        n = n_behind_member([self._count_row] if self.members is None else self.members, self.spread)
        if self.engine_gap is None or self.second_engine is None:
            return n
        return n_moved(n, sum(self.second_engine.counts.values()))

    @property
    def about_set(self) -> str | None:
        """What the set holds, in words; None of a point."""
        if self.why_point is not None:
            return None
        n_draws = len(self.draw_shares)
        base = "" if n_draws == 1 else f"every mixture of its {n_draws} draws of the unknown constants"
        if self.engine_gap is None or self.second_engine is None:
            return base
        second = self.second_engine
        engines = f"{self.engine} and {second.engine}, which differ by {second.tv:.3f} (p = {second.p:.1g})"
        return f"{base}, in {engines}" if base else f"every mixture of {engines}"

    @property
    def _count_row(self) -> list[int]:
        return [self.counts[o] for o in self.outcomes]

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
        if not isinstance(data, Mapping):
            raise InputError(f"{origin} is not a reference, which is a JSON object; make it again")
        if data.get("format") not in READABLE:
            known = " and ".join(map(str, READABLE))
            raise InputError(f"{origin} has reference format {data.get('format')!r}; this version reads {known}")
        old = {name: field.default for name, field in Reference.__dataclass_fields__.items() if name in _SINCE_2}
        try:
            fields = {name: data[name] for name in Reference.__dataclass_fields__ if name not in old or name in data}
            second = fields["second_engine"]
            fields["second_engine"] = Comparison.from_json(second) if second is not None else None
            if fields["not_causal"] is not None:
                fields["not_causal"] = {v: Comparison.from_json(c) for v, c in fields["not_causal"].items()}
            if fields.get("members") is not None:
                fields["members"] = tuple(tuple(row) for row in fields["members"])
            reference = Reference(**{**old, **fields, "outcomes": tuple(fields["outcomes"])})
            sound = reference._adds_up()
        except (KeyError, TypeError, ValueError, AttributeError) as fault:
            raise InputError(f"{origin} is not a whole reference ({fault}); make it again") from fault
        if not sound:
            raise InputError(f"{origin} was edited: its counts do not match its outcomes and n; make it again")
        return reference

    def _adds_up(self) -> bool:
        """Whether every rollout is counted once, by outcome, by draw and by reason alike, in whole numbers."""
        rows = [*(self.members or ()), *(self.null_rows or {}).values(), *self.failed.values()]
        rows += [self._count_row, [*self.null.values(), self.n, self.first_index]]
        if any(type(number) is not int or number < 0 for row in rows for number in row):
            return False
        total = sum(self.counts.values()) + sum(self.null.values()) + self.n_failed
        if tuple(self.counts) != self.outcomes or total != self.n:
            return False
        if self.null_rows is not None and {r: len(rows) for r, rows in self.null_rows.items()} != dict(self.null):
            return False
        return self.members is None or [sum(column) for column in zip(*self.members, strict=True)] == self._count_row

    def write(self, path: Path) -> None:
        """Writes the JSON file, whole or not at all."""
        write_json(path, self.to_json())

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
        except (ValueError, RecursionError) as fault:
            raise InputError(f"{path} is not JSON: {fault}") from fault
        return Reference.from_json(data, origin=str(path))


def write_json(path: Path, value: Any) -> None:
    """Writes a JSON file, whole or not at all, a row of numbers on one line.

    Raises:
        InputError: It cannot be written.
    """
    text = json.dumps(value, indent=1, allow_nan=False)
    text = _NUMBERS.sub(lambda found: f"[{' '.join(found[0][1:-1].split())}]", text)
    with whole_file(path) as part:
        part.write_text(text + "\n", encoding="utf-8")
