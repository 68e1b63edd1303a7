"""What does the run card `study.toml` say about how a model's clips were made?"""

from __future__ import annotations

import math
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sim import InputError

RUN_CARD = "study.toml"
"""Name of the run card, in a study's folder or in a model's folder."""
RECORDED = ("revision", "seeds", "prompt_variant", "frames", "fps", "size", "steps", "guidance")
"""What a run card should say of how a model's clips were made."""
NOT_RECORDED = "not recorded"
"""How an empty field is shown."""
MOST_CLIPS = 10**6
"""More clips of a scene than this are not asked for in earnest."""
_DEEPEST = 20


@dataclass(frozen=True, kw_only=True)
class RunCard:
    """The fields of a run card that the accounting uses, and the rest as it stands."""

    model: str | None = None
    """Name of the model; None or empty if it is to be taken from the folder."""
    clips_per_scene: int | None = None
    """How many clips were asked for in each cell; None if unknown."""
    scenes: tuple[str, ...] | None = None
    """Scene tokens that were asked for; None if those with a clip."""
    rest: dict[str, Any] = field(default_factory=dict)
    """Everything else on the card, kept for the record."""

    def to_json(self) -> dict[str, Any]:
        """A dictionary that JSON can hold."""
        return {
            "model": self.model,
            "clips_per_scene": self.clips_per_scene,
            "scenes": None if self.scenes is None else list(self.scenes),
            "rest": self.rest,
        }


def read_run_card(path: Path) -> RunCard | None:
    """The run card; None if there is no such file.

    Raises:
        InputError: It is not TOML, or a field has the wrong type.
    """
    if not path.is_file():
        return None
    try:
        with path.open("rb") as file:
            tables = tomllib.load(file)
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror})") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is not valid TOML: {error}") from error
    study = tables.get("study", {})
    if not isinstance(study, dict):
        raise InputError(f"{path} must hold a table [study]")
    model, n, tokens = study.get("model"), study.get("clips_per_scene"), study.get("scenes")
    if model is not None and not isinstance(model, str):
        raise InputError(f"{path} must give model as text, got {model!r}")
    if n is not None and (isinstance(n, bool) or not isinstance(n, int) or n < 1):
        raise InputError(f"{path} must give clips_per_scene as a positive whole number, got {n!r}")
    if n is not None and n > MOST_CLIPS:
        raise InputError(f"{path} must give clips_per_scene as at most {MOST_CLIPS}")
    if tokens is not None and not (isinstance(tokens, list) and all(isinstance(t, str) for t in tokens)):
        raise InputError(f"{path} must give scenes as a list of scene tokens, got {tokens!r}")
    rest = {k: _plain(v, path) for k, v in study.items() if k not in ("model", "clips_per_scene", "scenes")}
    rest |= {k: _plain(v, path) for k, v in tables.items() if k != "study"}
    return RunCard(
        model=(model or "").strip() or None,
        clips_per_scene=n,
        scenes=None if tokens is None else tuple(tokens),
        rest=rest,
    )


def _plain(value: Any, path: Path, depth: int = 0) -> Any:
    """The value with dates, and numbers that JSON cannot hold, as text."""
    if depth > _DEEPEST:
        raise InputError(f"{path} nests tables more than {_DEEPEST} deep; make it flatter")
    if isinstance(value, dict):
        return {k: _plain(v, path, depth + 1) for k, v in value.items()}
    if isinstance(value, list):
        return [_plain(v, path, depth + 1) for v in value]
    if isinstance(value, int) and abs(value) >= 2**63:
        return hex(value)
    is_plain = isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value))
    return value if is_plain else str(value)
