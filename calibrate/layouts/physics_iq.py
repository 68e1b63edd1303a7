"""Physics-IQ run folders: `<ID>_<perspective>_<scenario>.mp4` in a folder per model, sorted by rate and take or not.

A scenario is a scene token with hyphens for underscores, as `0007_perspective-center_trimmed-coin-toss.mp4`.
Physics-IQ's own scenarios have one filmed answer and no distribution, so they are no scenes here.

References:
    Physics-IQ, arXiv 2501.09038 and github.com/google-deepmind/physics-IQ-benchmark.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from calibrate.study_clip import Clip, near, scene_tokens
from calibrate.study_files import Unmatched

from .sorting import Sorted, model_of

_NAME = re.compile(r"\d{4}_(?:[^_]+_)*?perspective-[a-z]+_(?:take-\d+_)?(?:trimmed-)?(?P<scenario>[^_]+(?:_[^_]+)*)")
_NO_MODEL = re.compile(r"\d+fps|anyfps|take-\d+|full-videos|split-videos|testing|runs?", re.IGNORECASE)


def physics_iq(root: Path, files: Sequence[str], own: str) -> Sorted:
    """The files that are of this layout."""
    tokens = {token.replace("_", "-"): token for token in scene_tokens()}
    found = Sorted()
    for file in files:
        *parts, name = file.split("/")
        match = _NAME.fullmatch(Path(name).stem)
        if match is None:
            continue
        scenario = match["scenario"].replace("_", "-")
        if scenario in tokens:
            model = model_of([part for part in parts if _NO_MODEL.fullmatch(part) is None], own)
            found.clips.append(Clip(model=model, scene=tokens[scenario], file=file, status="found"))
        else:
            why, guess = f"Physics-IQ's scenario {scenario} has no scene here", near(scenario, tokens)
            nearest = None if guess is None else "/".join([*parts, name.replace(match["scenario"], guess)])
            found.unmatched.append(Unmatched(file=file, why=why, nearest=nearest))
    return found
