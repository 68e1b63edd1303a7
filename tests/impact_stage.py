"""Throws and closed forms for the tests of the impact engine."""

import numpy as np

from sim.impact.records import Ground

FLOOR = np.array([[0.0, 0.0, 1.0, 0.0]])


def at(position, *, velocity=(0, 0, 0), quaternion=(1, 0, 0, 0), spin=(0, 0, 0)):
    """(13,) one state."""
    return np.array([*position, *velocity, *quaternion, *spin], dtype=float)


def ground(*, restitution=0.5, friction=0.3, torsional_m=0.0, rolling_m=0.0, planes=FLOOR, gravity=(0, 0, -9.81)):
    """One law on all planes."""
    laws = np.tile([restitution, friction, torsional_m, rolling_m], (len(planes), 1)).astype(float)
    return Ground(
        planes=np.ascontiguousarray(planes, dtype=float),
        laws=laws,
        patches=np.empty((0, 10)),
        gravity_m_s2=np.array(gravity, dtype=float),
    )
