"""Which clips of which model and scene does a folder hold, and which were asked for but are not there?

A clip is found by one of these rules, each file by itself:

- a `metadata.jsonl` in the folder names every clip that was asked for: `file`, `model`, `scene` (a token), optional
  `seed`, `prompt`, `status` (`refused`, `failed`, `pending`, or nothing). Files that it does not name are listed, not
  scored, and the next rules do not apply;
- `<model>/<scene token>/<any name>.mp4`;
- `<model>/<scene token>-<k>.mp4`, k a number;
- if the folder is that of a single model, the same without `<model>/`. The model is then called as `study.toml` says,
  else like the folder.

Whatever else lies in a cell's folder is listed, not scored; hidden files are not looked at.

A `study.toml` (run card) in the folder or in a model's folder may say `[study] model = "..."`, `clips_per_scene = N`,
`scenes = ["...", ...]`; cells then request N clips, and those not found are missing.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import scenes
from sim import InputError, SceneError

from .manifest import MANIFEST, RequestedClip, read_manifest
from .run_card import RUN_CARD, RunCard, read_run_card
from .study_files import Found, Unmatched, as_text, find_files, is_inside, is_regular

_NUMBERED = re.compile(r"(?P<token>.+)-(?P<k>\d+)", re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class Clip:
    """One clip that was asked for."""

    model: str
    scene: str
    """Scene token."""
    file: str | None
    """Path relative to the study's folder, with `/`; None if there is no file."""
    status: str
    """`found`, `refused` or `missing`."""
    detail: str | None = None
    """Why there is no file: `failed`, `pending`, `no_file`, `outside_folder`; None if it was found or refused."""
    seed: int | str | None = None
    prompt: str | None = None
    asked_file: str | None = None
    """Name under which the manifest asked for it, also where there is no file."""


@dataclass(frozen=True, kw_only=True)
class Study:
    """A folder of clips, sorted into cells."""

    folder: Path
    clips: tuple[Clip, ...]
    """Sorted by model, scene token and file."""
    unmatched: tuple[Unmatched, ...] = ()
    cards: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Model -> what its run card says."""

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
        clips, unmatched = _from_manifest(root, found.videos, tokens)
    else:
        clips, unmatched = _from_names(found, tokens, own)
        clips = _renamed(clips, called)
        clips += _missing(clips, cards, tokens)
    return Study(
        folder=root,
        clips=tuple(sorted(clips, key=lambda c: (c.model, c.scene, c.file or "\U0010ffff", c.detail or ""))),
        unmatched=tuple(sorted([*unmatched, *found.refused], key=lambda u: u.file)),
        cards={model: card.to_json() for model, card in sorted(cards.items())},
    )


def scene_tokens() -> tuple[str, ...]:
    """Every scene token that a study may name."""
    tokens = []
    for name in scenes.names():
        scene = scenes.load(name)
        tokens += [name, *(f"{name}@{variant}" for variant in scene.variants)]
    return tuple(tokens)


def near(name: str, known: tuple[str, ...]) -> str | None:
    """The known name that looks most like `name`; None if none does."""
    found = difflib.get_close_matches(name.lower(), known, n=1, cutoff=0.5)
    return found[0] if found else None


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


def _from_names(found: Found, tokens: tuple[str, ...], own: str) -> tuple[list[Clip], list[Unmatched]]:
    clips, unmatched = [], []
    for file in found.videos:
        match = _match(file, tokens, own)
        if isinstance(match, Unmatched):
            unmatched.append(match)
        else:
            clips.append(Clip(model=match[0], scene=match[1], file=file, status="found"))
    for file in found.others:
        in_cell = any(part in tokens for part in file.split("/")[:-1][:2])
        if in_cell or not isinstance(_match(file, tokens, own), Unmatched):
            unmatched.append(Unmatched(file=as_text(file), why="its suffix is not that of a video"))
    return clips, unmatched


def _match(file: str, tokens: tuple[str, ...], own: str) -> tuple[str, str] | Unmatched:
    """(model, scene token) of a file, by its name."""
    *parts, name = file.split("/")
    numbered = _NUMBERED.fullmatch(Path(name).stem)
    token = numbered["token"] if numbered is not None else None
    if len(parts) == 2 and parts[1] in tokens:
        return parts[0], parts[1]
    if len(parts) == 1 and parts[0] in tokens:
        return own, parts[0]
    if len(parts) <= 1 and token in tokens:
        return (parts[0] if parts else own), str(token)
    return Unmatched(file=file, why="its name matches no scene", nearest=_nearest(parts, name, token, tokens))


def _nearest(parts: list[str], name: str, token: str | None, tokens: tuple[str, ...]) -> str:
    for i in range(len(parts) - 1, -1, -1):
        if guess := near(parts[i], tokens):
            model = parts[0] if i > 0 else None
            return f"{model}/{guess}/{name}" if model else f"{guess}/{name}"
    guess = near(token or Path(name).stem, tokens)
    model = parts[0] if parts else "<model>"
    return f"{model}/{guess or '<scene>'}/{name}"


def _from_manifest(root: Path, files: Sequence[str], tokens: tuple[str, ...]) -> tuple[list[Clip], list[Unmatched]]:
    clips, unmatched, named = [], [], set()
    for row in read_manifest(root / MANIFEST):
        if row.file is not None:
            named.add(row.file)
        if row.scene not in tokens:
            why = f"{MANIFEST} line {row.line}: no scene is called {row.scene!r}"
            unmatched.append(Unmatched(file=row.file or f"line {row.line}", why=why, nearest=near(row.scene, tokens)))
        else:
            clips.append(_clip(row, root))
    unmatched += [Unmatched(file=f, why=f"not named in {MANIFEST}") for f in files if f not in named]
    return clips, unmatched


def _clip(row: RequestedClip, root: Path) -> Clip:
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
        model=row.model,
        scene=row.scene,
        file=file,
        status=status,
        detail=detail,
        seed=row.seed,
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
