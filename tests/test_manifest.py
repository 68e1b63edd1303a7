import json
from pathlib import Path

import pytest

from calibrate.manifest import read_manifest
from sim import InputError


def written(folder: Path, *rows: object) -> Path:
    path = folder / "metadata.jsonl"
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows), encoding="utf-8")
    return path


def test_reads_every_row_with_its_line(tmp_path: Path) -> None:
    row = {"file": "./a/汉 #1.mp4", "model": "m", "scene": "coin_toss", "seed": 3, "prompt": "it's"}
    rows = read_manifest(written(tmp_path, row, "", {"model": "m", "scene": "coin_toss", "status": "refused"}))
    assert [(r.line, r.file, r.seed, r.status) for r in rows] == [
        (1, "a/汉 #1.mp4", 3, None),
        (3, None, None, "refused"),
    ]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("{torn", "line 1 is not JSON"),
        ("[" * 100_000, "line 1 is not JSON: maximum recursion"),
        ('{"seed": ' + "1" * 5_000 + "}", "line 1 is not JSON: Exceeds the limit"),
        ({"model": "m", "scene": "s", "file": "\ud800.mp4"}, "line 1 gives 'file' with a null character or half"),
        ({"model": "a\0", "scene": "s"}, "line 1 gives 'model' with a null character or half"),
        ("[1]", "line 1 must be an object"),
        ({"scene": "coin_toss"}, "must give 'model' as text"),
        ({"model": "m", "scene": ""}, "must give 'scene' as text"),
        ({"model": "m", "scene": "s", "file": 3}, "must give 'file' as text"),
        ({"model": "m", "scene": "s", "status": "lost"}, "status 'lost'; it must be one of done, refused"),
        ({"model": "m", "scene": "s", "seed": [1]}, "must give 'seed' as a whole number"),
    ],
)
def test_names_the_line_that_is_wrong(tmp_path: Path, row: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_manifest(written(tmp_path, row))


def test_refuses_to_count_a_file_twice(tmp_path: Path) -> None:
    row = {"file": "a.mp4", "model": "m", "scene": "coin_toss"}
    with pytest.raises(InputError, match=r"line 2 names 'a.mp4' again \(first in line 1\)"):
        read_manifest(written(tmp_path, row, {**row, "file": "b/../a.mp4"}))


def test_refuses_text_that_is_not_utf8(tmp_path: Path) -> None:
    (tmp_path / "metadata.jsonl").write_bytes(b"\xff\xfe{")
    with pytest.raises(InputError, match="is not UTF-8"):
        read_manifest(tmp_path / "metadata.jsonl")


def test_a_row_may_say_of_which_group_it_is(tmp_path) -> None:
    (tmp_path / "metadata.jsonl").write_text(
        '{"file": "a.mp4", "model": "m", "scene": "coin_toss", "group": "noise 1"}'
    )
    assert read_manifest(tmp_path / "metadata.jsonl")[0].group == "noise 1"
    (tmp_path / "metadata.jsonl").write_text('{"file": "a.mp4", "model": "m", "scene": "coin_toss", "group": 1.5}')
    with pytest.raises(InputError, match="must give 'group' as a whole number or text, got 1.5"):
        read_manifest(tmp_path / "metadata.jsonl")
