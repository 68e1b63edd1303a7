import numpy as np
import pytest
from scipy.integrate import solve_ivp

from sim.impact.flight import acceleration_bounds, advance, kinetic
from sim.trajectory import rotation_matrices
from tests.impact_stage import at

GRAVITY = np.array([0.0, 0.0, -9.81])
TUMBLING = at((0.1, -0.2, 1.0), velocity=(1, 2, 3), quaternion=(0.5, 0.5, -0.5, 0.5), spin=(40, -25, 60))
TOPS = [
    (np.array([2.0, 2.0, 2.0]) * 1e-6, 2),
    (np.array([2.0, 2.0, 3.5]) * 1e-6, 2),
    (np.array([0.4, 2.0, 2.0]) * 1e-6, 0),
    (np.array([1.0, 1.7, 2.4]) * 1e-6, -1),
]


def flown(state, inertia, axis, duration):
    out = state.copy()
    advance(out, inertia, axis, GRAVITY, duration)
    return out


def integrated(state, inertia, duration):
    """Euler's equations and the attitude by DOP853 at 1e-12."""

    def rate(_, y):
        q, w = y[:4], y[4:]
        qdot = 0.5 * np.array(
            [
                -q[1] * w[0] - q[2] * w[1] - q[3] * w[2],
                q[0] * w[0] + q[2] * w[2] - q[3] * w[1],
                q[0] * w[1] + q[3] * w[0] - q[1] * w[2],
                q[0] * w[2] + q[1] * w[1] - q[2] * w[0],
            ]
        )
        return np.concatenate([qdot, np.cross(inertia * w, w) / inertia])

    start = np.concatenate([state[6:10], rotation_matrices(state[6:10]).T @ state[10:]])
    end = solve_ivp(rate, (0, duration), start, method="DOP853", rtol=1e-12, atol=1e-12).y[:, -1]
    turn = rotation_matrices(end[:4] / np.linalg.norm(end[:4]))
    return turn, turn @ end[4:]


@pytest.mark.parametrize(("inertia", "axis"), TOPS)
def test_flight_agrees_with_a_fine_integration(inertia, axis):
    end = flown(TUMBLING, inertia, axis, 0.3)
    turn, rate = integrated(TUMBLING, inertia, 0.3)
    np.testing.assert_allclose(rotation_matrices(end[6:10]), turn, atol=3e-6)
    np.testing.assert_allclose(end[10:], rate, atol=2e-4)
    np.testing.assert_allclose(end[:3], TUMBLING[:3] + 0.3 * TUMBLING[3:6] + 0.045 * GRAVITY, atol=1e-12)
    np.testing.assert_allclose(end[3:6], TUMBLING[3:6] + 0.3 * GRAVITY, atol=1e-12)


@pytest.mark.parametrize(("inertia", "axis"), TOPS)
def test_angular_momentum_and_energy_of_turning_are_kept(inertia, axis):
    state = TUMBLING.copy()

    def momentum(s):
        turn = rotation_matrices(s[6:10])
        return turn @ (inertia * (turn.T @ s[10:]))

    def energy(s):
        return kinetic(np.concatenate([s[:3], np.zeros(3), s[6:]]), 0.01, inertia)

    for _ in range(20):
        advance(state, inertia, axis, GRAVITY, 0.02)
    np.testing.assert_allclose(momentum(state), momentum(TUMBLING), rtol=1e-9)
    np.testing.assert_allclose(energy(state), energy(TUMBLING), rtol=1e-6 if axis < 0 else 1e-10)


def test_a_top_in_pieces_is_the_top_at_once():
    inertia = TOPS[1][0]
    once, pieces = flown(TUMBLING, inertia, 2, 0.1), TUMBLING.copy()
    for _ in range(50):
        advance(pieces, inertia, 2, GRAVITY, 0.002)
    np.testing.assert_allclose(pieces, once, atol=1e-10)


@pytest.mark.parametrize(("inertia", "axis"), TOPS)
def test_no_material_point_accelerates_more_than_the_bound(inertia, axis):
    bound, h = acceleration_bounds(TUMBLING, inertia, axis), 1e-4
    for t in np.linspace(0.01, 0.2, 15):
        a, b, c = (rotation_matrices(flown(TUMBLING, inertia, axis, t + k * h)[6:10]) for k in (-1, 0, 1))
        # the operator norm of the second derivative of the attitude
        assert np.linalg.norm((a - 2 * b + c) / h**2, 2) <= bound * (1 + 1e-3)
