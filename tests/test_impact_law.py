import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.impact import cuboid, rules_for
from sim.impact.flight import kinetic
from sim.impact.records import Contacts
from sim.impact.several import bounce_several
from sim.impact.single import bounce_one
from tests.impact_stage import at

UP = (0.0, 0.0, 1.0)
MASS, RADIUS = 0.02, 0.01
BALL = np.full(3, 0.4 * MASS * RADIUS**2)
FLOOR, N = 1e-9, 24


def ball(velocity, spin, *, e, mu):
    state = at((0, 0, RADIUS), velocity=velocity, spin=spin)
    assert bounce_one(state, MASS, BALL, UP, (0.0, 0.0, -RADIUS), e, mu, FLOOR, N)
    return state


def test_ball_that_slides_through_the_impact_follows_the_textbook():
    # Brach, Mechanical Impact Dynamics, 1991: dv_t = -mu (1 + e) v_n, dw = 5/2 dv_t / r while it slides
    after = ball((3.0, 0, -1.0), (0, 0, 0), e=0.6, mu=0.2)
    lost = 0.2 * 1.6
    np.testing.assert_allclose(after[3:6], [3.0 - lost, 0, 0.6], atol=1e-6)
    np.testing.assert_allclose(after[10:], [0, 2.5 * lost / RADIUS, 0], atol=1e-4)


def test_ball_that_sticks_leaves_rolling():
    # a sphere that grips keeps 5/7 of its tangential speed and rolls without slip
    after = ball((0.5, 0, -1.0), (0, 0, 0), e=0.6, mu=0.5)
    np.testing.assert_allclose(after[3:6], [0.5 * 5 / 7, 0, 0.6], atol=1e-6)
    np.testing.assert_allclose(after[11], after[3] / RADIUS, rtol=1e-6)


def test_a_central_impact_does_not_turn_the_body():
    after = ball((0, 0, -2.0), (0, 0, 0), e=0.35, mu=0.4)
    np.testing.assert_allclose(after[3:6], [0, 0, 0.7], atol=1e-9)
    np.testing.assert_allclose(after[10:], 0, atol=1e-9)


def rod(angle_rad, *, e, mu, n=N):
    """Velocities after a slender rod of length 1 and mass 1, falling level at 1 m/s, hits with its lower end."""
    inertia = np.array([1e-4, 1 / 12, 1 / 12])
    arm = (-0.5 * math.cos(angle_rad), 0.0, -0.5 * math.sin(angle_rad))
    half = -angle_rad / 2  # the rod's x axis rises to the right
    state = at((0, 0, 1), velocity=(0, 0, -1.0), quaternion=(math.cos(half), 0, math.sin(half), 0))
    assert bounce_one(state, 1.0, inertia, UP, arm, e, mu, FLOOR, n)
    return state, arm


def test_frictionless_rod_follows_the_closed_form():
    # p = (1 + e) v / B with B = 1/m + l^2 cos^2 / (4 I): no friction, so every definition of restitution agrees
    angle, e = 0.6, 0.5
    after, _ = rod(angle, e=e, mu=0.0)
    p = (1 + e) / (1 + 0.25 * math.cos(angle) ** 2 * 12)
    np.testing.assert_allclose(after[5], -1 + p, rtol=1e-8)
    np.testing.assert_allclose(after[11], 0.5 * math.cos(angle) * p * 12, rtol=1e-8)


def planar_rod(angle, *, e, mu, n_pieces=400_000):
    """Stronge's planar rod by brute force: du/dp in very small steps, work counted on the way (Stronge 2000, 3.5)."""
    x, z = -0.5 * math.cos(angle), -0.5 * math.sin(angle)
    bt, bn, bc = 1 + 12 * z * z, 1 + 12 * x * x, -12 * x * z
    ut, un, work, p, pt = 0.0, -1.0, 0.0, 0.0, 0.0
    h, store = 4.0 / bn / n_pieces, 0.0
    while True:
        needed = -bc / bt
        if abs(ut) < 1e-6 and abs(needed) <= mu:
            f = needed
        elif abs(ut) < 1e-6:
            f = -mu * math.copysign(1, bc)
        else:
            f = -mu * math.copysign(1, ut)
        dn = h * (bn + bc * f)
        work += h * (un + dn / 2)
        un, ut, p, pt = un + dn, ut + h * (bc + bt * f), p + h, pt + h * f
        if un < 0:
            store = work
        elif work >= store + e * e * -store:
            return -1 + p, pt, (x * p - z * pt)


