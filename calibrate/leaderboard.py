"""In which order do models stand, on the scenes that all of them have, and which of them cannot be told apart?

Calibration (mean excess, less is better) and scorability are two axes; nothing makes one number of them. A scene that
some model lacks is in no mean, and is named with who lacks it. On each scene the excess is that of as many clips as the
model with the fewest has (calibrate.stats.rarefaction): a model that is off shows more of it with more clips.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from sim import InputError
from sim.reference import Reference

from .clip_row import ClipRow
from .clusters import cluster_names, worth
from .conclusion import LEVEL
from .excess_part import part
from .model_difference import Ends, same_judge, same_references
from .prompts import prompt_warnings
from .record import Cell, Record
from .stats import holm
from .stats.efron_stein import Spread, efron_stein_interval, efron_stein_p
from .stats.excess_spread import Part, excess_spread
from .stats.groups import letters
from .stats.mean_share import mean_share_interval

N_DRAWS = 10_000
"""Draws behind the bootstrap ranks."""
FEW_CLIPS = 8
"""A model with fewer scored clips on a scene is warned of: all others are compared as of so few."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """One model on the board; a pair of numbers is an interval's low and high end."""

    model: str
    rank: int
    """By mean excess; 1 is the least."""
    rank_interval: tuple[int, int]
    """1 + models shown to be better, and all models less those shown to be worse; all hold together in 95 %."""
    rank_bootstrap: tuple[int, int]
    """Between which ranks it was in 95 % of the draws."""
    first: float
    """Share of the draws in which it was first."""
    group: str
    """Letters; models with a letter in common cannot be told apart."""
    excess: float
    """Mean over `scenes`, at equal numbers of clips."""
    excess_interval: Ends
    """95 %, of what its mean excess is on average with so many clips (calibrate.stats.efron_stein)."""
    scorability: float
    """Mean over `scorability_scenes`."""
    scorability_interval: Ends
    """95 %, see calibrate.stats.mean_share."""
    scored: int
    requested: int


@dataclass(frozen=True, kw_only=True)
class PairOfModels:
    """Two models of the board."""

    a: str
    b: str
    difference: float
    """Mean excess of A less that of B."""
    interval: Ends
    p: float
    p_holm: float
    """Adjusted by Holm over all pairs of the board."""


@dataclass(frozen=True, kw_only=True)
class Leaderboard:
    """Models in order."""

    places: tuple[Place, ...]
    scenes: tuple[str, ...]
    """Scene tokens in the mean excess: every model has scored clips."""
    scorability_scenes: tuple[str, ...]
    """Scene tokens in the mean scorability: clips were asked for of every model."""
    left_out: Mapping[str, Mapping[str, str]]
    """Scene token not in `scenes` -> model -> what it lacks: `no clips`, or `no scored clip`."""
    pairs: tuple[PairOfModels, ...]
    seed: int
    warnings: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """A dictionary that JSON can hold."""
        return asdict(self)


def leaderboard(records: Sequence[Record], *, without: Sequence[str] = (), seed: int = 0) -> Leaderboard:
    """The models of some records, ranked by their mean excess over the scenes that all of them have.

    Ranks are drawn by the multiplier bootstrap: every cluster of clips (one seed, in all models and scenes) moves the
    models' estimates by its own changes times one normal number. Two models are told apart if p of "their mean excess
    is the same" is below 0.05 after Holm over all pairs; limits of ranks follow from these pairs.

    Args:
        records: What `score` wrote. A model may have its scenes in several of them.
        without: Models to leave out.
        seed: Seed of the draws.

    Raises:
        InputError: A cell is there twice, judges or references differ, fewer than two models are left, or no scene has
            scored clips of all of them.

    References:
        Mammen 1993, Annals of Statistics 21, 255 (multiplier bootstrap); Mogstad, Romano, Shaikh and Wilhelm 2024,
        Review of Economic Studies 91, 476, section 3 (limits of ranks from tested pairs).
    """
    warnings = same_judge(records)
    same_references(records)
    cells, rows, references = _gathered(records, without)
    models = sorted({model for model, _ in cells})
    if unknown := sorted(set(without) - {cell.model for record in records for cell in record.cells}):
        raise InputError(f"no record has a model {unknown[0]!r} to leave out; they have {', '.join(models)}")
    if len(models) < 2:
        raise InputError(f"a leaderboard needs two models or more, got {', '.join(models) or 'none'}")
    tokens = sorted({token for _, token in cells})
    lacks = {token: {m: why for m in models if (why := _lacking(cells.get((m, token))))} for token in tokens}
    common = tuple(token for token in tokens if not lacks[token])
    if not common:
        _refuse(models, tokens, lacks)
    asked = tuple(token for token in tokens if all((m, token) in cells for m in models))
    n_equal = {t: min(worth(cells[m, t]) for m in models) for t in common}
    about: dict[str, Any] = {"weight": 1 / len(common), "seed": seed}
    parts = {m: [part(rows[m, t], cells[m, t], references[t], n=n_equal[t], **about) for t in common] for m in models}
    warnings += [_too_few(t, models, cells) for t, n in n_equal.items() if n < FEW_CLIPS]
    spreads = {model: excess_spread(parts[model]) for model in models}
    pairs = _pairs(models, parts)
    places = [_place(m, spreads, pairs, [cells[m, t] for t in asked], {t: rows[m, t] for t in asked}) for m in models]
    clips = {m: [row for t in asked for row in rows[m, t]] for m in models}
    warnings += prompt_warnings(clips, {m: card for r in records for m, card in r.run_cards.items()})
    return Leaderboard(
        places=tuple(sorted(_with_draws(places, spreads, seed), key=lambda place: (place.excess, place.model))),
        scenes=common,
        scorability_scenes=asked,
        left_out={token: lacking for token, lacking in lacks.items() if lacking},
        pairs=pairs,
        seed=seed,
        warnings=tuple(warnings),
    )


