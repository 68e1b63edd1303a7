"""A file on which the decoder hangs, crashes or takes all memory costs one clip, and never the run."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from judge import NetworkJudge, intake, load_judge
from judge.intake import Limits, Sampled, read
from sim import PrerequisiteError
from tests.made_videos import encode, moving_bar, refusal, sampled, three

STAGED = """
import json, os, signal, sys, time; sys.path[:] = json.loads(sys.argv[2])
from pathlib import Path
from judge import decoding
from judge.decoding_process import serve
plain = decoding._read
def staged(path, *more):
    name = path.name
    if name == "waits.mp4": time.sleep(600)
    while name == "turns.mp4": pass
    if name == "killed.mp4": os.kill(os.getpid(), signal.SIGKILL)
    if name == "aborts.mp4": os.abort()
    if name == "grows.mp4": return [bytearray(1 << 26) for _ in range(100)]
    if name == "once.mp4" and not path.with_suffix(".seen").exists():
        path.with_suffix(".seen").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return plain(path, *more)
decoding._read = staged
serve(int(sys.argv[1]))
"""
"""A decoding process that comes to grief on files of certain names."""


@pytest.fixture
def staged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of readable files, read by STAGED."""
    data = encode(moving_bar(16, (48, 64)))
    for name in ("a", "b", "waits", "turns", "killed", "aborts", "grows", "once"):
        (tmp_path / f"{name}.mp4").write_bytes(data)
    intake.close()
    monkeypatch.setattr(intake, "PROGRAM", STAGED)
    yield tmp_path
    intake.close()


@pytest.mark.parametrize(
    ("name", "reason", "detail"),
    [
        ("waits", "over_limit", "decoding is not done after 4 s"),
        ("turns", "over_limit", "decoding takes more than 1 s of the processor"),
        ("killed", "damaged", "the decoder was ended by SIGKILL"),
        ("aborts", "damaged", "the decoder was ended by SIGABRT"),
        ("grows", "over_limit", "decoding takes more than 512 MiB of memory"),
    ],
)
def test_a_file_that_the_decoder_does_not_survive_costs_one_clip(
    staged: Path, name: str, reason: str, detail: str
) -> None:
    allowed = {"waits": Limits(clock_s=4), "turns": Limits(processor_s=1), "grows": Limits(memory_bytes=1 << 29)}
    assert sampled(staged / "a.mp4").n_frames == 16
    fault = refusal(staged / f"{name}.mp4", allowed.get(name))
    assert (fault.reason, fault.detail) == (reason, detail)
    assert sampled(staged / "b.mp4").n_frames == 16


def test_a_process_that_is_ended_by_accident_costs_nothing(staged: Path) -> None:
    assert sampled(staged / "once.mp4").n_frames == 16
    assert (staged / "once.seen").exists()


def test_the_judge_goes_on_after_a_crash(staged: Path, random_weights: Path) -> None:
    judge: NetworkJudge = load_judge(random_weights)
    first, crashed, last = judge.verdicts([staged / f"{n}.mp4" for n in ("a", "killed", "a")], "die_roll")
    assert (crashed.status, crashed.reason) == ("unreadable", "damaged")
    assert first == last and first.status != "unreadable"


def test_the_limit_of_memory_holds_for_a_real_file(tmp_path: Path) -> None:
    (tmp_path / "large.mp4").write_bytes(encode(moving_bar(16, (1080, 1920)), codec="mpeg4"))
    intake.close()
    decoder = intake._Decoder()
    status = Path(f"/proc/{decoder._process.pid}/status").read_text()
    decoder.end()
    already = 1024 * int(re.search(r"VmData:\s+(\d+) kB", status)[1])
    assert refusal(tmp_path / "large.mp4", Limits(memory_bytes=already + (24 << 20))).reason == "over_limit"
    assert isinstance(read(tmp_path / "large.mp4", three), Sampled)


def test_a_thread_keeps_its_process_and_threads_do_not_share_one(tmp_path: Path) -> None:
    (tmp_path / "x.mp4").write_bytes(encode(moving_bar(16, (48, 64))))
    intake.close()
    before_s = intake.processor_s()
    for _ in range(3):
        sampled(tmp_path / "x.mp4")
    assert len(intake._processes._free) == 1
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(sampled, [tmp_path / "x.mp4"] * 12))
    assert 1 <= len(intake._processes._free) <= 4
    assert len({one.frames.tobytes() for one in found}) == 1
    assert intake.processor_s() > before_s
    intake.close()
    assert not intake._processes._free


def test_a_fault_of_the_caller_is_not_the_files(tmp_path: Path) -> None:
    (tmp_path / "x.mp4").write_bytes(encode(moving_bar(16, (48, 64))))
    with pytest.raises(ZeroDivisionError):
        read(tmp_path / "x.mp4", lambda duration_s: [1 / 0])
    assert sampled(tmp_path / "x.mp4").n_frames == 16


def test_no_process_is_told_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    intake.close()
    monkeypatch.setattr(intake, "PROGRAM", "import no_such_decoder")
    with pytest.raises(PrerequisiteError, match="does not start .*No module named 'no_such_decoder'"):
        read(tmp_path / "x.mp4", three)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "none"))
    with pytest.raises(PrerequisiteError, match="no process can be started"):
        read(tmp_path / "x.mp4", three)


_ABANDONED = """
import os, sys
from pathlib import Path
from judge import intake
intake.read(Path(sys.argv[1]), lambda duration_s: [0.0])
print(intake._processes._free[0]._process.pid, flush=True)
os.kill(os.getpid(), 9)
"""


def test_the_process_ends_with_the_one_that_asks(tmp_path: Path) -> None:
    (tmp_path / "x.mp4").write_bytes(encode(moving_bar(16, (48, 64))))
    command = [sys.executable, "-c", f"import sys; sys.path[:] = {json.dumps(sys.path)}\n" + _ABANDONED]
    done = subprocess.run([*command, str(tmp_path / "x.mp4")], capture_output=True, text=True, check=False)
    stat = Path(f"/proc/{int(done.stdout)}/stat")
    until_s = time.monotonic() + 30
    while stat.exists() and ") Z " not in stat.read_text() and time.monotonic() < until_s:
        time.sleep(0.1)
    assert not stat.exists() or ") Z " in stat.read_text()


def test_a_decoder_starts_while_another_thread_loads_opencv() -> None:
    """Its loader puts a folder with a module `typing` of its own onto the path for a moment; decoders died of it."""
    code = """import sys, tempfile
from importlib.util import find_spec
from pathlib import Path
from judge.intake import read
sys.path.insert(1, str(Path(find_spec('cv2').origin).parent))
print(read(Path(tempfile.mkdtemp()) / 'no.mp4', lambda duration_s: [duration_s]))"""
    done = subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[1], capture_output=True, text=True)
    assert done.returncode == 0 and "Unreadable" in done.stdout, done.stderr
