"""Claims about clips that hang together keep their level, whatever the dependence within a cluster is."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy import stats as reference

import scenes
from calibrate.alignment import alignments
from calibrate.anytime import with_anytime
from calibrate.cell import measure
from calibrate.clip_row import ClipRow
from calibrate.clusters import counts_apart, independent_clips
from calibrate.record import Cell, Record
from calibrate.report import write_report
from calibrate.score import score_study
from calibrate.support import Support, support
from tests.conftest import made_reference

SIZE = 4
"""Clips of one group."""
BASE = "pencil_fall"
"""A scene with a variant that changes the proportions and one that does not."""
KINDS = [1.0, 0.5, 0.0]
"""Chance that a clip shows what the first one of its group does."""


def groups_of(n: int, uneven: bool = False) -> list[int]:
    """Group of each clip; uneven groups have 1, 2, 3, 6 clips, and again."""
    sizes = [1, 2, 3, 6] * n if uneven else [SIZE] * n
    return [g for g, size in enumerate(sizes) for _ in range(size)][:n]


def rows_of(rng: np.random.Generator, p: list[float], groups: list[int], same: float, token: str) -> list[ClipRow]:
    """Clips of a model with the shares p."""
    outcomes = made_reference(token, [1] * len(p)).outcomes
    firsts: dict[int, int] = {}
    rows = []
    for k, group in enumerate(groups):
        own = int(rng.choice(len(p), p=p))
        shown = firsts.setdefault(group, own) if rng.random() < same else own
        rows.append(
            ClipRow(model="m", scene=token, file=f"{k:03}", status="scored", outcome=outcomes[shown], group=group)
        )
    return rows


@pytest.mark.parametrize("same", KINDS)
@pytest.mark.parametrize("uneven", [False, True])
def test_the_chance_to_miss_an_outcome_is_none_too_small(same: float, uneven: bool) -> None:
    """A faithful model misses face_6 in 48 clips of 12 groups; as of 48 clips p would be 0.0002."""
    found, rng, trials = made_reference("die_roll", [1000] * 6), np.random.default_rng(1), 400
    groups = groups_of(48, uneven)
    n_missed, told = 0, 0.0
    for _ in range(trials):
        cell = measure_quickly(rows_of(rng, [1 / 6] * 6, groups, same, "die_roll"), found)
        n_missed += "face_6" in cell.missing
        told = cell.missing.get("face_6", told)
    assert told == 0 or n_missed / trials <= told + 3 * np.sqrt(told * (1 - told) / trials)
    if same == 1 and not uneven:
        assert n_missed / trials > 20 * (5 / 6) ** 48  # so that it would fail as of 48 independent clips


def measure_quickly(rows: list[ClipRow], found) -> Support:
    shown = [row.outcome for row in rows]
    outcomes = found.outcomes
    return support([shown.count(o) for o in outcomes], found, apart=counts_apart(rows, outcomes))


@pytest.mark.parametrize("same", [1.0, 0.5])
def test_the_limit_of_what_is_hidden_holds(same: float) -> None:
    rng, trials, above = np.random.default_rng(2), 300, 0
    p, groups = [0.5, 0.3, 0.1, 0.05, 0.03, 0.02], groups_of(40)
    for _ in range(trials):
        rows = rows_of(rng, p, groups, same, "die_roll")
        found = measure_quickly(rows, made_reference("die_roll", [1000] * 6))
        shown = {row.outcome for row in rows}
        hidden = sum(q for q, o in zip(p, made_reference("die_roll", [1] * 6).outcomes, strict=True) if o not in shown)
        above += hidden > (found.never_shown_limit or 0) + 1e-12
    assert above <= reference.binom(trials, 0.05).ppf(0.99)


def test_what_other_clips_of_a_cluster_show_is_not_hidden() -> None:
    found = made_reference("coin_toss", [2600, 2400])
    rows = [
        ClipRow(model="m", scene="coin_toss", file=str(k), status="scored", outcome=o, group=0)
        for k, o in enumerate(["heads", "tails"])
    ]
    assert measure_quickly(rows, found).never_shown == 0 and measure_quickly(rows, found).missing == {}


@pytest.mark.parametrize("same", [1.0, 0.5])
def test_one_may_still_look_again_and_again(same: float) -> None:
    """A faithful model, looked at after every 5 of 40 groups of 4 clips; the naive count claims far too often."""
    found, rng, trials = made_reference("coin_toss", [2600, 2400]), np.random.default_rng(3), 60
    false, naive = 0, 0
    for _ in range(trials):
        rows = rows_of(rng, [0.52, 0.48], groups_of(160), same, "coin_toss")
        claims = [(claimed(rows[:n], found, True), claimed(rows[:n], found, False)) for n in range(20, 161, 20)]
        false += any(with_clusters for with_clusters, _ in claims)
        naive += any(without for _, without in claims)
    assert false <= reference.binom(trials, 0.05).ppf(0.997)
    if same == 1:
        assert naive > 2 * reference.binom(trials, 0.05).ppf(0.997)


def claimed(rows: list[ClipRow], found, clusters: bool) -> bool:
    """Whether the anytime rule says that a model with these clips is miscalibrated."""
    shown = rows if clusters else [replace(row, group=None) for row in rows]
    counts = {outcome: sum(row.outcome == outcome for row in shown) for outcome in found.outcomes}
    first = replace(_cell("coin_toss"), counts=counts, scored=len(shown))
    (cell,) = with_anytime([first], {"coin_toss": found}, {("m", "coin_toss"): shown})
    return cell.anytime is not None and cell.anytime.advice == "stop_miscalibrated"


@cache
def _cell(token: str) -> Cell:
    rows = [
        ClipRow(model="m", scene=token, file="0", status="scored", outcome=made_reference(token, [1, 1]).outcomes[0])
    ]
    return measure("m", token, rows, made_reference(token, [2600, 2400]), seed=0)


@pytest.mark.parametrize("same", KINDS)
def test_a_change_is_not_found_where_there_is_none(same: float) -> None:
    """A model that does not move, before and after a change that is causal and one that is not."""
    rng, trials = np.random.default_rng(4), 60
    used = {token: scenes.reference(token) for token in (BASE, f"{BASE}@leaning_left", f"{BASE}@sign_on_table")}
    followed, moved, naive = 0, 0, 0
    for _ in range(trials):
        shown = {token: rows_of(rng, [0.5, 0.5], groups_of(40), same, token) for token in used}
        follows, moves = claims(shown, used, True)
        followed, moved = followed + follows, moved + moves
        naive += claims(shown, used, False)[1]
    allowed = reference.binom(trials, 0.05).ppf(0.997)
    assert followed <= allowed and moved <= allowed
    if same == 1:
        assert naive > 2 * allowed


def claims(shown: dict[str, list[ClipRow]], used, clusters: bool) -> tuple[bool, bool]:
    """Whether the causal pair is found to move the way of physics, and the other one to move at all; each at 5 %."""
    cells = []
    for token, rows in shown.items():
        apart = rows if clusters else [replace(row, group=None) for row in rows]
        name, _, variant = token.partition("@")
        counts = {o: sum(row.outcome == o for row in apart) for o in used[token].outcomes}
        cell = replace(_cell(BASE), counts=counts, scored=len(apart), scene=name)
        cells.append(replace(cell, variant=variant or None, n_independent=independent_clips(apart)))
    pairs = {pair.causal: pair for pair in alignments(cells, used, seed=0)}
    if clusters and any(cell.n_independent for cell in cells):
        assert pairs[True].n_independent == (10, 10) and pairs[True].n == (40, 40)
    return pairs[True].p_aligned <= 0.05, pairs[False].p_off <= 0.05


def test_the_record_keeps_what_is_looked_at_and_the_page_says_so(tmp_path, named_judge) -> None:
    used = {t: scenes.reference(t) for t in (BASE, f"{BASE}@sign_on_table")}
    rows = []
    for token in used:
        (tmp_path / f"s/m/{token}").mkdir(parents=True)
        for k in range(24):
            file = f"m/{token}/{k:02}.mp4"
            (tmp_path / "s" / file).write_bytes(f"{'falls_left' if k % 8 < 4 else 'falls_right'}|{file}".encode())
            rows.append({"file": file, "model": "m", "scene": token, "group": k // 4})
    (tmp_path / "s/metadata.jsonl").write_text("\n".join(map(json.dumps, rows)))
    out = tmp_path / "r.json"
    record = score_study(tmp_path / "s", named_judge(), out=out, references=used)
    assert [cell.anytime.n_apart for cell in record.cells] == [6, 6]
    (pair,) = record.alignments
    assert pair.n_independent == (6, 6) and Record.read(out).alignments == record.alignments
    assert Record.read(out).cells == record.cells
    page = write_report(out).read_text(encoding="utf-8")
    assert "as of 6 and 6 independent clips" in page and "more independent scored clips" in page
