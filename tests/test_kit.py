import json
import tomllib
from pathlib import Path

import pytest

import scenes
from calibrate import kit
from calibrate.run_card import read_run_card
from sim import InputError, SceneError

PICTURE = b"\x89PNG stands in for a source image"


@pytest.fixture
def pictures(monkeypatch):
    monkeypatch.setattr(kit, "source_image", lambda token: PICTURE + token.encode())


TOKENS = ("die_roll", "coin_toss")


def contents(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_a_kit_names_every_scene_and_variant(pictures, tmp_path):
    written = kit.write_kit(tmp_path / "kit")
    tokens = {scenes.load(n).token(v) for n in scenes.names() for v in (None, *scenes.load(n).variants)}
    assert set(written.tokens) == tokens
    assert written.n_clips == 25 * len(tokens)


def test_rows_tell_picture_prompt_seed_and_file(pictures, tmp_path):
    tokens = TOKENS
    kit.write_kit(tmp_path, tokens=tokens, clips_per_scene=3, first_seed=7)
    rows = [json.loads(line) for line in (tmp_path / "prompts.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [(r["token"], r["seed"]) for r in rows] == [(t, s) for t in tokens for s in (7, 8, 9)]
    for row in rows:
        scene, variant = scenes.parse_token(row["token"])
        assert row["file"] == f"{row['token']}/{row['seed']}.mp4"
        assert (tmp_path / row["image"]).read_bytes() == PICTURE + row["token"].encode()
        assert (row["scene"], row["version"], row["variant"]) == (scene.name, scene.version, variant)
        assert row["prompt"] == scene.prompt
        assert (tmp_path / "prompts" / f"{row['token']}.txt").read_text(encoding="utf-8") == scene.prompt + "\n"
        text = (tmp_path / "prompts" / f"{row['token']}.negative.txt").read_text(encoding="utf-8")
        assert text == row["negative_prompt"] + "\n" == scene.negative_prompt + "\n"


def test_the_run_card_is_toml_with_everything_empty_but_the_count(pictures, tmp_path):
    kit.write_kit(tmp_path, tokens=TOKENS, clips_per_scene=12)
    card = tomllib.loads((tmp_path / "study.toml").read_text(encoding="utf-8"))["study"]
    assert card.pop("clips_per_scene") == 12
    assert card.pop("scenes") == list(TOKENS)
    assert set(card) == {
        "model", "revision", "seeds", "prompt_variant", "frames", "fps", "size", "steps", "guidance",
    }  # fmt: skip
    assert set(card.values()) == {""}


def test_the_study_reader_understands_the_run_card(pictures, tmp_path):
    kit.write_kit(tmp_path, tokens=TOKENS, clips_per_scene=12)
    card = read_run_card(tmp_path / "study.toml")
    assert (card.model, card.clips_per_scene, card.scenes) == (None, 12, TOKENS)


def test_same_arguments_give_same_bytes(pictures, tmp_path):
    for name in ("a", "b"):
        kit.write_kit(tmp_path / name, tokens=TOKENS, clips_per_scene=2)
    assert contents(tmp_path / "a") == contents(tmp_path / "b")
    kit.write_kit(tmp_path / "a", tokens=TOKENS, clips_per_scene=2)  # a second time into the same folder
    assert contents(tmp_path / "a") == contents(tmp_path / "b")


def test_a_card_that_was_filled_in_is_not_overwritten(pictures, tmp_path):
    kit.write_kit(tmp_path, tokens=TOKENS)
    (tmp_path / "study.toml").write_text('[study]\nmodel = "mine"\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"holds another study\.toml, which is not overwritten; choose an empty"):
        kit.write_kit(tmp_path, tokens=TOKENS)
    assert (tmp_path / "study.toml").read_text(encoding="utf-8") == '[study]\nmodel = "mine"\n'


def test_a_kit_that_was_stopped_goes_on(pictures, tmp_path, monkeypatch):
    class Killed(BaseException):
        pass

    write, left = Path.write_bytes, [1, 1, 1]

    def write_some(path, data):
        if left:
            left.pop()
            return write(path, data)
        write(path, data[: len(data) // 2])
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_bytes", write_some)
        with pytest.raises(Killed):
            kit.write_kit(tmp_path / "a", tokens=TOKENS)
    kit.write_kit(tmp_path / "a", tokens=TOKENS)
    kit.write_kit(tmp_path / "b", tokens=TOKENS)
    assert contents(tmp_path / "a") == contents(tmp_path / "b")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"clips_per_scene": 0}, "clips_per_scene must be positive, got 0"),
        ({"first_seed": -1}, "first_seed must not be negative, got -1"),
        ({"tokens": ()}, "one or more different scene tokens, got none"),
        ({"tokens": ("die_roll", "die_roll")}, "one or more different scene tokens, got die_roll, die_roll"),
    ],
)
def test_wrong_arguments_are_refused(pictures, tmp_path, wrong, message):
    with pytest.raises(ValueError, match=message):
        kit.write_kit(tmp_path, **{"tokens": TOKENS, **wrong})
    assert contents(tmp_path) == {}


def test_an_unknown_scene_is_refused_before_anything_is_written(tmp_path):
    with pytest.raises(SceneError, match="no scene is called 'die_rol'; did you mean 'die_roll'"):
        kit.write_kit(tmp_path / "kit", tokens=("die_rol",))
    assert not (tmp_path / "kit").exists()


def test_the_readme_counts_clips_and_names_the_first_file(pictures, tmp_path):
    tokens = TOKENS
    kit.write_kit(tmp_path, tokens=tokens, clips_per_scene=4)
    text = (tmp_path / "README.txt").read_text(encoding="utf-8")
    assert "2 scenes, 4 clips of each, 8 clips in all" in text
    assert f"study/my_model/{tokens[0]}/0.mp4" in text


def test_progress_counts_the_tokens(pictures, tmp_path):
    seen = []
    kit.write_kit(tmp_path, tokens=TOKENS, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 2), (2, 2)]
