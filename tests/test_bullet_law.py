import pytest

from sim import (
    Params,
    SceneError,
    Solver,
    contact,
)
from sim.bullet_law import Surface, laws
from sim.contact import restitution_of
from tests.bullet_stage import run, staged, thrown


def surface(body, *, priority=0, friction=0.5, torsional_m=0.001, restitution_solref=(-2e6, -200.0), condim=4):
    return Surface(
        body=body,
        contype=1,
        conaffinity=1,
        condim=condim,
        priority=priority,
        solmix=1.0,
        friction=(friction, torsional_m, 0.0002),
        solref=restitution_solref,
    )


def test_factors_multiply_to_the_pairs_own_laws():
    ball, floor = surface(1, priority=1, friction=0.3), surface(0)
    peg = surface(0, priority=2, friction=0.6, torsional_m=0.003, condim=6)
    held = laws([floor, peg, ball], 1 / 4800, "staged")
    assert held[ball].friction * held[floor].friction == pytest.approx(0.3)
    assert held[ball].friction * held[peg].friction == pytest.approx(0.6)
    assert held[ball].spinning_m * held[peg].friction + held[peg].spinning_m * held[ball].friction == pytest.approx(
        3e-3
    )
    assert held[ball].rolling_m == held[floor].rolling_m == 0
    assert held[peg].rolling_m * held[ball].friction == pytest.approx(2e-4)


def test_contacts_that_no_factors_can_give_are_refused():
    one, other = surface(1, priority=1, friction=0.3), surface(2, priority=1, friction=0.6)
    with pytest.raises(SceneError, match="Bullet multiplies the coefficients of two bodies"):
        laws([one, other, surface(0), surface(0, priority=2, friction=0.9)], 1 / 4800, "staged")


def test_restitution_is_the_inverse_of_the_contact_law():
    solver = Solver()
    for asked in (0.15, 0.3, 0.5, 0.8):
        law = contact(Params({}, solver), restitution=asked, friction=0.3)
        assert restitution_of(tuple(law["solref"]), solver.timestep_s) == pytest.approx(asked, abs=2e-3)
    with pytest.raises(ValueError, match="solref must be in the direct form"):
        restitution_of((0.02, 1.0), solver.timestep_s)


def test_contype_and_conaffinity_decide_as_in_mujoco():
    def through(params):
        spec = thrown("sphere", (0.01,), qpos=[0, 0, 0.05, 1, 0, 0, 0])(params)
        spec.geom("floor").contype, spec.geom("floor").conaffinity = params["floor"]
        spec.geom("thing").contype, spec.geom("thing").conaffinity = 1, 0
        return spec

    falls = run(staged(through, settings={"floor": (2, 2)}))
    stays = run(staged(through, settings={"floor": (0, 1)}))
    assert falls.trajectory.position_m[-1, 0, 2] < -0.5
    assert stays.trajectory.position_m[-1, 0, 2] == pytest.approx(0.01, abs=1e-3)
