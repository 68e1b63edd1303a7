import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import scenes
from calibrate.model_difference import Side, chosen, compare, same_judge
from calibrate.record import Record
from calibrate.score import score_study, score_verdicts
from calibrate.stats.clopper_pearson import Interval
from sim import InputError


@pytest.fixture
def record(tmp_path: Path, named_judge, made_references):
    """Scores a study: {(model, scene): [what each clip shows]}, seeds 0, 1, ...; a set stands behind `y_fork`."""

    def make(said: dict, *, name: str = "r", judge: str = "stub", references=made_references) -> Record:
        rows = []
        for (model, token), shown in said.items():
            for k, what in enumerate(shown):
                file = tmp_path / name / model / token / f"{k}.mp4"
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(f"{what}|{model}{token}{k}")
                rows.append({"file": f"{model}/{token}/{k}.mp4", "model": model, "scene": token, "seed": k})
        (tmp_path / name / "metadata.jsonl").write_text("\n".join(map(json.dumps, rows)))
        return score_study(tmp_path / name, named_judge(judge), out=tmp_path / f"{name}.json", references=references)

    return make


FACES = [f"face_{k % 6 + 1}" for k in range(24)]
BOTH = {
    ("good", "coin_toss"): ["heads", "tails"] * 12,
    ("good", "die_roll"): FACES,
    ("good", "y_fork"): ["left"] * 12,
    ("bad", "coin_toss"): ["tails"] * 24,
    ("bad", "die_roll"): ["face_2"] * 22 + ["null:not_settled"] * 2,
    ("bad", "roulette"): ["red"] * 3,
}


def test_the_model_that_is_nearer_is_found_and_missing_scenes_are_named(record) -> None:
    whole = record(BOTH)
    found = compare(Side(record=whole, model="good"), Side(record=whole, model="bad"))
    by = {each.scene: each for each in found.scenes}
    assert list(by) == ["coin_toss", "die_roll"] and (found.only_a, found.only_b) == (("y_fork",), ("roulette",))
    die = by["die_roll"]
    assert die.finding == "a_nearer" and die.interval[1] < 0 and die.n_pairs == 22
    cells = {(cell.model, cell.token): cell for cell in whole.cells}
    assert die.difference == pytest.approx(cells["good", "die_roll"].tv - cells["bad", "die_roll"].tv)
    assert die.scorability == (1.0, 22 / 24) and die.scorability_interval[0] < 2 / 24 < die.scorability_interval[1]
    gaps = [each.excess_difference for each in found.scenes]
    assert found.excess_difference == pytest.approx(sum(gaps) / 2) and found.n_clusters == 24
    coin = cells["good", "coin_toss"].excess - cells["bad", "coin_toss"].excess
    assert by["coin_toss"].excess_difference == pytest.approx(coin)
    assert found.excess_interval[1] < 0 and found.p < 0.01 and found.p_same < 0.001
    json.dumps(found.to_json(), allow_nan=False)


def test_exchanging_the_models_turns_every_sign(record) -> None:
    whole = record(BOTH)
    one = compare(Side(record=whole, model="good"), Side(record=whole, model="bad"))
    other = compare(Side(record=whole, model="bad"), Side(record=whole, model="good"))
    assert other.excess_difference == pytest.approx(-one.excess_difference)
    for x, y in zip(one.scenes, other.scenes, strict=True):
        assert x.interval == pytest.approx((-y.interval[1], -y.interval[0])) and x.p == pytest.approx(y.p)
        assert {x.finding, y.finding} in ({"a_nearer", "b_nearer"}, {"cannot_tell"})


def test_two_records_are_compared_and_seeds_make_pairs(record) -> None:
    a = record({("m", "coin_toss"): ["heads"] * 20}, name="a")
    b = record({("m", "coin_toss"): ["tails"] * 20}, name="b")
    found = compare(Side(record=a, model="m"), Side(record=b, model="m"))
    (coin,) = found.scenes
    # both collapsed, to opposite sides: equally far, and not the same
    assert coin.finding == "cannot_tell" and coin.p > 0.5 and coin.p_same == pytest.approx(1 / 10_001, abs=1e-3)
    assert coin.n_pairs == 20


def test_more_clips_of_one_and_the_same_model_are_no_worse(record) -> None:
    """Shares of 0.8 and 0.2, shown by 8 clips of one and 64 of the other: the excess of the latter is larger."""
    rng, gaps, plain = np.random.default_rng(4), [], []
    for k in range(12):
        few, many = (rng.choice(["heads", "tails"], size=n, p=[0.8, 0.2]).tolist() for n in (8, 64))
        made = record({("few", "coin_toss"): few, ("many", "coin_toss"): many}, name=f"n{k}")
        (coin,) = compare(Side(record=made, model="few"), Side(record=made, model="many")).scenes
        gaps.append(coin.excess_difference)
        plain.append(coin.excess[0] - coin.excess[1])
    error = np.std(gaps) / np.sqrt(len(gaps))
    assert abs(np.mean(gaps)) < 3 * error
    # of 8 clips the excess is 0.168 on average, of 64 it is 0.242 (200,000 draws each)
    assert np.mean(gaps) - np.mean(plain) == pytest.approx(0.074, abs=0.025)


