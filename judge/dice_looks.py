"""How do dice of many makes look from close by?

A close look alone is drawn in half the time of a clip and learnt in a tenth, so the reader of pips sees many more dice.
They are shown at the wrong size and a little out of place too: so does the judge see what it was never trained on.
"""

from __future__ import annotations

import numpy as np

from sim import Scene

from .clips import Order, random_source
from .drawn_dice import close_die
from .lesson import NOWHERE


def dice_looks(scene: Scene, order: Order) -> dict[str, np.ndarray]:
    """N close looks: `close` (N, 1, 96, 96, 3), `outcome` (N,), `up` (N, 3) and `rest` (N,), as in reading.Marks.

    Args:
        scene: Its outcomes are taken as one to six pips, in their order.
        order: Decides everything, with the scene's name; `n_clips` is the number of close looks.
    """
    close, outcome = [], []
    for k in range(order.n_clips):
        rng = random_source("dice_looks", scene.name, order.seed, order.number, k)
        outcome.append(int(rng.integers(6)))
        close.append(close_die(outcome[-1] + 1, rng))
    n = order.n_clips
    up = np.tile(np.array(NOWHERE, dtype=np.float32), (n, 1))  # its faces are turned at random
    return {"close": np.stack(close)[:, None], "outcome": np.array(outcome), "up": up, "rest": np.ones(n, np.float32)}
