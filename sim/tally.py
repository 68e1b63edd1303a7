"""What has been counted so far of a range of rollouts, and is a kept count sound?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from .rollout import Rollout
from .scene import N_UNKNOWN_DRAWS, NULL_REASONS, Scene


def n_unknown_draws(scene: Scene) -> int:
    """How many draws of the unknown factors a reference of this scene cycles through; 1 if it has no such factor."""
    return N_UNKNOWN_DRAWS if any(factor.kind == "unknown" for factor in scene.factors.values()) else 1


class Tally:
    """Counts of the rollouts `first` to `done` - 1 by draw of the unknown factors, and the rows without an outcome."""

    def __init__(self, scene: Scene, first: int) -> None:
        """Nothing counted yet."""
        self._outcomes = scene.outcomes
        self.first, self.done = first, first
        self.members = np.zeros((n_unknown_draws(scene), len(scene.outcomes)), dtype=np.int64)
        self.null: dict[str, list[int]] = {}
        self.failed: dict[str, list[int]] = {}

    @property
    def counts(self) -> np.ndarray:
        """(K,) rollouts per outcome."""
        return np.asarray(self.members.sum(axis=0))

    def add(self, rollouts: Iterable[Rollout]) -> None:
        """Add the next rollouts, in order."""
        for rollout in rollouts:
            if rollout.failed is not None:
                self.failed.setdefault(rollout.failed, []).append(rollout.index)
            elif rollout.null is not None:
                self.null.setdefault(rollout.null, []).append(rollout.index)
            else:
                self.members[rollout.index % len(self.members), self._outcomes.index(str(rollout.outcome))] += 1
            self.done = rollout.index + 1

    def to_json(self) -> dict[str, Any]:
        """What a checkpoint holds."""
        return {
            "first": self.first,
            "done": self.done,
            "members": self.members.tolist(),
            "null": self.null,
            "failed": self.failed,
        }

    def load(self, state: Mapping[str, Any]) -> None:
        """Take over what a checkpoint holds.

        Raises:
            ValueError, TypeError, KeyError, AttributeError: It does not count each of its rollouts once.
        """
        members, first, done = state["members"], state["first"], state["done"]
        whole = [number for row in members for number in row] + [first, done]
        if not all(type(number) is int and number >= 0 for number in whole):
            raise ValueError("counts must be whole and not negative")
        table = np.array(members, dtype=np.int64)
        rows = indices_of(state["null"]) + indices_of(state["failed"])
        if (
            table.shape != self.members.shape
            or first != self.first
            or set(state["null"]) - set(NULL_REASONS)
            or not all(first <= index < done for index in rows)
            or len(set(rows)) != len(rows)
            or (table.sum(axis=1) != expected_rows(first, done, len(table), rows)).any()
        ):
            raise ValueError("the counts do not add up")
        self.done, self.members = done, table
        self.null = {reason: list(indices) for reason, indices in state["null"].items()}
        self.failed = {reason: list(indices) for reason, indices in state["failed"].items()}


def indices_of(rows: Mapping[str, Sequence[int]]) -> list[int]:
    """All indices of a table of reasons.

    Raises:
        ValueError: One is no whole number.
        AttributeError, TypeError: It is no such table.
    """
    indices = [index for row in rows.values() for index in row]
    if not all(type(index) is int for index in indices):
        raise ValueError("an index must be a whole number")
    return indices


def expected_rows(first: int, done: int, m: int, without_outcome: Sequence[int]) -> np.ndarray:
    """(M,) how many rollouts of `first` to `done` - 1 with an outcome belong to each draw of the unknown factors."""
    turns = np.arange(m)
    n = (done - turns + m - 1) // m - (first - turns + m - 1) // m
    return np.asarray(n - np.bincount(np.asarray(without_outcome, dtype=np.int64) % m, minlength=m))
