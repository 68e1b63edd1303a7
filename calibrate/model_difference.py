"""Which of two models is nearer to the references, scene by scene and on average, and is there a difference at all?

Every scene token that both models have clips of is compared; what only one of them has is named. Clips with the same
seed or group start from the same noise, so they are one cluster, in both models and over all scenes; a scene token has
one source image, so clips of one token and one seed are a pair.

Where one of them has more scored clips, its excess in a difference is what as few clips as the other's give on average:
a model that is off shows more of it with more clips, so that else the one with fewer clips would look nearer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from sim import InputError
from sim.reference import Reference

from .clip_row import ClipRow
from .clusters import worth
from .conclusion import LEVEL
from .distance import tv_limits
from .excess_part import part
from .prompts import prompt_warnings
from .record import Cell, Record
from .same_outcomes import same_outcomes
from .stats import holm
from .stats.difference_interval import difference_interval, difference_p
from .stats.efron_stein import Spread, efron_stein_interval, efron_stein_p
from .stats.excess_spread import excess_spread
from .stats.two_shares import change_interval

Nearer = Literal["a_nearer", "b_nearer", "cannot_tell", "not_tested"]
"""`a_nearer`, `b_nearer`: to the reference (p after Holm below LEVEL). `not_tested`: a cell has no scored clip."""
Ends = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class Side:
    """One of the two models."""

    record: Record
    model: str

    @property
    def cells(self) -> dict[str, Cell]:
        """Scene token -> its cell."""
        return {cell.token: cell for cell in self.record.cells if cell.model == self.model}

    def rows(self, token: str) -> list[ClipRow]:
        """Its clips of a scene token."""
        return [row for row in self.record.clips if (row.model, row.scene) == (self.model, token)]


@dataclass(frozen=True, kw_only=True)
class SceneDifference:
    """Both models on one scene token, A before B; differences are A less B, so below 0 A is nearer."""

    scene: str
    scored: tuple[int, int]
    scorability: Ends
    scorability_difference: float
    scorability_interval: Ends
    """95 %, exact and unconditional (calibrate.stats.two_shares)."""
    tv: tuple[float | None, float | None]
    difference: float | None
    """Of the total variations from the reference."""
    interval: Ends | None
    """95 %, of the difference of the true ones (calibrate.stats.difference_interval)."""
    excess: tuple[float | None, float | None]
    excess_difference: float | None
    """At equal numbers of clips, so that it need not be the difference of `excess` (calibrate.excess_part)."""
    excess_interval: Ends | None
    """95 %, of the difference of what both have on average with so many clips (calibrate.stats.efron_stein)."""
    p: float | None
    """p of "both are equally far from the reference"."""
    p_same: float | None
    """p of "both have one distribution of outcomes" (calibrate.same_outcomes)."""
    n_pairs: int
    """Scored clips of A and B with one seed."""
    p_holm: float | None = None
    """`p` adjusted by Holm over all scenes compared."""
    p_same_holm: float | None = None
    finding: Nearer = "not_tested"


@dataclass(frozen=True, kw_only=True)
class ModelDifference:
    """Two models, compared."""

    a: str
    b: str
    scenes: tuple[SceneDifference, ...]
    mean_over: tuple[str, ...]
    """Scene tokens in the means: both models have scored clips."""
    excess_difference: float | None
    """Mean of the differences of excess, at equal numbers of clips on each scene."""
    excess_interval: Ends | None
    """95 %, of the mean of what they are on average with so many clips."""
    p: float | None
    """p of "the mean difference is zero"."""
    p_same: float | None
    """p of "both have one distribution of outcomes on each of these scenes"."""
    n_clusters: int
    """Groups of clips with one seed, and clips without a seed, each by itself."""
    only_a: tuple[str, ...]
    """Scene tokens that B has no clips of."""
    only_b: tuple[str, ...]
    warnings: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """A dictionary that JSON can hold."""
        return asdict(self)


def compare(a: Side, b: Side, *, seed: int = 0) -> ModelDifference:
    """Both models on the scene tokens that both have.

    Args:
        a: The one model.
        b: The other.
        seed: Seed of the Monte Carlo draws.

    Raises:
        InputError: They are one and the same, have no scene in common, or were scored with other references or read by
            another judge.
    """
    warnings = _checked(a, b)
    tokens = [token for token in sorted(a.cells) if token in b.cells]
    references = {token: Reference.from_json(a.record.references[token], origin=token) for token in tokens}
    both = [t for t in tokens if a.cells[t].scored and b.cells[t].scored]
    same = same_outcomes(
        {t: (a.rows(t), b.rows(t)) for t in both}, {t: references[t].outcomes for t in both}, seed=seed
    )
    found = [_scene(t, a, b, references[t], seed, same.p.get(t), same.n_pairs.get(t, 0)) for t in tokens]
    spread = _spread(both, a, b, references, seed) if both else None
    ends = None if spread is None else _ends(efron_stein_interval(spread))
    return ModelDifference(
        a=a.model,
        b=b.model,
        scenes=_after_holm(found),
        mean_over=tuple(both),
        excess_difference=None if spread is None else spread.estimate,
        excess_interval=ends,
        p=None if spread is None else efron_stein_p(spread),
        p_same=same.p_all,
        n_clusters=0 if spread is None else len(spread.changes),
        only_a=tuple(t for t in sorted(a.cells) if t not in b.cells),
        only_b=tuple(t for t in sorted(b.cells) if t not in a.cells),
        warnings=tuple(warnings),
    )


def _checked(a: Side, b: Side) -> list[str]:
    """What to beware of."""
    for side in (a, b):
        if not side.cells:
            models = ", ".join(sorted({cell.model for cell in side.record.cells}))
            raise InputError(f"the record has no model {side.model!r}; it has {models}")
    if a.model == b.model and a.record == b.record:
        raise InputError(f"A and B are one and the same, {a.model!r}; name another record or model")
    common = [token for token in sorted(a.cells) if token in b.cells]
    if not common:
        raise InputError(f"{a.model!r} and {b.model!r} have no scene in common; score both on the same scenes")
    warnings = same_judge([a.record, b.record])
    same_references([a.record, b.record])
    shared = [cell for side in (a, b) for cell in side.cells.values() if cell.seeds == "shared"]
    if any(cell.n_independent is None for cell in shared):
        warnings.append("all clips of a cell have one seed: they are taken as independent")
    if a.model != b.model:
        rows = {side.model: [row for token in common for row in side.rows(token)] for side in (a, b)}
        warnings += prompt_warnings(rows, {side.model: side.record.run_cards.get(side.model) for side in (a, b)})
    return warnings


def same_judge(records: Sequence[Record]) -> list[str]:
    """What to beware of in verdicts of several records.

    Raises:
        InputError: They were read by different judges.
    """
    judges = {str(record.judge["digest"]): str(record.judge["kind"]) for record in records}
    if len(judges) == 1:
        return []
    if all(digest.startswith("csv:") for digest in judges):
        return ["the verdicts are from different tables: whether one judge stands behind them is not known"]
    named = " and ".join(f"{kind} {digest[:16]}" for digest, kind in sorted(judges.items()))
    raise InputError(f"the records were read by different judges ({named}); score the studies again with one of them")


def same_references(records: Sequence[Record]) -> None:
    """Refuse records that were scored with different references.

    Raises:
        InputError: They differ on a scene token.
    """
    first: dict[str, Mapping[str, Any]] = {}
    for record in records:
        for token, found in record.references.items():
            if first.setdefault(token, found) != found:
                raise InputError(f"the records have different references of {token}; score the studies again with one")


def _scene(
    token: str, a: Side, b: Side, reference: Reference, seed: int, p_same: float | None, n_pairs: int
) -> SceneDifference:
    cells = a.cells[token], b.cells[token]
    scored = (cells[0].scored, cells[1].scored)
    share = (cells[0].scorability, cells[1].scorability)
    change = change_interval((scored[1], scored[0]), (cells[1].requested, cells[0].requested))
    known: dict[str, Any] = {"difference": None, "interval": None, "excess_difference": None, "excess_interval": None}
    p = None
    if min(scored) > 0:
        first, second = (
            tv_limits(list(cell.counts.values()), reference, seed=seed, n_independent=cell.n_independent)
            for cell in cells
        )
        spread = _spread([token], a, b, {token: reference}, seed)
        known = {
            "difference": (cells[0].tv or 0.0) - (cells[1].tv or 0.0),
            "interval": _ends(difference_interval(first, second)),
            "excess_difference": spread.estimate,
            "excess_interval": _ends(efron_stein_interval(spread)),
        }
        p = difference_p(first, second)
    return SceneDifference(
        scene=token,
        scored=scored,
        scorability=share,
        scorability_difference=share[0] - share[1],
        scorability_interval=(change.low, change.high),
        tv=(cells[0].tv, cells[1].tv),
        excess=(cells[0].excess, cells[1].excess),
        **known,
        p=p,
        p_same=p_same,
        n_pairs=n_pairs,
    )


def _ends(interval: Any) -> Ends:
    return interval.low, interval.high


def _spread(tokens: Sequence[str], a: Side, b: Side, references: Mapping[str, Reference], seed: int) -> Spread:
    """The mean difference of excess over scenes at equal numbers of clips, and what each cluster of them changes."""
    n = {token: min(worth(side.cells[token]) for side in (a, b)) for token in tokens}
    return excess_spread(
        [
            part(side.rows(t), side.cells[t], references[t], weight=sign / len(tokens), n=n[t], seed=seed)
            for t in tokens
            for side, sign in ((a, 1), (b, -1))
        ]
    )


def _after_holm(found: Sequence[SceneDifference]) -> tuple[SceneDifference, ...]:
    p_holm, same = holm([each.p for each in found]), holm([each.p_same for each in found])
    done = []
    for each, p, q in zip(found, p_holm, same, strict=True):
        finding: Nearer = "not_tested" if p is None else "cannot_tell"
        if p is not None and p < LEVEL and each.interval is not None:
            finding = "a_nearer" if sum(each.interval) < 0 else "b_nearer"
        done.append(replace(each, p_holm=p, p_same_holm=q, finding=finding))
    return tuple(done)


def chosen(record: Record, model: str | None, name: str) -> Side:
    """The model of a record that is meant.

    Raises:
        InputError: The record has several and none is named.
    """
    models = sorted({cell.model for cell in record.cells})
    if model is None and len(models) != 1:
        raise InputError(f"{name} has the models {', '.join(models) or '(none)'}; name two with --models A B")
    return Side(record=record, model=models[0] if model is None else model)
