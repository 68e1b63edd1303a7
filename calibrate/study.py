"""Which clips of which model and scene does a folder hold, and which were asked for but are not there?

A clip is found by one of these rules:

- a `metadata.jsonl` in the folder names every clip that was asked for, see calibrate.manifest. Files that it does not
  name are listed, not scored, and the next rules do not apply;
- `<model>/<scene token>/<any name>.mp4`;
- `<model>/<scene token>-<k>.mp4`, k a number;
- if the folder is that of a single model, the same without `<model>/`. The model is then called as `study.toml` says,
  else like the folder;
- else by one of the layouts of published benchmarks, see calibrate.layouts.

Whatever else lies in a cell's folder is listed, not scored; hidden files are not looked at.

A `study.toml` (run card) in the folder or in a model's folder may say `[study] model = "..."`, `clips_per_scene = N`,
`scenes = ["...", ...]`; cells then request N clips, and those not found are missing.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sim import InputError, SceneError

from .layouts.folders import in_cell, match_name
from .layouts.sorting import tokens_of
from .layouts.which import sort_in
from .manifest import MANIFEST, RequestedClip, read_manifest
from .run_card import RUN_CARD, RunCard, read_run_card
from .study_clip import Clip, near, scene_tokens
from .study_files import Found, Unmatched, as_text, find_files, is_inside, is_regular


@dataclass(frozen=True, kw_only=True)
class Study:
    """A folder of clips, sorted into cells."""

    folder: Path
    clips: tuple[Clip, ...]
    """Sorted by model, scene token and file."""
    unmatched: tuple[Unmatched, ...] = ()
    cards: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Model -> what its run card says."""
    layout: str = "folders"
    """`folders` (ours), `manifest`, or the published layout that its names follow, as `PAWBench`."""

    @property
    def files(self) -> tuple[Path, ...]:
        """Everything that the study is read from."""
        named = [clip.file for clip in self.clips if clip.file is not None] + [u.file for u in self.unmatched]
        folders = {name.partition("/")[0] for name in named if "/" in name}
        named += [MANIFEST, RUN_CARD, *(f"{folder}/{RUN_CARD}" for folder in sorted(folders))]
        return tuple(self.folder / name for name in named)

    @property
    def cells(self) -> dict[tuple[str, str], list[Clip]]:
        """(model, scene token) -> its clips."""
        sorted_in: dict[tuple[str, str], list[Clip]] = {}
        for clip in self.clips:
            sorted_in.setdefault((clip.model, clip.scene), []).append(clip)
        return sorted_in


def read_study(folder: Path | str) -> Study:
    """Every clip of the folder, sorted into cells; nothing is decoded.

    Raises:
        InputError: The folder is not there, or its manifest or run card is not valid.
    """
    root = Path(folder)
    if not root.is_dir():
        raise InputError(f"{root} is not a folder; give the folder that holds <model>/<scene>/<clip>.mp4")
    tokens = scene_tokens()
    found = find_files(root)
    cards, called, own = _run_cards(root)
    if os.path.lexists(root / MANIFEST):
        layout = "manifest"
        clips, unmatched = _from_manifest(root, found.videos, tokens, own)
    else:
        layout, files = sort_in(root, found.videos, own)
        unmatched = files.unmatched + _strays(found, tokens, own)
        clips = _renamed(files.clips, called)
        clips += _missing(clips, cards, tokens)
    return Study(
        folder=root,
        clips=tuple(sorted(clips, key=lambda c: (c.model, c.scene, c.file or "\U0010ffff", c.detail or ""))),
        unmatched=tuple(sorted([*unmatched, *found.refused], key=lambda u: u.file)),
        layout=layout,
        cards={model: card.to_json() for model, card in sorted(cards.items())},
    )


def _run_cards(root: Path) -> tuple[dict[str, RunCard], dict[str, str], str]:
    """Model -> its run card, folder -> the name on its card, and the model's name if the folder is of one model."""
    card = read_run_card(root / RUN_CARD)
    own = card.model if card is not None and card.model else as_text(root.resolve().name)
    cards = {own: card} if card is not None else {}
    called: dict[str, str] = {}
    for folder in sorted(as_text(p.name) for p in root.iterdir() if p.is_dir() and not p.name.startswith(".")):
        card = read_run_card(root / folder / RUN_CARD)
        if card is None:
            continue
        model = card.model or folder
        if model in called.values():
            first = next(f for f, m in called.items() if m == model)
            raise InputError(_twice(first, folder, model))
        called[folder] = model
        cards[model] = card
    return cards, called, own


