"""What is said of the coverage of differences is so: simulated figures equal exact sums."""

import json

import numpy as np
import pytest
from scipy import stats as reference

from benchmarks import coverage_differences as differences
from benchmarks.coverage_truths import REFERENCES
from calibrate.stats import tv_interval
from calibrate.stats.difference_interval import difference_interval


def test_simulated_coverage_of_a_difference_is_the_exact_sum() -> None:
    asked = {"methods": [differences.BONFERRONI], "scenes": ["coin"], "n_clips": [8], "trials": 400}
    row = next(row for row in differences.rows(**asked) if row.truth == "calibrated - wan")
    at = [lambda level, k=k: tv_interval([k, 8 - k], REFERENCES["coin"], seed=0, level=level) for k in range(9)]
    pmf = np.outer(reference.binom(8, 0.5).pmf(range(9)), reference.binom(8, 0.75).pmf(range(9)))
    found = [[difference_interval(a, b) for b in at] for a in at]
    exact = sum(pmf[i, j] for i in range(9) for j in range(9) if found[i][j].low <= -0.25 <= found[i][j].high)
    assert exact >= 0.95 and row.coverage == pytest.approx(exact, abs=4 * row.error) and row.rests
    assert row.mean_width == pytest.approx(
        sum(pmf[i, j] * (found[i][j].high - found[i][j].low) for i in range(9) for j in range(9)), rel=0.1
    )


def test_what_a_claim_rests_on_covers_also_where_clips_are_coupled() -> None:
    few = {"scenes": ["coin"], "n_clips": [8], "trials": 60, "methods": [differences.EXCESS]}
    for coupled in (False, True):
        found = [*differences.rows(**few, coupled=coupled)]
        assert len(found) == 45 * (2 if coupled else 1)
        assert [row.name for row in found if row.falls_short] == []


def test_json_has_a_row_for_every_pair_and_wrong_use_is_one_line(capsys) -> None:
    asked = ["--methods", "mean", "--scenes", "coin", "roulette", "--n", "8", "--trials", "3", "--json"]
    assert differences.main(asked) == 0
    found = json.loads(capsys.readouterr().out)
    assert len(found) == 45 and all(row["scene"] == "coin+roulette" for row in found.values())
    with pytest.raises(SystemExit):
        differences.main(["--methods", "x"])
    assert "begin as one of: difference of total variations, Bonferroni; " in capsys.readouterr().err
