import csv
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import scenes
from calibrate import standin_clips
from calibrate.standin_clips import FPS, SIZE_PX, write_standins
from calibrate.standins import MODELS
from judge.intake import Sampled, read
from sim import QuincunxError


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four clips each of the faithful and the glitchy model on one scene."""
    out = tmp_path_factory.mktemp("standins")
    write_standins(out, ["die_roll"], models=("faithful", "glitchy"), n_clips=4, workers=1)
    return out


def rows(out: Path) -> list[dict[str, str]]:
    with (out / "truth.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_truth_lists_every_clip_with_what_it_shows(made: Path) -> None:
    table = rows(made)
    files = sorted(p.relative_to(made / "study").as_posix() for p in (made / "study").rglob("*.mp4"))
    assert [row["file"] for row in table] == files and len(files) == 8
    assert all(row["outcome"] in scenes.load("die_roll").outcomes for row in table if row["model"] == "faithful")
    glitchy = [row["reason"] for row in table if row["model"] == "glitchy"]
    assert glitchy == ["not_settled", "", "", "object_lost"]


def test_clips_are_real_films_of_the_asked_size(made: Path) -> None:
    for file in (made / "study").rglob("*.mp4"):
        found = read(file, lambda duration_s: [0.0, duration_s])
        assert isinstance(found, Sampled) and found.size_px == SIZE_PX
        assert found.n_frames >= 8 and found.duration_s == pytest.approx((found.n_frames - 1) / FPS)
        assert found.frames.std() > 10


def test_what_is_there_is_kept_and_what_is_gone_is_made_again_with_the_same_bytes(made: Path) -> None:
    file = made / "study" / "faithful" / "die_roll" / "001.mp4"
    before, truth = file.read_bytes(), (made / "truth.csv").read_bytes()
    others = {p: p.stat().st_mtime_ns for p in (made / "study").rglob("*.mp4") if p != file}
    file.unlink()
    write_standins(made, ["die_roll"], models=("faithful", "glitchy"), n_clips=4, workers=1)
    assert file.read_bytes() == before and (made / "truth.csv").read_bytes() == truth
    assert {p: p.stat().st_mtime_ns for p in others} == others


def test_collapsed_and_tilted_find_different_rollouts_with_the_wanted_outcomes(made_references, monkeypatch) -> None:
    monkeypatch.setattr(scenes, "reference", lambda token: made_references[token])
    scene = scenes.load("die_roll")
    for model, counts in (("collapsed", {"face_3": 6}), ("tilted", None)):
        found = standin_clips._rollouts(scene, None, model, 6, standin_clips.SEED)
        assert len({r.index for r in found}) == 6
        if counts is not None:
            assert Counter(r.outcome for r in found) == counts


def test_an_outcome_that_hardly_ever_happens_is_named(monkeypatch) -> None:
    monkeypatch.setattr(standin_clips, "MOST", 64)
    with pytest.raises(QuincunxError, match=r"die_roll: \d+ of 64 rollouts show face_1, 60 are needed"):
        standin_clips._matching(scenes.load("die_roll"), None, 1, ["face_1"] * 60, 0)


@pytest.mark.parametrize("model", MODELS)
def test_light_lies_outside_that_of_the_training_clips(model: str) -> None:
    look = standin_clips._look(scenes.load("die_roll"), None, model)
    assert look.ambient > 0.45 and look.headlight_diffuse < 0.05  # judge.looks draws 0.2-0.45 and 0.05-0.45


def test_frames_in_which_nothing_moves_are_not_drawn_again(made: Path) -> None:
    from judge.faults import Plan
    from sim.rollout import simulate

    (rollout,) = simulate(scenes.load("die_roll"), seed=3, indices=[0], threads=1, full=True, keep_trajectory=True)
    plan = Plan(trajectory=rollout.trajectory, duration_s=2.0, stops_s=0.25)
    asked = []

    class Counting:
        def frames(self, track, *, look):
            asked.append(len(track))
            return np.arange(len(track), dtype=np.uint8)[:, None, None, None] * np.ones((1, 2, 2, 3), np.uint8)

    frames = standin_clips._drawn(Counting(), plan, np.arange(24) / 12, look=None)
    assert asked == [4] and frames[:, 0, 0, 0].tolist() == [0, 1, 2] + [3] * 21
