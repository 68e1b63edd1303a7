"""Which fault ends a verb with which exit code, and in which words?"""

from __future__ import annotations

import errno
import functools
from collections.abc import Callable
from typing import NoReturn, ParamSpec, TypeVar

import typer

from sim import QuincunxError, SceneError
from sim.gl import import_fault

from .output import json_alone, say

P = ParamSpec("P")
R = TypeVar("R")

FAILED = 1
WRONG_USE = 2
NOTHING_SCORED = 3
INTERRUPTED = 130

EXTRAS = {"torch": "judge", "torchvision": "judge", "safetensors": "judge", "pybullet": "bullet"}
EXTRAS |= dict.fromkeys(("pandas", "pyarrow"), "tables")
"""Optional distribution -> the extra of this project that installs it."""


def stop(line: str, *, code: int) -> NoReturn:
    """Print one line on stderr and end with the exit code."""
    say(f"quincunx: {' '.join(line.split())}")
    raise typer.Exit(code)


def guarded(verb: Callable[P, R]) -> Callable[P, R]:
    """The verb, with a fault of its user's shown as one line and without a traceback.

    A fault of ours (any other exception) keeps its traceback: it is to be reported, not hidden.
    """

    @functools.wraps(verb)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            with json_alone(kwargs.get("json") is True):
                return verb(*args, **kwargs)
        except SceneError as fault:
            stop(str(fault), code=WRONG_USE)
        except QuincunxError as fault:
            stop(str(fault), code=FAILED)
        except ModuleNotFoundError as fault:
            extra = EXTRAS.get((fault.name or "").partition(".")[0])
            if extra is None:
                raise
            stop(f"this needs {fault.name}, which is not installed: pip install 'quincunx[{extra}]'", code=FAILED)
        except (ImportError, AttributeError, RuntimeError):  # what `import mujoco` raises under a wrong MUJOCO_GL
            why = import_fault()
            if why is None:
                raise
            stop(why, code=FAILED)
        except OSError as fault:
            if fault.errno == errno.EPIPE:  # the reader of our output has gone, as in `quincunx scenes | head -1`
                raise
            stop(f"{fault.strerror or fault}: {fault.filename}" if fault.filename else str(fault), code=FAILED)
        except KeyboardInterrupt:
            stop("stopped by Ctrl-C; nothing that was written is lost", code=INTERRUPTED)

    return run
