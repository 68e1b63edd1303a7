import json

import pytest

from cli.output import json_alone, print_json, say, table, visible


def test_control_characters_are_written_as_escapes() -> None:
    assert visible("a\x1b[2J\n\r\t\x07\x9b\u2028\u202e\udcff") == r"a\x1b[2J\n\r\t\x07\x9b\u2028\u202e\udcff"
    plain = "汉字 #1 <b> it's 👩\u200d💻 é \\"
    assert visible(plain) == plain


def test_a_name_stays_in_its_row_and_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert table(("model", "n"), [("a\nb\x1b[0m", "1")]) == "model        n\na\\nb\\x1b[0m  1"
    say("not scored: a\nb\udcff.mp4")
    assert capsys.readouterr().err == "not scored: a\\nb\\udcff.mp4\n"


def test_json_holds_half_a_character_as_json_does(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"file": "\udcff é"})
    out = capsys.readouterr().out
    assert out.encode("utf-8") and json.loads(out) == {"file": "\udcff é"}


def test_what_a_scene_prints_leaves_json_alone_on_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    with json_alone(True):
        print("loading my scene")
        print_json([1])
    with json_alone(False):
        print("after")
    said = capsys.readouterr()
    assert (said.out, said.err) == ("[\n  1\n]\nafter\n", "loading my scene\n")
