"""How are the judge's weights and all that decides its verdicts kept in one file, and recognised?"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sim import InputError, PrerequisiteError
from sim.clip import whole_file

from .lesson import STATES

if TYPE_CHECKING:
    from .network import Network

FORMAT = 2
SHIPPED = Path(__file__).parent / "weights" / "judge.safetensors"


class Scaling(NamedTuple):
    """What turns the logits of a clip into probabilities."""

    state: float
    """What divides the logits of states ..."""
    outcome: float
    """... and those of outcomes."""
    bias: tuple[float, ...]
    """(5,) what is added to the divided logits of states."""


AS_THEY_ARE = Scaling(state=1.0, outcome=1.0, bias=(0.0,) * len(STATES))
"""Before calibration."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Everything besides the tensors that decides a verdict or tells where the weights come from."""

    outcomes: Mapping[str, tuple[str, ...]]
    """Scene -> its outcomes, in order."""
    versions: Mapping[str, int]
    """Scene -> version that was trained on."""
    scaling: Mapping[str, Scaling]
    """Scene -> what turns logits into probabilities."""
    threshold: float
    """Confidence below which a verdict is null, out_of_domain."""
    training: Mapping[str, Any]
    """Configuration of the training run and digest of its clips."""
    format: int = FORMAT

    @staticmethod
    def of(text: str) -> Settings:
        """The settings that a JSON text holds.

        Raises:
            InputError: They have another format, or are damaged.
        """
        damaged = InputError("the settings in the judge's weights are damaged; retrain or reinstall quincunx")
        try:
            stored = json.loads(text)
            if stored.get("format") != FORMAT:
                raise InputError(
                    f"the judge's weights have format {stored.get('format')}, this program reads {FORMAT}; retrain"
                )
            stored["outcomes"] = {name: tuple(map(str, labels)) for name, labels in stored["outcomes"].items()}
            stored["scaling"] = {
                name: Scaling(state=float(a), outcome=float(b), bias=tuple(map(float, added)))
                for name, (a, b, added) in stored["scaling"].items()
            }
            found = Settings(**stored)
            sound = found._are_sound()
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as fault:
            raise damaged from fault
        if not sound:
            raise damaged
        return found

    def _are_sound(self) -> bool:
        """Whether the numbers can decide a verdict, for the same scenes everywhere."""
        return (
            set(self.outcomes) == set(self.versions) == set(self.scaling)
            and all(labels for labels in self.outcomes.values())
            and all(type(version) is int for version in self.versions.values())
            and all(0 < s.state < math.inf and 0 < s.outcome < math.inf for s in self.scaling.values())
            and all(len(s.bias) == len(STATES) and all(map(math.isfinite, s.bias)) for s in self.scaling.values())
            and 0 <= float(self.threshold) < 1
            and isinstance(self.training, dict)
        )


def write_weights(path: Path, network: Network, settings: Settings) -> None:
    """Writes tensors in half precision and the settings as metadata; never leaves half a file."""
    import torch
    from safetensors.torch import save_file

    state = {name: _halved(tensor, torch) for name, tensor in network.state_dict().items()}
    with whole_file(path) as part:
        save_file(state, part, metadata={"settings": json.dumps(asdict(settings), sort_keys=True)})


def _halved(tensor: Any, torch: Any) -> Any:
    kept = tensor.detach().cpu().contiguous()
    return kept.to(torch.float16) if kept.is_floating_point() else kept


def _must_be_there(path: Path) -> None:
    if path.exists() and not path.is_file():
        raise InputError(f"{path} is not a file; name the weights themselves, as {path / SHIPPED.name}")
    if not path.is_file():
        raise PrerequisiteError(f"the judge's weights are missing: {path}; run `quincunx train` or reinstall quincunx")


def digest_of(path: Path) -> str:
    """Hash of a weights file: it covers tensors and settings.

    Raises:
        PrerequisiteError: There is no such file.
        InputError: It is a folder.
    """
    _must_be_there(path)
    return blake2b(path.read_bytes(), digest_size=16).hexdigest()


def read_weights(path: Path) -> tuple[Network, Settings]:
    """The network, ready to judge, and its settings.

    Raises:
        PrerequisiteError: There is no such file.
        InputError: It is not a weights file of this program.
    """
    from safetensors import SafetensorError, safe_open

    from .network import Network, Shape

    _must_be_there(path)
    try:
        with safe_open(str(path), framework="pt") as stored:
            text = (stored.metadata() or {}).get("settings")
            tensors = {name: stored.get_tensor(name) for name in stored.keys()}  # noqa: SIM118
    except SafetensorError as fault:
        raise InputError(f"{path} is not a safetensors file ({fault}); retrain or reinstall quincunx") from fault
    if text is None:
        raise InputError(f"{path} holds no judge settings; it was not written by `quincunx train`")
    settings = Settings.of(text)
    odd = [name for name, tensor in tensors.items() if not tensor.isfinite().all()]
    if odd:
        raise InputError(f"{path} holds numbers that are not finite ({odd[0]}); retrain or reinstall quincunx")
    network = Network(Shape(outcomes={name: len(labels) for name, labels in settings.outcomes.items()}))
    try:
        network.load_state_dict({n: t.float() if t.is_floating_point() else t for n, t in tensors.items()})
    except RuntimeError as fault:
        raise InputError(f"{path} was written for another network; retrain with `quincunx train`") from fault
    return network.eval(), settings
