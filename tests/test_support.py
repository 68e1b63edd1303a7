import json
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats as reference

import scenes
from calibrate.record import Record
from calibrate.score import score_verdicts
from calibrate.support import check_support, support
from sim import InputError


def test_what_a_faithful_model_shows_is_what_draws_show(made_references) -> None:
    board = made_references["galton_board"]
    found = support([0, 0, 1, 3, 4, 6, 5, 3, 2, 0, 0], board)
    assert (found.size, found.seen, found.share) == (10, 7, 0.7)  # its first bin never came up in the reference
    rng = np.random.default_rng(0)
    counts = np.array(list(board.counts.values()))
    drawn = rng.multinomial(24, rng.dirichlet(counts + 0.5, size=20_000))
    shown = drawn[:, counts > 0] > 0
    assert found.share_expected == pytest.approx(shown.mean(), abs=0.005)
    assert set(found.missing) == {"bin_2", "bin_10", "bin_11"}
    assert found.missing["bin_2"] == pytest.approx(1 - shown[:, 0].mean(), abs=0.015)
    assert found.never_shown == pytest.approx(1 / 24) and 0.1 < found.never_shown_limit < 0.5


def test_of_a_set_the_largest_probability_counts(made_set) -> None:
    found = support([20, 0], made_set)
    pooled = support([20, 0], replace(made_set, members=None))
    assert found.missing["tails"] > 100 * pooled.missing["tails"]
    lowest = float(made_set.member_shares.min(axis=0)[1])
    n = made_set.n_member  # one member is known only so well
    exact = reference.betabinom(20, lowest * n + 0.5, (1 - lowest) * n + 0.5).pmf(0)
    assert found.missing["tails"] == pytest.approx(exact) and exact > (1 - lowest) ** 20
    assert found.share_expected == pooled.share_expected


def test_nothing_scored_misses_everything_surely(made_references) -> None:
    found = support([0, 0], made_references["coin_toss"])
    assert (found.seen, found.share, found.share_expected) == (0, 0, 0)
    assert found.missing == {"heads": 1.0, "tails": 1.0} and found.never_shown is None


def test_an_outcome_that_a_sure_reference_never_gives_is_not_missed() -> None:
    found = support([20, 0], scenes.reference("pencil_fall@leaning_left"))
    assert (found.size, found.seen, dict(found.missing)) == (1, 1, {})


def test_a_record_keeps_it_and_one_that_was_edited_is_refused(tmp_path, made_references) -> None:
    (tmp_path / "v.csv").write_text("model,scene,k,outcome\n" + "".join(f"m,coin_toss,{k},heads\n" for k in range(9)))
    record = score_verdicts(tmp_path / "v.csv", out=tmp_path / "r.json", references=made_references)
    assert Record.read(tmp_path / "r.json").cells == record.cells and set(record.cells[0].support.missing) == {"tails"}
    data = json.loads((tmp_path / "r.json").read_text())
    for name, value in (("seen", 2), ("never_shown_limit", 0.01), ("missing", {"tails": 0.9}), ("size", "2")):
        kept = json.loads(json.dumps(data))
        kept["cells"][0]["support"][name] = value
        with pytest.raises(InputError, match="was edited or is damaged"):
            Record.from_json(kept)
    del data["cells"][0]["support"]
    assert Record.from_json(data).cells[0].support is None
    with pytest.raises(ValueError, match="its support is not that of its counts"):
        check_support(record.cells[0].support, [8, 1], made_references["coin_toss"])
