"""Comparisons with real cylinders and printed dice: which shapes, which labels, what is fitted and what is told."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks import real_cylinders, real_printed_dice, throwing
from sim import InputError

TETRAHEDRON = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]]
"""One large face and three smaller, alike ones."""


@pytest.fixture
def counts(tmp_path: Path) -> Path:
    still = throwing.quasi_static(real_printed_dice.die(TETRAHEDRON))
    entry = {
        "geometry": {"vertices": TETRAHEDRON},
        "outcomes": {"0": 9, "1": 30, "2": 31, "3": 10},
        "simulators": {"geometric": sorted(still.tolist()), "IPC": [0.1, 0.4, 0.4, 0.1]},
    }
    entries = [{"id": name, **entry} for name in real_printed_dice.DICE]
    entries.append({"id": real_cylinders.EXPERIMENT, "outcomes": {"end (both)": 0.38, "curved side": 0.62}})
    path = tmp_path / "counts.json"
    path.write_text(json.dumps(entries))
    return path


def test_the_likeliest_face_at_rest_has_the_likeliest_label() -> None:
    body = real_printed_dice.die(TETRAHEDRON)
    assert body.size_m == pytest.approx(real_printed_dice.SIZE_M)
    large = int(np.argmax(body.rest.faces @ (body.matrix.T @ np.ones(3))))
    assert real_printed_dice.labelled(body, [0.2, 0.1, 0.5, 0.2])[2] == large
    with pytest.raises(InputError, match="the die can rest on 4 faces but has 3 outcomes; give its own corners"):
        real_printed_dice.labelled(body, [0.2, 0.3, 0.5])


def test_a_printed_plane_whose_corners_are_not_quite_in_a_plane_is_one_face() -> None:
    cube = np.array(np.meshgrid(*[(-1.0, 1.0)] * 3)).reshape(3, -1).T
    bent = cube.copy()
    bent[0] *= 1.01
    for corners in (cube, bent):
        body = real_printed_dice.die(corners.tolist())
        assert np.isfinite(body.rest.barrier_m).sum() == 6


def test_mirror_pairs_share_alike_and_real_counts_keep_their_differences() -> None:
    shares = real_printed_dice.evened([4, 1, 3, 2], np.array([1, 0, 2, 3]))
    assert shares.tolist() == [0.15, 0.35, 0.35, 0.15]
    assert real_printed_dice.apart(np.array([30, 35, 35, 0]), shares) == pytest.approx(0.15)


def test_each_die_is_told_by_the_law_that_the_others_fit(counts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    grid = real_printed_dice.laws()[:3]
    monkeypatch.setattr(real_printed_dice, "laws", lambda: grid)
    first, second, third = real_printed_dice.DICE
    dice = {name: real_printed_dice.Rolled(throwing.published(name, counts)) for name in real_printed_dice.DICE}
    fits = {first: [9.0, 0.0, 0.0], second: [0.0, 3.0, 0.0], third: [0.0, 0.0, 2.0]}
    laws = [real_printed_dice.told(name, dice, fits, 5)["fitted_on_the_others"] for name in dice]
    friction = [law.friction for law in grid]
    assert [law["friction"] for law in laws] == [friction[1], friction[0], friction[0]]
    assert dice[first].log_likelihood(grid[0], 40) < 0


def test_printed_dice_from_the_command_line(
    counts: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(real_printed_dice, "RESTITUTION", (0.3,))
    monkeypatch.setattr(real_printed_dice, "FRICTION", (0.3,))
    given = ["--n", "50", "--n-fit", "10", "--counts", str(counts), "--json"]
    assert real_printed_dice.main(given) == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found["dice"]) == set(real_printed_dice.DICE) and len(found["table"]) == 3
    for die, line in zip(found["dice"].values(), found["table"], strict=True):
        assert sum(die["shares"].values()) == pytest.approx(1) and 0 <= die["tv"] <= 1 and not die["failed"]
        assert line["reached"] == (die["tv"] <= real_printed_dice.AIM)
        assert die["tv_published"]["IPC"] == pytest.approx(0.0375)
    assert real_printed_dice.main(["--counts", "nowhere.json"]) == 1
    assert "nowhere.json is not there; give the file of published counts" in capsys.readouterr().err


def test_the_surfaces_near_the_real_share_are_what_is_needed() -> None:
    cells = [
        {"end_share": share, "friction": mu, "restitution": 0.5, "rolling_m": 1e-4}
        for share, mu in ((0.32, 0.1), (0.34, 0.2), (0.42, 0.3), (0.44, 0.4))
    ]
    assert real_cylinders.needed(cells, 0.38) == {"friction": [0.2, 0.3], "restitution": [0.5], "rolling_m": [1e-4]}
    assert real_cylinders.needed(cells, 0.9)["friction"] == []


def test_a_cylinder_at_rest_stands_as_often_as_its_ends_are_seen_from_its_centre(
    counts: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, grid in (("FRICTION", (0.2,)), ("RESTITUTION", (0.5,)), ("ROLLING_M", (5e-4,))):
        monkeypatch.setattr(real_cylinders, name, grid)
    assert real_cylinders.main(["--n", "100", "--counts", str(counts), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["quasi_static"] == pytest.approx(1 - np.sqrt(0.5), abs=0.002)  # two cones of 45 degrees
    (cell,) = found["cells"]
    assert cell["interval"][0] < cell["end_share"] == found["mean_end_share"] < cell["interval"][1]
    assert found["table"][0]["reached"] == (abs(cell["end_share"] - 0.38) <= real_cylinders.AIM)
    assert real_cylinders.main(["--counts", "nowhere.json"]) == 1
    assert "nowhere.json is not there" in capsys.readouterr().err


def test_a_cylinder_thrown_along_the_ground_rolls_and_rarely_stands() -> None:
    surface = {"restitution": 0.5, "friction": 0.2}
    falls, rolls = (
        throwing.thrown(real_cylinders.body(), replace(law.with_surface(**surface), rolling_m=5e-4), 400).share(
            *real_cylinders.ENDS
        )
        for law in (real_cylinders.THROWS["machine"], real_cylinders.THROWS["hand"])
    )
    assert rolls < 0.25 < falls
