"""What does the compiled code get to know of the body, of what is fixed, and of the numerical rules?"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Shape(NamedTuple):
    """A convex body in its principal axes, the centre of mass at the origin."""

    vertices_m: np.ndarray
    """(V, 3) corners of the core."""
    rims_m: np.ndarray
    """(R, 2) circles about the z axis: height and radius; a cylinder has two."""
    rounding_m: float
    """Radius of the ball that is swept over the core."""
    reach_m: float
    """Largest distance of the core from the centre of mass."""
    mass_kg: float
    inertia_kg_m2: np.ndarray
    """(3,) principal moments."""
    axis: int
    """Index of an axis about which the other two moments are equal, or -1."""


class Ground(NamedTuple):
    """Fixed planes."""

    planes: np.ndarray
    """(P, 4) unit normal, towards the body, and height along it."""
    laws: np.ndarray
    """(P, 4) restitution, friction, torsional and rolling length."""
    patches: np.ndarray
    """(Q, 10) rectangles to which a plane is limited: its index, centre, two axes each divided by the half length."""
    gravity_m_s2: np.ndarray
    """(3,) acceleration."""


class Contacts(NamedTuple):
    """Room for the contacts of one impact."""

    normals: np.ndarray
    """(K, 3) unit normals, towards the body."""
    arms_m: np.ndarray
    """(K, 3) from the centre of mass to the contacts, world axes."""
    laws: np.ndarray
    """(K, 4) restitution, friction, torsional and rolling length."""
    touching: np.ndarray
    """(K,) bool; the others would close within the window."""


class Rest(NamedTuple):
    """Where the body can come to rest on the first plane."""

    faces: np.ndarray
    """(F, 3) outward unit normals of the faces; the zero vector for a cylinder's side."""
    barrier_m: np.ndarray
    """(F,) lowest height of the centre, flat ground, at which it can leave the face; nan where it cannot rest."""


class Rules(NamedTuple):
    """Numerical and physical settings of the impacts."""

    window_s: float
    """Contacts that would close within this time are solved together; a physical parameter (the touch's duration)."""
    floor_m_s: float
    """Least separation speed."""
    touch_m: float
    """Gap that counts as touching."""
    n_increments: int
    """Pieces of an impact."""
    max_impacts: int
    """Impacts after which a throw has failed."""


FAILURES = (
    "",
    "undecided",
    "not_a_number",
    "too_many_impacts",
    "impact_unsolved",
    "left_the_planes",
    "overlapping_start",
    "flight_unsolved",
)
"""Why a throw has no face, by code."""
