import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calibrate.agreement import agree, read_judged
from calibrate.clip_row import ClipRow
from calibrate.score import score_verdicts
from sim import InputError

SAID = ("heads", "tails", "null:no_motion", "null:covered", "unreadable:damaged", "judge_error")


def row(said: str, file: str = "m/coin_toss/0.mp4", *, model: str = "m", scene: str = "coin_toss", **more) -> ClipRow:
    status, _, reason = said.partition(":")
    if reason or status == "judge_error":
        return ClipRow(model=model, scene=scene, file=file, status=status, reason=reason or None, **more)
    return ClipRow(model=model, scene=scene, file=file, status="scored", outcome=said, **more)


def rows(*said: str, name: str = "m/coin_toss/{}.mp4", **more) -> list[ClipRow]:
    return [row(s, name.format(k), **more) for k, s in enumerate(said)]


def test_counts_what_both_say_and_finds_where_they_part() -> None:
    a = rows("heads", "heads", "tails", "tails", "null:no_motion", "null:covered", "heads", "heads")
    b = rows("heads", "tails", "tails", "null:no_motion", "null:no_motion", "null:no_motion", "null:covered", "heads")
    found = agree(a, b)
    (scene,) = found.scenes
    assert scene.says == ("heads", "tails", "null")
    assert scene.table == ((2, 1, 1), (0, 1, 1), (0, 0, 2))
    assert (scene.n_both_null, scene.n_same_reason) == (2, 1)
    assert scene.against_a == {"right": 5, "false_null": 2, "missed_null": 0, "wrong_label": 1}
    # by hand: p_o = 5/8, p_e = (4 x 2 + 2 x 2 + 2 x 4) / 64
    assert scene.kappa.kappa == pytest.approx((5 / 8 - 20 / 64) / (1 - 20 / 64))
    assert [str(a.file) for a, _ in found.disagreements] == [f"m/coin_toss/{k}.mp4" for k in (1, 3, 6)]
    said = found.to_json()
    assert said["disagreements"][1] == {
        "model": "m", "scene": "coin_toss", "file": "m/coin_toss/3.mp4", "a": "tails", "b": "null: no_motion",
        "confidence_a": None, "confidence_b": None,
    }  # fmt: skip
    assert (said["n"], said["agreement"], said["against_a"]["right"]) == (8, 5 / 8, 5)


def test_what_has_no_verdict_or_no_partner_is_counted_apart() -> None:
    a = [
        *rows("heads", "unreadable:damaged", "judge_error", "tails"),
        ClipRow(model="m", scene="coin_toss", file=None, status="missing"),
    ]
    b = [*rows("heads", "heads", "tails"), row("tails", "m/coin_toss/new.mp4")]
    found = agree(a, b)
    assert found.n == 1 and found.disagreements == ()
    assert [r.file for r in found.only_a] == ["m/coin_toss/3.mp4"]
    assert [r.file for r in found.only_b] == ["m/coin_toss/new.mp4"]
    assert [x.status for x, _ in found.not_judged] == ["unreadable", "judge_error"]


@pytest.mark.parametrize("name", ["m/coin_toss/{}.mp4", "coin_toss/{}.mp4", "{}.mp4", "{}", "m/coin_toss-00{}.webm"])
def test_clips_are_known_by_path_name_or_number(name: str) -> None:
    found = agree(rows("heads", "tails", "heads"), rows("heads", "tails", "tails", name=name))
    assert (found.n, len(found.disagreements), found.only_a, found.only_b) == (3, 1, (), ())


def test_a_name_that_two_clips_have_names_neither() -> None:
    a = [row("heads", "x/1.mp4"), row("tails", "y/1.mp4")]
    found = agree(a, [row("heads", "1.mp4")])
    assert found.n == 0 and len(found.only_a) == 2 and len(found.only_b) == 1
    other_model = agree([row("heads")], [row("heads", model="n")])
    assert other_model.n == 0


def test_a_clip_that_was_replaced_is_no_pair() -> None:
    found = agree([row("heads", sha256="a")], [row("tails", sha256="b")])
    assert found.n == 0 and len(found.changed) == 1 and found.to_json()["kappa"] is None
    assert agree([row("heads", sha256="a")], [row("tails")]).n == 1


def test_scenes_are_apart_and_weighted_by_their_clips() -> None:
    a = rows("heads", "tails", "heads", "tails") + rows("face_1", "face_2", scene="die_roll", name="m/die_roll/{}.mp4")
    b = rows("heads", "tails", "heads", "heads") + rows("face_1", "face_2", scene="die_roll", name="m/die_roll/{}.mp4")
    said = agree(a, b).to_json()
    assert [scene["scene"] for scene in said["scenes"]] == ["coin_toss", "die_roll"]
    assert [scene["kappa"] for scene in said["scenes"]] == [pytest.approx(0.5), pytest.approx(1.0)]
    assert said["kappa"] == pytest.approx((4 * 0.5 + 2 * 1.0) / 6)
    assert said["kappa_interval"][0] < said["kappa"] <= said["kappa_interval"][1] <= 1


def test_a_scene_on_which_both_say_one_thing_has_no_kappa_and_json_has_no_nan() -> None:
    said = agree(rows("heads", "heads"), rows("heads", "heads")).to_json()
    json.dumps(said, allow_nan=False)
    assert (said["kappa"], said["scenes_without_kappa"]) == (None, 1)
    assert said["scenes"][0]["why_undefined"] == "both say one and the same thing of every clip"
    nothing = agree([], []).to_json()
    json.dumps(nothing, allow_nan=False)
    assert (nothing["n"], nothing["agreement"], nothing["agreement_interval"]) == (0, None, None)


@settings(max_examples=40)
@given(st.lists(st.tuples(st.sampled_from(SAID), st.sampled_from(SAID)), max_size=12), st.randoms())
def test_order_changes_nothing_and_swapping_turns_the_table(said: list[tuple[str, str]], random) -> None:
    a, b = rows(*(x for x, _ in said)), rows(*(y for _, y in said))
    found = agree(a, b)
    random.shuffle(a)
    assert agree(a, b).to_json() == found.to_json()
    swapped = agree(b, a)
    for one, other in zip(found.scenes, swapped.scenes, strict=True):
        assert (np.array(one.table).T == np.array(other.table)).all()
        assert one.against_a["false_null"] == other.against_a["missed_null"]
    assert found.n + len(found.not_judged) == len(said)


def test_reads_a_record_and_the_table_it_was_made_from(tmp_path: Path, made_references: dict) -> None:
    table = tmp_path / "people.CSV"
    table.write_text("model,scene,file,outcome,reason\nm,coin_toss,1.mp4,heads,\nm,coin_toss,2.mp4,,covered\n")
    score_verdicts(table, out=tmp_path / "r.json", references=made_references)
    (people, digest), (kept, kept_digest) = read_judged(table), read_judged(tmp_path / "r.json")
    assert digest == kept_digest and digest.startswith("csv:")
    found = agree(people, kept, same_judge=digest == kept_digest)
    assert found.same_judge and found.n == 2 and found.disagreements == ()
    (tmp_path / "x.json").write_text("{}")
    with pytest.raises(InputError, match="no record of format"):
        read_judged(tmp_path / "x.json")
