"""Comparisons with real throws: what is fitted, what is told, and what is written down."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks import cube_replay, real_cube_tosses, real_cubes, real_prisms, real_thick_coin
from sim import InputError


@pytest.fixture
def counts(tmp_path: Path) -> Path:
    outcomes = {
        f"x/y={r}": {"p_square": p, "n": 100, "count_reconstructed": round(100 * p)}
        for r, p in ((0.5, 0.9), (1.5, 0.05))
    }
    entries = [
        {"id": real_prisms.EXPERIMENT, "outcomes": outcomes},
        {
            "id": real_thick_coin.EXPERIMENT,
            "n": 1000,
            "outcomes": {"edge": 0.132},
            "geometry": {"height_over_diameter": 0.354},
        },
        {"id": real_cubes.FAIR, "n": 1000},
        {"id": real_cubes.SHAVED, "n": 3000, "outcomes": {"p(1 or 6) at 3 % shorter": 0.35}},
    ]
    path = tmp_path / "counts.json"
    path.write_text(json.dumps(entries))
    return path


@pytest.fixture
def tosses(tmp_path: Path) -> Path:
    """Four tosses that really are the engine's own, as the tracker would have stored them."""
    rng, n = np.random.default_rng(0), 4
    states = np.zeros((n, 13))
    states[:, 2], states[:, 3], states[:, 6] = 0.15, 1.0, 1.0
    states[:, 10:] = rng.normal(0, 4, (n, 3))
    paths = cube_replay.impact_paths(states, np.full(n, 100), 0.1, 0.18)
    rows = np.zeros((n, 100, 13))
    rows[..., :3], rows[..., 3:7] = paths[..., :3] * cube_replay.SHORT, paths[..., 3:]
    rows[:, 0, 7:10], rows[:, 0, 10:] = states[:, 3:6] * cube_replay.SHORT, states[:, 10:]
    file = tmp_path / "tosses.npz"
    np.savez(file, states=rows.reshape(-1, 13), offsets=np.arange(n + 1) * 100, ids=np.arange(n))
    return file


def test_replays_its_own_tosses_exactly(tosses: Path) -> None:
    read = cube_replay.read_tosses(tosses)
    start = cube_replay.releases(read)
    same = cube_replay.errors(cube_replay.impact_paths(start, read.counts, 0.1, 0.18), read)
    other = cube_replay.errors(cube_replay.impact_paths(start, read.counts, 0.1, 0.5), read)
    assert same[:, 0].max() < 1e-3
    assert other[:, 0].mean() > 0.05


@pytest.mark.parametrize("engine", ["mujoco", "bullet"])
def test_all_engines_fly_alike_until_the_first_touch(tosses: Path, engine: str) -> None:
    read = cube_replay.read_tosses(tosses)
    start, few = cube_replay.releases(read), np.full(4, 12)
    ours, theirs = (cube_replay.ENGINES[e](start, few, 0.1, 0.2) for e in ("impact", engine))
    assert np.abs(ours[..., :3] - theirs[..., :3]).max() < 2e-3


def test_missing_tosses_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert real_cube_tosses.main(["--data", str(tmp_path / "x.npz")]) == 1
    assert "x.npz is not there; give the file of the tracked tosses" in capsys.readouterr().err
    np.savez(tmp_path / "y.npz", states=np.zeros((2, 3)), offsets=[0, 2])
    with pytest.raises(InputError, match="states must be"):
        cube_replay.read_tosses(tmp_path / "y.npz")


def test_forecasts_that_are_certain_and_right_lose_nothing() -> None:
    shares = np.eye(6)[[0, 3]]
    assert real_cube_tosses.log_loss(shares, np.array([0, 3]), 0.0) == 0
    assert real_cube_tosses.log_loss(shares, np.array([1, 3]), 0.6) == pytest.approx(-(np.log(0.1) + np.log(0.5)) / 2)
    assert real_cube_tosses.kinds(np.array([2])).tolist() == [[2, 2, 0, 1, 2, 2]]


def test_prisms_refuse_what_was_fitted_on(counts: Path) -> None:
    with pytest.raises(InputError, match="are fitted on and cannot be told"):
        real_prisms.measure([0.5], [0.5], n=1, n_fit=1, counts=counts)
    with pytest.raises(InputError, match="no rolls are known at the ratio 0.7"):
        real_prisms.measure([0.7], [0.5], n=1, n_fit=1, counts=counts)
    with pytest.raises(InputError, match="a ratio must be positive"):
        real_prisms.prism(0)


