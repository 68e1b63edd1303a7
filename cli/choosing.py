"""Which judge do `judge` and `score` use: the network that is shipped, or a model behind an endpoint?"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import scenes as catalogue
from sim import InputError, PrerequisiteError

from .faults import WRONG_USE, stop

if TYPE_CHECKING:
    from judge.judge import Judge


class Kind(StrEnum):
    """Judges that the command offers."""

    NETWORK = "network"
    RUBRIC = "rubric"


JudgeKind = Annotated[Kind, typer.Option("--judge", help="network: offline; rubric: a model behind --endpoint.")]
EndpointUrl = Annotated[
    str | None, typer.Option("--endpoint", help="Base URL of an OpenAI-compatible endpoint; clips are sent there.")
]
Model = Annotated[str | None, typer.Option("--model", help="The endpoint's model.")]
KeyEnv = Annotated[str | None, typer.Option("--key-env", help="Environment variable that holds the key.")]
Votes = Annotated[int | None, typer.Option("--votes", min=1, help="Questions a clip.", show_default="3")]
PerMinute = Annotated[float | None, typer.Option("--per-minute", min=0.01, help="Most questions a minute.")]
Cache = Annotated[Path | None, typer.Option("--cache", help="Folder of answers.", show_default="runs/rubric")]


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What the command line says of a rubric judge."""

    endpoint: str | None
    model: str | None
    key_env: str | None
    votes: int | None
    per_minute: float | None
    cache: Path | None


def chosen_judge(kind: Kind, asked: Asked, weights: Path | None, versions: Mapping[str, int]) -> Judge:
    """The judge that the command line asks for."""
    given = [name for name, value in vars(asked).items() if value is not None]
    if kind is Kind.NETWORK:
        if given:
            stop(f"--{given[0].replace('_', '-')} is for --judge rubric", code=WRONG_USE)
        from judge import load_judge

        return load_judge(weights, versions=versions)
    if weights is not None:
        stop("--weights is for --judge network", code=WRONG_USE)
    if asked.endpoint is None or asked.model is None:
        stop("--judge rubric needs --endpoint URL and --model NAME; frames are sent there", code=WRONG_USE)
    from judge.rubric import Asking, RubricJudge
    from judge.rubric_client import Client, Endpoint

    cache = Path("runs/rubric") if asked.cache is None else asked.cache
    endpoint = Endpoint(
        url=asked.endpoint, model=asked.model, key=_key(asked.key_env), per_minute=asked.per_minute, cache=cache
    )
    known = {name: catalogue.load(name) for name in catalogue.names()}
    asking = Asking(votes=3 if asked.votes is None else asked.votes)
    return RubricJudge(Client(endpoint), known, _picture, asking=asking)


def _picture(token: str) -> Path | None:
    try:
        return catalogue.source_image(token)
    except InputError:
        return None


def _key(variable: str | None) -> str | None:
    if variable is None:
        return None
    found = os.environ.get(variable, "").strip()
    if not found:
        raise PrerequisiteError(f"the environment variable {variable} holds no key; set it, or leave out --key-env")
    return found