def _twice(first: str, second: str, model: str) -> str:
    cure = f"put their clips into one folder, or give each its own model in {RUN_CARD}"
    return f"the folders {first!r} and {second!r} are both of the model {model!r}; {cure}"


def _renamed(clips: list[Clip], called: Mapping[str, str]) -> list[Clip]:
    """The clips, of the models that the run cards name."""
    of: dict[str, str] = {}
    for folder in dict.fromkeys(clip.model for clip in clips):
        model = called.get(folder, folder)
        if model in of:
            raise InputError(_twice(of[model], folder, model))
        of[model] = folder
    return [replace(clip, model=called.get(clip.model, clip.model)) for clip in clips]


def _strays(found: Found, tokens: tuple[str, ...], own: str) -> list[Unmatched]:
    """Files that lie where clips are looked for and are none."""
    why = "its suffix is not that of a video"
    return [Unmatched(file=as_text(file), why=why) for file in found.others if in_cell(file, tokens, own)]


def _from_manifest(
    root: Path, files: Sequence[str], tokens: tuple[str, ...], own: str
) -> tuple[list[Clip], list[Unmatched]]:
    clips, unmatched, named = [], [], set()
    published = tokens_of("calibench") | tokens_of("pawbench")
    for row in read_manifest(root / MANIFEST):
        if row.file is not None:
            named.add(row.file)
        model, scene = match_name(row.file or "", tokens, own) or (own, None)
        model, scene = row.model or model, row.scene or scene
        if scene not in tokens:
            scene = published.get(scene or "", scene)
        if scene is None:
            why = f"{MANIFEST} line {row.line} gives no scene, and the name of its file matches none"
            unmatched.append(Unmatched(file=str(row.file), why=why))
        elif scene not in tokens:
            why = f"{MANIFEST} line {row.line}: no scene is called {scene!r}"
            unmatched.append(Unmatched(file=row.file or f"line {row.line}", why=why, nearest=near(scene, tokens)))
        else:
            clips.append(_clip(row, model, scene, root))
    unmatched += [Unmatched(file=f, why=f"not named in {MANIFEST}") for f in files if f not in named]
    return clips, unmatched


def _clip(row: RequestedClip, model: str, scene: str, root: Path) -> Clip:
    status, detail, file = "found", None, row.file
    if row.status == "refused":
        status, file = "refused", None
    elif row.status in ("failed", "pending"):
        status, detail, file = "missing", row.status, None
    elif file is None:
        status, detail = "missing", "no_file"
    elif file.startswith(("/", "../")) or (is_regular(root / file) and not is_inside(root / file, root)):
        status, detail, file = "missing", "outside_folder", None
    elif not is_regular(root / file):
        status, detail, file = "missing", "no_file", None
    return Clip(
        model=model,
        scene=scene,
        file=file,
        status=status,
        detail=detail,
        seed=row.seed,
        group=row.group,
        prompt=row.prompt,
        asked_file=row.file,
    )


def _missing(clips: list[Clip], cards: Mapping[str, RunCard], tokens: tuple[str, ...]) -> list[Clip]:
    """One missing clip for each that a run card asks for and that is not there."""
    missing: list[Clip] = []
    for model, card in cards.items():
        if card.clips_per_scene is None:
            continue
        present = [clip.scene for clip in clips if clip.model == model]
        for token in dict.fromkeys([*(card.scenes or ()), *present]):
            if token not in tokens:
                hint = near(token, tokens) or ", ".join(tokens)
                raise SceneError(f"{RUN_CARD} of {model} names {token!r}, which is no scene; did you mean {hint}?")
            lacking = card.clips_per_scene - present.count(token)
            missing += [Clip(model=model, scene=token, file=None, status="missing", detail="no_file")] * max(0, lacking)
    return missing
