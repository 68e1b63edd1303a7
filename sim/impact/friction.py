"""Which way does Coulomb friction push during one small piece of an impact?

The pieces obey Routh's equations: during an impact pose and lever arms are frozen, and the contact velocity
u = (u_t, u_n) changes with the normal impulse p as du/dp = B f, with B the inverse mass matrix at the contact and
f = (f_t, 1): f_t = -mu u_t/|u_t| while the contact slips, and any f_t with |f_t| <= mu that keeps u_t = 0 while it
sticks (Routh, Dynamics of a System of Rigid Bodies I, 1891; Stronge, Impact Mechanics, 2000, ch. 4 and 5; Bhatt and
Koechling, J. Appl. Mech. 62, 893, 1995 for the flow in three dimensions). Where slip is fast, f_t is taken in the
middle of the piece (second order); where it may stop or turn round within the piece, at its end, which finds sticking
and the direction of renewed slip without ringing about zero.
"""

from __future__ import annotations

import math
from typing import Any

from numba import njit

_STEADY = 0.1
"""Relative change of the slip velocity below which a longer piece keeps its accuracy."""
_FAST = 2.0
"""Slip, in units of its change within a piece, above which the middle of the piece is taken."""
_N_NEWTON = 12


@njit
def _at_the_end(r1: float, r2: float, b11: float, b12: float, b22: float, mu: float, step: float) -> Any:
    """F with |f| = mu that opposes the slip velocity r + step B f at the end of a piece.

    f = -(step B + lambda)^-1 r; Newton's method on 1/|f| - 1/mu for lambda >= 0, monotone from 0 (More and Sorensen,
    SIAM J. Sci. Stat. Comput. 4, 553, 1983).
    """
    shift = 0.0
    f1, f2 = 0.0, 0.0
    for _ in range(_N_NEWTON):
        c11, c12, c22 = step * b11 + shift, step * b12, step * b22 + shift
        det = c11 * c22 - c12 * c12
        f1, f2 = (c12 * r2 - c22 * r1) / det, (c12 * r1 - c11 * r2) / det
        squared = f1 * f1 + f2 * f2
        length = math.sqrt(squared)
        if abs(length - mu) <= 1e-12 * mu:
            break
        curve = (c22 * f1 * f1 - 2.0 * c12 * f1 * f2 + c11 * f2 * f2) / det
        shift = max(shift + squared / curve * (length - mu) / mu, 0.0)
    length = math.sqrt(f1 * f1 + f2 * f2)
    return mu * f1 / length, mu * f2 / length


@njit
def friction(
    u1: float,
    u2: float,
    b11: float,
    b12: float,
    b22: float,
    b13: float,
    b23: float,
    mu: float,
    step: float,
    still: float,
    longer: bool,
) -> Any:
    """Tangential impulse per normal impulse (f1, f2), and for how much normal impulse it may act.

    Args:
        u1: First tangential velocity of the contact point.
        u2: Second one.
        b11: Entries of the inverse mass matrix: tangential, ...
        b12: ... tangential, ...
        b22: ... tangential, ...
        b13: ... first tangential with normal, ...
        b23: ... second tangential with normal.
        mu: Coefficient of friction.
        step: Largest normal impulse of a piece while it slips.
        still: Speed below which the contact counts as sticking.
        longer: Let a piece be longer than `step` as long as it changes the slip by `_STEADY` of itself at most.
    """
    if mu <= 0.0:
        return 0.0, 0.0, math.inf
    slip = math.sqrt(u1 * u1 + u2 * u2)
    det = b11 * b22 - b12 * b12
    if slip <= still:
        f1, f2 = (b12 * b23 - b22 * b13) / det, (b12 * b13 - b11 * b23) / det
        if f1 * f1 + f2 * f2 <= mu * mu:
            return f1, f2, math.inf  # sticks; pose and B are frozen, so it does until the end
    else:
        x, y = u1 / slip, u2 / slip
        a1, a2 = b13 - mu * (b11 * x + b12 * y), b23 - mu * (b12 * x + b22 * y)
        change = math.sqrt(a1 * a1 + a2 * a2)
        if slip > _FAST * step * change:
            if longer:
                step = max(step, _STEADY * slip / (change + 1e-300))
            m1, m2 = u1 + 0.5 * step * a1, u2 + 0.5 * step * a2
            length = math.sqrt(m1 * m1 + m2 * m2)
            return -mu * m1 / length, -mu * m2 / length, step
    r1, r2 = u1 + step * b13, u2 + step * b23
    f1, f2 = (b12 * r2 - b22 * r1) / (det * step), (b12 * r1 - b11 * r2) / (det * step)
    if f1 * f1 + f2 * f2 > mu * mu:
        f1, f2 = _at_the_end(r1, r2, b11, b12, b22, mu, step)
    return f1, f2, step
