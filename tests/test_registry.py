"""Scenes are found by name, and a wrong name is met with the right one."""

import pytest

import scenes
from sim import SceneError

USER_SCENE = """
from dataclasses import replace
from scenes.die_roll import SCENE as DIE
SCENE = replace(DIE, name={name!r})
"""


@pytest.fixture
def user_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("QUINCUNX_SCENES", str(tmp_path))
    return tmp_path


def test_catalogue_is_registered_by_being_there():
    assert {"die_roll", "coin_toss", "galton_board", "roulette", "pencil_fall", "y_fork"} <= set(scenes.names())


def test_unknown_scene_names_the_nearest_and_all():
    with pytest.raises(SceneError, match=r"no scene is called 'dice_roll'; did you mean 'die_roll'\? All: .*coin_toss"):
        scenes.load("dice_roll")


def test_unknown_scene_without_a_near_name():
    with pytest.raises(SceneError, match=r"no scene is called 'zzz'\. All: coin_toss, die_roll"):
        scenes.load("zzz")


def test_token_of_a_variant():
    scene, variant = scenes.parse_token("pencil_fall@leaning_left")
    assert (scene.name, variant) == ("pencil_fall", "leaning_left")
    assert scenes.parse_token("die_roll") == (scenes.load("die_roll"), None)
    with pytest.raises(SceneError, match="has no variant ''"):
        scenes.parse_token("pencil_fall@")


def test_users_own_scene_is_found(user_folder):
    (user_folder / "my_die.py").write_text(USER_SCENE.format(name="my_die"))
    assert "my_die" in scenes.names() and scenes.load("my_die").name == "my_die"


def test_faulty_user_scenes_are_refused_by_name(user_folder):
    (user_folder / "other.py").write_text(USER_SCENE.format(name="misnamed"))
    with pytest.raises(SceneError, match="defines a scene named 'misnamed'; file and scene must have one name"):
        scenes.load("other")
    (user_folder / "empty.py").write_text("")
    with pytest.raises(SceneError, match=r"empty.py must define SCENE = Scene"):
        scenes.load("empty")
    (user_folder / "leaving.py").write_text("import sys; sys.exit()")
    with pytest.raises(SceneError, match=r"leaving.py cannot be loaded: SystemExit$"):
        scenes.load("leaving")
    (user_folder / "die_roll.py").write_text("")
    with pytest.raises(SceneError, match="has the name of a scene that exists already; rename it"):
        scenes.names()


def test_missing_user_folder_is_named(monkeypatch):
    monkeypatch.setenv("QUINCUNX_SCENES", "/no/such/folder")
    with pytest.raises(SceneError, match="QUINCUNX_SCENES names '/no/such/folder', which is not a folder"):
        scenes.names()
