"""How does the trained network become a judge of files?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sim import InputError

from .card import read_card
from .intake import RULES as INTAKE_RULES
from .intake import Limits, Unreadable, read
from .judge import Judge
from .probing import check_answers
from .trial import Ruling, ruling
from .verdict import Verdict
from .views import CLOSE_PX, GLANCE_PX, LAST_PX, look_times
from .weights import SHIPPED, Settings, digest_of, read_weights

if TYPE_CHECKING:
    from .network import Network

SIDE_PX = 384
"""Longest side at which frames are kept for the close look."""
_RULES = f"rules 3, intake {INTAKE_RULES}, side {SIDE_PX}, views {GLANCE_PX} {LAST_PX} {CLOSE_PX}"
"""Raised by every change of this package that can change a verdict."""
_DIGITS = 6


class NetworkJudge(Judge):
    """The shipped judge: a network with its settings and its card."""

    def __init__(
        self, network: Network, settings: Settings, *, covered: Sequence[str], digest: str, limits: Limits | None = None
    ) -> None:
        """Use `load_judge` to read one from disk.

        Args:
            network: The network, in evaluation mode.
            settings: What else decides a verdict.
            covered: Scenes that the card has measured.
            digest: Hash of the weights file.
            limits: Largest clip accepted; the default limits if None.
        """
        self._network, self._settings, self._limits = network, settings, limits
        self._covered = frozenset(covered) & frozenset(settings.outcomes)
        self._digest = blake2b(f"{digest} {_RULES} {limits}".encode(), digest_size=16).hexdigest()

    @property
    def digest(self) -> str:
        """See Judge."""
        return self._digest

    def covers(self, scene: str) -> bool:
        """See Judge."""
        return scene in self._covered

    def verdicts(self, files: Sequence[Path], token: str) -> Iterator[Verdict]:
        """See Judge. Variants are read like their base scene.

        Raises:
            InputError: The card does not cover the scene.
        """
        scene = token.partition("@")[0]
        if not self.covers(scene):
            known = ", ".join(sorted(self._covered))
            raise InputError(f"the judge's card does not cover {scene!r}, only {known}; train it with `quincunx train`")
        for file in files:
            try:
                yield self._verdict(Path(file), scene, token)
            except Exception as fault:  # noqa: BLE001 a failure of the judge is a verdict of its own, never an outcome
                line = (str(fault).splitlines() or [""])[0][:200]
                detail = f"{type(fault).__name__}: {line}"
                yield Verdict(scene=token, status="judge_error", detail=detail, judge=self._digest)

    def _verdict(self, file: Path, scene: str, token: str) -> Verdict:
        from .reader import read_frames

        clip = read(file, look_times, side_px=SIDE_PX, limits=self._limits)
        if isinstance(clip, Unreadable):
            return Verdict(scene=token, status="unreadable", reason=clip.reason, detail=clip.detail, judge=self._digest)
        labels = self._settings.outcomes[scene]
        reading = read_frames(self._network, clip.frames, scene, len(labels))
        if np.ptp(reading.state) == 0 and np.ptp(reading.outcome) == 0:
            raise FloatingPointError("the network's answer is the same for everything; its weights are damaged")
        said = ruling(reading.state, reading.outcome, self._settings.scaling[scene], self._settings.threshold)
        return self._worded(said, labels, token, clip.notes)

    def _worded(self, said: Ruling, labels: tuple[str, ...], token: str, notes: tuple[str, ...]) -> Verdict:
        sound = said.state == "sound"
        return Verdict(
            scene=token,
            status="scored" if sound else "null",
            outcome=labels[said.outcome] if sound else None,
            reason=None if sound else said.state,
            confidence=round(said.confidence, _DIGITS),
            probabilities={name: round(float(p), _DIGITS) for name, p in zip(labels, said.p_outcome, strict=True)},
            detail="; ".join((f"threshold {self._settings.threshold:.3f}, from validation clips", *notes)),
            judge=self._digest,
        )


def load_judge(path: Path | None = None, *, versions: Mapping[str, int] | None = None) -> NetworkJudge:
    """The judge whose weights lie at the path; the shipped one if None.

    Args:
        path: The weights file; its card lies beside it.
        versions: Scene -> version in the catalogue in use; weights for another version are refused.

    Raises:
        PrerequisiteError: Weights or card are missing.
        InputError: They are damaged, do not belong together, or were trained for other versions of the scenes.
    """
    path = SHIPPED if path is None else Path(path)
    network, settings = read_weights(path)
    for name, version in settings.versions.items():
        if versions is not None and versions.get(name, version) != version:
            raise InputError(
                f"the judge was trained on {name} version {version}, the catalogue has {versions[name]}; "
                "run `quincunx train`"
            )
    card = read_card(path)
    check_answers(network, settings, path)
    return NetworkJudge(network, settings, covered=tuple(card["scenes"]), digest=digest_of(path))
