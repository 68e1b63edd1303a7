"""Which clips show nothing of the scene asked for?

They tell how well a judge knows what lies out of its domain. Two parts share no scene, world, model or photograph: one
tunes where the judge's domain ends, the other is reported on its card. A clip is a pure function of the scene asked
for, the order and the other scenes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from sim import Scene

from .clips import FRAME_RATES_HZ, SIZES_PX, Order, clips, random_source
from .foreign_models import PHOTOGRAPHS, folder_of, model_clip, photograph_clip
from .lens import through_lens
from .lesson import FOREIGN, NOWHERE, Clip, Truth, close_box
from .plain_worlds import plain_worlds
from .views import look_times

PARTS = ("foreign_tuning", "foreign_reported")
"""Kinds of order."""
KINDS = ("other scene", "plain world", "PyBullet model", "photograph")


def kinds_here(n_others: int) -> tuple[str, ...]:
    """The kinds that can be made here: what is not installed is left out, as are other scenes if there are none.

    Args:
        n_others: Number of other scenes; each part takes every second one, so that it takes two for both.
    """
    there = {
        "other scene": n_others >= len(PARTS),
        "plain world": True,
        "PyBullet model": folder_of("pybullet_data") is not None,
        "photograph": folder_of("skimage") is not None,
    }
    return tuple(kind for kind in KINDS if there[kind])


def foreign_clips(asked: str, others: Sequence[Scene], order: Order) -> Iterator[Clip]:
    """Clips that show nothing of the scene asked for, as many of each kind as can be (see `kinds_here`).

    Args:
        asked: Name of the scene that the judge will be told they show.
        others: Other scenes, in a fixed order.
        order: Its kind is one of PARTS.

    Raises:
        ValueError: The kind of the order is another.
    """
    if order.kind not in PARTS:
        raise ValueError(f"kind must be one of {', '.join(PARTS)}, got {order.kind!r}")
    part, kinds = PARTS.index(order.kind), kinds_here(len(others))
    for k, kind in enumerate(kinds):
        n = len(range(k, order.n_clips, len(kinds)))
        if kind in ("other scene", "plain world"):
            shown = (others if kind == "other scene" else plain_worlds())[part::2]
            made = _of_scenes(asked, shown, replace(order, kind="tray", p_fault=0.0), n)
        else:
            made = (_drawn(kind, asked, part, order, j) for j in range(n))
        yield from (_foreign(clip, kind) for clip in made)


def _of_scenes(asked: str, shown: Sequence[Scene], order: Order, n: int) -> Iterator[Clip]:
    """Sound clips of other scenes, whose own outcome could be read."""
    start = int(random_source("shown", asked, order.seed, order.number).integers(len(shown)))
    turns = np.bincount((start + np.arange(n)) % len(shown), minlength=len(shown))
    mark = int(random_source("foreign", asked, order.seed).integers(2**31))
    for scene, count in zip(shown, turns.tolist(), strict=True):
        if count:
            yield from clips(scene, replace(order, seed=order.seed + mark, n_clips=count))


def _drawn(kind: str, asked: str, part: int, order: Order, k: int) -> Clip:
    """One clip of a model or of a photograph."""
    rng = random_source("foreign", kind, asked, order.kind, order.seed, order.number, k)
    size_px = SIZES_PX[int(rng.integers(len(SIZES_PX)))]
    rate, duration_s = float(rng.choice(FRAME_RATES_HZ)), float(rng.uniform(1.2, 3.5))
    times_s = np.floor(look_times(np.floor(duration_s * rate) / rate) * rate + 1e-6) / rate
    first = int(random_source("number", asked, order.seed).integers(2**20))
    number = first + order.number * order.n_clips + k
    if kind == "photograph":
        names = PHOTOGRAPHS[part::2]
        frames = photograph_clip(names[number % len(names)], times_s, size_px, rng)
    else:
        frames = model_clip(number, times_s, size_px, rng, first=part, step=len(PARTS))
    film = through_lens(frames, rng)
    unseen = Truth(state=FOREIGN, outcome=-1, where=NOWHERE, fault="")
    return Clip(frames=film.frames, truth=unseen, box=close_box(NOWHERE, rng), codec=film.codec, fps=rate)


def _foreign(clip: Clip, kind: str) -> Clip:
    return replace(clip, truth=Truth(state=FOREIGN, outcome=-1, where=NOWHERE, fault=kind))
