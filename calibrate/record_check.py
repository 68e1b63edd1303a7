"""Is a record what `score` wrote, or was it edited since?"""

from __future__ import annotations

import json
import math
import types
import typing
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from sim.reference import Reference

from .anytime import check_anytime
from .clusters import counts_apart
from .support import check_support

if TYPE_CHECKING:
    from .clip_row import ClipRow
    from .record import Cell, Record

_STATUSES = ("scored", "null", "unreadable", "judge_error", "refused", "missing")
SHARE: dict[str, Any] = dict.fromkeys(("reference", "reference_low", "reference_high", "least", "most"), float)
SHARE |= dict.fromkeys(("nearest", "share", "low", "high", "low_together", "high_together"), float | None)
_FIGURES = ("n", "right", "false_null", "missed_null", "wrong_label")


def strict_json(text: str) -> Any:
    """The value of a JSON text without numbers that are not finite and without halves of characters.

    Raises:
        ValueError: It is not such a text.
    """

    def refuse(name: str) -> Any:
        raise ValueError(f"{name} is no finite number")

    def number(digits: str) -> float:
        return float(digits) if math.isfinite(float(digits)) else refuse(digits)

    value = json.loads(text, parse_constant=refuse, parse_float=number)
    if "\\u" in text:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    return value


def check_record(record: Record) -> None:
    """Refuse a record whose parts have the wrong type or contradict each other.

    Raises:
        ValueError: What is wrong; a fault of another kind (KeyError, TypeError, ...) says the same less clearly.
    """
    corrections = [cell.corrected for cell in record.cells if cell.corrected is not None]
    for part in (record, *record.cells, *record.clips, *record.alignments, *corrections):
        _check_types(part)
    _check_judge(record.judge)
    used, sets = {}, set()
    for token, found in record.references.items():
        used[token] = Reference.from_json(found, origin=f"the reference of {token}")
        if used[token].why_point is None:
            sets.add(token)
        _require(_fits(found["counts"], Mapping[str, int]), f"the reference of {token} has odd counts")
        _require(_fits(found["half_width"], float | None), f"the reference of {token} has an odd half_width")
        texts = (found["scene"], found["engine"], found["engine_version"], found["settings_hash"])
        _require(_fits(texts, tuple[str, ...]), f"the reference of {token} has no text where there should be one")
    for file in record.unmatched:
        _require(set(file) == {"file", "why", "nearest"} and None not in (file["file"], file["why"]), "odd unmatched")
    rows: dict[tuple[str, str], list[ClipRow]] = {}
    for row in record.clips:
        _require(row.status in _STATUSES, f"a clip has the status {row.status!r}")
        _require(row.judge in (None, record.judge["digest"]), f"a clip was read by another judge, {row.judge!r}")
        _check_label(row)
        rows.setdefault((row.model, row.scene), []).append(row)
    places = [(cell.model, cell.token) for cell in record.cells]
    _require(len(set(places)) == len(places), "a cell is there twice")
    _require(set(places) == set(rows), "its cells are not those of its clips")
    for cell in record.cells:
        _check_cell(cell, rows[cell.model, cell.token], record.references[cell.token]["outcomes"])
        if cell.support is not None:
            _check_types(cell.support)
            apart = counts_apart(rows[cell.model, cell.token], used[cell.token].outcomes)
            check_support(cell.support, list(cell.counts.values()), used[cell.token], apart=apart)
        if cell.anytime is not None:
            _check_types(cell.anytime)
            check_anytime(cell.anytime)
        kept = cell.token in sets
        _require(kept or cell.reference_kind == "point", f"the cell of {cell.model!r} has a set that is not kept")
    by_place = {(cell.model, cell.token): cell for cell in record.cells}
    for pair in record.alignments:
        scored = tuple(by_place[pair.model, token].scored for token in (pair.scene, pair.token))
        _require(scored == pair.n, f"the change of {pair.model!r} to {pair.token} has other numbers than its cells")
        parts = (pair.p_aligned, pair.p_off, pair.p_aligned_holm, pair.p_off_holm)
        _require(all(p is None or 0 <= p <= 1 for p in parts), f"the change to {pair.token} has a p outside 0 to 1")


def _check_label(row: ClipRow) -> None:
    _require((row.label is None) == (row.judged is None), f"a clip, {row.file!r}, has half a label")
    if row.judged is not None:
        whole = set(row.judged) == {"status", "outcome", "reason", "confidence"} and row.judged["status"] in _STATUSES
        _require(whole, f"a labelled clip, {row.file!r}, has an odd verdict of the judge")


