"""Comparisons with real throws: what is fitted, what is told, and what is written down."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks import cube_replay, real_cube_tosses, real_prisms, real_thick_coin
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
