"""An independent model of the same throws: springs and dampers at the corners, small steps, nothing of sim.impact.

Normal force of a corner at depth d with closing speed c: k d (1 + chi c), never negative (Hunt and Crossley, J. Appl.
Mech. 42, 440, 1975), with chi = kappa(e) / (highest closing speed) and kappa from the exact relation
(1 + e) kappa = log((1 + kappa) / (1 - e kappa)), so that the restitution is e at any speed. Friction is Coulomb's:
within a step the tangential impulse stops the corner or is mu times the normal one, against its velocity. Attitude is
kept as a matrix, the angular velocity in the body's axes by Euler's equations.
"""

import math

import numpy as np
from numba import njit
from scipy.optimize import brentq

GRAVITY_M_S2 = 9.81
_SLOWEST_M_S = 2e-3


def damping(restitution):
    """kappa for a coefficient of restitution in (0, 1)."""
    e = restitution
    return brentq(lambda k: (1 + e) * k - math.log1p(k) + math.log1p(-e * k), 1e-9, (1 - 1e-13) / e, xtol=1e-14)


@njit(cache=True)
def _face(matrix, half):
    """2 i for the face whose +axis points down, 2 i + 1 for its opposite, of the cell the cuboid is in."""
    best, face = -1.0, -1
    for i in range(3):
        share = abs(matrix[2, i]) / half[i]
        if share > best:
            best, face = share, 2 * i + (0 if matrix[2, i] < 0 else 1)
    return face


@njit(cache=True)
def _forces(x, m, v, w, corners, mass, inertia, mu, kappa, stiffness, first, h):
    """Force (world axes), torque (body axes), energy in the springs; `first` is each touch's highest closing speed."""
    force, torque, stored = np.zeros(3), np.zeros(3), 0.0
    least = min(inertia[0], inertia[1], inertia[2])
    for c in range(8):
        r = corners[c]
        depth = -(x[2] + m[2, 0] * r[0] + m[2, 1] * r[1] + m[2, 2] * r[2])
        if depth <= 0:
            first[c] = 0.0
            continue
        stored += 0.5 * stiffness * depth**2
        u = v + m @ np.array([w[1] * r[2] - w[2] * r[1], w[2] * r[0] - w[0] * r[2], w[0] * r[1] - w[1] * r[0]])
        first[c] = max(first[c], -u[2], _SLOWEST_M_S)
        normal = stiffness * depth * (1 - kappa * u[2] / first[c])
        if normal <= 0:
            continue
        slip = math.hypot(u[0], u[1])
        lightest = 1 / (1 / mass + (r @ r) / least)  # mass that the corner can feel along the plane, at least
        share = min(mu * normal, slip * lightest / h) / max(slip, 1e-300)
        f = np.array([-share * u[0], -share * u[1], normal])
        fb = m.T @ f
        force += f
        torque += np.array([r[1] * fb[2] - r[2] * fb[1], r[2] * fb[0] - r[0] * fb[2], r[0] * fb[1] - r[1] * fb[0]])
    return force, torque, stored


@njit(cache=True)
def _turned(m, w, h):
    """The attitude after turning at rate w (body axes) for h: Rodrigues' formula, on the right."""
    angle = math.sqrt(w @ w) * h
    if angle == 0:
        return m.copy()
    a = w * (h / angle)
    cross = np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])
    return m @ (np.eye(3) + math.sin(angle) * cross + (1 - math.cos(angle)) * (cross @ cross))


@njit(cache=True)
def _spin_up(w, torque, inertia):
    rate = np.empty(3)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        rate[i] = (torque[i] + (inertia[j] - inertia[k]) * w[j] * w[k]) / inertia[i]
    return rate


