"""Which objects does a file of JSON lines hold?"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sim import InputError


def json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Line number, from 1, and object of every line that is not blank.

    Raises:
        InputError: The file cannot be read, or a line is no JSON object.
    """
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise InputError(f"{path} cannot be read (a pipe or a device); it must be a text file")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); it must be a text file") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 text (byte {error.start}); save it as UTF-8") from error
    for line, content in enumerate(text.split("\n"), start=1):
        if not content.strip():
            continue
        try:
            row = json.loads(content)
        except (ValueError, RecursionError) as error:
            why = getattr(error, "msg", error)
            raise InputError(f"{path} line {line} is not JSON: {why}; write one object per line") from error
        if not isinstance(row, dict):
            raise InputError(f"{path} line {line} must be an object {{...}}; write one object per line")
        yield line, row