_Cells = dict[tuple[str, str], Cell]
_Rows = dict[tuple[str, str], list[ClipRow]]


def _gathered(records: Sequence[Record], without: Sequence[str]) -> tuple[_Cells, _Rows, dict[str, Reference]]:
    """(model, scene token) -> cell and clips, and scene token -> reference."""
    cells: _Cells = {}
    rows: _Rows = {}
    for record in records:
        for cell in record.cells:
            place = (cell.model, cell.token)
            if place in cells:
                cure = "give the models different names, or each record once"
                raise InputError(f"the model {cell.model!r} has {cell.token} in two records; {cure}")
            if cell.model not in without:
                cells[place] = cell
        for row in record.clips:
            rows.setdefault((row.model, row.scene), []).append(row)
    found = {token: data for record in records for token, data in record.references.items()}
    return cells, rows, {token: Reference.from_json(data, origin=token) for token, data in found.items()}


def _lacking(cell: Cell | None) -> str | None:
    return "no clips" if cell is None else "no scored clip" if cell.scored == 0 else None


def _refuse(models: Sequence[str], tokens: Sequence[str], lacks: Mapping[str, Mapping[str, str]]) -> None:
    most = max(models, key=lambda model: sum(model in lacks[token] for token in tokens))
    n = sum(most in lacks[token] for token in tokens)
    raise InputError(
        f"no scene has scored clips of all {len(models)} models; {most!r} lacks {n} of {len(tokens)}: "
        f"leave it out with --without, or give it more clips"
    )


def _too_few(token: str, models: Sequence[str], cells: _Cells) -> str:
    least = min(models, key=lambda model: worth(cells[model, token]))
    n = worth(cells[least, token])
    return (
        f"on {token} all models are compared as of {n} independent clip{'s' if n != 1 else ''}, which {least!r} has: "
        f"leave it out with --without, or give it more clips"
    )


def _pairs(models: Sequence[str], parts: Mapping[str, Sequence[Part]]) -> tuple[PairOfModels, ...]:
    found = []
    for i, a in enumerate(models):
        for b in models[i + 1 :]:
            spread = excess_spread([*parts[a], *(replace(each, weight=-each.weight) for each in parts[b])])
            found.append((a, b, spread, efron_stein_p(spread)))
    adjusted = holm([p for *_, p in found])
    return tuple(
        PairOfModels(
            a=a,
            b=b,
            difference=spread.estimate,
            interval=_ends(spread),
            p=p,
            p_holm=1.0 if after is None else after,
        )
        for (a, b, spread, p), after in zip(found, adjusted, strict=True)
    )


def _ends(spread: Spread) -> Ends:
    found = efron_stein_interval(spread)
    return found.low, found.high


def _place(
    model: str,
    spreads: Mapping[str, Spread],
    pairs: Sequence[PairOfModels],
    cells: Sequence[Cell],
    rows: Mapping[str, Sequence[ClipRow]],
) -> Place:
    """The place of a model but for what is drawn."""
    told_apart = [pair for pair in pairs if pair.p_holm < LEVEL and model in (pair.a, pair.b)]
    behind = [pair.difference if pair.a == model else -pair.difference for pair in told_apart]
    better, worse = sum(gap > 0 for gap in behind), sum(gap < 0 for gap in behind)
    apart = {frozenset((pair.a, pair.b)) for pair in pairs if pair.p_holm < LEVEL}
    groups = letters(sorted(spreads, key=lambda m: (spreads[m].estimate, m)), apart)
    mean, ends = mean_share_interval(
        [([row.status == "scored" for row in each], cluster_names(each)) for each in rows.values()]
    )
    return Place(
        model=model,
        rank=1 + sum(other.estimate < spreads[model].estimate for other in spreads.values()),
        rank_interval=(1 + better, len(spreads) - worse),
        rank_bootstrap=(0, 0),
        first=0.0,
        group=groups[model],
        excess=spreads[model].estimate,
        excess_interval=_ends(spreads[model]),
        scorability=mean,
        scorability_interval=(ends.low, ends.high),
        scored=sum(cell.scored for cell in cells),
        requested=sum(cell.requested for cell in cells),
    )


def _with_draws(places: Sequence[Place], spreads: Mapping[str, Spread], seed: int) -> list[Place]:
    """The places with their bootstrap ranks."""
    position = {c: k for k, c in enumerate(dict.fromkeys(c for s in spreads.values() for c in s.clusters))}
    moves = np.zeros((len(places), len(position)))  # (M, C)
    for i, place in enumerate(places):
        spread = spreads[place.model]
        moves[i, [position[cluster] for cluster in spread.clusters]] = spread.changes
    floors = np.sqrt([spreads[place.model].floor for place in places])
    rng = np.random.default_rng(seed)
    drawn = rng.standard_normal((N_DRAWS, len(position))) @ moves.T + floors * rng.standard_normal(
        (N_DRAWS, len(places))
    )
    drawn += [place.excess for place in places]  # (D, M)
    ranks = 1 + (drawn[:, None, :] < drawn[:, :, None]).sum(axis=2)
    low, high = np.quantile(ranks, [0.025, 0.975], axis=0, method="inverted_cdf")
    return [
        replace(place, rank_bootstrap=(int(low[i]), int(high[i])), first=float((ranks[:, i] == 1).mean()))
        for i, place in enumerate(places)
    ]
