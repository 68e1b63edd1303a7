"""How does any vision-language model become a judge, by a rubric made from the Scene?

Nothing is sent anywhere but to the endpoint that the caller names.
"""

from __future__ import annotations

import base64
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from sim import NULL_REASONS, InputError, Scene
from sim.errors import one_line

from .intake import Limits, Unreadable, read
from .judge import Judge
from .rubric_client import CallFailed, Client
from .rubric_reply import FIELDS, Vote, majority, parse
from .verdict import Verdict

_RULES = 1
"""Raised by every change of this file that can change a verdict."""
_SIDE_PX = 768
_JPEG_QUALITY = 85
_FRAMES_PER_S = 2.0


@dataclass(frozen=True, kw_only=True)
class Asking:
    """How often and how a clip is asked about."""

    votes: int = 3
    temperature: float | None = None
    """None leaves it to the endpoint."""
    max_tokens: int = 2048

    def __post_init__(self) -> None:
        """Refuse what cannot be asked."""
        if self.votes < 1 or self.max_tokens < 1:
            raise ValueError(f"votes and max_tokens must be at least 1, got {self.votes}, {self.max_tokens}")


def rubric(scene: Scene) -> str:
    """What the model is told: the outcomes, the null rules and the form of its reply; never the reference."""
    return "\n".join(
        (
            "You see the source picture that a video was made from, then frames of the video in order, each with its",
            "time. Say which outcome the video shows at its end. Read the frames alone; do not guess.",
            f"scene_id: {scene.name}",
            f"What was asked for: {scene.prompt}",
            f"Outcomes (use one exactly as written): {', '.join(scene.outcomes)}",
            "There is no outcome if any of these holds:",
            *(f"- {rule}" for rule in scene.null_rules),
            "Reply with one JSON object and nothing else, with exactly these fields:",
            f"{', '.join(FIELDS)}.",
            "outcome_readable: true or false. outcome_in_schema: IN_SCHEMA, NOT_READABLE or OUT_OF_SCHEMA.",
            "outcome_label: one outcome, or null unless IN_SCHEMA. observed_result: what you saw, in a sentence.",
            f"failure_axes: [] or, without an outcome, a list that begins with one of {', '.join(NULL_REASONS)}.",
        )
    )


def frame_times(duration_s: float) -> np.ndarray:
    """(T,) times at which a clip is shown to the model: two a second, and the last frame."""
    return np.append(np.arange(0.0, max(duration_s - 0.05, 0.01), 1 / _FRAMES_PER_S), duration_s)


