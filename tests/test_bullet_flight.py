import math

import numpy as np
import pytest

from sim import (
    rotation_matrices,
)
from sim.bullet_flight import free_spin
from sim.bullet_model import movers
from sim.mujoco_engine import compile_scene
from tests.bullet_stage import run, staged, thrown


def rotation_vector(vector):
    from scipy.spatial.transform import Rotation

    return Rotation.from_rotvec(vector).as_matrix()


@pytest.mark.parametrize("spin", [(0, 250, 80), (0, 60, 10)])
def test_coin_keeps_energy_and_momentum_in_flight_and_turns_as_in_mujoco(spin):
    coin = thrown(
        "cylinder", (0.0115, 0.001), qpos=[0, 0, 1, 1, 0, 0, 0], qvel=[0, 0, 2, *spin], ground=None, density=7000
    )
    scene = staged(coin, duration_s=0.4)
    (mover,) = movers(compile_scene(scene, scene.params(0, 0)), scene)
    flight = run(scene).trajectory
    turn = rotation_matrices(flight.quaternion[:, 0]) @ mover.matrix
    rate = np.einsum("tji,tj->ti", turn, flight.velocity[:, 0, 3:])
    energy = (mover.inertia_kg_m2 * rate**2).sum(1)
    momentum = np.einsum("tij,tj->ti", turn, mover.inertia_kg_m2 * rate)
    np.testing.assert_allclose(energy, energy[0], rtol=1e-4)
    np.testing.assert_allclose(momentum, np.tile(momentum[0], (len(momentum), 1)), atol=1e-9 * np.abs(momentum).max())
    # closed form of a symmetric top: a turn about the momentum after one about the axis of symmetry
    level, axle = mover.inertia_kg_m2.min(), mover.inertia_kg_m2.max()
    time = flight.time_s[-1]
    about_axis = rotation_vector([0, 0, spin[2] * (1 - axle / level) * time])
    expected = rotation_vector(momentum[0] / level * time) @ about_axis
    seen = rotation_matrices(flight.quaternion[-1, 0])
    assert math.degrees(math.acos(min(1, (np.trace(seen.T @ expected) - 1) / 2))) < 1.0


def test_free_spin_of_an_asymmetric_body_agrees_with_scipy():
    from scipy.integrate import solve_ivp

    inertia, start = np.array([1.0, 2.0, 3.0]), np.array([3.0, 40.0, 2.0])
    euler = solve_ivp(lambda _, w: np.cross(inertia * w, w) / inertia, [0, 0.3], start, rtol=1e-11, atol=1e-11).y[:, -1]
    attitude, rate = free_spin(np.array([1.0, 0, 0, 0]), start, inertia, 0.3)
    np.testing.assert_allclose(rotation_matrices(attitude).T @ rate, euler, atol=2e-3)
