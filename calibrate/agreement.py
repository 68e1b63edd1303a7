"""Do two judges, or a judge and people, say the same of the same clips, and where do they part?"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import scenes

from .clip_row import ClipRow
from .layouts.verdict_tables import is_table, read_tables
from .record import Record
from .stats import Interval, Kappa, clopper_pearson, cohen_kappa, stratified_kappa

NULL = "null"
"""How a clip without an outcome is called in a table of agreement."""
Pair = tuple[ClipRow, ClipRow]
"""What A and B say of one clip."""


@dataclass(frozen=True, kw_only=True)
class SceneAgreement:
    """How far A and B agree on the clips of one scene token."""

    scene: str
    says: tuple[str, ...]
    """The scene's outcomes, and `null`."""
    table: tuple[tuple[int, ...], ...]
    """(K + 1, K + 1) clips by what A says (rows) and what B says (columns)."""
    kappa: Kappa
    n_both_null: int
    n_same_reason: int
    """Of those, the clips to which both give the same null reason."""

    @property
    def against_a(self) -> dict[str, int]:
        """What B's verdicts are if A's are the truth: `right`, `false_null`, `missed_null`, `wrong_label`."""
        right = sum(row[k] for k, row in enumerate(self.table))
        false_null = sum(row[-1] for row in self.table[:-1])
        missed_null = sum(self.table[-1][:-1])
        return {
            "right": right,
            "false_null": false_null,
            "missed_null": missed_null,
            "wrong_label": self.kappa.n - right - false_null - missed_null,
        }

    def to_json(self) -> dict[str, Any]:
        """A dictionary that JSON can hold."""
        return {
            "scene": self.scene,
            "says": list(self.says),
            "table": [list(row) for row in self.table],
            **_numbers(self.kappa),
            "against_a": self.against_a,
            "both_null": self.n_both_null,
            "same_null_reason": self.n_same_reason,
        }


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """How far A and B agree."""

    scenes: tuple[SceneAgreement, ...]
    disagreements: tuple[Pair, ...]
    """Sorted by scene, model and file."""
    only_a: tuple[ClipRow, ...]
    """Clips with a verdict of A alone."""
    only_b: tuple[ClipRow, ...]
    not_judged: tuple[Pair, ...]
    """Clips of both that one of them could not read or failed on: no verdict to compare."""
    changed: tuple[Pair, ...]
    """Clips of one name whose bytes are not the same: no pair."""
    same_judge: bool
    """Whether both sets of verdicts are of one judge, so that agreement means nothing."""

    @property
    def n(self) -> int:
        """Clips on which both have a verdict."""
        return sum(scene.kappa.n for scene in self.scenes)

    def to_json(self) -> dict[str, Any]:
        """A dictionary that JSON can hold."""
        same = sum(scene.against_a["right"] for scene in self.scenes)
        overall = stratified_kappa([scene.kappa for scene in self.scenes])
        sums = Counter[str]()
        for scene in self.scenes:
            sums.update(scene.against_a)
        return {
            "n": self.n,
            "agreement": same / self.n if self.n else None,
            "agreement_interval": _ends(clopper_pearson(same, self.n)),
            "kappa": _finite(overall.kappa),
            "kappa_interval": _ends(overall.interval),
            "scenes_without_kappa": overall.n_left_out,
            "against_a": {name: sums[name] for name in ("right", "false_null", "missed_null", "wrong_label")},
            "scenes": [scene.to_json() for scene in self.scenes],
            "disagreements": [told(pair) for pair in self.disagreements],
            "only_a": [_named(row) for row in self.only_a],
            "only_b": [_named(row) for row in self.only_b],
            "not_judged": [told(pair) for pair in self.not_judged],
            "changed": [_named(a) for a, _ in self.changed],
            "same_judge": self.same_judge,
        }


def told(pair: Pair) -> dict[str, Any]:
    """One clip and what A and B say of it, with the reason where there is no outcome."""
    a, b = pair
    return {**_named(a), "a": _said(a), "b": _said(b), "confidence_a": a.confidence, "confidence_b": b.confidence}


def _named(row: ClipRow) -> dict[str, Any]:
    return {"model": row.model, "scene": row.scene, "file": row.file}


def _said(row: ClipRow) -> str:
    return row.outcome or ": ".join(part for part in (row.status, row.reason) if part)


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _ends(interval: Interval) -> list[float] | None:
    return [interval.low, interval.high] if math.isfinite(interval.low) else None


