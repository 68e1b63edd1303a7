"""In which words is it said how far the judge agrees with people?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .report_view import number


def lines(people: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The rows of the report's table, from `Record.people`."""
    return [
        {
            **found,
            "name": f"{name}: {found['labelled']}",
            "agrees": f"{found['right']} of {found['n']}{_span(found['agreement_interval'])}",
            "kappa": f"{number(found['kappa'])}{_span(found['kappa_interval'])}",
        }
        for name, found in people.items()
    ]


def _span(ends: list[float] | None) -> str:
    return "" if ends is None else f" ({number(ends[0])} to {number(ends[1])})"
