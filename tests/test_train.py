"""Training is a function of its configuration, also when it was interrupted."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch

from judge.lesson import Clip, Lessons, Truth, close_box
from judge.train import Training, fit, jobs_of, pose_jobs_of
from scenes.registry import load

SMALL = Training(
    scenes=("y_fork",),
    marked=("y_fork",),
    more={},
    reader_steps=2,
    reader_batch=4,
    steps=4,
    batch=4,
    shard_clips=8,
    drawn_dice={},
    bfloat16=False,
)


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture
def shard(tmp_path: Path) -> Path:
    rng, clips = np.random.default_rng(0), []
    for k in range(8):
        where = (0.3 + 0.4 * (k % 2), 0.5, 0.2)
        frames = rng.integers(0, 60, (8, 48, 48, 3), dtype=np.uint8)
        frames[-1, 20:28, int(where[0] * 48) - 4 : int(where[0] * 48) + 4] = 250
        truth = Truth(state=0, outcome=k % 2, where=where, fault="")
        clips.append(Clip(frames=frames, truth=truth, box=close_box(where, rng)))
    np.savez(tmp_path / "shard.npz", **Lessons.of(clips).arrays())  # type: ignore[arg-type]
    return tmp_path / "shard.npz"


def learnt(shard: Path, folder: Path, *, stop_after: int | None = None) -> dict[str, torch.Tensor]:
    folder.mkdir(exist_ok=True)

    def killed(_what: str, _done: int, _all: int) -> None:
        raise KeyboardInterrupt

    import judge.train as module

    every = module._CHECKPOINT_EVERY
    try:
        if stop_after is not None:
            module._CHECKPOINT_EVERY = stop_after
            keep, module._keep = module._keep, lambda *a: (keep(*a), killed("", 0, 0))[0]
            try:
                with pytest.raises(KeyboardInterrupt):
                    fit(SMALL, {"y_fork": ("left", "right")}, [shard], [0], folder)
            finally:
                module._keep = keep
        network = fit(SMALL, {"y_fork": ("left", "right")}, [shard], [0], folder)
    finally:
        module._CHECKPOINT_EVERY = every
    return network.state_dict()


def test_a_run_that_was_killed_ends_like_an_undisturbed_one(shard: Path, tmp_path: Path) -> None:
    """O01: training that was stopped goes on from what it had kept."""
    whole = learnt(shard, tmp_path / "whole")
    resumed = learnt(shard, tmp_path / "resumed", stop_after=2)
    assert all(torch.equal(tensor, resumed[name]) for name, tensor in whole.items())


def test_another_seed_gives_another_network(shard: Path, tmp_path: Path) -> None:
    from dataclasses import replace

    torch.manual_seed(0)
    one = learnt(shard, tmp_path / "one")
    other = fit(replace(SMALL, seed=1), {"y_fork": ("left", "right")}, [shard], [0], tmp_path / "one").state_dict()
    assert any(not torch.equal(tensor, other[name]) for name, tensor in one.items())


def test_every_variant_is_seen_in_training() -> None:
    jobs = jobs_of(Training(scenes=("die_roll", "y_fork")), load)
    assert {j.order.variant for j in jobs if j.scene == "y_fork"} == {None, *load("y_fork").variants}
    assert {j.order.kind for j in jobs if j.scene == "die_roll"} == {"tray", "drawn_dice"}
    assert len({j.name for j in jobs}) == len(jobs)


def test_close_looks_are_at_objects_on_their_way_and_at_dice_of_many_makes() -> None:
    training = Training(scenes=("die_roll", "y_fork"))
    jobs = pose_jobs_of(training, load)
    assert {j.scene for j in jobs} == {"die_roll"}
    counts = {kind: sum(j.order.n_clips for j in jobs if j.order.kind == kind) for kind in ("poses", "dice_looks")}
    assert counts == {"poses": training.poses["die_roll"], "dice_looks": training.dice_looks["die_roll"]}
    assert len({j.name for j in jobs}) == len(jobs)


@pytest.mark.slow
def test_one_command_trains_calibrates_and_writes(tmp_path: Path) -> None:
    from judge.train import train
    from judge.weights import read_weights

    small = Training(
        scenes=("die_roll",),
        n_clips=20,
        drawn_dice={},
        poses={},
        dice_looks={},
        shard_clips=10,
        steps=2,
        reader_steps=2,
        batch=8,
    )
    train(small, load, tmp_path, tmp_path / "judge.safetensors", workers=2)
    _, settings = read_weights(tmp_path / "judge.safetensors")
    assert settings.training["n_clips"] == 20 and len(settings.training["clips"]) == 32
    assert settings.versions == {"die_roll": load("die_roll").version}


def test_a_process_that_has_drawn_can_train():
    code = (
        "from judge.train import without_triton; without_triton();"
        "from scenes import load; from sim.footage import source_image;"
        "source_image(load('die_roll'), size_px=(64, 64));"
        "import torch; p = torch.nn.Parameter(torch.zeros(3)); o = torch.optim.AdamW([p]);"
        "p.sum().backward(); o.step(); print('stepped')"
    )
    root = Path(__file__).parents[1]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (0, "stepped\n"), done.stderr
