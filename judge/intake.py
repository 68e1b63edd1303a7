"""Which frames does an untrusted file show, by presentation time, or why can it not be read?

Files are decoded in processes of their own, one for each thread that reads, kept from file to file. A file on which a
decoder hangs, crashes or takes all memory costs that process and one clip, with its reason, and never the run.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from multiprocessing import Pipe
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from sim import PrerequisiteError

from .decoding import Limits as Limits
from .decoding import Sampled as Sampled
from .decoding import Unreadable as Unreadable

RULES = 3
"""Raised by every change that can change what is read from a file; part of every judge's digest."""
PROGRAM = "import json, sys; sys.path[:] = json.loads(sys.argv[2])\n"
PROGRAM += "from judge.decoding_process import serve; serve(int(sys.argv[1]))"
"""What a decoding process runs. It finds the packages where this process does, whatever the folder it starts in."""
_LONGEST_HEADER = 1 << 20
_START_S = 120.0

Times = Callable[[float], Sequence[float] | np.ndarray]


def read(path: Path, times: Times, *, side_px: int = 320, limits: Limits | None = None) -> Sampled | Unreadable:
    """The frames on show at the asked times, or the reason why there are none; never raises for a bad file.

    Args:
        path: The file; its name and suffix mean nothing.
        times: Duration (first to last frame, seconds) -> ascending times from the first frame at which to look.
        side_px: Longest side of the returned frames; smaller clips are not enlarged.
        limits: Largest clip accepted; the default limits if None.

    Raises:
        PrerequisiteError: No process can be started that decodes.
    """
    limits = Limits() if limits is None else limits
    # A process that has read other files may lack memory through them, and may be ended by anyone: what would be held
    # against the file is tried once more in a new one, so that no verdict depends on what was read before.
    for _ in range(2):
        decoder = _processes.taken()
        fault: Unreadable
        try:
            found = decoder.read(Path(path), times, side_px, limits)
        except _Late as late:
            decoder.end()
            return Unreadable(reason="over_limit", detail=str(late))
        except _Ended as ended:
            decoder.end()
            fault = ended.fault
            if not ended.again:
                break
        except BaseException:
            decoder.end()
            raise
        else:
            _processes.give_back(decoder)
            return found
    return fault


def processor_s() -> float:
    """Processor time that decoding has taken in all processes so far."""
    return _processes.processor_s


def close() -> None:
    """Ends the decoding processes that wait for a file; the next reading starts new ones."""
    _processes.close()


class _Late(Exception):  # noqa: N818 named for what happened
    """The process did not answer in time."""


class _Ended(Exception):  # noqa: N818 named for what happened
    """The process is no more; what is to be said of the file, and whether it is worth another trial."""

    def __init__(self, fault: Unreadable, *, again: bool = True) -> None:
        self.fault, self.again = fault, again


