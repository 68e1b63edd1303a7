"""A network that cannot decide anything is refused before the first clip."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
import torch

from judge.probing import check_answers, probe_clips
from judge.weights import read_weights
from sim import InputError


def test_a_network_that_looks_at_its_clips_is_accepted(random_weights: Path) -> None:
    network, settings = read_weights(random_weights)
    check_answers(network, settings, random_weights)
    one, other = probe_clips()
    assert one.shape == other.shape and np.abs(one.astype(int) - other).mean() > 50


@pytest.mark.parametrize(("value", "why"), [(0.0, "about states is the same for everything"), (float("nan"), "number")])
def test_a_network_of_one_value_is_refused(random_weights: Path, value: float, why: str) -> None:
    network, settings = read_weights(random_weights)
    for parameter in network.parameters():
        torch.nn.init.constant_(parameter, value)
    with pytest.raises(InputError, match=f"^{re.escape(str(random_weights))} cannot judge die_roll: .*{why}"):
        check_answers(network, settings, random_weights)


@pytest.mark.parametrize("head", ["states", "outcomes"])
def test_a_head_whose_logits_never_change_is_refused_even_if_they_differ_from_one_another(
    random_weights: Path, head: str
) -> None:
    network, settings = read_weights(random_weights)
    with torch.no_grad():  # constant logits that name one label: every clip would be called that
        for name, tensor in network.named_parameters():
            last = ("state.2.", "heads.y_fork.2.", "tables.y_fork.", "readers.y_fork.")
            if name.startswith(last):
                rows = slice(None)
                if not name.startswith(("state.", "readers.")):
                    rows = slice(0, 5) if head == "states" else slice(-2, None)
                elif name.startswith("state.") != (head == "states"):
                    continue
                tensor[rows] = torch.arange(1.0, len(tensor[rows]) + 1) if name.endswith("bias") else 0
    with pytest.raises(InputError, match=f"cannot judge y_fork: its answer about {head} is the same for everything"):
        check_answers(network, settings, random_weights)