@pytest.mark.parametrize("kind", real_thick_coin.THROWS)
def test_thick_coins_give_an_edge_share_and_none_is_lost_in_flight(
    counts: Path, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["--ratio", "0.354", "--throw", kind, "--n", "60", "--counts", str(counts), "--json"]
    assert real_thick_coin.main(given) == 0
    found = json.loads(capsys.readouterr().out)
    low, high = found["interval"]
    assert 0 <= low < found["edge_share"] < high < 1
    assert set(found["failed"]) <= {"undecided"} and found["n"] + sum(found["failed"].values()) == 60


def test_a_surface_of_ones_own_replaces_the_prior_of_a_thick_coin(counts: Path, capsys) -> None:
    given = ["--n", "20", "--counts", str(counts), "--json", "--restitution", "0", "0.1", "--friction", "0.2", "0.3"]
    assert real_thick_coin.main([*given, "--level", "0.1"]) == 0
    prior = json.loads(capsys.readouterr().out)["prior"]
    assert (prior["restitution"], prior["friction"], prior["rolling_m"]) == ([0, 0.1], [0.2, 0.3], 5e-4)
    assert prior["level_m_s"] == 0.1
    assert real_thick_coin.main([*given, "--restitution", "0", "1.2"]) == 1
    assert "restitution must lie in [0, 1]" in capsys.readouterr().err


def test_fair_cubes_all_start_on_the_same_face_and_too_few_reach_nothing(counts: Path) -> None:
    found = real_cubes.measure("fair", n=90, n_mujoco=20, counts=counts)
    assert found["n"] == 90 and sum(found["shares"]) == pytest.approx(1)
    assert found["table"][0]["reached"] is False
    assert found["table"][0]["real"] == "no bias in 1,000 machine rolls"
    assert found["n_others"] == 9 and set(found["failed_others"]) == set(real_cubes.OTHERS)
    assert {e: v["n"] for e, v in real_cubes.both_engines(20).items()} == {"impact": 20, "mujoco": 20}


def test_cubes_let_go_without_speed_stay_on_their_face_in_both_engines(monkeypatch: pytest.MonkeyPatch) -> None:
    still = replace(real_cubes.SOFT, level_m_s=0.0, spin_rad_s=0.0)
    monkeypatch.setattr(real_cubes, "SOFT", still)
    assert real_cubes.thrown(real_cubes.cube(0), still, 8, same_face_up=True).faces == (0, 0, 0, 0, 0, 8)
    assert [v["share"] for v in real_cubes.both_engines(8).values()] == [1, 1]


def test_a_hard_throw_forgets_the_face_that_was_down_and_a_soft_one_does_not() -> None:
    hard, soft = (
        real_cubes.thrown(real_cubes.cube(0), law, 3000, same_face_up=True).share(real_cubes.DOWN_AT_START)
        for law in (real_cubes.HARD, real_cubes.SOFT)
    )
    assert abs(hard - 1 / 6) < 0.025 < soft - 1 / 6  # 3.6 standard errors of a fair share


def test_shaved_cubes_are_compared_where_the_source_gives_a_number(
    counts: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["--cube", "shaved", "--counts", str(counts), "--json"]
    assert real_cubes.main([*given, "--n", "120"]) == 0
    found = json.loads(capsys.readouterr().out)
    low, high = found["bias_interval"]
    assert low < found["bias_of_short_axis"] < high
    # the solid angle of a rectangle seen from above its middle, 4 asin(a b / sqrt((a^2 + c^2) (b^2 + c^2)))
    apart = 8 * np.arcsin(1 / (1 + 0.97**2)) / (4 * np.pi)
    assert found["bias_quasi_static"] == pytest.approx(3 * apart - 1, abs=1e-6)
    assert found["real_bias"] == pytest.approx(0.05) and found["bias_by_the_rule"] == pytest.approx(0.06)
    low, high = found["real_interval_if_all_rolls"]  # by the normal law: 0.05 +- 1.96 * 3 sqrt(0.35 * 0.65 / 3000)
    assert (low, high) == pytest.approx((-0.0012, 0.1012), abs=0.002)
    assert real_cubes.main([*given, "--n", "20", "--shorter", "0.13"]) == 0
    assert json.loads(capsys.readouterr().out)["table"] == []


def test_cubes_that_cannot_be_are_refused(counts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert real_cubes.main(["--cube", "shaved", "--shorter", "1", "--counts", str(counts)]) == 1
    assert "shorter must lie in [0, 1), got 1.0; give the fraction" in capsys.readouterr().err
    assert real_cubes.main(["--counts", "nowhere.json"]) == 1
    assert "nowhere.json is not there; give the file of published counts" in capsys.readouterr().err