class _Decoder:
    """A decoding process, and this end of the connection to it."""

    def __init__(self) -> None:
        self._connection, there = Pipe()
        self._said = tempfile.TemporaryFile()
        # While OpenCV loads, maybe in another thread, its own folder is on the path, and with it a module `typing`.
        places = [place for place in sys.path if Path(place).name != "cv2"]
        command = [sys.executable, "-c", PROGRAM, str(there.fileno()), json.dumps(places)]
        try:
            self._process = subprocess.Popen(
                command,
                pass_fds=[there.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=self._said,
                stderr=subprocess.STDOUT,
            )
        except OSError as fault:
            self._said.close()
            self._connection.close()
            raise PrerequisiteError(f"no process can be started that decodes clips: {fault}") from fault
        finally:
            there.close()
        try:
            self._hear(time.monotonic() + _START_S)
        except (EOFError, OSError, _Late) as fault:
            why = self._last_line() or "it says nothing"
            self.end()
            raise PrerequisiteError(
                f"the process that decodes clips does not start ({why}); reinstall quincunx"
            ) from fault

    def read(self, path: Path, times: Times, side_px: int, limits: Limits) -> Sampled | Unreadable:
        """See judge.intake.read."""
        until_s = time.monotonic() + limits.clock_s
        try:
            said = self._asked(until_s, path=os.fsencode(path).hex(), side_px=side_px, limits=asdict(limits))
            if "duration_s" in said and "shape" not in said:
                wanted = [float(t) for t in times(float(said["duration_s"]))]
                said = self._asked(until_s, times_s=wanted)
            if "out_of_memory" in said:
                raise _Ended(_too_large(limits))
            _processes.count(said.pop("processor_s"))
            return Unreadable(**said) if "reason" in said else self._sampled(said, until_s)
        except _Late as late:
            raise _Late(f"decoding is not done after {limits.clock_s:g} s") from late
        except (EOFError, OSError):
            self._tell_end(limits)

    def _sampled(self, said: dict[str, Any], until_s: float) -> Sampled:
        shape = said.pop("shape")
        self._wait(until_s)
        pixels = self._connection.recv_bytes(int(np.prod(shape)))
        said |= {"time_s": np.array(said["time_s"]), "size_px": tuple(said["size_px"]), "notes": tuple(said["notes"])}
        return Sampled(frames=np.frombuffer(pixels, np.uint8).reshape(shape).copy(), **said)

    def _asked(self, until_s: float, **question: Any) -> dict[str, Any]:
        self._connection.send_bytes(json.dumps(question).encode())
        return self._hear(until_s)

    def _hear(self, until_s: float) -> dict[str, Any]:
        self._wait(until_s)
        return json.loads(self._connection.recv_bytes(_LONGEST_HEADER))

    def _wait(self, until_s: float) -> None:
        if not self._connection.poll(max(0.0, until_s - time.monotonic())):
            raise _Late

    def _tell_end(self, limits: Limits) -> NoReturn:
        """Says what is to be said of a file on which the process has ended."""
        try:
            code = self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:  # its answers make no sense, but it lives
            code = 0
        if -code == signal.SIGPROF:
            detail = f"decoding takes more than {limits.processor_s:g} s of the processor"
            raise _Ended(Unreadable(reason="over_limit", detail=detail), again=False)
        how = f"by {signal.Signals(-code).name}" if code < 0 else f"with code {code}"
        if "MemoryError" in (line := self._last_line()):
            raise _Ended(_too_large(limits))
        raise _Ended(Unreadable(reason="damaged", detail=f"the decoder was ended {how} {line}".rstrip()[:200]))

    def _last_line(self) -> str:
        self._said.seek(0)
        return (self._said.read()[-2000:].decode(errors="replace").strip().splitlines() or [""])[-1][:200]

    def end(self) -> None:
        """Ends the process."""
        self._connection.close()
        self._process.kill()
        self._process.wait()
        self._said.close()


def _too_large(limits: Limits) -> Unreadable:
    return Unreadable(reason="over_limit", detail=f"decoding takes more than {limits.memory_bytes >> 20} MiB of memory")


class _Processes:
    """The decoding processes that wait for a file; as many as threads have read at the same time."""

    def __init__(self) -> None:
        self._free: list[_Decoder] = []
        self._lock = threading.Lock()
        self.processor_s = 0.0

    def taken(self) -> _Decoder:
        """A process that waits; a new one if there is none."""
        with self._lock:
            if self._free:
                return self._free.pop()
        return _Decoder()

    def give_back(self, decoder: _Decoder) -> None:
        """It waits for the next file."""
        with self._lock:
            self._free.append(decoder)

    def count(self, seconds: float) -> None:
        """Adds to the processor time."""
        with self._lock:
            self.processor_s += seconds

    def close(self) -> None:
        """Ends those that wait."""
        with self._lock:
            waiting, self._free = self._free, []
        for decoder in waiting:
            decoder.end()


def _forget() -> None:
    """A fork has the connections of its parent, and must not talk over them."""
    global _processes
    _processes = _Processes()


_processes = _Processes()
atexit.register(close)
os.register_at_fork(after_in_child=_forget)
