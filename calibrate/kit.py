"""What does a person hand to a video model, so that its clips can be scored afterwards?

A kit holds, for every scene token, the picture to start from, the prompts, the seeds and the expected file names, and
an empty run card on which the person writes how the clips were made. The same arguments give the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import scenes
from scenes.shipped import SOURCE_IMAGES
from sim import InputError
from sim.clip import whole_file

KIT_FORMAT = 1
"""Written into every row of prompts.jsonl."""

STUDY_CARD = """\
# How were the clips in this folder made? One card per model folder. Empty means "not recorded".
# Put it beside the clips: <study>/<model>/study.toml
[study]
model = ""            # name and size, as "SomeVideo 14B image-to-video"
revision = ""         # commit, checkpoint or date of the service
clips_per_scene = {clips_per_scene}   # clips that were asked for; what is not there is counted as missing
scenes = {scenes}   # scene tokens that were asked for; take out those that were not
seeds = ""            # "per sample" if each clip was made with the seed in its file name, "shared", or "none"
prompt_variant = ""   # "plain" if the prompts were used as they are, else what changed them
frames = ""           # frames per clip
fps = ""              # frames per second
size = ""             # width x height in pixels, and how the picture was fitted to it
steps = ""            # sampling steps
guidance = ""         # guidance scale
"""

README = """\
QUINCUNX KIT: {n_tokens} scenes, {clips_per_scene} clips of each, {n_clips} clips in all

What is here
  prompts.jsonl    one row per clip: picture, prompt, negative prompt, seed, and the file to save it as
  prompts/         the same prompts as text, one pair of files per scene
  images/          the picture that each clip starts from
  study.toml       an empty card on which you write how the clips were made

What to do
  1. Make a folder for the model, for example  study/my_model
  2. For each row of prompts.jsonl: start your image-to-video model from the picture, with the prompt and the seed,
     and save the clip under the name in "file", for example  study/my_model/{example}
  3. Fill in study.toml and put it into study/my_model.
  4. Score it:     quincunx score study --out record.json
     Look at it:   quincunx report record.json

What matters
  - Keep every clip, also the odd ones. A clip that was made again because it looked wrong spoils the proportions.
  - Leave out what the model refused or never returned: it is counted as missing, in the denominator.
    (To count refusals apart, write study/metadata.jsonl: one row per clip with "file", "model", "scene" and "status".)
  - A clip should last at least the "duration_s" of its row, or the event may not be over when it ends.
  - The camera stays still, the picture is not cropped, the playback speed is real time.
  - Other file names work too, as long as they lie in a folder named after the scene; several models go side by side.
"""


@dataclass(frozen=True, kw_only=True)
class Kit:
    """What was written."""

    folder: Path
    tokens: tuple[str, ...]
    """Scene tokens, in the order of the rows."""
    n_clips: int
    """Clips that a model is asked for."""


def all_tokens() -> tuple[str, ...]:
    """Tokens of all scenes, each followed by its variants."""
    tokens: list[str] = []
    for name in scenes.names():
        scene = scenes.load(name)
        tokens += [scene.token(None), *(scene.token(variant) for variant in scene.variants)]
    return tuple(tokens)


def source_image(token: str) -> bytes:
    """The picture that a clip of this token starts from, as PNG: the shipped one, else drawn now (a user's own scene).

    Raises:
        SceneError: The token means nothing.
        PrerequisiteError: It has to be drawn, and no OpenGL is there.
    """
    scene, variant = scenes.parse_token(token)
    shipped = SOURCE_IMAGES / f"{token}.png"
    if shipped.is_file():
        return shipped.read_bytes()
    from sim import footage

    return footage.png(footage.source_image(scene, variant=variant))


def clip_rows(tokens: Sequence[str], seeds: Sequence[int]) -> list[dict[str, Any]]:
    """One row per clip, in the order of tokens and seeds: what prompts.jsonl holds."""
    rows = []
    for token in tokens:
        scene, variant = scenes.parse_token(token)
        for seed in seeds:
            row = {
                "format": KIT_FORMAT,
                "file": f"{token}/{seed}.mp4",
                "token": token,
                "scene": scene.name,
                "version": scene.version,
                "variant": variant,
                "seed": seed,
                "image": f"images/{token}.png",
                "prompt": scene.prompt,
                "negative_prompt": scene.negative_prompt,
                "duration_s": scene.duration_s,
            }
            rows.append(row)
    return rows


def write_kit(
    out: Path,
    *,
    tokens: Sequence[str] | None = None,
    clips_per_scene: int = 25,
    first_seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Kit:
    """Write the kit into a folder, made if need be; a file that is there with other bytes is never overwritten.

    Args:
        out: The folder.
        tokens: Scene tokens; None for all scenes and variants.
        clips_per_scene: Clips asked for of each token.
        first_seed: Seed of the first clip of each token; the others follow it.
        progress: Called with the number of tokens done and of all.

    Raises:
        ValueError: `clips_per_scene` is not positive, a seed is negative, or `tokens` is empty or names one twice.
        SceneError: A token means nothing.
        InputError: A file of the kit is there already and differs.
    """
    chosen = all_tokens() if tokens is None else tuple(tokens)
    if clips_per_scene < 1:
        raise ValueError(f"clips_per_scene must be positive, got {clips_per_scene}")
    if first_seed < 0:
        raise ValueError(f"first_seed must not be negative, got {first_seed}")
    if not chosen or len(set(chosen)) != len(chosen):
        raise ValueError(f"tokens must be one or more different scene tokens, got {', '.join(chosen) or 'none'}")
    rows = clip_rows(chosen, range(first_seed, first_seed + clips_per_scene))
    files = {"prompts.jsonl": "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()}
    numbers = {"n_tokens": len(chosen), "clips_per_scene": clips_per_scene, "n_clips": len(rows)}
    files["README.txt"] = README.format(**numbers, example=rows[0]["file"]).encode()
    files["study.toml"] = STUDY_CARD.format(clips_per_scene=clips_per_scene, scenes=json.dumps(chosen)).encode()
    for done, token in enumerate(chosen, start=1):
        scene, _ = scenes.parse_token(token)
        files[f"prompts/{token}.txt"] = f"{scene.prompt}\n".encode()
        files[f"prompts/{token}.negative.txt"] = f"{scene.negative_prompt}\n".encode()
        files[f"images/{token}.png"] = source_image(token)
        if progress is not None:
            progress(done, len(chosen))
    _write(out, files)
    return Kit(folder=out, tokens=chosen, n_clips=len(rows))


def _write(out: Path, files: dict[str, bytes]) -> None:
    other = sorted(name for name, data in files.items() if (out / name).exists() and (out / name).read_bytes() != data)
    if other:
        raise InputError(f"{out} holds another {other[0]}, which is not overwritten; choose an empty or new folder")
    for name, data in files.items():
        with whole_file(out / name) as part:  # half a file would be refused by the next call
            part.write_bytes(data)
