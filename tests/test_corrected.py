import numpy as np
import pytest
from scipy import stats as reference

from calibrate.cell import adjusted, measure
from calibrate.clip_row import ClipRow
from calibrate.corrected import Corrected, confusion_of, corrected, with_correction
from calibrate.report_view import sentence
from calibrate.stats.confusion import Confusion
from calibrate.stats.judge_correction import correct

BAD = np.array([[0.80, 0.15, 0.05], [0.10, 0.80, 0.10], [0.05, 0.05, 0.90]])


def rows_of(model: str, counts: dict[str, int], nulls: int, token: str = "coin_toss") -> list[ClipRow]:
    said = [(o, "scored", o, None) for o, n in counts.items() for _ in range(n)]
    said += [("x", "null", None, "not_settled")] * nulls
    return [
        ClipRow(model=model, scene=token, file=f"{k}{name}", status=status, outcome=outcome, reason=reason)
        for k, (name, status, outcome, reason) in enumerate(said)
    ]


def cell_of(model: str, counts: dict[str, int], nulls: int, found, token: str = "coin_toss"):
    return measure(model, token, rows_of(model, counts, nulls, token), found, seed=0)


@pytest.mark.parametrize("kind", ["point", "set"])
@pytest.mark.parametrize(("heads", "tails", "nulls"), [(18, 6, 3), (12, 11, 0), (20, 0, 1)])
def test_a_perfect_judge_changes_nothing(kind, heads, tails, nulls, made_references, made_set) -> None:
    found = made_set if kind == "set" else made_references["coin_toss"]
    cell = cell_of("m", {"heads": heads, "tails": tails}, nulls, found)
    same = corrected(cell.counts, nulls, found, Confusion.exact(np.eye(3)), confusion_from="", seed=0)
    assert [s["share"] for s in same.shares.values()] == pytest.approx([s["share"] for s in cell.shares.values()])
    assert [s["low"] for s in same.shares.values()] == pytest.approx([s["low"] for s in cell.shares.values()])
    assert (same.tv, same.p, same.tv_expected) == pytest.approx((cell.tv, cell.p, cell.tv_expected))
    assert same.tv_interval == pytest.approx(cell.tv_interval)
    assert same.p_equivalence == pytest.approx(cell.p_equivalence)
    assert (same.n_effective, same.half_width) == (pytest.approx(cell.scored), 0)
    assert same.null == pytest.approx(nulls / cell.requested)


def test_a_few_errors_on_the_card_widen_every_interval(made_references) -> None:
    cell = cell_of("m", {"heads": 18, "tails": 6}, 3, made_references["coin_toss"])
    confusion = Confusion.sample([[90, 4, 2], [3, 92, 1], [2, 2, 96]])
    wide = corrected(cell.counts, 3, made_references["coin_toss"], confusion, confusion_from="", seed=0)
    width = [end[1] - end[0] for end in (wide.tv_interval, cell.tv_interval)]
    assert width[0] > width[1] and wide.n_effective < cell.scored and wide.half_width > 0
    for outcome, share in wide.shares.items():
        assert share["high"] - share["low"] > cell.shares[outcome]["high"] - cell.shares[outcome]["low"]


@pytest.mark.parametrize(
    ("heads", "n", "trials"),
    [(0.52, 30, 60), (0.95, 120, 60)]
    + [pytest.param(heads, n, 200, marks=pytest.mark.slow) for heads in (0.52, 0.8, 0.95) for n in (30, 120)],
)
def test_recovers_the_truth_through_a_bad_judge(heads: float, n: int, trials: int, made_references) -> None:
    """Every trial reads new clips and measures the judge on a card of 300 new ones."""
    found, rng = made_references["coin_toss"], np.random.default_rng(11)
    truth = np.array([heads * 0.9, (1 - heads) * 0.9, 0.1])
    missed_tv, missed_share, rejected, shares = 0, 0, 0, []
    for _ in range(trials):
        card = Confusion.sample([rng.multinomial(100, row) for row in BAD])
        h, t, nulls = rng.multinomial(n, truth @ BAD)
        one = corrected({"heads": h, "tails": t}, int(nulls), found, card, confusion_from="", seed=0)
        share = one.shares["heads"]
        shares.append(share["share"])
        missed_tv += not one.tv_interval[0] - 1e-9 <= abs(heads - 0.52) <= one.tv_interval[1] + 1e-9
        missed_share += not share["low"] - 1e-9 <= heads <= share["high"] + 1e-9
        rejected += one.p <= 0.05
    allowed = reference.binom(trials, 0.05).ppf(0.99)
    assert missed_tv <= allowed and missed_share <= allowed
    error = np.std(shares) / np.sqrt(trials)
    assert abs(np.mean(shares) - heads) < 3 * error + 0.01
    raw = (truth @ BAD)[0] / (truth @ BAD)[:2].sum()
    assert heads < 0.6 or abs(np.mean(shares) - heads) < 0.3 * abs(raw - heads)  # without it the share is off by far
    if heads == 0.52:
        assert rejected <= allowed
    elif n == 120:
        assert rejected > 0.9 * trials


def test_a_judge_that_cannot_tell_the_outcomes_apart_says_nothing_of_the_share(made_references) -> None:
    blind = Confusion.exact([[0.5, 0.5, 0], [0.5, 0.5, 0], [0, 0, 1]])
    cell = cell_of("m", {"heads": 18, "tails": 6}, 0, made_references["coin_toss"])
    one = corrected(cell.counts, 0, made_references["coin_toss"], blind, confusion_from="", seed=0)
    assert one.tv_interval == (0, 1) and one.tv_expected is None and one.n_effective == 0
    assert [(s["low"], s["high"]) for s in one.shares.values()] == [(0, 1)] * 2
    # scipy.stats.binomtest(18, 24, 0.5).pvalue -> 0.02266; the reference, as this judge tells it, is 0.5
    assert one.p == pytest.approx(0.0227, abs=5e-4)