def test_clips_of_one_group_count_as_one(record, tmp_path, named_judge, made_references) -> None:
    """24 clips in 6 groups that show the same: neither the test by scene nor the mean takes them for 24."""
    said = {("a", "coin_toss"): ["heads"] * 20 + ["tails"] * 4, ("b", "coin_toss"): ["heads", "tails"] * 12}
    alone = record(said, name="alone")
    lines = [json.loads(line) for line in (tmp_path / "alone" / "metadata.jsonl").read_text().splitlines()]
    for row in lines:
        row["group"] = f"{row['model']}{row['seed'] // 4}"
    (tmp_path / "alone" / "metadata.jsonl").write_text("\n".join(map(json.dumps, lines)))
    out = tmp_path / "grouped.json"
    grouped = score_study(tmp_path / "alone", named_judge("stub"), out=out, references=made_references)
    one, found = (compare(Side(record=r, model="a"), Side(record=r, model="b")) for r in (alone, grouped))
    assert (one.n_clusters, found.n_clusters) == (24, 12)
    width = [each.scenes[0].interval[1] - each.scenes[0].interval[0] for each in (one, found)]
    assert width[1] > 1.3 * width[0] and found.scenes[0].p > one.scenes[0].p and found.p_same > 2 * one.p_same
    assert found.excess_interval[1] - found.excess_interval[0] > one.excess_interval[1] - one.excess_interval[0]


def test_a_set_is_compared_as_one(record, made_set) -> None:
    whole = record(
        {("a", "coin_toss"): ["heads"] * 13 + ["tails"] * 7, ("b", "coin_toss"): ["heads"] * 20},
        references={"coin_toss": made_set},
    )
    (coin,) = compare(Side(record=whole, model="a"), Side(record=whole, model="b")).scenes
    assert coin.tv[0] == 0 and 0.2 < coin.tv[1] < 0.5 and coin.interval[0] < coin.difference < coin.interval[1]


def test_a_cell_without_a_scored_clip_is_not_tested_and_not_averaged(record) -> None:
    said = {("a", "coin_toss"): ["heads"], ("b", "coin_toss"): ["null:no_motion"]}
    whole = record(said)
    found = compare(Side(record=whole, model="a"), Side(record=whole, model="b"))
    assert found.scenes[0].finding == "not_tested" and found.mean_over == () and found.p is None
    json.dumps(found.to_json(), allow_nan=False)


def test_what_cannot_be_compared_is_refused_in_one_line(record, made_references, tmp_path) -> None:
    a = record({("m", "coin_toss"): ["heads"] * 4}, name="a")
    other_judge = record({("m", "coin_toss"): ["heads"] * 4}, name="b", judge="another")
    with pytest.raises(InputError, match="read by different judges .NamedJudge another and NamedJudge stub.; score"):
        compare(Side(record=a, model="m"), Side(record=other_judge, model="m"))
    changed = {"coin_toss": replace(made_references["coin_toss"], counts={"heads": 2500, "tails": 2500})}
    other = record({("m", "coin_toss"): ["heads"] * 4}, name="c", references=changed)
    with pytest.raises(InputError, match="different references of coin_toss; score the studies again with one"):
        compare(Side(record=a, model="m"), Side(record=other, model="m"))
    with pytest.raises(InputError, match="A and B are one and the same, 'm'"):
        compare(Side(record=a, model="m"), Side(record=a, model="m"))
    die = record({("m", "die_roll"): ["face_1"] * 4}, name="d")
    with pytest.raises(InputError, match="have no scene in common; score both on the same scenes"):
        compare(Side(record=a, model="m"), Side(record=die, model="m"))
    with pytest.raises(InputError, match="the record has no model 'x'; it has m"):
        compare(Side(record=a, model="x"), Side(record=die, model="m"))
    several = record({("m", "coin_toss"): ["heads"], ("n", "coin_toss"): ["heads"]}, name="e")
    with pytest.raises(InputError, match="e.json has the models m, n; name two with --models A B"):
        chosen(several, None, "e.json")


def test_tables_of_verdicts_may_differ_with_a_warning(tmp_path: Path, made_references) -> None:
    made = []
    for name, shown in (("a", "heads"), ("b", "tails")):
        (tmp_path / f"{name}.csv").write_text(f"model,scene,k,outcome\nm,coin_toss,1,{shown}\n")
        made.append(score_verdicts(tmp_path / f"{name}.csv", out=tmp_path / f"{name}.json", references=made_references))
    assert same_judge(made)[0].startswith("the verdicts are from different tables")
    assert same_judge(made[:1]) == []


def test_distances_have_the_record_s_own_interval_at_each_level(record) -> None:
    from calibrate.distance import tv_limits

    for token in ("coin_toss", "y_fork"):
        cell = next(c for c in record(BOTH).cells if (c.model, c.token) == ("good", token))
        reference = scenes.reference(token)
        again = tv_limits(list(cell.counts.values()), reference, seed=0)
        if token == "y_fork":
            assert again(0.95) == Interval(low=cell.tv_interval[0], high=cell.tv_interval[1])
        assert again(0.99).high >= again(0.95).high and again(0.99).low <= again(0.95).low
