"""In what shapes, colours and stuffs do dice come?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

GRID = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    5: ((-1, -1), (-1, 1), (1, -1), (1, 1), (0, 0)),
    6: ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
}
"""Face -> places of its pips."""
_P_DIM = 0.35
"""Share of dice that are dark, with pips of any pure colour."""
_LEAST_CONTRAST = 42.0
"""Least distance of the pips' colour from the body's, seen as an eye sees it, from 0 to 255."""


@dataclass(frozen=True, kw_only=True)
class Style:
    """What all faces of one die share; lengths in half edges."""

    body: np.ndarray
    """(3,) colour from 0 to 255 ..."""
    other: np.ndarray
    """... mixed with this one in clouds ..."""
    clouds: float
    """... so many in an edge, about."""
    speckles: float
    """Share of the body that small bright or dark grains cover."""
    pips: np.ndarray
    """(3,) colour of the pips ..."""
    ones: np.ndarray
    """... and of the single pip."""
    pip_radius: float
    one_radius: float
    spread: float
    """Distance of a pip from the middle line of its face."""
    hollow: float
    """How deep the pips are."""
    rim: float
    """Brightness of a ring around each pip."""
    corner: float
    """Radius of the edges."""
    ball: float
    """Radius of a ball that the cube is cut to; beyond the square root of 3 it cuts nothing."""
    dome: float
    """How much the faces bulge, or are hollow if negative."""
    gloss: float
    """Strength of reflections, 0 to 1."""


def random_style(rng: np.random.Generator) -> Style:
    """A die of any make."""
    body, other, pips = _colours(rng)
    radius = float(rng.uniform(0.13, 0.27))
    return Style(
        body=body,
        other=other,
        clouds=float(rng.uniform(0.3, 2.0)),
        speckles=float(rng.uniform(0, 0.25)) if rng.uniform() < 0.12 else 0.0,
        pips=pips,
        ones=np.array([200.0, 25.0, 30.0]) if rng.uniform() < 0.06 and _contrast((200, 25, 30), body) > 60 else pips,
        pip_radius=radius,
        one_radius=radius * float(rng.uniform(1.0, 1.6) if rng.uniform() < 0.3 else 1.0),
        spread=float(rng.uniform(max(0.4, 1.15 * radius), 0.6)),
        hollow=float(rng.uniform(0, 0.7)),
        rim=float(rng.normal(0, 0.4)) if rng.uniform() < 0.3 else 0.0,
        corner=float(rng.uniform(0.06, 0.55)),
        ball=float(rng.uniform(1.32, 1.7)) if rng.uniform() < 0.5 else 2.0,
        dome=float(rng.normal(0.05, 0.15)),
        gloss=float(rng.uniform(0, 1)),
    )


def _contrast(one: ArrayLike, other: ArrayLike) -> float:
    """How different two colours look: channels weighed as the eye does, hue counted as well as brightness."""
    gap = np.asarray(one, dtype=float) - np.asarray(other, dtype=float)
    return float(np.sqrt(np.array([0.35, 0.45, 0.2]) @ gap**2))


def _colour(rng: np.random.Generator) -> np.ndarray:
    """(3,) a pure colour, a greyish one, or white, grey or black."""
    kind = rng.uniform()
    if kind < 0.4:
        return _pure(rng)
    if kind < 0.7:
        return rng.uniform(0, 255, 3)
    return np.clip(rng.choice([18.0, 50.0, 85.0, 225.0]) + rng.uniform(-20, 20) + rng.uniform(-12, 12, 3), 0, 255)


def _pure(rng: np.random.Generator, pale: float = 0.4) -> np.ndarray:
    """(3,) a saturated colour of any hue and brightness, with white in it up to a share."""
    hue, value, pale = rng.uniform(0, 6), rng.uniform(70, 255), rng.uniform(0, pale)
    ramp = np.clip(np.abs((hue + np.array([0, 4, 2])) % 6 - 3) - 1, 0, 1)
    return np.asarray(value * (pale + (1 - pale) * ramp))


def _colours(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Two body colours (they mix) and the colour of the pips, which stands out from both."""
    while True:
        body = other = _colour(rng)
        if rng.uniform() < 0.5:
            other = _colour(rng) if rng.uniform() < 0.4 else np.clip(body + rng.normal(0, 45, 3), 0, 255)
        kind = rng.uniform()
        if kind < _P_DIM:  # told by hue more than by brightness
            shade = rng.uniform(0.25, 0.8)
            body, other, pips = shade * body, shade * other, _pure(rng, pale=0.25)
        else:
            kind = rng.uniform()
            pips = rng.uniform(215, 255, 3) if kind < 0.4 else rng.uniform(0, 40, 3) if kind < 0.7 else _pure(rng)
        if min(_contrast(pips, body), _contrast(pips, other)) > _LEAST_CONTRAST:
            return body, other, pips