class RubricJudge(Judge):
    """A vision-language model behind an OpenAI-compatible endpoint, asked by rubric."""

    def __init__(
        self,
        client: Client,
        scenes: Mapping[str, Scene],
        picture: Callable[[str], Path | None],
        *,
        asking: Asking | None = None,
        limits: Limits | None = None,
    ) -> None:
        """Nothing is sent before the first clip.

        Args:
            client: Asks the endpoint; its address and model are part of the digest.
            scenes: Scene name -> scene, of every scene that may be asked about.
            picture: Scene token -> its source picture, or None.
            asking: Votes and settings of the questions.
            limits: Largest clip accepted.
        """
        self._client, self._scenes, self._picture = client, dict(scenes), picture
        self._asking, self._limits = asking or Asking(), limits
        told = [f"{name} {scene.version} {rubric(scene)}" for name, scene in sorted(self._scenes.items())]
        facts = (
            _RULES,
            client.endpoint.url.rstrip("/"),
            client.endpoint.model,
            repr(self._asking),
            repr(limits),
            _SIDE_PX,
            _JPEG_QUALITY,
            told,
        )
        self._digest = blake2b(json.dumps(facts).encode(), digest_size=16).hexdigest()

    @property
    def digest(self) -> str:
        """See Judge. A hosted model may change behind its name; no hash can show that."""
        return self._digest

    def covers(self, scene: str) -> bool:
        """True for every scene it was given: a rubric can be made, but no card has measured it."""
        return scene in self._scenes

    def verdicts(self, files: Sequence[Path], token: str) -> Iterator[Verdict]:
        """See Judge.

        Raises:
            InputError: The scene is none of those given.
        """
        scene = self._scenes.get(token.partition("@")[0])
        if scene is None:
            raise InputError(f"the rubric judge knows no scene {token!r}, only {', '.join(sorted(self._scenes))}")
        for file in files:
            try:
                yield self._verdict(Path(file), scene, token)
            except Exception as fault:  # noqa: BLE001 a failure of the judge is a verdict of its own, never an outcome
                line = str(fault) if isinstance(fault, CallFailed) else one_line(fault)
                yield Verdict(scene=token, status="judge_error", detail=line[:200], judge=self._digest)

    def _verdict(self, file: Path, scene: Scene, token: str) -> Verdict:
        clip = read(file, frame_times, side_px=_SIDE_PX, limits=self._limits)
        if isinstance(clip, Unreadable):
            return Verdict(scene=token, status="unreadable", reason=clip.reason, detail=clip.detail, judge=self._digest)
        body = self._body(scene, token, clip.frames, clip.time_s)
        votes: list[Vote] = []
        usages: list[Mapping[str, Any]] = []
        for k in range(self._asking.votes):
            answer = self._client.ask(body, lambda text: parse(text, scene.name, scene.outcomes), vote=k)
            votes.append(parse(answer["content"], scene.name, scene.outcomes))
            usages.append(answer["usage"])
        said = majority(votes)
        return Verdict(
            scene=token,
            status="null" if said.outcome is None else "scored",
            outcome=said.outcome,
            reason=said.reason,
            detail=f"{_counted(votes)}; {_cost(usages)}",
            judge=self._digest,
        )

    def _body(self, scene: Scene, token: str, frames: np.ndarray, time_s: np.ndarray) -> dict[str, Any]:
        parts: list[dict[str, Any]] = [{"type": "text", "text": rubric(scene)}]
        picture = self._picture(token)
        if picture is not None:
            parts += [{"type": "text", "text": "Source picture"}, _image(_source(picture))]
        for k, (pixels, at_s) in enumerate(zip(frames, time_s, strict=True)):
            tag = "initial" if k == 0 else "terminal" if k == len(frames) - 1 else "action"
            parts += [{"type": "text", "text": f"{tag} frame at {at_s:.2f} s"}, _image(pixels)]
        body: dict[str, Any] = {
            "model": self._client.endpoint.model,
            "messages": [{"role": "user", "content": parts}],
            "max_tokens": self._asking.max_tokens,
            "response_format": {"type": "json_object"},
        }
        if self._asking.temperature is not None:
            body["temperature"] = self._asking.temperature
        return body


def _source(path: Path) -> np.ndarray:
    """(H, W, 3) the source picture, reduced like the frames."""
    import cv2

    found = cv2.imdecode(np.frombuffer(path.read_bytes(), np.uint8), cv2.IMREAD_COLOR)
    if found is None:
        raise InputError(f"the source picture {path} cannot be read; draw it again with `quincunx render`")
    scale = min(1.0, _SIDE_PX / max(found.shape[:2]))
    size = (max(1, round(found.shape[1] * scale)), max(1, round(found.shape[0] * scale)))
    return cv2.cvtColor(cv2.resize(found, size, interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2RGB)


def _image(pixels: np.ndarray) -> dict[str, Any]:
    import cv2

    _, data = cv2.imencode(".jpg", cv2.cvtColor(pixels, cv2.COLOR_RGB2BGR), [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY])
    url = f"data:image/jpeg;base64,{base64.b64encode(data.tobytes()).decode()}"
    return {"type": "image_url", "image_url": {"url": url}}


def _counted(votes: Sequence[Vote]) -> str:
    counts = Counter("null" if vote.outcome is None else vote.outcome for vote in votes)
    return "votes: " + ", ".join(f"{n} {name}" for name, n in sorted(counts.items(), key=lambda c: (-c[1], c[0])))


def _cost(usages: Sequence[Mapping[str, Any]]) -> str:
    """Tokens and, where the endpoint states it, the price of a clip's questions, also of those from the cache."""
    sums: dict[str, float] = {}
    for name in ("prompt_tokens", "completion_tokens", "cost"):
        stated = [u[name] for u in usages if type(u.get(name)) in (int, float)]
        if len(stated) == len(usages):
            sums[name] = sum(stated)
    if "prompt_tokens" not in sums or "completion_tokens" not in sums:
        return "cost not stated"
    tokens = f"{sums['prompt_tokens']:g} + {sums['completion_tokens']:g} tokens"
    return f"{tokens}, {sums['cost']:.6f} dollars" if "cost" in sums else tokens
