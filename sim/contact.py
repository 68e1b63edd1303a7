"""How is a contact given by its coefficient of restitution and contact frequency, instead of by stock softness?

MuJoCo's contact is a spring and damper that only pushes: it ends when the force, not the gap, returns to zero. The
textbook two-sided formula therefore gives too high a rebound (0.31 for an asked 0.2). Here the damping ratio follows
from the one-sided law and is then refined on the discrete bounce at the step in use.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

from .scene import Params

IMPEDANCE = 0.95
"""Constant constraint impedance d (solimp): the contact acceleration is (1 - d) of the free one plus d of the asked."""
_N_PHASES = 32
"""Sub-step phases of the first touch over which the discrete rebound is averaged."""
_MAX_BOUNCE_STEPS = 20_000
_LEAST_TOLERANCE = 0.005
"""How far a realised restitution may lie above an asked one near zero."""


def one_sided_restitution(damping_ratio: float) -> float:
    """Coefficient of restitution of a linear spring and damper that only pushes.

    Args:
        damping_ratio: Damping over critical damping, positive.

    Raises:
        ValueError: The ratio is not positive.

    References:
        Schwager and Poeschel, Granular Matter 9, 465 (2007), eqs. 21-22.
    """
    z = damping_ratio
    if not z > 0:
        raise ValueError(f"damping_ratio must be positive, got {z}")
    if math.isclose(z, 1.0, abs_tol=1e-9):
        return math.exp(-2.0)  # limit of both branches
    if z < 1:
        root = math.sqrt(1 - z * z)
        # eq. 21; atan2 covers both of its branches
        return math.exp(-z / root * (math.pi - math.atan2(2 * z * root, 1 - 2 * z * z)))
    root = math.sqrt(z * z - 1)
    return math.exp(-z / root * math.log((z + root) / (z - root)))


def _discrete_restitution(damping_ratio: float, frequency_step: float) -> float:
    """Rebound of MuJoCo's semi-implicit Euler step, averaged over the phase of the first touch.

    `frequency_step` is omega * dt; lengths and times are in units where omega = 1 and the approach speed is 1.
    """
    h, total = frequency_step, 0.0
    for k in range(_N_PHASES):
        x, v = -h * (k + 0.5) / _N_PHASES, -1.0
        for _ in range(_MAX_BOUNCE_STEPS):
            force = -x - 2 * damping_ratio * v if x < 0 else 0.0
            v += h * max(force, 0.0)
            x += h * v
            if x >= 0 or (force <= 0 and v > 0):
                break
        total += max(v, 0.0)
    return total / _N_PHASES


@lru_cache(maxsize=4096)
def damping_ratio(restitution: float, frequency_step: float) -> float:
    """Damping ratio that realises a coefficient of restitution at omega * dt = `frequency_step`.

    Raises:
        ValueError: `restitution` lies outside [0, 1) or below the least that the step can realise, or `frequency_step`
            outside (0, 0.3].
    """
    if not 0 <= restitution < 1:
        raise ValueError(f"restitution must lie in [0, 1), got {restitution}")
    if not 0 < frequency_step <= 0.3 + 1e-9:
        raise ValueError(f"contact frequency times step must lie in (0, 0.3], got {frequency_step}")
    # Beyond 2 zeta omega dt = 1 the explicit damper reverses the velocity within its first step: rebound grows again.
    low, high = 1e-6, 0.5 / frequency_step
    least = _discrete_restitution(high, frequency_step)
    if least > restitution + _LEAST_TOLERANCE:
        raise ValueError(
            f"restitution {restitution} cannot be had at contact frequency times step {frequency_step:.3g}: "
            f"the least is {least:.3f}; take that or more, or a smaller timestep_s"
        )
    for _ in range(26):
        middle = 0.5 * (low + high)
        if _discrete_restitution(middle, frequency_step) > restitution:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


@lru_cache(maxsize=4096)
def restitution_of(solref: tuple[float, float], timestep_s: float) -> float:
    """Coefficient of restitution that a contact of this law realises: the inverse of `damping_ratio`.

    Args:
        solref: Stiffness and damping in MuJoCo's direct form, `(-omega**2, -2 zeta omega)`.
        timestep_s: Step in use.

    Raises:
        ValueError: `solref` is not in the direct form.
    """
    stiffness, damping = -solref[0], -solref[1]
    if not (stiffness > 0 and damping > 0):
        raise ValueError(f"solref must be in the direct form (two negative numbers), got {solref}")
    omega = math.sqrt(stiffness)
    return _discrete_restitution(damping / (2 * omega), omega * timestep_s)


def contact(
    params: Params,
    *,
    restitution: float,
    friction: float,
    torsional_m: float = 0.0,
    rolling_m: float = 0.0,
    priority: int = 1,
) -> dict[str, Any]:
    """Keyword arguments for `body.add_geom` that give a geom this contact law against everything it touches.

    MuJoCo takes the contact parameters of the geom with the higher priority, so a moving body that carries this
    (priority 1, against 0 of everything else) decides its own contacts.

    Args:
        params: The draw being built; its solver fixes contact frequency and step.
        restitution: Coefficient of normal restitution, 0 to below 1.
        friction: Coefficient of Coulomb friction.
        torsional_m: Torsional friction, as a length.
        rolling_m: Rolling friction, as a length; needed for a cylinder to come to rest (it switches condim to 6).
        priority: MuJoCo's contact priority.

    Raises:
        ValueError: A coefficient is impossible.
    """
    for name, value in (("friction", friction), ("torsional_m", torsional_m), ("rolling_m", rolling_m)):
        if not value >= 0:
            raise ValueError(f"{name} must not be negative, got {value}")
    omega = params.solver.contact_frequency_rad_s
    zeta = damping_ratio(round(float(restitution), 4), omega * params.solver.timestep_s)
    return {
        "solref": [-(omega**2), -2 * zeta * omega],
        "solimp": [IMPEDANCE, IMPEDANCE, 0.001, 0.5, 1],
        "friction": [friction, torsional_m, rolling_m],
        "condim": 6 if rolling_m > 0 else 4,
        "priority": priority,
    }


def world(params: Params) -> Any:
    """An empty MjSpec with this project's solver settings: z up, SI, radians, elliptic cone.

    The scene adds bodies, geoms and the keyframe `start`; camera and lights come from the Scene record. With Euler's
    step the energy of bodies jointed to one another drifts in proportion to the step: 1.3 % in 10 s of a double
    pendulum at 1/4800 s, 0.6 % at half of it. A scene of jointed bodies may set `option.integrator` to RK4.
    """
    import mujoco

    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    spec.option.timestep = params.solver.timestep_s
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.impratio = 10.0
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_EULER
    return spec
