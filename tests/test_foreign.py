"""Foreign clips show nothing of the scene asked for, are the same every time, and their two parts share nothing."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import scenes
from judge import foreign, foreign_models
from judge.clips import Order
from judge.foreign import KINDS, PARTS, foreign_clips, kinds_here
from judge.foreign_models import PHOTOGRAPHS, ROBOTS, folder_of, model_clip, photograph_clip
from judge.lesson import FOREIGN, Clip
from judge.plain_worlds import plain_worlds

TIMES_S = np.linspace(0, 1.4, 8)


def made(asked: str, kind: str, n: int, *, seed: int = 3) -> list[Clip]:
    others = [scenes.load(name) for name in ("coin_toss", "y_fork")]
    order = Order(kind=kind, seed=seed, number=0, n_clips=n, candidates=1, clips_per_rollout=1, flat=False)
    return list(foreign_clips(asked, others, order))


def test_every_kind_is_there_in_equal_numbers() -> None:
    some = made("die_roll", "foreign_reported", 8)
    assert Counter(clip.truth.fault for clip in some) == dict.fromkeys(KINDS, 2)
    for clip in some:
        assert clip.frames.shape[0] == 8 and clip.frames.dtype == np.uint8 and clip.frames.std() > 5
        assert (clip.truth.state, clip.truth.outcome) == (FOREIGN, -1)
        assert np.isnan(clip.truth.where).all() and clip.fps is not None


def test_the_same_order_gives_the_same_bytes_and_another_does_not() -> None:
    one, two, other, asked = (
        made(scene, "foreign_tuning", 4, seed=seed)
        for scene, seed in (("die_roll", 3), ("die_roll", 3), ("die_roll", 4), ("roulette", 3))
    )
    for a, b, c, d in zip(one, two, other, asked, strict=True):
        assert np.array_equal(a.frames, b.frames)
        for e in (c, d):
            assert a.frames.shape != e.frames.shape or not np.array_equal(a.frames, e.frames)


def test_parts_share_no_scene_world_model_or_photograph(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, list[set[str]]] = {kind: [] for kind in ("scene", "model", "photograph")}
    monkeypatch.setattr(foreign, "clips", lambda scene, order: seen["scene"][-1].add(scene.name) or [])
    real = foreign_models._model
    monkeypatch.setattr(
        foreign, "model_clip", lambda n, *_, first, step: seen["model"][-1].add(real(n, first, step)) or _frames()
    )
    monkeypatch.setattr(foreign, "photograph_clip", lambda name, *_: seen["photograph"][-1].add(name) or _frames())
    for part in PARTS:
        for names in seen.values():
            names.append(set())
        for number in range(4):
            order = Order(kind=part, seed=1, number=number, n_clips=64)
            list(foreign_clips("die_roll", [scenes.load(n) for n in ("coin_toss", "galton_board", "y_fork")], order))
    for kind, (tuning, reported) in seen.items():
        assert tuning and reported and not tuning & reported, kind
    assert set.union(*seen["photograph"]) == set(PHOTOGRAPHS) and set(ROBOTS) <= set.union(*seen["model"])
    assert len(set.union(*seen["model"])) == len(ROBOTS) + 64


def _frames() -> np.ndarray:
    return np.zeros((8, 64, 64, 3), np.uint8)


def test_what_is_not_installed_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    assert kinds_here(2) == KINDS and kinds_here(1) == KINDS[1:]
    monkeypatch.setattr(foreign, "folder_of", lambda package: None)
    assert kinds_here(0) == ("plain world",)
    assert folder_of("no_such_package") is None
    clips = made("die_roll", "foreign_reported", 3)
    assert Counter(clip.truth.fault for clip in clips) == {"plain world": 1, "other scene": 2}


def test_other_kinds_of_order_are_refused() -> None:
    with pytest.raises(ValueError, match="kind must be one of foreign_tuning, foreign_reported, got 'tray'"):
        made("die_roll", "tray", 4)


def test_a_model_drops_without_a_word(capfd: pytest.CaptureFixture[str]) -> None:
    moved = []
    for number in range(0, 2 * len(ROBOTS) + 1):
        size_px = (60, 80)
        rng = np.random.default_rng(number)
        frames = model_clip(number // 2 * 2 if number % 3 else number, TIMES_S, size_px, rng, first=0, step=1)
        assert frames.shape == (8, *size_px, 3)
        moved.append(np.abs(frames[0].astype(int) - frames[-1]).mean())
    assert np.median(moved) > 1
    said = capfd.readouterr()
    assert said.out == said.err == ""


def test_pans_move_over_each_photograph() -> None:
    still = 0
    for k, name in enumerate(PHOTOGRAPHS):
        frames = photograph_clip(name, TIMES_S, (60, 80), np.random.default_rng(k)).astype(int)
        assert frames.shape == (8, 60, 80, 3) and np.abs(frames[0] - frames[-1]).mean() > 1, name
        still += np.array_equal(frames[-1], frames[-2])
    assert 0.3 < still / len(PHOTOGRAPHS) < 1


def test_plain_worlds_move_and_settle() -> None:
    from sim.rollout import simulate

    for world in plain_worlds():
        runs = list(simulate(world, seed=0, indices=range(2), full=True, keep_trajectory=True))
        assert [run.failed for run in runs] == [None, None], world.name
        for run in runs:
            assert run.trajectory is not None
            assert np.ptp(run.trajectory.position_m[:, 0, 2]) > 0.05
            assert np.abs(run.trajectory.velocity[-1, 0, :3]).max() < 0.3
