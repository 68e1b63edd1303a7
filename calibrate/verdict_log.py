"""Which clips has a judge looked at already, so that a run that was killed goes on where it stopped?

One line a verdict, appended as soon as it is there, keyed by the file's bytes, the scene token and the judge's digest:
a renamed clip is known again, a changed clip or another judge is not. A line that a kill has torn is skipped.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from judge.verdict import Verdict
from sim import InputError

FORMAT = 1


@dataclass(frozen=True)
class Key:
    """What a verdict belongs to."""

    sha256: str
    token: str
    judge: str


class VerdictLog:
    """An append-only file of verdicts."""

    def __init__(self, path: Path) -> None:
        """Open the log at `path`, which is made if need be.

        Raises:
            InputError: It cannot be written.
        """
        self.path = path
        self._lock = Lock()
        self.known: dict[Key, Verdict] = {}
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("ab+") as file:
                file.seek(0)
                content = file.read()
                if content and not content.endswith(b"\n"):
                    file.write(b"\n")
        except OSError as error:
            raise InputError(f"{path} cannot be written ({error.strerror}); choose another --out") from error
        for line in content.split(b"\n"):
            self._remember(line)

    def _remember(self, line: bytes) -> None:
        try:
            row = json.loads(line)
            if row["format"] == FORMAT:
                key = Key(row["sha256"], row["verdict"]["scene"], row["verdict"]["judge"])
                self.known[key] = Verdict(**row["verdict"])
        except (ValueError, KeyError, TypeError, RecursionError):
            return  # torn by a kill

    def append(self, sha256: str, verdict: Verdict) -> None:
        """Add a verdict; safe to call from several threads."""
        row = {"format": FORMAT, "sha256": sha256, "verdict": verdict.to_json()}
        line = json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n"
        with self._lock, self.path.open("ab") as file:
            file.write(line.encode("utf-8"))


def content_hash(path: Path) -> str:
    """SHA-256 of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
