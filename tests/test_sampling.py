"""Sampling resumes, cannot mix settings, and ends at the asked width."""

import json
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import scenes
from sim import EngineError, InputError, Null
from sim.rollout import simulate
from sim.sampling import sample, sample_to_width, settings_hash

ROOT = Path(__file__).resolve().parent.parent


def test_counts_add_up_and_do_not_depend_on_threads(ball):
    a, b = (sample(ball, n=40, seed=1, threads=t) for t in (1, 2))
    assert a == b and sum(a.counts.values()) == 40


def test_an_interrupted_sample_goes_on_and_ends_alike(ball, tmp_path, monkeypatch):
    import sim.sampling as module

    monkeypatch.setattr(module, "CHUNK", 8)
    path = tmp_path / "checkpoint.json"

    def interrupt(done, n):
        if done >= 16:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sample(ball, n=40, seed=1, checkpoint=path, progress=interrupt)
    assert json.loads(path.read_text())["done"] == 16
    seen = []
    resumed = sample(ball, n=40, seed=1, checkpoint=path, progress=lambda done, n: seen.append(done))
    assert seen == [24, 32, 40] and resumed == sample(ball, n=40, seed=1)


def test_a_checkpoint_of_other_settings_is_refused(ball, tmp_path):
    path = tmp_path / "checkpoint.json"
    sample(ball, n=8, seed=1, checkpoint=path)
    with pytest.raises(InputError, match="delete it to start anew"):
        sample(ball, n=8, seed=2, checkpoint=path)
    with pytest.raises(InputError, match="holds 8 rollouts, more than n = 4"):
        sample(ball, n=4, seed=1, checkpoint=path)
    with pytest.raises(ValueError, match="n must be positive, got 0"):
        sample(ball, n=0, seed=1)


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\x00\x9c", b"[]", b"{}", b"7", b"null", b"[" * 100_000])
def test_a_torn_checkpoint_is_refused(ball, tmp_path, content):
    path = tmp_path / "checkpoint.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"checkpoint.json is torn or was edited; delete it to start anew"):
        sample(ball, n=8, seed=1, checkpoint=path)


@pytest.mark.parametrize(
    "edit",
    [
        {"members": [[9, -1]]},
        {"members": [[7.5, 0.5]]},
        {"members": [[True, 7]]},
        {"members": [[8]]},
        {"members": [[9, 0]]},
        {"members": [[4, 0], [4, 0]]},
        {"members": 8},
        {"members": [[7, 0]], "null": {"bored": [1]}},
        {"members": [[7, 0]], "null": {"not_settled": [1.0]}},
        {"members": [[7, 0]], "failed": {"left_the_scene": [8]}},
        {"members": [[6, 0]], "failed": {"left_the_scene": [3, 3]}},
        {"members": [[6, 0]], "null": {"not_settled": [3]}, "failed": {"left_the_scene": [3]}},
        {"members": [[7, 0]], "failed": ["left_the_scene"]},
        {"done": "8"},
        {"done": None},
        {"done": -1},
        {"first": None},
        {"cpu_s": "long"},
        {"key": []},
    ],
)
def test_an_edited_checkpoint_is_not_believed(ball, tmp_path, edit):
    path = tmp_path / "checkpoint.json"
    sample(ball, n=8, seed=1, checkpoint=path)
    state = json.loads(path.read_text())
    path.write_text(json.dumps({**state, **edit}))
    with pytest.raises(InputError, match="is torn or was edited; delete it to start anew"):
        sample(ball, n=8, seed=1, checkpoint=path)


def test_a_checkpoint_of_an_older_version_is_told_from_a_torn_one(ball, tmp_path):
    path = tmp_path / "checkpoint.json"
    path.write_text(json.dumps({"key": {}, "done": 8, "counts": {"near": 8}, "null": {}, "failed": {}}))
    with pytest.raises(InputError, match="was made by an older version; delete it to start anew"):
        sample(ball, n=8, seed=1, checkpoint=path)


def test_a_checkpoint_of_another_range_is_refused(ball, tmp_path):
    path = tmp_path / "checkpoint.json"
    sample(ball, n=8, seed=1, first_index=8, checkpoint=path)
    with pytest.raises(InputError, match="begins at index 8, not 0; delete it to start anew"):
        sample(ball, n=8, seed=1, checkpoint=path)
    with pytest.raises(ValueError, match="first_index must not be negative, got -1"):
        sample(ball, n=8, seed=1, first_index=-1)


def test_a_killed_sample_loses_at_most_one_chunk(tmp_path):
    """O01: SIGKILL while a reference is simulated."""
    path = tmp_path / "checkpoint.json"
    code = (
        "import sim.sampling as s, scenes; from pathlib import Path; s.CHUNK = 8; "
        f"s.sample(scenes.load('die_roll'), n=4096, seed=1, threads=1, checkpoint=Path({str(path)!r}), "
        "progress=lambda done, n: print(done, flush=True))"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    told = [int(process.stdout.readline()) for _ in range(3)]
    process.kill()
    told += [int(line) for line in process.communicate(timeout=60)[0].split()]
    kept = json.loads(path.read_text())["done"]
    assert process.returncode == -signal.SIGKILL and told[-1] <= kept <= told[-1] + 8
    die = scenes.load("die_roll")
    assert sample(die, n=kept + 8, seed=1, checkpoint=path) == sample(die, n=kept + 8, seed=1)


def test_rollouts_are_counted_by_draw_of_the_unknown_factors():
    die = scenes.load("die_roll")
    found = sample(die, n=70, seed=1)
    by_draw = np.zeros((64, 6), dtype=int)
    for rollout in simulate(die, seed=1, indices=range(70)):
        by_draw[rollout.index % 64, die.outcomes.index(rollout.outcome)] += 1
    assert np.array_equal(found.members, by_draw)


def test_a_scene_without_unknown_factors_is_a_point(ball):
    found = sample(ball, n=16, seed=1)
    assert len(found.members) == 1 and found.spread.dispersion == 0


def test_sampling_stops_at_the_width_and_says_which_it_reached(ball, monkeypatch):
    import sim.sampling as module

    monkeypatch.setattr(module, "CHUNK", 8)
    seen = []
    found = sample_to_width(ball, seed=1, half_width=0.25, progress=lambda done, n: seen.append((done, n)))
    assert found.reached and found.half_width == found.reference.half_width <= 0.25
    before = sample(ball, n=found.reference.n - 8, seed=1)
    assert before.half_width > 0.25 and found.reference == sample(ball, n=found.reference.n, seed=1)
    assert seen[-1][0] == found.reference.n <= seen[-1][1]
    least = sample_to_width(ball, seed=1, half_width=0.25, least_n=found.reference.n + 1)
    assert least.reference.n == found.reference.n + 8


def test_sampling_stops_at_the_budget_which_an_interruption_does_not_renew(ball, tmp_path, monkeypatch):
    import sim.sampling as module

    monkeypatch.setattr(module, "CHUNK", 8)
    path = tmp_path / "checkpoint.json"
    found = sample_to_width(ball, seed=1, half_width=1e-6, budget_cpu_s=1e-9, checkpoint=path)
    assert not found.reached and found.reference.n == 8 and found.half_width > 1e-6
    again = sample_to_width(ball, seed=1, half_width=1e-6, budget_cpu_s=1e-9, checkpoint=path)
    assert again.reference.n == 8
    with pytest.raises(ValueError, match="half_width and budget_cpu_s must be positive, got 0 and 300"):
        sample_to_width(ball, seed=1, half_width=0)


def test_settings_hash_sees_what_decides_the_counts(ball):
    base = settings_hash(ball, None, solver=None, engine="mujoco")
    assert base != settings_hash(replace(ball, version=2), None, solver=None, engine="mujoco")
    assert base != settings_hash(ball, None, solver=None, engine="bullet")
    assert base != settings_hash(replace(ball, duration_s=0.3), None, solver=None, engine="mujoco")
    assert base == settings_hash(replace(ball, prompt="Another."), None, solver=None, engine="mujoco")


def test_a_reader_that_raises_or_invents_is_named_with_its_row(ball):
    def broken(trajectory):
        raise ZeroDivisionError("oops")

    with pytest.raises(EngineError, match="ball version 1, seed 3, index 5: read raised ZeroDivisionError: oops"):
        list(simulate(replace(ball, read=broken), seed=3, indices=[5]))
    with pytest.raises(EngineError, match="read returned 'sideways', which is not an outcome"):
        list(simulate(replace(ball, read=lambda t: "sideways"), seed=3, indices=[5]))
    with pytest.raises(EngineError, match="which is not an outcome"):
        list(simulate(replace(ball, read=lambda t: t.time_s), seed=3, indices=[5]))


def test_a_reader_that_exits_is_a_counted_failure(ball):
    lost = sample(replace(ball, read=lambda t: sys.exit(0)), n=5, seed=1)
    assert lost.failed == {"reader_exited": [0, 1, 2, 3, 4]} and lost.bad_share == 1


def test_nulls_and_failures_are_counted_apart(ball):
    found = sample(replace(ball, read=lambda t: Null("not_settled")), n=5, seed=1)
    assert found.null == {"not_settled": 5} and found.null_rows == {"not_settled": [0, 1, 2, 3, 4]}
    assert sum(found.counts.values()) == 0
    lost = sample(replace(ball, bounds_m=((-2, -2, 0.2), (2, 2, 2))), n=5, seed=1)
    assert lost.failed == {"left_the_scene": [0, 1, 2, 3, 4]}
