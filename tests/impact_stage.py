"""Throws and closed forms for the tests of the impact engine."""

import numpy as np

from sim.impact.records import Ground

FLOOR = np.array([[0.0, 0.0, 1.0, 0.0]])


def thrown(n, *, seed, height_m=0.05, speed_m_s=0.5, spin_rad_s=30.0):
    """(N, 13) states: random attitude, level speed and spin normal with these widths per axis."""
    rng = np.random.default_rng(seed)
    states = np.zeros((n, 13))
    states[:, 2] = height_m
    states[:, 3:5] = rng.normal(0, speed_m_s, (n, 2))
    quaternion = rng.normal(size=(n, 4))
    states[:, 6:10] = quaternion / np.linalg.norm(quaternion, axis=1, keepdims=True)
    states[:, 10:] = rng.normal(0, spin_rad_s, (n, 3))
    return states


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
