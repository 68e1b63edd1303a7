"""What does the process do that decodes files, one after the other, until nobody asks any more?

Questions and answers go over one connection: a message is JSON, the pixels follow as plain bytes. Nothing is pickled,
because a file that takes over the decoder must not thereby take over the process that asks.

    -> path, side_px, limits     <- duration_s     -> times_s     <- shape, times, ... and the pixels

Instead of any answer, `reason` and `detail` say why the file cannot be read, or `out_of_memory` that it takes too much.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import time
from dataclasses import asdict
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

from .decoding import Limits, OutOfMemory, Sampled, decode

_ORPHAN_S = 10.0
"""How much later than the one who asks the process ends itself, should nobody be there to end it."""


def serve(handle: int) -> None:
    """Answers the questions that come over the connection of that file handle; ends when it is closed."""
    import av
    import cv2  # noqa: F401 not later, when memory is limited

    # Ctrl-C reaches every process of a terminal; this one is ended by the one that asks.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    av.logging.set_level(None)
    connection = Connection(handle)
    _say(connection, ready=True)
    while True:
        try:
            asked = json.loads(connection.recv_bytes())
        except EOFError:
            return
        limits = Limits(**asked["limits"])
        _allow(limits.memory_bytes)
        _end_after(limits.processor_s, limits.clock_s + _ORPHAN_S)
        started_s = time.process_time()
        try:
            found = decode(
                Path(os.fsdecode(bytes.fromhex(asked["path"]))),
                lambda duration_s: _times(connection, duration_s),
                side_px=asked["side_px"],
                limits=limits,
            )
        except OutOfMemory:
            _say(connection, out_of_memory=True)
            return
        _end_after(0, 0)
        taken_s = time.process_time() - started_s
        if not isinstance(found, Sampled):
            _say(connection, **asdict(found), processor_s=taken_s)
            continue
        said: dict[str, Any] = {name: value for name, value in vars(found).items() if name not in ("frames", "time_s")}
        said |= {"shape": found.frames.shape, "time_s": found.time_s.tolist(), "processor_s": taken_s}
        _say(connection, **said)
        connection.send_bytes(np.ascontiguousarray(found.frames).data.cast("B"))


def _allow(memory_bytes: int) -> None:
    """Sets how much memory the next file may take."""
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    wanted = memory_bytes if hard == resource.RLIM_INFINITY else min(memory_bytes, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (wanted, hard))


def _end_after(processor_s: float, clock_s: float) -> None:
    """Lets the system end this process when it has taken that time; never if 0."""
    signal.setitimer(signal.ITIMER_PROF, processor_s)
    signal.setitimer(signal.ITIMER_REAL, clock_s)


def _times(connection: Connection, duration_s: float) -> list[float]:
    """Asks which times are wanted of a clip of that length."""
    _say(connection, duration_s=duration_s)
    return json.loads(connection.recv_bytes())["times_s"]


def _say(connection: Connection, **answer: Any) -> None:
    connection.send_bytes(json.dumps(answer).encode())
