"""PAWBench's published rules, replicated."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from calibrate.published.pawbench import PawScene, replicate, scene_metric
from calibrate.published.pawbench_mended import mended_scene
from sim import InputError

PUBLISHED = Path(__file__).resolve().parents[2] / "shared" / "data" / "pawbench_published.json"


def scene(q: dict[str, float] | None, labels: tuple[str, ...] = ("a", "b")) -> PawScene:
    track = "coverage" if q is None else "calibration"
    return PawScene(scene_id="s", track=track, group="g", labels=labels, reference=q)


def rows(*, null: int = 0, broken: int = 0, name: str = "s", **counts: int) -> list[dict]:
    seen = [("outcome", label) for label, n in counts.items() for _ in range(n)]
    seen += [("null_observation", None)] * null + [("infrastructure_failure", None)] * broken
    return [
        {"scene_id": name, "model_or_lane": "m", "repeat_index": i, "observation": kind, "outcome_label": label}
        for i, (kind, label) in enumerate(seen)
    ]


@pytest.mark.parametrize(
    ("q", "counts", "status", "metric"),
    [
        ({"a": 0.5, "b": 0.5}, {"a": 20, "null": 30}, "pass", 50.0),
        ({"a": 0.5, "b": 0.5}, {"a": 20, "b": 20, "null": 10}, "pass", 0.0),
        ({"a": 0.5, "b": 0.5}, {"a": 19, "null": 31}, "fail", None),
        (None, {"a": 20, "null": 30}, "pass", 50.0),
        ({"a": 0.5, "b": 0.5}, {"a": 25, "b": 20, "null": 4, "broken": 1}, "blocked", None),
    ],
)
def test_the_behaviour_list(q, counts: dict[str, int], status: str, metric: float | None) -> None:
    found = scene_metric(scene(q), rows(**counts))
    assert (found.status, found.metric, found.nulls) == (status, metric, counts.get("null", 0))


def test_a_clip_with_two_rows_or_an_unknown_label_is_refused() -> None:
    with pytest.raises(InputError, match="repeat 0 is there twice"):
        scene_metric(scene(None), rows(a=1) + rows(a=1))
    with pytest.raises(InputError, match="'c' is no label of the scene; they are a, b"):
        scene_metric(scene(None), rows(c=1))


@pytest.mark.skipif(not PUBLISHED.is_file(), reason=f"{PUBLISHED} is not there")
def test_the_twelve_tvds_of_the_training_table_follow_from_their_counts() -> None:
    table, n = json.loads(PUBLISHED.read_text())["training_mass"], 0
    for row in table["rows"]:
        for name, q in table["reference"].items():
            told = row[name]
            found = scene_metric(
                scene(q, ("left", "right")), rows(left=told["left"], right=told["right"], null=told["invalid"])
            )
            assert found.metric == pytest.approx(told["tvd_x100"], abs=0.051)
            n += 1
    assert n == 12


def write(folder: Path, per_scene: dict[str, list[dict]], groups: dict[str, str] | None = None) -> tuple[Path, Path]:
    listed = [
        {"scene_id": s, "split": "calibration", "outcome_labels": ["a", "b"]}
        | {"reference_distribution": {"a": 0.5, "b": 0.5}}
        | ({"group": groups[s]} if groups else {})
        for s in per_scene
    ]
    files = folder / "rows.jsonl", folder / "scenes.jsonl"
    for file, lines in zip(files, ([r for some in per_scene.values() for r in some], listed), strict=True):
        file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return files


def test_24_of_25_passing_scenes_are_96_percent_and_the_average_is_over_scenes_not_groups(tmp_path: Path) -> None:
    names = [f"s{i}" for i in range(25)]
    given = {n: rows(a=25, b=25, name=n) for n in names[:22]}
    given |= {n: rows(a=50, name=n) for n in names[22:24]} | {names[24]: rows(a=10, null=40, name=names[24])}
    groups = {n: "odd" if n in names[22:] else "even" for n in names}
    model = replicate(*write(tmp_path, given, groups))["tracks"]["calibration"]["models"]["m"]
    assert (model["scene_pass_rate"], model["complete"]) == (96.0, True)
    assert model["groups"] == {"even": 0.0, "odd": 50.0}
    assert model["track_average"] == pytest.approx(2 * 50 / 24)


def test_one_infrastructure_failure_blocks_the_track(tmp_path: Path) -> None:
    given = {"s1": rows(a=50, name="s1"), "s2": rows(a=49, broken=1, name="s2")}
    model = replicate(*write(tmp_path, given))["tracks"]["calibration"]["models"]["m"]
    assert (model["status"], model["blockers"]) == ("blocked", ["s2"])
    assert (model["track_average"], model["scene_pass_rate"]) == (None, None)
    assert model["groups"] == {"calibration": None}


def mended(folder: Path, given: dict[str, list[dict]]) -> dict:
    return replicate(*write(folder, given))["tracks"]["calibration"]["models"]["m"]["mended"]


def test_the_floor_of_a_perfect_sampler_is_told_and_no_failure_blocks(tmp_path: Path) -> None:
    given = {
        "s1": rows(a=25, b=25, name="s1"),
        "s2": rows(a=49, broken=1, name="s2"),
        "s3": rows(a=9, null=41, name="s3"),
    }
    found = mended(tmp_path, given)
    assert found["n_scenes"] == 3
    # E|X - 25| / 50 of X ~ Binomial(50, 1/2) by De Moivre: C(50, 25) 25 / 2^50 / 25 / 2 = 0.0561
    assert found["scenes"]["s1"]["floor"] == pytest.approx(100 * math.comb(50, 25) / 2**51, rel=1e-9)
    assert found["scenes"]["s1"]["floor"] == pytest.approx(5.6, abs=0.05)
    assert [found["scenes"][s]["finding"] for s in ("s1", "s2", "s3")] == ["within_chance", "differs", "differs"]
    assert found["scenes"]["s3"]["p"] == pytest.approx(2**-8) and found["n_differ"] == 2
    assert found["scenes"]["s3"]["bounds"] == [0.0, 50.0]
    assert found["scenes"]["s2"]["bounds"] == pytest.approx([48.0, 50.0])
    assert found["tvd"] == pytest.approx(100 / 3)
    low, high = found["excess_interval"]
    assert low < found["excess"] < high


def test_the_mean_excess_of_perfect_samplers_is_zero_and_its_interval_covers_it(tmp_path: Path) -> None:
    rng, covered, means = np.random.default_rng(4), 0, []
    for k in range(40):
        shown = rng.binomial(50, 0.5, size=8)
        given = {f"s{i}": rows(a=int(x), b=50 - int(x), name=f"s{i}") for i, x in enumerate(shown)}
        (tmp_path / str(k)).mkdir()
        found = mended(tmp_path / str(k), given)
        means.append(found["excess"])
        covered += found["excess_interval"][0] <= 0 <= found["excess_interval"][1]
    assert covered >= 38
    assert abs(np.mean(means)) < 3 * np.std(means) / 40**0.5


def test_a_scene_without_a_readable_clip_and_a_coverage_scene_have_bounds_alone(tmp_path: Path) -> None:
    found = mended(tmp_path, {"s": rows(null=50)})
    assert (found["n_scenes"], found["tvd"], found["excess_interval"], found["n_differ"]) == (0, None, None, 0)
    assert found["scenes"]["s"]["finding"] == "not_tested" and found["scenes"]["s"]["bounds"] == [0.0, 50.0]
    told = mended_scene(scene(None), scene_metric(scene(None), rows(a=20, null=30)))
    assert told == {"n": 20, "bounds": [50.0, 100.0]}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"split": "other"}, "a split, calibration or coverage"),
        ({"outcome_labels": ["a", "a"]}, "different texts as outcome_labels"),
        ({"reference_distribution": {"a": 0.5, "b": 0.499}}, "numbers that sum to 1"),
        ({"reference_distribution": {"a": 0.5, "c": 0.5}}, "numbers that sum to 1"),
        ({"reference_distribution": {"a": float("nan"), "b": 1}}, "numbers that sum to 1"),
    ],
)
def test_says_what_is_wrong_with_a_scene(tmp_path: Path, change: dict, message: str) -> None:
    table, scenes = write(tmp_path, {"s": rows(a=1)})
    scenes.write_text(json.dumps(json.loads(scenes.read_text()) | change))
    with pytest.raises(InputError, match=message):
        replicate(table, scenes)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 1 is not JSON"),
        ("[]", "line 1 must be an object"),
        ('{"scene_id": "t"}', "no scene is called 't'"),
        ('{"scene_id": "s"}', "must give model_or_lane"),
        (
            '{"scene_id": "s", "model_or_lane": "m", "repeat_index": 0, "observation": "x"}',
            "observation must be one of",
        ),
    ],
)
def test_says_what_is_wrong_with_a_row(tmp_path: Path, line: str, message: str) -> None:
    table, scenes = write(tmp_path, {"s": []})
    table.write_text(line)
    with pytest.raises(InputError, match=message):
        replicate(table, scenes)
