"""Shards are made once, by any number of workers, and mixed in an order that can be resumed."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from judge.clips import Order
from judge.lesson import Clip, Lessons, Truth, close_box
from judge.shards import Job, batches, digest_of_shards, make_shards, read_shard
from scenes.registry import load

JOBS = [Job(scene="die_roll", version=1, order=Order(kind="drawn_dice", seed=0, number=k, n_clips=3)) for k in range(2)]


def test_other_workers_same_bytes_and_nothing_is_made_twice(tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []
    one = make_shards(tmp_path / "one", JOBS, load, workers=1, progress=lambda *done: told.append(done))
    two = make_shards(tmp_path / "two", JOBS[::-1], load, workers=2)[::-1]
    assert told == [("clips", 1, 2), ("clips", 2, 2)]
    assert digest_of_shards(one) == digest_of_shards(two) != digest_of_shards(one[::-1])
    times = [path.stat().st_mtime_ns for path in one]
    assert make_shards(tmp_path / "one", JOBS, load, workers=1) == one
    assert [path.stat().st_mtime_ns for path in one] == times
    assert len(read_shard(one[0])) == 3


def test_a_shard_of_close_looks_holds_what_the_reader_learns_from(tmp_path: Path) -> None:
    from judge.reading import marks

    order = Order(kind="dice_looks", seed=0, number=0, n_clips=3)
    (path,) = make_shards(tmp_path, [Job(scene="die_roll", version=1, order=order)], load, workers=1)
    seen = marks([path], [4])
    assert seen.close.shape == (3, 1, 96, 96, 3) and (seen.scene == 4).all() and (seen.outcome >= 0).all()


def test_the_name_tells_what_decides_the_bytes() -> None:
    job = JOBS[0]
    others = [replace(job, version=2), replace(job, order=replace(job.order, seed=1)), JOBS[1]]
    assert len({job.name, *(other.name for other in others)}) == 4


@pytest.fixture
def shards(tmp_path: Path) -> list[Path]:
    """Two shards of five painted lessons; lesson k of shard s has the outcome 10 s + k."""
    rng, paths = np.random.default_rng(0), []
    for s in range(2):
        clips = []
        for k in range(5):
            where = (0.5, 0.5, 0.2)
            truth = Truth(state=0, outcome=10 * s + k, where=where, fault="")
            clips.append(Clip(frames=np.zeros((8, 16, 16, 3), np.uint8), truth=truth, box=close_box(where, rng)))
        paths.append(tmp_path / f"{s}.npz")
        np.savez(paths[-1], **Lessons.of(clips).arrays())  # type: ignore[arg-type]
    return paths


def test_an_epoch_shows_every_lesson_once_with_its_scene(shards: list[Path]) -> None:
    seen = list(islice(batches(shards, [7, 9], n_clips=5, size=2, seed=1, start=0), 5))
    outcomes = np.concatenate([batch.lessons.outcome for batch in seen])
    assert sorted(outcomes) == [0, 1, 2, 3, 4, 10, 11, 12, 13, 14]
    assert (np.concatenate([batch.scene for batch in seen]) == np.where(outcomes < 10, 7, 9)).all()


def test_resuming_gives_the_batches_that_were_due(shards: list[Path]) -> None:
    whole = list(islice(batches(shards, [0, 1], n_clips=5, size=2, seed=1, start=0), 12))
    for start in (1, 5, 7):
        rest = islice(batches(shards, [0, 1], n_clips=5, size=2, seed=1, start=start), 12 - start)
        for one, other in zip(whole[start:], rest, strict=True):
            assert np.array_equal(one.lessons.outcome, other.lessons.outcome)