@njit(cache=True)
def _step(x, m, v, w, corners, mass, inertia, mu, kappa, stiffness, first, h):
    """One midpoint step, second order: forces at the middle pose, with the velocities of the middle."""
    fall = np.array([0.0, 0.0, -GRAVITY_M_S2])
    middle, half = x + 0.5 * h * v, _turned(m, w, 0.5 * h)
    force, torque, stored = _forces(middle, half, v, w, corners, mass, inertia, mu, kappa, stiffness, first, h)
    v_mid, w_mid = v + 0.5 * h * (force / mass + fall), w + 0.5 * h * _spin_up(w, torque, inertia)
    if stored > 0:
        force, torque, stored = _forces(
            middle, half, v_mid, w_mid, corners, mass, inertia, mu, kappa, stiffness, first, h
        )
    faster = v + h * (force / mass + fall)
    return x + 0.5 * h * (v + faster), _turned(m, w_mid, h), faster, w + h * _spin_up(w_mid, torque, inertia), stored


@njit(cache=True)
def _run(states, half, mass, inertia, mu, kappa, stiffness, dt, t_max, faces):
    g, reach = GRAVITY_M_S2, math.sqrt(half[0] ** 2 + half[1] ** 2 + half[2] ** 2)
    corners, barrier = np.empty((8, 3)), np.empty(3)
    for c in range(8):
        for i in range(3):
            corners[c, i] = half[i] if (c >> i) & 1 else -half[i]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        barrier[i] = min(math.hypot(half[i], half[j]), math.hypot(half[i], half[k]))
    for row in range(states.shape[0]):
        x, v = states[row, :3].copy(), states[row, 3:6].copy()
        q0, q1, q2, q3 = states[row, 6], states[row, 7], states[row, 8], states[row, 9]
        m = np.array(
            [
                [1 - 2 * (q2 * q2 + q3 * q3), 2 * (q1 * q2 - q0 * q3), 2 * (q1 * q3 + q0 * q2)],
                [2 * (q1 * q2 + q0 * q3), 1 - 2 * (q1 * q1 + q3 * q3), 2 * (q2 * q3 - q0 * q1)],
                [2 * (q1 * q3 - q0 * q2), 2 * (q2 * q3 + q0 * q1), 1 - 2 * (q1 * q1 + q2 * q2)],
            ]
        )
        w, first = m.T @ states[row, 10:13], np.zeros(8)  # body axes
        time, faces[row], step_count = 0.0, -1, 0
        while time < t_max:
            speed = math.sqrt(v @ v) + reach * math.sqrt(w @ w) + g * 20 * dt
            gap = x[2]
            for c in range(8):
                gap = min(gap, x[2] + m[2, 0] * corners[c, 0] + m[2, 1] * corners[c, 1] + m[2, 2] * corners[c, 2])
            h = dt if gap < speed * 20 * dt else 20 * dt
            x, m, v, w, stored = _step(x, m, v, w, corners, mass, inertia, mu, kappa, stiffness, first, h)
            time += h
            step_count += 1
            if step_count % 16 == 0:
                energy = 0.5 * (v @ v) / g + x[2] + stored / (mass * g)
                for i in range(3):
                    energy += 0.5 * inertia[i] * w[i] ** 2 / (mass * g)
                face = _face(m, half)
                if energy < barrier[face // 2]:
                    faces[row] = face
                    break
            if step_count % 1024 == 0:  # keep the matrix a rotation
                for _ in range(2):
                    m = 1.5 * m - 0.5 * m @ m.T @ m
        states[row, :3], states[row, 3:6], states[row, 10:13] = x, v, m @ w


def penalty_faces(
    states, half_m, mass_kg, inertia_kg_m2, *, restitution, friction, frequency_rad_s=20_000.0, t_max_s=6.0
):
    """(N,) face down (order +x, -x, +y, -y, +z, -z) of a sharp cuboid thrown from states (N, 13), -1 if undecided.

    `frequency_rad_s` is that of the body's mass on one corner's spring; there are 60 steps in its period,
    more where the damper is stiffer than the spring.
    """
    faces = np.empty(len(states), dtype=np.int64)
    stiffness, kappa = mass_kg * frequency_rad_s**2, damping(restitution)
    _run(
        np.array(states, dtype=float),
        np.asarray(half_m, dtype=float),
        float(mass_kg),
        np.asarray(inertia_kg_m2, dtype=float),
        float(friction),
        kappa,
        stiffness,
        2 * math.pi / frequency_rad_s / (60 * max(1.0, kappa / 3)),
        t_max_s,
        faces,
    )
    return faces
