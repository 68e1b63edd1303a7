import os
from pathlib import Path

import pytest

from calibrate.output_file import checked_output, write_whole
from sim import InputError


def test_refuses_to_overwrite_what_is_read_by_whatever_name(tmp_path: Path) -> None:
    source = tmp_path / "x.csv"
    source.write_text("mine")
    (tmp_path / "link.csv").symlink_to(source)
    (tmp_path / "hard.csv").hardlink_to(source)
    for out in (source, tmp_path / "link.csv", tmp_path / "hard.csv", f"{tmp_path}/./x.csv"):
        with pytest.raises(InputError, match="is what is read, and would be overwritten; choose another --out"):
            checked_output(out, inputs=[tmp_path / "none", source])
    assert source.read_text() == "mine"


def test_refuses_devices_and_pipes(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for out in ("/dev/null", tmp_path / "pipe"):
        with pytest.raises(InputError, match="is a device or a pipe, not a file; choose another --out"):
            checked_output(out)


@pytest.mark.parametrize("name", ["x" * 300, "loop/r.json"])
def test_says_in_one_line_that_a_name_cannot_be_written(tmp_path: Path, name: str) -> None:
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(InputError, match=r"cannot be written \(.*\); choose another --out"):
        checked_output(tmp_path / name)


def test_a_users_part_file_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "r.json.part").write_text("mine")
    out = checked_output(tmp_path / "r.json")
    write_whole(out, "汉")
    assert out.read_text(encoding="utf-8") == "汉" and (tmp_path / "r.json.part").read_text() == "mine"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["r.json", "r.json.part"]
