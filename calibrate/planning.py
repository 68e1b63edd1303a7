"""How many clips should one ask a model for?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import scenes
from sim import InputError

from .conclusion import LEVEL
from .stats import Baseline
from .stats.interval_width import clips_for_width
from .stats.power import (
    DEPARTURES,
    MOST_CLIPS,
    Departure,
    departure,
    detection_power,
    equivalence_power,
    farthest,
    least_n,
)

POWER = 0.8
"""Share of the studies that are to succeed, if nothing else is asked for."""
OFF = 0.25
"""Total variation of the models whose intervals are planned, if no other is asked for."""
SURE = 0.9
"""With this probability enough of the clips that are asked for can be scored."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Numbers of clips for one scene and one model."""

    scene: str
    """Scene token."""
    tv: float | None
    """Total variation that is to be found; None if none is."""
    margin: float | None
    """Total variation within which a faithful model is to be shown to lie; None if it is not."""
    power: float
    """Probability of success that `n` scored clips give."""
    level: float
    """Level of each test: 0.05 divided by the number of cells that are tested together."""
    cells: int
    scorability: float
    """Share of the clips that is expected to have an outcome."""
    to_detect: Mapping[str, int | None]
    """How the model is off -> scored clips with which `tv_test` finds it; None where none can be so far off."""
    to_prove: int | None
    """Scored clips with which `equivalence_test` shows that a faithful model is one; None if not asked for."""
    width: float | None
    """Wanted width of the 95 % interval of total variation; None if none is."""
    to_width: Mapping[str, int | None]
    """Model -> scored clips with which the interval is on average as narrow: of one that is `faithful`, and of those
    that are off by `tv`, else by OFF; None where none can be so far off."""
    n: int
    """Scored clips for all of these."""
    requested: int
    """Clips to ask for, so that n of them have an outcome with a probability of 0.9."""


def plan(
    token: str,
    *,
    tv: float | None = None,
    margin: float | None = None,
    width: float | None = None,
    power: float = POWER,
    cells: int = 1,
    scorability: float = 1.0,
    seed: int = 0,
) -> Plan:
    """How many clips find a model that is off by `tv`, or show that a faithful one is within `margin`.

    The reference is the shipped one, with its own sampling error. Three models that are off are tried, see
    `calibrate.stats.power.departure`; `n` serves all that can be so far off. Power is summed over all tables of counts
    or simulated with 10,000 draws. Many cells share the level equally: with Holm's correction, no fewer clips do where
    one cell alone is off.

    Args:
        token: Scene token.
        tv: Total variation to be found.
        margin: Total variation within which equivalence is to be shown.
        width: Mean width that the 95 % interval of total variation is to have; for one cell, whatever `cells` is.
        power: Wanted probability of success.
        cells: Models times scenes that will be tested together.
        scorability: Expected share of clips with an outcome.
        seed: Seed of the draws.

    Raises:
        SceneError: The token means no scene.
        InputError: There is no reference, a number is out of range, or no affordable number of clips is enough.
    """
    _check(tv, margin, width, power, cells, scorability)
    reference = scenes.reference(token)
    baseline, level = Baseline.sample([reference.counts[o] for o in reference.outcomes]), LEVEL / cells
    to_detect: dict[str, int | None] = {}
    if tv is not None:
        far = {kind: farthest(baseline.p, kind) for kind in DEPARTURES}
        if tv > max(far.values()):
            raise InputError(
                f"no model is {tv:g} from the reference of {token}; ask for {max(far.values()):.3f} or less"
            )
        for kind in DEPARTURES:
            to_detect[kind] = None if tv > far[kind] else _to_detect(baseline, tv, kind, power, level, seed)
    to_prove = None if margin is None else clips_to_prove(baseline, margin=margin, power=power, level=level, seed=seed)
    to_width = {} if width is None else _to_width(baseline, width, tv, seed)
    needed = [n for n in (*to_detect.values(), *to_width.values()) if n is not None]
    needed += [] if margin is None else [to_prove or 0]
    if 0 in needed:
        raise InputError(
            f"more than {MOST_CLIPS} clips would be needed; ask for a larger distance or width, or less power"
        )
    return Plan(
        scene=token,
        tv=tv,
        margin=margin,
        power=power,
        level=level,
        cells=cells,
        scorability=scorability,
        to_detect=to_detect,
        to_prove=to_prove,
        width=width,
        to_width=to_width,
        n=max(needed),
        requested=clips_to_request(max(needed), scorability),
    )


def _check(
    tv: float | None, margin: float | None, width: float | None, power: float, cells: int, scorability: float
) -> None:
    if tv is None and margin is None and width is None:
        raise InputError(
            "say what the clips are for: a distance to find (--tv), a margin (--prove-calibrated) or a --width"
        )
    for name, value in (("tv", tv), ("margin", margin), ("width", width), ("power", power)):
        if value is not None and not 0 < value < 1:
            raise InputError(f"{name} must lie between 0 and 1, as 0.2, got {value}")
    if not 0 < scorability <= 1:
        raise InputError(f"scorability must lie above 0 and be at most 1, as 0.9, got {scorability}")
    if cells < 1:
        raise InputError(f"cells must be 1 or more, got {cells}")


def _to_detect(baseline: Baseline, tv: float, kind: Departure, power: float, level: float, seed: int) -> int:
    truth = departure(baseline.p, tv, kind)

    def power_at(n: int) -> float:
        return detection_power(n, baseline, truth, level=level, seed=seed)

    return least_n(power_at, power, scan=len(truth) == 2) or 0


def _to_width(baseline: Baseline, width: float, tv: float | None, seed: int) -> dict[str, int | None]:
    """0 stands for more than MOST_CLIPS."""
    import numpy as np

    far = OFF if tv is None else tv
    found: dict[str, int | None] = {}
    found["faithful"] = clips_for_width(width, baseline, np.asarray(baseline.p), seed=seed) or 0
    for kind in DEPARTURES:
        if far > farthest(baseline.p, kind):
            found[kind] = None
        else:
            found[kind] = clips_for_width(width, baseline, departure(baseline.p, far, kind), seed=seed) or 0
    return found


@lru_cache(maxsize=64)
def clips_to_prove(baseline: Baseline, *, margin: float, power: float, level: float, seed: int) -> int | None:
    """Scored clips with which a faithful model is shown to lie within the margin; None if MOST_CLIPS are not enough.

    Args:
        baseline: The reference.
        margin: Total variation.
        power: Probability of success.
        level: Level of the test of this cell.
        seed: Seed of the draws.
    """
    import numpy as np

    truth = np.asarray(baseline.p)

    def power_at(n: int) -> float:
        return equivalence_power(n, baseline, truth, margin=margin, level=level, seed=seed)

    return least_n(power_at, power, scan=len(truth) == 2)


def clips_to_request(n: int, scorability: float) -> int:
    """Clips of which n have an outcome with a probability of 0.9, if each has one with probability `scorability`.

    >>> clips_to_request(20, 0.8)
    28
    """
    from scipy.special import bdtrc

    asked = math.ceil(n / scorability)
    while asked > n and bdtrc(n - 1, asked, scorability) < SURE:
        asked += 1
    return asked if scorability < 1 else n
