import json

import pytest
from scipy.stats import binom

from benchmarks import set_coverage
from calibrate.stats import Baseline


def test_finds_the_first_number_from_which_on_a_condition_holds():
    assert [set_coverage.first(lambda k, at=at: k >= at, 3, 9) for at in (0, 3, 6, 8, 9)] == [3, 3, 6, 8, 9]


def test_errors_against_an_exact_end_are_binomial_tails():
    # p of k heads of 24 is that of the two-sided test; scipy.stats.binomtest(18, 24).pvalue -> 0.0227, of 17 -> 0.0639
    rejected, missed = set_coverage.errors(Baseline.exact([0.5, 0.5]), 0.5, 24)
    assert rejected == pytest.approx(binom.sf(17, 24, 0.5)) and missed == pytest.approx(binom.sf(17, 24, 0.5))


def test_rows_tell_the_tables_apart_in_which_no_spread_was_found(monkeypatch):
    monkeypatch.setattr(set_coverage, "N_CLIPS", (24,))
    rows = set_coverage.rows(0.02, 80, n_tables=6, seed=0)
    assert sum(row.n_tables for row in rows) == 6 and {row.kind for row in rows} == {"point", "set"}
    assert all(0 < row.rejected < 0.15 and 0 <= row.low_missed <= row.rejected for row in rows)


def test_says_it_as_json_and_as_a_table(monkeypatch, capsys):
    monkeypatch.setattr(set_coverage, "LAWS", ((0.05, 80),))
    monkeypatch.setattr(set_coverage, "N_CLIPS", (24,))
    set_coverage.main(["--tables", "1", "--json"])
    said = json.loads(capsys.readouterr().out)
    assert said["rows"][0]["kind"] == "set" and said["seed"] == set_coverage.SEED
    set_coverage.main(["--tables", "1"])
    assert len(capsys.readouterr().out.splitlines()) == 2
    with pytest.raises(SystemExit):
        set_coverage.main(["--tables", "0"])
