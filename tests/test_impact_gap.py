"""How long a flight is surely free: against flights that are looked at in very small steps."""

import numpy as np

from sim.impact import Touch, cylinder, throw
from sim.impact.body import Body
from sim.impact.flight import advance
from sim.trajectory import rotation_matrices
from tests.impact_stage import at

COIN = cylinder(0.0125, 0.0044, density_kg_m3=8000)
GRAVITY = np.array([0.0, 0.0, -9.81])
TOUCH = Touch(restitution=0.3, friction=0.3)
FLIGHT_S, N_LOOKS = 4e-3, 400
OVERLAP_M = 1e-12
"""What rounding leaves; less than counts as touching."""


def gaps_m(states):
    """(N,) height of the lowest point of coins (N, 13) over z = 0."""
    radius, half = COIN.rims_m[0, 1], COIN.rims_m[0, 0]
    along = np.abs(rotation_matrices(states[:, 6:10])[:, 2, 2])
    return states[:, 2] - half * along - radius * np.sqrt(np.maximum(1 - along**2, 0))


def leaving(n, *, seed):
    """(N, 13) turning coins, their lowest point in the plane z = 0 and rising, as they come out of an impact."""
    rng = np.random.default_rng(seed)
    attitude = rng.normal(size=(n, 4))
    states = np.zeros((n, 13))
    states[:, 6:10] = attitude / np.linalg.norm(attitude, axis=1, keepdims=True)
    states[:, 3:5], states[:, 10:] = rng.normal(0, 0.5, (n, 2)), rng.normal(0, 100, (n, 3))
    states[:, 2] = -gaps_m(states) - OVERLAP_M
    turn = rotation_matrices(states[:, 6:10])
    down = -turn[:, 2]  # in the coin's axes
    across = down[:, :2] / np.linalg.norm(down[:, :2], axis=1, keepdims=True)
    lowest = np.concatenate([COIN.rims_m[0, 1] * across, COIN.rims_m[0, :1] * np.sign(down[:, 2:])], axis=1)
    arm = np.einsum("nij,nj->ni", turn, lowest)
    states[:, 5] = rng.uniform(0.02, 1.0, n) - np.cross(states[:, 10:], arm)[:, 2]
    return states


def test_coins_that_leave_the_ground_fly_until_their_rim_comes_back():
    states = leaving(200, seed=1)
    result = throw(COIN, states, TOUCH, limit_s=FLIGHT_S)
    assert set(result.failed) == {"undecided"}, result.failures
    least = np.full(len(states), np.inf)
    for state in states:  # each is moved on where it stands
        assert -2 * OVERLAP_M < gaps_m(state[None])[0] < 0
    for _ in range(N_LOOKS):
        for state in states:
            advance(state, COIN.inertia_kg_m2, 2, GRAVITY, FLIGHT_S / N_LOOKS)
        least = np.minimum(least, gaps_m(states))
    free, back = least > 0, least < -1e-6
    assert free.sum() > 100 and back.sum() > 20
    assert (result.n_impacts[free] == 0).all()
    assert (result.n_impacts[back] > 0).all()
    np.testing.assert_allclose(result.states[free], states[free], atol=1e-9)


def test_a_cube_that_starts_sliding_flat_is_slowed_down_by_friction():
    half, speed, time_s = 0.01, 1.0, 0.05
    corners = half * np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
    cube = Body(vertices_m=corners, mass_kg=0.02, inertia_kg_m2=np.full(3, 0.02 * half**2 * 2 / 3))  # never decided
    state = at((0, 0, half), velocity=(speed, 0, 0))
    result = throw(cube, state[None], Touch(restitution=0.0, friction=0.3), limit_s=time_s)
    assert result.failed == ("undecided",) and result.time_s[0] == time_s
    # v - mu g t, to a hundredth of the speed; the micro-bounces of a contact that lasts rise by 0.03 mm at most
    np.testing.assert_allclose(result.states[0, 3], speed - 0.3 * 9.81 * time_s, atol=0.01)
    np.testing.assert_allclose(result.states[0, 2], half, atol=1e-4)