def _numbers(kappa: Kappa) -> dict[str, Any]:
    return {
        "n": kappa.n,
        "agreement": _finite(kappa.agreement),
        "agreement_interval": _ends(kappa.agreement_interval),
        "by_chance": _finite(kappa.by_chance),
        "kappa": _finite(kappa.kappa),
        "kappa_interval": _ends(kappa.interval),
        "kappa_standard_error": _finite(kappa.standard_error),
        "why_undefined": None if math.isfinite(kappa.kappa) else "both say one and the same thing of every clip",
    }


def read_judged(path: Path | str) -> tuple[list[ClipRow], str]:
    """All rows of a record, or of verdicts as `score --verdicts` reads them, and the digest of the judge.

    Raises:
        InputError: The file is neither, or is damaged.
    """
    if is_table(Path(path)):
        rows, _, digest = read_tables(Path(path))
        return rows, digest
    record = Record.read(path)
    return list(record.clips), str(record.judge["digest"])


def agree(a: Sequence[ClipRow], b: Sequence[ClipRow], *, same_judge: bool = False) -> Agreement:
    """How far two sets of verdicts agree on the clips that are in both.

    A clip is the same if model, scene token and file are; where no file is, the name without its folders, then without
    its suffix, then its number (`7` is `m/die_roll-7.mp4`), if but one clip of the cell is called so.

    Args:
        a: Rows of the one judge.
        b: Rows of the other.
        same_judge: Whether both are of one judge.
    """
    pairs, only_a, only_b = _paired([row for row in a if row.file is not None], [r for r in b if r.file is not None])
    changed = [pair for pair in pairs if _differs(*pair)]
    same_clip = [pair for pair in pairs if not _differs(*pair)]
    judged = [pair for pair in same_clip if _has_verdicts(pair)]
    by_scene: dict[str, list[Pair]] = {}
    for pair in judged:
        by_scene.setdefault(pair[0].scene, []).append(pair)
    return Agreement(
        scenes=tuple(_scene(token, found) for token, found in sorted(by_scene.items())),
        disagreements=tuple(p for p in judged if p[0].outcome != p[1].outcome),
        only_a=tuple(only_a),
        only_b=tuple(only_b),
        not_judged=tuple(pair for pair in same_clip if not _has_verdicts(pair)),
        changed=tuple(changed),
        same_judge=same_judge,
    )


def _differs(a: ClipRow, b: ClipRow) -> bool:
    """Whether the two are known to be of different bytes."""
    return a.sha256 is not None and b.sha256 is not None and a.sha256 != b.sha256


def _has_verdicts(pair: Pair) -> bool:
    return all(row.status in ("scored", NULL) for row in pair)


def _scene(token: str, pairs: Sequence[Pair]) -> SceneAgreement:
    outcomes = scenes.parse_token(token)[0].outcomes
    says = (*outcomes, NULL)
    counts = Counter((a.outcome or NULL, b.outcome or NULL) for a, b in pairs)
    table = tuple(tuple(counts[x, y] for y in says) for x in says)
    nulls = [(a.reason, b.reason) for a, b in pairs if a.outcome is None and b.outcome is None]
    return SceneAgreement(
        scene=token,
        says=says,
        table=table,
        kappa=cohen_kappa(table),
        n_both_null=len(nulls),
        n_same_reason=sum(x == y for x, y in nulls),
    )


def _number(file: str) -> str:
    """The clip's number: the end of its name after the last dash, without leading zeros."""
    end = PurePosixPath(file).stem.rpartition("-")[2]
    return str(int(end)) if end.isascii() and end.isdigit() else ""


_NAMES: tuple[Callable[[str], str], ...] = (
    str,
    lambda file: PurePosixPath(file).name,
    lambda file: PurePosixPath(file).stem,
    _number,
)
"""Names of a file, from the strictest to the loosest; an empty one names nothing."""


def _paired(a: list[ClipRow], b: list[ClipRow]) -> tuple[list[Pair], list[ClipRow], list[ClipRow]]:
    """Rows of the same clip, sorted, and those of A and of B that have no partner."""
    pairs: list[Pair] = []
    for name in _NAMES:
        left, right = _unique(a, name), _unique(b, name)
        pairs += [(row, right[key]) for key, row in left.items() if key in right]
        done = {id(row) for pair in pairs for row in pair}
        a, b = ([row for row in rows if id(row) not in done] for rows in (a, b))
    return sorted(pairs, key=lambda pair: (pair[0].scene, pair[0].model, str(pair[0].file))), a, b


def _unique(rows: Sequence[ClipRow], name: Callable[[str], str]) -> Mapping[tuple[str, str, str], ClipRow]:
    """Model, scene and name -> the row, of names that but one row has."""
    keys = [(row.model, row.scene, name(str(row.file))) for row in rows]
    counts = Counter(keys)
    return {key: row for key, row in zip(keys, rows, strict=True) if counts[key] == 1 and key[2]}
