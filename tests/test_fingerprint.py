"""The hash of the code sees what the code does, not how it is written."""

from dataclasses import replace

import pytest

import scenes
from sim import Look, Null, Solver
from sim.fingerprint import code_hash


def changed(ball, edit):
    """The ball with its spec edited after it is built."""

    def build(params):
        spec = ball.build(params)
        edit(spec)
        return spec

    return replace(ball, build=build)


@pytest.mark.parametrize(
    "edit",
    [
        lambda spec: setattr(spec.geom("ball"), "density", 1010),
        lambda spec: setattr(spec.geom("ball"), "size", [0.0101, 0, 0]),
        lambda spec: setattr(spec.geom("ball"), "solref", [-2.0e6, -900]),
        lambda spec: setattr(spec.geom("ball"), "friction", [0.31, 0, 0]),
        lambda spec: setattr(spec.geom("floor"), "pos", [0, 0, 0.001]),
        lambda spec: setattr(spec.geom("floor"), "contype", 0),
        lambda spec: setattr(spec.option, "gravity", [0, 0, -9.8]),
        lambda spec: setattr(spec.keys[0], "qpos", [0, 0, 0.101, 1, 0, 0, 0]),
        lambda spec: spec.worldbody.add_geom(name="wall", size=[0.1, 0, 0], pos=[1, 0, 0]),
    ],
)
def test_a_change_of_the_model_shows(ball, edit):
    assert code_hash(changed(ball, edit), None, solver=None) != code_hash(ball, None, solver=None)


@pytest.mark.parametrize(
    "edit",
    [
        lambda spec: setattr(spec.geom("ball"), "rgba", [1, 0, 0, 1]),
        lambda spec: spec.worldbody.add_geom(name="paint", size=[1, 0, 0], group=1, contype=0, conaffinity=0, mass=0),
        lambda spec: None,
    ],
)
def test_a_change_of_the_picture_does_not(ball, edit):
    assert code_hash(changed(ball, edit), None, solver=None) == code_hash(ball, None, solver=None)


def test_a_change_of_the_reading_shows(ball):
    base = code_hash(ball, None, solver=None)
    nearer = replace(ball, read=lambda t: "far" if t.position_m[-1, 0, 0] > 0.1 else "near")
    assert code_hash(nearer, None, solver=None) != base
    assert code_hash(replace(ball, read=lambda t: Null("no_motion")), None, solver=None) != base
    assert code_hash(replace(ball, decided=lambda s: s.position_m[:, 0, 2] < 1), None, solver=None) != base
    alike = replace(ball, read=lambda t: ("near", "far")[int(t.position_m[-1, 0, 0] > 0.4)], look=Look(ambient=1.0))
    assert code_hash(alike, None, solver=None) == base


def test_a_reader_or_a_rule_that_raises_has_a_hash_too(ball):
    def broken(_):
        raise ZeroDivisionError("oops")

    hashes = {code_hash(replace(ball, **{part: broken}), None, solver=None) for part in ("read", "decided")}
    assert len(hashes) == 2


def test_solver_and_variant_show():
    scene = scenes.load("y_fork")
    base = code_hash(scene, None, solver=None)
    assert base == code_hash(scene, None, solver=scene.solver)
    assert base != code_hash(scene, "offset", solver=None)
    assert base == code_hash(scene, "sign", solver=None)
    finer = Solver(timestep_s=scene.solver.timestep_s / 2, contact_frequency_rad_s=scene.solver.contact_frequency_rad_s)
    assert base != code_hash(scene, None, solver=finer)
