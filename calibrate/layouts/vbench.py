"""VBench: `<prompt>-<k>.mp4`, the prompt that the kit gives; in a folder per model, or of one model.

A prompt that was cut, as file names must be, is found by its beginning. A variant has the prompt of its scene and so
another picture alone: put its clips into a folder named for its scene token.

References:
    VBench, arXiv 2311.17982 and github.com/Vchitect/VBench.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import scenes
from calibrate.study_clip import Clip
from calibrate.study_files import Unmatched

from .sorting import Sorted, model_of

LEAST_WORDS = 5
"""A name with fewer words is no prompt."""
_LEAST_START = 40
_ALIKE = 0.9
_NUMBERED = re.compile(r"(?P<prompt>.+)-(?P<k>\d+)", re.DOTALL)
_NOT_MODELS = frozenset(("videos", "clips", "outputs", "data"))


def vbench(root: Path, files: Sequence[str], own: str) -> Sorted:
    """The files that are of this layout."""
    prompts = {_plain(scenes.load(name).prompt): name for name in scenes.names()}
    found = Sorted()
    for file in files:
        *parts, name = file.split("/")
        numbered = _NUMBERED.fullmatch(Path(name).stem)
        prompt = numbered["prompt"] if numbered is not None else ""
        if len(re.findall(r"\w+", prompt)) < LEAST_WORDS:
            continue
        scene = _scene(_plain(prompt), prompts)
        if scene is not None:
            model = model_of(parts, own, not_names=_NOT_MODELS)
            found.clips.append(Clip(model=model, scene=scene, file=file, status="found", prompt=prompt))
        elif guess := difflib.get_close_matches(_plain(prompt), list(prompts), n=1, cutoff=_ALIKE):
            scene = prompts[guess[0]]
            nearest = "/".join([*parts, f"{scenes.load(scene).prompt}{name[len(prompt) :]}"])
            why = f"its name is nearly, but not quite, the prompt of {scene}"
            found.unmatched.append(Unmatched(file=file, why=why, nearest=nearest))
    return found


def _scene(plain: str, prompts: Mapping[str, str]) -> str | None:
    if plain in prompts:
        return prompts[plain]
    begins = [name for prompt, name in prompts.items() if len(plain) >= _LEAST_START and prompt.startswith(plain)]
    return begins[0] if len(begins) == 1 else None


def _plain(prompt: str) -> str:
    """Letters and digits alone, in small letters: what survives in a file name."""
    return re.sub(r"[\W_]+", "", prompt).lower()
