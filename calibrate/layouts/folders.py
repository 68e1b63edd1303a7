"""Our own layout: `<model>/<scene token>/<any name>.mp4` and `<model>/<scene token>-<k>.mp4`.

If the folder is that of a single model, the same without `<model>/`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from calibrate.study_clip import Clip, near, scene_tokens
from calibrate.study_files import Unmatched

from .sorting import Sorted, tokens_of

_NUMBERED = re.compile(r"(?P<token>.+)-(?P<k>\d+)", re.DOTALL)


def folders(root: Path, files: Sequence[str], own: str) -> Sorted:
    """The files that are of this layout."""
    tokens = scene_tokens()
    matches = {file: match_name(file, tokens, own) for file in files}
    return Sorted(
        clips=[
            Clip(model=match[0], scene=match[1], file=file, status="found")
            for file, match in matches.items()
            if match is not None
        ]
    )


def match_name(file: str, tokens: Sequence[str], own: str) -> tuple[str, str] | None:
    """(Model, scene token) of a file by its name; None if it matches no scene."""
    *parts, name = file.split("/")
    if len(parts) == 2 and parts[1] in tokens:
        return parts[0], parts[1]
    if len(parts) == 1 and parts[0] in tokens:
        return own, parts[0]
    token = _token(name)
    if len(parts) <= 1 and token in tokens:
        return (parts[0] if parts else own), token
    return None


def in_cell(file: str, tokens: Sequence[str], own: str) -> bool:
    """Whether a file lies where clips are looked for, whatever its suffix."""
    return any(part in tokens for part in file.split("/")[:-1][:2]) or match_name(file, tokens, own) is not None


def no_scene(file: str, tokens: Sequence[str]) -> Unmatched:
    """What to say of a file whose name matches no scene."""
    return Unmatched(file=file, why="its name matches no scene", nearest=_nearest(file, tokens))


def _token(name: str) -> str:
    numbered = _NUMBERED.fullmatch(Path(name).stem)
    return numbered["token"] if numbered is not None else ""


def _nearest(file: str, tokens: Sequence[str]) -> str:
    *parts, name = file.split("/")
    known = {token: token for token in tokens} | tokens_of("calibench") | tokens_of("pawbench")
    for guesses in ([known.get(part) for part in parts], [near(part, tokens) for part in parts]):
        for i, guess in reversed(list(enumerate(guesses))):
            if guess is not None:
                return f"{parts[0]}/{guess}/{name}" if i > 0 else f"{guess}/{name}"
    guess = near(_token(name) or Path(name).stem, tokens)
    model = parts[0] if parts else "<model>"
    return f"{model}/{guess or '<scene>'}/{name}"
