from pathlib import Path

import pytest

from calibrate.run_card import read_run_card
from sim import InputError


def test_reads_what_the_accounting_needs_and_keeps_the_rest(tmp_path: Path) -> None:
    text = '[study]\nmodel = " my model "\nclips_per_scene = 25\nscenes = ["coin_toss"]\nmade = 2026-01-02\n'
    text += "[extra]\na = 1\n"
    (tmp_path / "study.toml").write_text(text)
    card = read_run_card(tmp_path / "study.toml")
    assert (card.model, card.clips_per_scene, card.scenes) == ("my model", 25, ("coin_toss",))
    assert card.to_json()["rest"] == {"made": "2026-01-02", "extra": {"a": 1}}


def test_numbers_that_json_cannot_hold_become_text(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text("[study]\nguidance = nan\na = [-inf, 1.5]\nb = 0x" + "f" * 9_000)
    rest = read_run_card(tmp_path / "study.toml").to_json()["rest"]
    assert rest == {"guidance": "nan", "a": ["-inf", 1.5], "b": "0x" + "f" * 9_000}


def test_an_absent_card_and_an_empty_model_name_are_none(tmp_path: Path) -> None:
    assert read_run_card(tmp_path / "study.toml") is None
    (tmp_path / "study.toml").write_text('[study]\nmodel = ""\n')
    assert read_run_card(tmp_path / "study.toml").model is None


def test_reads_the_card_of_a_kit(tmp_path: Path) -> None:
    from calibrate.kit import STUDY_CARD

    (tmp_path / "study.toml").write_text(STUDY_CARD.format(clips_per_scene=7, scenes='["coin_toss"]'))
    assert read_run_card(tmp_path / "study.toml").clips_per_scene == 7


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("model = ", "not valid TOML"),
        ("study = 3", r"must hold a table \[study\]"),
        ("[study]\nmodel = 3", "must give model as text"),
        ("[study]\nclips_per_scene = 0", "positive whole number, got 0"),
        ("[study]\nclips_per_scene = true", "positive whole number, got True"),
        ("[study]\nclips_per_scene = 1_000_001", "clips_per_scene as at most 1000000"),
        ("a = " + "[" * 10_000, "not valid TOML"),
        ("a = " + "1" * 5_000, "not valid TOML"),
        (".".join("a" * 2_000) + " = 1", "nests tables more than 20 deep"),
        ("[study]\nscenes = 'coin_toss'", "list of scene tokens"),
    ],
)
def test_says_what_is_wrong(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "study.toml").write_text(text)
    with pytest.raises(InputError, match=message):
        read_run_card(tmp_path / "study.toml")
