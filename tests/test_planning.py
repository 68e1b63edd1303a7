"""How many clips: numbers that hold in simulated studies, from Python and from the command."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import stats as reference
from typer.testing import CliRunner, Result

import scenes
from calibrate.cell import adjusted, measure
from calibrate.clip_row import ClipRow
from calibrate.planning import clips_to_request, plan
from calibrate.stats.power import departure
from cli.main import app
from sim import InputError


@pytest.fixture(autouse=True)
def shipped(made_references: dict, monkeypatch) -> None:
    """The references of the tests stand for the shipped ones."""
    monkeypatch.setattr(scenes, "reference", lambda token: made_references[token])


def findings(made_references: dict, truth: np.ndarray, n: int, repeats: int, margin: float = 0.1) -> list[str]:
    """What studies of one cell find of a model, from clips to finding."""
    scene, found = scenes.load("coin_toss"), {}
    drawn = np.random.default_rng(4).binomial(n, truth[0], size=repeats).tolist()
    for heads in drawn:
        if heads not in found:
            outcomes = [scene.outcomes[0]] * heads + [scene.outcomes[1]] * (n - heads)
            rows = [
                ClipRow(model="m", scene="coin_toss", file=str(k), status="scored", outcome=outcome)
                for k, outcome in enumerate(outcomes)
            ]
            cell = measure("m", "coin_toss", rows, made_references["coin_toss"], seed=0, margin=margin)
            found[heads] = adjusted([cell])[0].finding
    return [found[heads] for heads in drawn]


@pytest.mark.parametrize("kind", ["collapse", "tilt", "missing"])
def test_planned_clips_find_a_model_that_is_off_in_simulated_studies(made_references: dict, kind: str) -> None:
    made = plan("coin_toss", tv=0.25, power=0.8)
    p = made_references["coin_toss"].shares
    found = findings(made_references, departure(p, 0.25, kind), made.n, 400)
    assert sum(f == "miscalibrated" for f in found) >= reference.binom(len(found), 0.8).ppf(0.001)
    assert made.n == max(made.to_detect.values()) and made.to_prove is None and made.requested == made.n


def test_planned_clips_show_a_faithful_model_to_be_calibrated_in_simulated_studies(made_references: dict) -> None:
    made = plan("coin_toss", margin=0.2, power=0.8)
    p = made_references["coin_toss"].shares
    shown = findings(made_references, p, made.n, 400, 0.2)
    assert sum(f == "calibrated" for f in shown) >= reference.binom(len(shown), 0.8).ppf(0.001)
    few = findings(made_references, p, made.n // 2, 400, 0.2)
    assert sum(f == "calibrated" for f in few) <= reference.binom(len(few), 0.7).ppf(0.999)
    assert made.n == made.to_prove and made.to_detect == {}


def test_harder_wishes_need_more_clips() -> None:
    base = plan("coin_toss", tv=0.3).n
    assert base < plan("coin_toss", tv=0.2).n and base < plan("coin_toss", tv=0.3, power=0.95).n
    many = plan("coin_toss", tv=0.3, cells=24)
    assert base < many.n and many.level == 0.05 / 24
    both = plan("coin_toss", tv=0.3, margin=0.1, scorability=0.7)
    assert both.n == both.to_prove > base and both.requested > both.n / 0.7


def test_enough_of_the_requested_clips_can_be_scored() -> None:
    asked = clips_to_request(40, 0.75)
    # scipy: P(at least 40 of `asked` scored), at least 0.9 there and less with one clip fewer
    assert reference.binom(asked, 0.75).sf(39) >= 0.9 > reference.binom(asked - 1, 0.75).sf(39)
    assert clips_to_request(40, 1.0) == 40


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({}, "say what the clips are for"),
        ({"tv": 25.0}, "tv must lie between 0 and 1, as 0.2, got 25.0"),
        ({"tv": float("nan")}, "tv must lie between 0 and 1"),
        ({"margin": 0.0}, "margin must lie between 0 and 1"),
        ({"tv": 0.2, "power": 1.0}, "power must lie between 0 and 1"),
        ({"tv": 0.2, "scorability": 0.0}, "scorability must lie above 0"),
        ({"tv": 0.2, "cells": 0}, "cells must be 1 or more, got 0"),
        ({"tv": 0.9}, "no model is 0.9 from the reference of coin_toss; ask for 0.520 or less"),
        ({"margin": 0.001}, "more than 20000 clips would be needed; ask for a larger distance or width, or less power"),
    ],
)
def test_what_cannot_be_planned_is_said_in_one_line(asked: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        plan("coin_toss", **asked)


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["plan", *map(str, arguments)])


def test_the_command_says_the_same() -> None:
    made = plan("coin_toss", tv=0.25, margin=0.2, scorability=0.8)
    asked = ("--scene", "coin_toss", "--tv", 0.25, "--prove-calibrated", 0.2, "--power", 0.8, "--scorability", 0.8)
    told = run(*asked, "--json")
    found = json.loads(told.stdout)
    assert told.exit_code == 0 and found["n"] == made.n and found["requested"] == made.requested
    assert found["to_detect"] == dict(made.to_detect) and found["scene"] == "coin_toss"
    lines = run(*asked).stdout.splitlines()
    assert lines[-1] == f"coin_toss: {made.n} scored clips; ask for {made.requested}, as 0.8 of them can be scored"
    assert any(line.startswith("find too often the likeliest outcome, by 0.25") for line in lines)


def test_wrong_use_and_an_unknown_scene_are_one_line() -> None:
    told = run("--scene", "coin_toss")
    assert told.exit_code == 2 and told.stderr.startswith("quincunx: plan needs a distance to find")
    told = run("--scene", "coin_toss", "--tv", 2)
    assert told.exit_code == 1 and len(told.stderr.splitlines()) == 1


def test_a_width_is_planned_for_a_faithful_model_and_for_those_that_are_off() -> None:
    made = plan("coin_toss", width=0.3, scorability=0.5)
    assert set(made.to_width) == {"faithful", "collapse", "tilt", "missing"} and made.to_detect == {}
    assert made.n == max(made.to_width.values()) and made.requested > 2 * made.n
    assert plan("coin_toss", width=0.15).n > 3 * made.n
    far = plan("coin_toss", width=0.3, tv=0.5)
    assert far.to_width["collapse"] is None and far.n >= max(n for n in far.to_width.values() if n is not None)
    with pytest.raises(InputError, match="width must lie between 0 and 1, as 0.2, got 2"):
        plan("coin_toss", width=2)
    with pytest.raises(InputError, match="more than 20000 clips would be needed; ask for a larger distance or width"):
        plan("coin_toss", width=0.01)


def test_the_command_plans_a_width(quincunx) -> None:
    code, out, err = quincunx("plan", "--scene", "coin_toss", "--width", "0.3", "--scorability", "0.8")
    assert (code, err) == (0, "") and "95 % interval 0.3 wide on average: as physics" in out
    assert "as 0.8 of them can be scored" in out.splitlines()[-1]
    code, out, err = quincunx("plan", "--scene", "coin_toss")
    assert code == 2 and "or a --width W" in err