def _check_judge(judge: Mapping[str, Any]) -> None:
    _require(_fits((judge["digest"], judge["kind"]), tuple[str, ...]), "the judge has no digest or kind")
    for name, figures in (judge["card"] or {}).items():
        row = tuple(figures[k] for k in _FIGURES)
        whole = _fits(row, tuple[int, ...]) and 0 <= row[1] <= row[0] < 2**53 and row[0] > 0
        _require(whole, f"the judge's card has odd figures for {name}")


def _check_cell(cell: Cell, rows: Sequence[ClipRow], outcomes: Sequence[str]) -> None:
    where = f"the cell of {cell.model!r} and {cell.token}"
    by = Counter(row.status for row in rows)

    def reasons(status: str) -> Mapping[str, int]:
        return Counter(row.reason or "unknown" for row in rows if row.status == status)

    told = (cell.requested, cell.scored, cell.judge_error, cell.refused, cell.missing)
    counted = (len(rows), by["scored"], by["judge_error"], by["refused"], by["missing"])
    _require(told == counted, f"{where} does not add up to its clips")
    named = (cell.null, cell.unreadable, cell.missing_reasons)
    _require(named == (reasons("null"), reasons("unreadable"), reasons("missing")), f"{where} has other reasons")
    shown = Counter(row.outcome for row in rows if row.status == "scored")
    _require(list(cell.counts) == list(outcomes) == list(cell.shares), f"{where} has other outcomes than its reference")
    _require(all(n == shown[o] for o, n in cell.counts.items()), f"{where} has other counts than its clips")
    _require(set(shown) <= set(outcomes), f"{where} has clips with other outcomes")
    _require(math.isclose(cell.scorability, cell.scored / cell.requested), f"{where} has another scorability")
    for share in cell.shares.values():
        _require(set(share) == set(SHARE), f"{where} has odd shares")
        _require(all(_fits(share[k], hint) for k, hint in SHARE.items()), f"{where} has odd shares")
    parts = [cell.tv, cell.tv_point, cell.tv_expected, cell.p, cell.p_holm, cell.q, *cell.tv_bounds]
    parts += [cell.p_equivalence, cell.p_equivalence_holm, cell.margin, cell.detectable_tv]
    parts += [*cell.scorability_interval, *cell.scorability_wilson]
    powered = cell.prediction_powered
    _require(not powered or list(powered) == list(outcomes), f"{where} has prediction-powered shares of other outcomes")
    parts += [part for share in powered.values() for part in share.values()]
    parts += [part for anchor in cell.anchors.values() for part in anchor.values()]
    if (found := cell.corrected) is not None:
        _require(list(found.shares) == list(outcomes), f"{where} has corrected shares of other outcomes")
        _require(all(set(s) == {"share", "low", "high"} for s in found.shares.values()), f"{where} has odd shares")
        parts += [found.tv, found.tv_expected, *found.tv_interval, found.p, found.p_holm, found.null, found.half_width]
        parts += [found.p_equivalence, found.p_equivalence_holm]
        parts += [part for share in found.shares.values() for part in share.values()]
    parts += [*(cell.tv_interval or ()), *(part for share in cell.shares.values() for part in share.values())]
    in_range = all(part is None or -1e-9 <= part <= 1 + 1e-9 for part in parts)
    _require(in_range, f"{where} has a share or a distance outside 0 to 1")


def _check_types(part: Any) -> None:
    hints = typing.get_type_hints(type(part))
    for field in fields(part):
        value = getattr(part, field.name)
        if not _fits(value, hints[field.name]):
            raise ValueError(f"{type(part).__name__.lower()} has {field.name} = {str(value)[:40]!r}")


def _fits(value: Any, hint: Any) -> bool:
    """Whether the value is of the type that an annotation names."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if hint is Any:
        return True
    if origin in (types.UnionType, typing.Union):
        return any(_fits(value, each) for each in arguments)
    if origin is typing.Literal:
        return isinstance(value, str) and value in arguments
    if origin is tuple and isinstance(value, tuple):
        hints = [arguments[0]] * len(value) if Ellipsis in arguments else list(arguments)
        return len(value) == len(hints) and all(map(_fits, value, hints))
    if origin is Mapping:
        pairs = value.items() if isinstance(value, Mapping) else [(None, None)]
        return all(_fits(k, arguments[0]) and _fits(v, arguments[1]) for k, v in pairs)
    if origin is not None:
        return False
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return isinstance(value, hint) and not (hint is int and isinstance(value, bool))


def _require(is_so: bool, why: str) -> None:
    if not is_so:
        raise ValueError(why)
