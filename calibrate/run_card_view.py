"""How were a model's clips made, as its run card and the manifest say? What they do not say is "not recorded"."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from .prompts import prompts_told
from .record import Record
from .run_card import NOT_RECORDED, RECORDED

COLUMNS = {name: name.replace("_", " ") for name in RECORDED}
"""Field of a run card -> its heading."""


def lines(record: Record) -> list[dict[str, Any]]:
    """For each model `model`, `fields` (field -> text) and `prompts`, in the record's order."""
    found = []
    for model in dict.fromkeys(cell.model for cell in record.cells):
        card = record.run_cards.get(model)
        rows = [row for row in record.clips if row.model == model]
        fields = {name: _field(card, name) for name in RECORDED}
        found.append({"model": model, "fields": fields, "prompts": prompts_told(rows)})
    return found


def _field(card: Mapping[str, Any] | None, name: str) -> str:
    value = None if card is None else card["rest"].get(name)
    if value is None or value == "":
        return NOT_RECORDED
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
