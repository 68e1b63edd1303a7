"""CaliBench: clips in `<scene>/<model>/...` or `<model>/<scene>/...`, a seed in each name; outcomes in `*_bins.json`.

A bins file is named for its scene and model (`dice_wan_bins.json`, or `wan_bins.json` in a folder `dice`) and holds the
outcomes from 1, null for none, as a list in the order of the seeds from 0 or as an object seed -> outcome; either may
stand alone or under `bins` or `outcomes`. A word may stand for a number where the scene's outcomes are words. Seeds 0
to 31 were asked for: a number that is lacking before the highest one is a missing clip.

References:
    CaliBench, arXiv 2608.16829 and github.com/odysseyml/CaliBench.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import scenes
from calibrate.clip_row import ClipRow
from calibrate.published.calibench import WEIGHTS
from calibrate.record_check import strict_json
from calibrate.study_clip import Clip
from calibrate.study_files import Unmatched
from sim import InputError

from .sorting import Sorted, holes, model_of, tokens_of

BINS = "_bins.json"
"""End of the name of a file of outcomes."""
N_SEEDS = 32
"""Seeds 0 to 31 were asked for in each cell."""
_NOT_MODELS = frozenset(("rollouts", "videos", "clips", "analysis", "outcomes", "results", "outputs", "data"))
_SEED = re.compile(r"\d+(?=\D*$)")
_MOST_CLIPS = 100_000


def calibench(root: Path, files: Sequence[str], own: str) -> Sorted:
    """The files that are of this layout."""
    by_cell: dict[tuple[str, str], list[str]] = {}
    unmatched: list[Unmatched] = []
    for file in files:
        parts = file.split("/")[:-1]
        named = [k for k, part in enumerate(parts) if part in WEIGHTS]
        if len(named) > 1:
            both = " and ".join(parts[k] for k in named)
            unmatched.append(Unmatched(file=file, why=f"it lies in folders of two scenes of CaliBench, {both}"))
        elif named:
            model = model_of(parts[: named[0]] + parts[named[0] + 1 :], own, not_names=_NOT_MODELS)
            by_cell.setdefault((model, parts[named[0]]), []).append(file)
    wanted, refused = _tokens(by_cell)
    clips: list[Clip] = []
    for cell, found in by_cell.items():
        if cell in refused:
            unmatched += [Unmatched(file=file, why=refused[cell]) for file in found]
        else:
            clips += _clips(cell[0], wanted[cell], found)
    return Sorted(clips=clips, unmatched=unmatched)


def _tokens(cells: Sequence[tuple[str, str]] | Mapping[tuple[str, str], Any]) -> tuple[dict[Any, str], dict[Any, str]]:
    """(Model, published scene) -> scene token, and for those that have none the reason."""
    tokens = tokens_of("calibench")
    taken: dict[tuple[str, str], str] = {}
    wanted, refused = {}, {}
    for model, scene in sorted(cells, key=lambda cell: (cell[0], [*tokens, *WEIGHTS].index(cell[1]))):
        if scene not in tokens:
            refused[model, scene] = f"CaliBench's {scene} has no scene here; `quincunx replicate calibench` scores it"
        elif (model, tokens[scene]) in taken:
            first = taken[model, tokens[scene]]
            cure = f"put {scene} into a folder of its own"
            refused[model, scene] = f"{first} and {scene} are both {tokens[scene]} here, and {first} is scored; {cure}"
        else:
            taken[model, tokens[scene]] = scene
            wanted[model, scene] = tokens[scene]
    return wanted, refused


def _clips(model: str, token: str, files: Sequence[str]) -> list[Clip]:
    seeds = {file: _seed(file) for file in files}
    clips = [Clip(model=model, scene=token, file=f, status="found", seed=seed) for f, seed in seeds.items()]
    lost = holes([seed for seed in seeds.values() if seed is not None], N_SEEDS)
    gone: dict[str, Any] = {"model": model, "scene": token, "file": None, "status": "missing", "detail": "no_file"}
    return clips + [Clip(**gone, seed=seed, asked_file=f"seed {seed}") for seed in lost]


def _seed(file: str) -> int | None:
    """The last number in the name."""
    found = _SEED.search(Path(file).stem)
    return int(found[0]) if found is not None and len(found[0]) < 19 else None


def read_bins(root: Path, files: Sequence[str], digest: str) -> tuple[list[ClipRow], list[Unmatched]]:
    """The rows of the bins files (paths in `root`), and the files that are of no scene here.

    Raises:
        InputError: A file cannot be read, names no scene of CaliBench, or holds something else.
    """
    of: dict[tuple[str, str], str] = {}
    for file in files:
        model, scene = _cell_of(root, file)
        if (model, scene) in of:
            raise InputError(f"{root / file} and {root / of[model, scene]} are both of {model} and {scene}; remove one")
        of[model, scene] = file
    wanted, refused = _tokens(of)
    rows = []
    for (model, published), token in wanted.items():
        for seed, outcome in _outcomes(root / of[model, published], published, token).items():
            place = {"model": model, "scene": token, "file": f"{published}/{seed}"}
            status = "null" if outcome is None else "scored"
            rows.append(ClipRow(**place, status=status, outcome=outcome, judge=digest, seed=seed))
    return rows, [Unmatched(file=of[cell], why=why) for cell, why in refused.items()]


def _cell_of(root: Path, file: str) -> tuple[str, str]:
    """(Model, published scene) of a bins file, by its name and folders."""
    *parts, name = file.split("/")
    stem = name.removesuffix(BINS)
    for scene in sorted(WEIGHTS, key=len, reverse=True):
        for part in (stem, *parts):
            left = _without(part, scene)
            if left is not None:
                others = [other for other in (*parts, stem) if other != part] + [left]
                model = model_of([other for other in others if other], "", not_names=_NOT_MODELS)
                return model or root.resolve().name, scene
    known = ", ".join(WEIGHTS)
    raise InputError(f"{root / file} names no scene of CaliBench; call it <scene>_<model>{BINS}, scene one of {known}")


def _without(part: str, scene: str) -> str | None:
    """What is left of `part` without the scene at its beginning or end; None if it does not name the scene."""
    if part == scene:
        return ""
    if part.startswith(f"{scene}_"):
        return part[len(scene) + 1 :]
    return part[: -len(scene) - 1] if part.endswith(f"_{scene}") else None


def _outcomes(path: Path, published: str, token: str) -> dict[int | str, str | None]:
    """Seed -> outcome."""
    try:
        data = strict_json(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); give CaliBench's outcomes as JSON") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is no JSON ({error}); give CaliBench's outcomes as JSON") from error
    if isinstance(data, dict):
        data = next((data[key] for key in ("bins", "outcomes") if key in data), data)
    found = dict(enumerate(data)) if isinstance(data, list) else data
    if not isinstance(found, dict) or not 0 < len(found) <= _MOST_CLIPS:
        raise InputError(f"{path} must hold a list of outcomes, or an object seed -> outcome, with at least one")
    outcomes: dict[int | str, str | None] = {}
    for seed, value in found.items():
        number = int(seed) if isinstance(seed, int) or re.fullmatch(r"\d{1,18}", seed) else seed
        outcomes[number] = _outcome(value, token, f"{path}: {published} seed {seed}")
    return outcomes


def _outcome(value: Any, token: str, where: str) -> str | None:
    labels = scenes.parse_token(token)[0].outcomes
    if value is None or (isinstance(value, str) and value.lower() in ("", "null", "none")):
        return None
    if isinstance(value, str) and value.lower() in labels:
        return value.lower()
    number = int(value) if isinstance(value, str) and re.fullmatch(r"\d{1,3}", value) else value
    if type(number) is not int or not 1 <= number <= len(labels):
        raise InputError(f"{where} has the outcome {str(value)[:40]!r}; it must be from 1 to {len(labels)}, or null")
    return labels[number - 1]
