"""What is said of coverage is so: simulated figures equal exact sums, and a bad interval is found out."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import stats as reference

from benchmarks import coverage
from benchmarks.coverage_methods import N_BOOTSTRAP, Setting, calibench_bootstrap, share
from benchmarks.coverage_truths import MARGIN, REFERENCES, SHAPES, SLIGHTLY, at_margin, truths
from calibrate.stats import Interval, clopper_pearson, tv_interval, wilson


@pytest.mark.parametrize("scene", list(REFERENCES))
def test_truths_are_distributions_at_their_stated_distance(scene: str) -> None:
    p, found = np.array(REFERENCES[scene].p), truths(scene)
    assert set(found) == {"calibrated", "slightly off", "collapsed", *SHAPES[scene]}
    for q in found.values():
        assert q.sum() == pytest.approx(1) and q.min() >= 0 and q.shape == p.shape
    assert 0.5 * np.abs(found["slightly off"] - p).sum() == pytest.approx(SLIGHTLY)
    for q in at_margin(scene).values():
        assert q.sum() == pytest.approx(1) and q.min() >= 0 and 0.5 * np.abs(q - p).sum() == pytest.approx(MARGIN)


@pytest.mark.parametrize(("method", "interval"), [("share, C", clopper_pearson), ("share, W", wilson)])
def test_simulated_coverage_of_a_share_is_the_exact_sum(method: str, interval) -> None:
    for row in coverage.rows(methods=[method], n_clips=[24], trials=2000):
        q = {"half": 0.5, "nine of ten": 0.9, "all but 7 of 1000": 0.993}[row.truth]
        held = [k for k in range(25) if interval(k, 24).low <= q <= interval(k, 24).high]
        exact = reference.binom(24, q).pmf(held).sum()
        assert row.coverage == pytest.approx(exact, abs=4 * row.error), row
        assert row.falls_short == (exact < 0.9) and row.trials == 2000 and row.mean_width > 0


def test_simulated_coverage_of_total_variation_is_the_exact_sum() -> None:
    asked = {"methods": ["total variation, exact"], "scenes": ["coin"], "n_clips": [12], "trials": 500}
    row = next(row for row in coverage.rows(**asked) if row.truth == "wan")
    found = [tv_interval([k, 12 - k], REFERENCES["coin"], seed=0) for k in range(13)]
    pmf = reference.binom(12, 0.75).pmf(range(13))
    exact = sum(w for w, i in zip(pmf, found, strict=True) if i.low <= 0.25 <= i.high)
    assert exact >= 0.95 and row.coverage == pytest.approx(exact, abs=4 * row.error)
    width = sum(w * (i.high - i.low) for w, i in zip(pmf, found, strict=True))
    assert row.mean_width == pytest.approx(width, rel=0.1) and row.rests


def test_calibenchs_bootstrap_hardly_ever_holds_the_truth_of_a_faithful_model() -> None:
    # recomputed for the published study: about 2 % of 400 simulated studies, intervals of about 0.02 to 0.11
    setting = Setting(reference=REFERENCES["coin"], truth=np.array([0.5, 0.5]), n=32, trials=40, seed=1)
    found = calibench_bootstrap(setting)
    assert N_BOOTSTRAP >= 1000 and found.right <= reference.binom(40, 0.02).ppf(0.9999)
    assert found.mean_width == pytest.approx(0.09, abs=0.02)


def test_tests_and_families_keep_their_level() -> None:
    asked = ["test of", "equivalence", "Holm", "Benj"]
    found = [*coverage.rows(methods=asked, scenes=["coin"], n_clips=[8], trials=60)]
    assert {row.method for row in found} == set(coverage.TESTS) | set(coverage.FAMILIES) - {
        "mnTV, CaliBench's bootstrap"
    }
    assert all(row.mean_width is None and not row.falls_short for row in found)
    one = next(row for row in found if row.method == "test of total variation, exact reference")
    # two-sided p: 2 / 256 at 0 or 8 heads, 18 / 256 = 0.07 at 1 or 7
    assert one.coverage == pytest.approx(1 - 2 / 256, abs=4 * one.error)


def test_an_interval_that_is_too_short_is_found_out(monkeypatch, capsys) -> None:
    def half(hits: int, n: int) -> Interval:
        found = clopper_pearson(hits, n)
        return Interval(low=(found.low + hits / n) / 2, high=(found.high + hits / n) / 2)

    monkeypatch.setitem(coverage.INTERVALS, "share, Clopper-Pearson", (share(half), True))
    assert coverage.main(["--methods", "share, C", "--n", "32", "--trials", "400"]) == 1
    assert "share, Clopper-Pearson: least 0." in capsys.readouterr().out


def test_json_has_a_row_for_every_case(capsys) -> None:
    assert (
        coverage.main(["--methods", "share", "all", "--scenes", "roulette", "--n", "8", "--trials", "30", "--json"])
        == 0
    )
    found = json.loads(capsys.readouterr().out)
    assert len(found) == 2 * 3 + 9
    for name, row in found.items():
        assert name == f"{row['method']}; {row['scene']}; {row['truth']}; n = {row['n']}"
        assert {"n", "truth", "coverage", "trials", "mean_width", "error"} <= set(row)
        assert 0 <= row["coverage"] <= 1 and row["error"] > 0
    again = coverage.rows(methods=["share", "all"], scenes=["roulette"], n_clips=[8], trials=30)
    assert found == {row.name: vars(row) for row in again}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(["--n", "0"], "must be positive"), (["--methods", "x"], "no method begins so; they are: ")],
)
def test_wrong_use_is_said_in_one_line(arguments: list[str], message: str, capsys) -> None:
    with pytest.raises(SystemExit):
        coverage.main(arguments)
    assert message in capsys.readouterr().err


@pytest.mark.slow
def test_what_findings_rest_on_covers_at_least_94_percent() -> None:
    found = [*coverage.rows(n_clips=[8, 32], trials=300, scenes=["coin", "roulette", "die"])]
    assert [row.name for row in found if row.rests and row.falls_short] == []
