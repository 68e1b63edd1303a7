"""CaliBench's published method, replicated."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from calibrate.published.calibench import human_agreement, replicate
from sim import InputError

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
OUTCOMES, EXPECTED = DATA / "calibench_outcomes.json", DATA / "calibench_expected.json"
needs_data = pytest.mark.skipif(not OUTCOMES.is_file(), reason=f"{OUTCOMES} is not there")


@needs_data
def test_every_published_cell_is_matched() -> None:
    found, told = replicate(OUTCOMES, "main"), json.loads(EXPECTED.read_text())
    assert (found.tested, found.significant) == (44, 28)
    assert found.mntv == pytest.approx(told["mntv"], abs=1e-4)
    cells = {(c.scene, c.model): c for c in found.cells}
    assert len(cells) == len(told["cells"]) == 54
    for cell in told["cells"]:
        ours = cells[cell["scene"], cell["model"]]
        assert (list(ours.counts), ours.n) == (cell["counts"], cell["n"])
        for key in ("rho", "tv", "e0", "excess", "score", "chi2"):
            assert getattr(ours, key) == (None if cell[key] is None else pytest.approx(cell[key], abs=1e-4)), key
        for key in ("p_exact", "q"):
            if cell[key] is not None:
                value = getattr(ours, key)
                printed = f"{value:.5f}" if value > 1e-4 else f"{value:.1e}"
                assert float(printed) == cell[key], (key, cell)


@needs_data
def test_people_agree_with_the_machine_on_152_of_162_clips() -> None:
    assert human_agreement(OUTCOMES) == (152, 162)


def test_a_cell_without_a_legible_clip_scores_one_and_is_not_tested(tmp_path: Path) -> None:
    file = tmp_path / "o.json"
    file.write_text(json.dumps({"main": {"ball": {"m": [None] * 8}}}))
    found = replicate(file, "main")
    assert found.mntv == {"m": 1.0}
    assert (found.tested, found.cells[0].tv, found.cells[0].p_exact) == (0, None, None)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], "is no table of groups"),
        ({"other": {}}, "has no group 'main'; it has other"),
        ({"main": {}}, "holds no scenes"),
        ({"main": {"bal": {}}}, "'bal' is no scene of CaliBench"),
        ({"main": {"ball": []}}, "holds no models"),
        ({"main": {"ball": {"m": []}}}, "lists no clips"),
        ({"main": {"ball": {"m": [3]}}}, "has the outcome 3; it must be a whole number from 1 to 2"),
        ({"main": {"ball": {"m": [1.0]}}}, "has the outcome 1.0"),
        ({"main": {"ball": {"m": [True]}}}, "has the outcome True"),
        ({"main": {"ball": {"m": [float("nan")]}}}, "has the outcome nan"),
    ],
)
def test_says_what_is_wrong_with_the_file(tmp_path: Path, data: object, message: str) -> None:
    file = tmp_path / "o.json"
    file.write_text(json.dumps(data))
    with pytest.raises(InputError, match=message):
        replicate(file, "main")


def test_a_file_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        replicate(tmp_path / "none.json", "main")
