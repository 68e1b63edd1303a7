from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import scenes
from calibrate.alignment import Alignment, alignments, finding_of, outside_p, reference_change
from calibrate.alignment_view import sentence
from calibrate.cell import measure
from calibrate.clip_row import ClipRow
from calibrate.record import Record
from calibrate.score import score_verdicts
from calibrate.stats import two_shares
from sim import InputError

TOKENS = ("pencil_fall", "pencil_fall@leaning_left", "pencil_fall@sign_on_table")


@pytest.fixture(scope="module")
def used() -> dict:
    return {token: scenes.reference(token) for token in (*TOKENS, "coin_toss", "coin_toss@tails_up")}


def table(path: Path, rows: dict[tuple[str, str], tuple[int, int]]) -> Path:
    lines = ["model,scene,file,outcome,reason"]
    for (model, token), counts in rows.items():
        outcomes = scenes.parse_token(token)[0].outcomes
        shown = [o for o, n in zip(outcomes, counts, strict=True) for _ in range(n)]
        lines += [f"{model},{token},{k},{outcome}," for k, outcome in enumerate(shown)]
        lines += [] if shown else [f"{model},{token},0,,no_motion"]
    path.write_text("\n".join(lines) + "\n")
    return path


def cell(token: str, counts: tuple[int, int], used: dict):
    outcomes = scenes.parse_token(token)[0].outcomes
    shown = [o for o, n in zip(outcomes, counts, strict=True) for _ in range(n)]
    rows = [ClipRow(model="m", scene=token, file=str(k), status="scored", outcome=o) for k, o in enumerate(shown)]
    return measure("m", token, rows, used[token], seed=0)


def test_a_model_that_moves_with_physics_is_told_from_one_that_is_stuck(tmp_path: Path) -> None:
    rows = {("good", TOKENS[0]): (11, 13), ("good", TOKENS[1]): (24, 0), ("good", TOKENS[2]): (120, 120)}
    rows |= {("stuck", TOKENS[0]): (12, 12), ("stuck", TOKENS[1]): (13, 11), ("stuck", TOKENS[2]): (24, 0)}
    rows |= {("mute", TOKENS[0]): (3, 3), ("mute", TOKENS[1]): (0, 0), ("alone", TOKENS[1]): (24, 0)}
    record = score_verdicts(table(tmp_path / "v.csv", rows), out=tmp_path / "r.json")
    found = {(pair.model, pair.variant): pair for pair in record.alignments}
    assert {key: pair.finding for key, pair in found.items()} == {
        ("good", "leaning_left"): "follows",
        ("good", "sign_on_table"): "cannot_tell",
        ("stuck", "leaning_left"): "does_not_follow",
        ("stuck", "sign_on_table"): "moves",
        ("mute", "leaning_left"): "not_tested",
    }
    good = found["good", "leaning_left"]
    reference = scenes.reference(TOKENS[0])
    assert good.outcomes == ("falls_left",) and good.change == pytest.approx(13 / 24)
    assert good.reference_change == pytest.approx(1 - reference.shares[0])
    assert good.response == pytest.approx(good.change / good.reference_change)
    # Holm: four pairs were tested, and its p_aligned is the least
    assert good.p_aligned_holm == pytest.approx(4 * good.p_aligned)
    assert found["stuck", "sign_on_table"].change == pytest.approx(0.5)
    assert Record.read(tmp_path / "r.json").alignments == record.alignments
    assert f"Follows physics: physics changes falls_left by {good.reference_change:+.2f} (" in sentence(good)
    assert "Moves where physics does not: TV 0.50" in sentence(found["stuck", "sign_on_table"])
    assert "Nothing can be said: 6 clips" in sentence(found["mute", "leaning_left"])


def test_a_record_whose_changes_do_not_fit_its_cells_is_refused(tmp_path: Path) -> None:
    rows = {("m", TOKENS[0]): (11, 13), ("m", TOKENS[1]): (24, 0)}
    record = score_verdicts(table(tmp_path / "v.csv", rows), out=tmp_path / "r.json")
    data = record.to_json()
    assert Record.from_json({k: v for k, v in data.items() if k != "alignments"}).alignments == ()
    data["alignments"][0]["n"] = [24, 23]
    with pytest.raises(InputError, match="has other numbers than its cells"):
        Record.from_json(data)


def test_the_references_change_spans_the_draws_of_both_sets(used: dict) -> None:
    before, after = used["coin_toss"], used["coin_toss@tails_up"]
    change, (low, high) = reference_change(before, after, ["tails"])
    assert change == pytest.approx(after.shares[1] - before.shares[1])
    ends = [(r.member_shares[:, 1].min(), r.member_shares[:, 1].max()) for r in (before, after)]
    assert low < ends[1][0] - ends[0][1] < change < ends[1][1] - ends[0][0] < high


def test_staying_needs_many_clips_and_is_found_then(used: dict) -> None:
    cells = [cell(TOKENS[0], (300, 300), used), cell(TOKENS[2], (305, 295), used)]
    (pair,) = alignments(cells, used, seed=0)
    assert pair.finding == "stays" and pair.change_interval[1] < 0.1 and pair.reference_range == (0, 0)
    assert sentence(pair).startswith("Stays within 0.1: TV 0.01")
    assert isinstance(pair, Alignment) and replace(pair, finding="moves").finding == "moves"


def test_findings_follow_from_both_p() -> None:
    both = [(0.01, 0.5), (0.01, 0.01), (0.5, 0.01), (0.5, 0.5)]
    assert [finding_of(True, *p) for p in both] == ["follows", "moves_otherwise", "does_not_follow", "cannot_tell"]
    assert [finding_of(False, *p) for p in both] == ["stays", "stays", "moves", "cannot_tell"]
    assert finding_of(True, None, None) == "not_tested"


def test_simulated_level_and_power(monkeypatch: pytest.MonkeyPatch) -> None:
    # 25 clips before and after; physics moves the share from 0.49 to 1, as in pencil_fall@leaning_left
    monkeypatch.setattr(two_shares, "_N_NUISANCE", 41)
    rng, trials, n = np.random.default_rng(3), 400, (25, 25)
    reach = (0.48, 0.53)

    def rates(before: float, after: float) -> tuple[float, float]:
        drawn = zip(rng.binomial(25, before, trials), rng.binomial(25, after, trials), strict=True)
        pairs = [(int(x), int(y)) for x, y in drawn]
        moved = np.mean([two_shares.change_p(pair, n, 0.0, side="above") <= 0.05 for pair in pairs])
        return float(moved), float(np.mean([outside_p(pair, n, reach) <= 0.05 for pair in pairs]))

    error = 3 * np.sqrt(0.05 * 0.95 / trials)
    for share in (0.1, 0.5):  # a model that does not move
        assert rates(share, share)[0] <= 0.05 + error
    for before, after in ((0.49, 1.0), (0.4, 0.88), (0.2, 0.73)):  # one that moves as physics does
        moved, off = rates(before, after)
        assert off <= 0.05 + error and moved > 0.9
    assert rates(0.5, 0.5)[1] > 0.9  # one that is stuck is found to be off