def test_a_cell_of_nothing_but_nulls_has_no_correction() -> None:
    assert correct([0, 0, 5], Confusion.exact(np.eye(3)), seed=0) is None


def test_the_cards_confusion_counts_every_reason_as_null() -> None:
    table = {"heads": {"heads": 9, "out_of_domain": 1}, "tails": {"tails": 8, "heads": 2}}
    table |= {"not_settled": {"object_lost": 3, "tails": 1}, "object_lost": {"object_lost": 2}}
    assert confusion_of(table, ("heads", "tails")).counts == ((9, 0, 1), (2, 8, 0), (0, 1, 5))
    assert confusion_of({"no_motion": {"no_motion": 4}}, ("heads", "tails")) is None


def test_corrections_are_kept_for_cells_whose_card_has_a_confusion(made_references) -> None:
    table = {"heads": {"heads": 90, "tails": 2}, "tails": {"tails": 95}}
    given = [("a", 24, 0, 0), ("b", 12, 12, 0), ("c", 0, 0, 3)]
    rows = {
        (model, "coin_toss"): rows_of(model, {"heads": heads, "tails": tails}, nulls)
        for model, heads, tails, nulls in given
    }
    rows["a", "die_roll"] = rows_of("a", {"face_1": 5}, 0, "die_roll")
    cells = adjusted([measure(*place, some, made_references[place[1]], seed=0) for place, some in rows.items()])
    found = with_correction(cells, made_references, {"coin_toss": (table, "these clips")}, rows, seed=0)
    assert [cell.corrected is None for cell in found] == [False, False, True, True]
    first, second = found[0].corrected, found[1].corrected
    assert first.confusion_from == "these clips"
    assert first.p_holm == pytest.approx(2 * first.p) and second.p_holm == pytest.approx(second.p)
    assert Corrected.from_json({**vars(first), "tv_interval": list(first.tv_interval)}) == first


TILTED = np.array([[0.96, 0.02, 0.02], [0.22, 0.75, 0.03], [0.02, 0.02, 0.96]])
"""A judge that takes a fifth of the tails for heads."""


def findings(heads: float, n: int, trials: int, found, *, judge=TILTED, n_card: int = 150) -> dict[str, list[str]]:
    """What is claimed of new clips read by the judge, `raw` and with its errors on a new card carried `through`."""
    rng, claims = np.random.default_rng(5), {"raw": [], "through": []}
    for _ in range(trials):
        card = [rng.multinomial(n_card, row) for row in judge]
        states = ("heads", "tails", "no_motion")
        table = {state: dict(zip(states, map(int, row), strict=True)) for state, row in zip(states, card, strict=True)}
        h, t, nulls = map(int, rng.multinomial(n, np.array([heads, 1 - heads, 0]) @ judge))
        rows = rows_of("m", {"heads": h, "tails": t}, nulls)
        cells = adjusted([measure("m", "coin_toss", rows, found, seed=0)])
        done = with_correction(
            cells, {"coin_toss": found}, {"coin_toss": (table, "")}, {("m", "coin_toss"): rows}, seed=0
        )
        claims["raw"].append(cells[0].finding)
        claims["through"].append(done[0].finding)
    return claims


@pytest.mark.parametrize("trials", [30, pytest.param(300, marks=pytest.mark.slow)])
def test_no_finding_is_claimed_of_what_the_judge_does(trials: int, made_references) -> None:
    found = made_references["coin_toss"]
    allowed = reference.binom(trials, 0.05).ppf(0.99)
    faithful = findings(0.52, 120, trials, found)
    assert faithful["raw"].count("miscalibrated") > 0.5 * trials
    assert faithful["through"].count("miscalibrated") <= allowed
    # 0.11 away, and the judge brings it back
    hidden = findings(0.41, 900, trials, found)
    assert hidden["raw"].count("calibrated") > 0.5 * trials
    assert hidden["through"].count("calibrated") <= allowed


def test_what_is_true_is_found_though_the_judge_errs(made_references) -> None:
    found = made_references["coin_toss"]
    assert findings(0.95, 120, 15, found)["through"].count("miscalibrated") > 12
    even = np.array([[0.9, 0.08, 0.02], [0.08, 0.9, 0.02], [0.02, 0.02, 0.96]])
    assert findings(0.52, 2000, 15, found, judge=even, n_card=3000)["through"].count("calibrated") > 12


def test_the_page_says_that_the_judge_may_have_done_it(made_references) -> None:
    found, table = made_references["coin_toss"], {"heads": {"heads": 100}, "tails": {"tails": 70, "heads": 30}}
    rows = {("m", "coin_toss"): rows_of("m", {"heads": 80, "tails": 40}, 0)}
    cells = adjusted([measure("m", "coin_toss", rows["m", "coin_toss"], found, seed=0)])
    (cell,) = with_correction(cells, {"coin_toss": found}, {"coin_toss": (table, "")}, rows, seed=0)
    assert cells[0].finding == "miscalibrated" and cell.finding == "cannot_tell"
    assert sentence(cell).startswith("Cannot tell: TV 0.15")
    assert "the judge's errors alone may do as much (p = " in sentence(cell)
