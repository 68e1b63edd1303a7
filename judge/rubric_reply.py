"""What does a rubric model's reply say, strictly read, and what do several replies say together?

The reply and the row states are PAWBench's (arXiv 2608.27345), so that its rows can be read too.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sim import NULL_REASONS

from .verdict import Verdict

FIELDS = ("scene_id", "outcome_readable", "outcome_in_schema", "outcome_label", "observed_result", "failure_axes")
_UNREADABLE = ("NOT_READABLE", "UNREADABLE")


@dataclass(frozen=True)
class Vote:
    """What one reply says: an outcome, or null with a reason."""

    outcome: str | None
    reason: str | None = None


def parse(text: str, scene_id: str, outcomes: Sequence[str]) -> Vote:
    """The vote in a reply: one JSON object with exactly PAWBench's fields, and nothing around it.

    Raises:
        ValueError: The reply is anything else, or contradicts itself.
    """
    try:
        reply = json.loads(text)
    except (ValueError, RecursionError) as fault:
        raise ValueError("the reply is not JSON alone") from fault
    if not isinstance(reply, dict) or set(reply) != set(FIELDS):
        raise ValueError(f"the reply must have exactly the fields {', '.join(FIELDS)}")
    return _vote(reply, scene_id, outcomes)


def _vote(reply: Mapping[str, Any], scene_id: str, outcomes: Sequence[str]) -> Vote:
    readable, state, label = (reply[name] for name in ("outcome_readable", "outcome_in_schema", "outcome_label"))
    axes = reply["failure_axes"]
    if reply["scene_id"] != scene_id:
        raise ValueError(f"the reply is of scene {str(reply['scene_id'])[:40]!r}, not {scene_id!r}")
    if not isinstance(readable, bool):
        raise ValueError("outcome_readable must be true or false")
    if not isinstance(axes, list) or not all(isinstance(axis, str) for axis in axes):
        raise ValueError("failure_axes must be a list of strings")
    if state == "IN_SCHEMA":
        if not readable or label not in outcomes:
            raise ValueError(f"IN_SCHEMA needs a readable outcome among {', '.join(outcomes)}, got {str(label)[:40]!r}")
        return Vote(str(label))
    if state not in (*_UNREADABLE, "OUT_OF_SCHEMA"):
        raise ValueError(f"outcome_in_schema must be IN_SCHEMA, NOT_READABLE or OUT_OF_SCHEMA, got {str(state)[:40]!r}")
    if label is not None or (state in _UNREADABLE and readable):
        raise ValueError(f"a reply that is {state} can have no label and, if not readable, must say so")
    return Vote(None, next((axis for axis in axes if axis in NULL_REASONS), "out_of_domain"))


def majority(votes: Sequence[Vote]) -> Vote:
    """The answer that more votes gave than any other, null counting as one answer; a tie is null.

    A null has the reason that most null votes named; the first of them if they are level. A tie between outcomes alone
    is `out_of_domain`.
    """
    if not votes:
        raise ValueError("votes must not be empty")
    ranked = Counter(vote.outcome for vote in votes).most_common(2)
    if len(ranked) == 1 or ranked[0][1] > ranked[1][1]:
        outcome = ranked[0][0]
        if outcome is not None:
            return Vote(outcome)
    reasons = Counter(vote.reason for vote in votes if vote.outcome is None)
    return Vote(None, reasons.most_common(1)[0][0] if reasons else "out_of_domain")


def verdict_of_row(row: Mapping[str, Any], token: str, outcomes: Sequence[str], *, judge: str) -> Verdict:
    """The verdict in a row of PAWBench's `rows.jsonl`.

    An infrastructure failure, a label outside the list and a row that cannot be understood are judge errors.

    Args:
        row: `observation` is outcome, null_observation or infrastructure_failure.
        token: Scene token of ours that the row is of.
        outcomes: The scene's outcomes.
        judge: Digest of the judge that gave the row.
    """
    state, label = row.get("observation"), row.get("outcome_label")
    if state == "outcome" and label in outcomes:
        return Verdict(scene=token, status="scored", outcome=str(label), judge=judge)
    if state == "null_observation" and label is None:
        readout = row.get("outcome_readout")
        axes = readout.get("failure_axes") if isinstance(readout, Mapping) else None
        named = [axis for axis in axes if axis in NULL_REASONS] if isinstance(axes, list) else []
        return Verdict(scene=token, status="null", reason=named[0] if named else "out_of_domain", judge=judge)
    if state == "infrastructure_failure":
        detail = f"infrastructure_failure: {str(row.get('failure_code') or 'no code')[:100]}"
    else:
        detail = f"the row says {str(state)[:40]!r} with the label {str(label)[:40]!r}"
    return Verdict(scene=token, status="judge_error", detail=detail, judge=judge)