@pytest.mark.parametrize(("angle", "e", "mu"), [(0.5, 0.5, 0.2), (1.0, 0.7, 0.3), (1.2, 0.3, 1.0), (0.3, 0.8, 0.8)])
def test_planar_rod_agrees_with_a_brute_integration(angle, e, mu):
    after, _ = rod(angle, e=e, mu=mu)
    vz, vx, turn = planar_rod(angle, e=e, mu=mu)
    # the torque about y is z f_x - x f_z
    np.testing.assert_allclose([after[5], after[3], after[11]], [vz, vx, -12 * turn], atol=2e-4)


vectors = st.tuples(*[st.floats(-3, 3)] * 3)
PRISM = cuboid((0.01, 0.01, 0.006), density_kg_m3=2000)


@settings(max_examples=150, deadline=None)
@given(vectors, vectors, vectors, st.floats(0, 1), st.floats(0, 1.5), st.integers(0, 7))
def test_no_impact_at_one_point_raises_the_energy(velocity, spin, turn, e, mu, corner):
    quaternion = np.array([1.0, *turn])
    quaternion /= np.linalg.norm(quaternion)
    state = at((0, 0, 1), velocity=velocity, quaternion=quaternion, spin=np.multiply(spin, 40))
    from sim.trajectory import rotation_matrices

    arm = rotation_matrices(quaternion) @ PRISM.vertices_m[corner]
    if (state[3:6] + np.cross(state[10:], arm))[2] > -1e-6:
        return
    before = kinetic(state, PRISM.mass_kg, PRISM.inertia_kg_m2)
    assert bounce_one(state, PRISM.mass_kg, PRISM.inertia_kg_m2, UP, tuple(arm), e, mu, FLOOR, N)
    assert kinetic(state, PRISM.mass_kg, PRISM.inertia_kg_m2) <= before * (1 + 2e-3 * mu) + 1e-15
    assert (state[3:6] + np.cross(state[10:], arm))[2] >= 0


def all_corners(state, *, e, mu, couples=(0.0, 0.0), body=PRISM):
    arms = np.array([[x, y, -0.006] for x in (-0.01, 0.01) for y in (-0.01, 0.01)])
    normals, laws = np.tile(UP, (4, 1)), np.tile([e, mu, *couples], (4, 1))
    found = Contacts(normals, arms, laws, np.ones(4, dtype=bool))
    assert bounce_several(state, body.mass_kg, body.inertia_kg_m2, found, 4, FLOOR, N)
    return state


@pytest.mark.parametrize("e", [0.0, 0.1, 0.5, 0.9])
def test_four_corners_at_once_rebound_level(e):
    after = all_corners(at((0, 0, 0.006), velocity=(0, 0, -1.0)), e=e, mu=0.3)
    np.testing.assert_allclose(after[5], e, atol=6e-3)  # one increment carries past zero by this much
    np.testing.assert_allclose(after[10:] * 0.01, 0, atol=1e-12)


def test_a_sliding_flat_landing_loses_mu_times_the_normal_impulse():
    after = all_corners(at((0, 0, 0.006), velocity=(5.0, 0, -0.1)), e=0.5, mu=0.2)
    np.testing.assert_allclose(5.0 - after[3], 0.2 * (0.1 + after[5]), rtol=1e-6)


def test_couples_slow_spin_down_and_never_reverse_it():
    free = all_corners(at((0, 0, 0.006), velocity=(0, 0, -1.0), spin=(0, 0, 5.0)), e=0.3, mu=0.0)
    held = all_corners(at((0, 0, 0.006), velocity=(0, 0, -1.0), spin=(0, 0, 5.0)), e=0.3, mu=0.0, couples=(1e-4, 0))
    stopped = all_corners(at((0, 0, 0.006), velocity=(0, 0, -1.0), spin=(0, 0, 5.0)), e=0.3, mu=0.0, couples=(1.0, 0))
    assert math.isclose(free[12], 5.0)
    impulse = PRISM.mass_kg * (1 + held[5])
    np.testing.assert_allclose(5.0 - held[12], 1e-4 * impulse / PRISM.inertia_kg_m2[2], rtol=1e-6)
    assert abs(stopped[12]) < 1e-9


def test_settings_out_of_range_are_refused():
    for name, value in (("window_s", -1.0), ("v_sep_m_s", 0.0), ("n_increments", 10), ("max_impacts", 0)):
        with pytest.raises(ValueError, match=f"{name} is out of its range"):
            rules_for(PRISM, **{name: value})
