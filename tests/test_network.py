"""The network on painted clips: it can learn them, chance stays chance, and left is not right."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
import torch

from judge.lesson import STATES
from judge.losses import answer_loss, finding_loss
from judge.network import Answer, Finding, Network, Shape
from judge.views import around, close_look, glance_and_last

N_FRAMES = 8


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def painted(column: float) -> np.ndarray:
    """(8, 96, 96, 3) a bright disc that falls from the middle to the given column, as a share of the width."""
    frames = np.full((N_FRAMES, 96, 96, 3), 60, np.uint8)
    y, x = np.mgrid[:96, :96]
    for k in range(N_FRAMES):
        part = min(1.0, k / 4)
        centre = (20 + 55 * part, 96 * (0.5 + part * (column - 0.5)))
        frames[k][(y - centre[0]) ** 2 + (x - centre[1]) ** 2 < 49] = (240, 220, 60)
    return frames


def tensors(clips: list[np.ndarray], columns: list[float]) -> tuple[torch.Tensor, ...]:
    """glance, last, close and where of the clips, as the network takes them."""
    seen = [glance_and_last(c) for c in clips]
    close = [close_look(c, around(x, 75 / 96, 14 / 96)) for c, x in zip(clips, columns, strict=True)]
    parts = [np.stack([g for g, _ in seen]), np.stack([last for _, last in seen]), np.stack(close)]
    where = torch.tensor([[x, 75 / 96, 14 / 96] for x in columns])
    return *(torch.from_numpy(p).movedim(-1, -3) for p in parts), where


def ruled(network: Network, data: tuple[torch.Tensor, ...], scene: torch.Tensor) -> tuple[Finding, Answer]:
    glance, last, close, _ = data
    found = network.look(glance, last, scene)
    return found, network.judge(close, found, scene)


def fitted(data: tuple[torch.Tensor, ...], outcome: torch.Tensor, steps: int) -> Network:
    torch.manual_seed(0)
    network = Network(Shape(outcomes={"fork": 2, "other": 3}))
    optimizer = torch.optim.AdamW(network.parameters(), lr=1e-3)
    scene, state = torch.zeros(len(outcome), dtype=torch.long), torch.zeros(len(outcome), dtype=torch.long)
    for _ in range(steps):
        found, answer = ruled(network, data, scene)
        where = torch.stack([data[3], torch.full_like(data[3], torch.nan)], 1)
        at = torch.cat([2 * data[3][:, :1] - 1, torch.zeros(len(outcome), 2)], 1)
        nowhere = torch.full((8, 2, 7, 2), torch.nan)
        loss = answer_loss(answer, state, outcome, at, torch.full((8, 3), torch.nan), torch.full((8,), torch.nan))
        loss = loss + finding_loss(found, where, torch.full((8, 8, 2), torch.nan), nowhere)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
    return network


def test_overfits_eight_painted_clips_and_mirrored_ones_swap_sides() -> None:
    columns = [0.2, 0.8, 0.25, 0.75, 0.3, 0.7, 0.22, 0.78]
    clips = [painted(x) for x in columns]
    data, outcome = tensors(clips, columns), torch.tensor([0, 1] * 4)
    network = fitted(data, outcome, 40)
    scene = torch.zeros(8, dtype=torch.long)
    found, answer = ruled(network, data, scene)  # in training mode: eight clips do not settle running statistics
    assert (answer.outcome[:, :2].argmax(1) == outcome).all()
    assert (answer.state.argmax(1) == 0).all()
    assert (found.where[:, :2] - data[3][:, :2]).abs().max() < 0.06
    mirrored = tensors([c[:, :, ::-1].copy() for c in clips], [1 - x for x in columns])
    assert (ruled(network, mirrored, scene)[1].outcome[:, :2].argmax(1) == 1 - outcome).all()


def test_fixed_seed_gives_fixed_logits_and_clips_do_not_touch_each_other() -> None:
    data = tensors([painted(0.2), painted(0.7)], [0.2, 0.7])
    logits = []
    for _ in range(2):
        torch.manual_seed(3)
        network = Network(Shape(outcomes={"fork": 2, "other": 3})).eval()
        with torch.no_grad():
            logits.append(ruled(network, data, torch.tensor([0, 1]))[1])
    assert torch.equal(logits[0].outcome, logits[1].outcome)
    with torch.no_grad():
        alone = ruled(network, tuple(t[1:] for t in data), torch.tensor([1]))[1]
    assert torch.allclose(alone.outcome, logits[0].outcome[1:], atol=2e-3)  # sums of another order, not another clip


def test_places_beyond_a_scenes_outcomes_are_impossible() -> None:
    torch.manual_seed(0)
    network = Network(Shape(outcomes={"fork": 2, "other": 3})).eval()
    data = tensors([painted(0.2), painted(0.7)], [0.2, 0.7])
    with torch.no_grad():
        answer = ruled(network, data, torch.tensor([0, 1]))[1]
    p_outcome = answer.outcome.softmax(1)
    assert answer.state.shape == (2, len(STATES)) and p_outcome.shape == (2, 3)
    assert p_outcome[0, 2] == 0 and p_outcome[1, 2] > 0


def test_weights_fit_the_limit() -> None:
    network = Network(Shape(outcomes={"a": 6, "b": 2, "c": 11, "d": 3, "e": 2, "f": 2}))
    assert 2 * sum(t.numel() for t in network.state_dict().values()) < 6e6
