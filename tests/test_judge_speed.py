import json
from pathlib import Path

import pytest

from benchmarks.judge_speed import FPS, STAGES, JudgeSpeed, Seconds, decode_and_resize, films, judge_speed, main
from sim.clip import write_clip

SMALL = {"size_px": (90, 160), "duration_s": 1.0}


@pytest.fixture
def clip(tmp_path: Path) -> Path:
    (frames,) = films("die_roll", 1, **SMALL)
    write_clip(tmp_path / "a.mp4", frames, fps=FPS)
    return tmp_path / "a.mp4"


def test_each_film_has_the_asked_size_and_length_and_moves_in_its_own_way() -> None:
    one, other = films("die_roll", 2, **SMALL)
    assert one.shape == other.shape == (24, 90, 160, 3)
    assert (one[0] == other[0]).all() and (one[-1] != other[-1]).any() and (one[0] != one[-1]).any()


def test_the_baseline_decodes_every_frame(clip: Path) -> None:
    assert decode_and_resize(clip, 384) == 24


def test_every_stage_is_measured_and_the_ratio_is_that_of_verdict_to_baseline(clip: Path, random_weights: Path) -> None:
    found = judge_speed([clip, clip], "die_roll", rounds=1, weights=random_weights)
    assert tuple(found.stages) == STAGES and (found.n_clips, found.n_rounds) == (2, 1)
    assert all(stage.clock_s > 0 and stage.processor_s > 0 for stage in found.stages.values())


def test_figures_are_those_of_the_medians() -> None:
    times = {"baseline": (2.0, 1.0), "decode": (1.0, 0.5), "network": (0.5, 0.25), "judge": (3.0, 2.0)}
    stages = {name: Seconds(clock_s=c, processor_s=p) for name, (c, p) in times.items()}
    said = JudgeSpeed(n_clips=1, n_rounds=1, stages=stages).to_json()
    assert (said["judge_over_decode"], said["judge_over_decode_processor"]) == (1.5, 2.0)
    assert said["clips_per_s"] == {"baseline": 0.5, "decode": 1.0, "network": 2.0, "judge": pytest.approx(1 / 3)}
    assert said["seconds"]["judge"] == {"clock_s": 3.0, "processor_s": 2.0}


def test_prints_json(monkeypatch: pytest.MonkeyPatch, capsys, random_weights: Path) -> None:
    monkeypatch.setattr("benchmarks.judge_speed.films", lambda scene, n: (f for f in films(scene, n, **SMALL)))
    main(["--json", "--clips", "1", "--rounds", "1", "--weights", str(random_weights)])
    assert json.loads(capsys.readouterr().out)["judge_over_decode"] > 0
    main(["--clips", "1", "--rounds", "1", "--weights", str(random_weights)])
    assert "times the baseline on the clock" in capsys.readouterr().out


def test_nothing_to_measure_is_refused(tmp_path: Path, clip: Path, random_weights: Path) -> None:
    with pytest.raises(ValueError, match="give at least one file and one round, got 0 and 1"):
        judge_speed([], "die_roll", rounds=1)
    (tmp_path / "empty.mp4").touch()
    with pytest.raises(
        ValueError, match="files must be clips that can be read, got .*empty.mp4: the file has no bytes"
    ):
        judge_speed([tmp_path / "empty.mp4"], "die_roll", rounds=1, weights=random_weights)
    with pytest.raises(SystemExit):
        main(["--clips", "0"])
