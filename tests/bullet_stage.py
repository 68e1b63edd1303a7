"""Small scenes for the tests of the Bullet files."""

import math

from sim import (
    Camera,
    Look,
    Params,
    Scene,
    Uniform,
    contact,
    hidden,
    world,
)
from sim.engine import engine


def staged(build, *, bodies=("thing",), settings=None, duration_s=0.5, factors=None, **more):
    """A scene around a build, for one test."""
    return Scene(
        name="staged",
        version=1,
        group="tossing",
        prompt="A thing moves.",
        negative_prompt="",
        outcomes=("low", "high"),
        null_rules=(),
        duration_s=duration_s,
        camera=Camera(position_m=(0, -1, 0.5), target_m=(0, 0, 0)),
        look=Look(),
        factors={"offset_m": hidden(Uniform(-0.01, 0.01))} if factors is None else factors,
        moving_bodies=bodies,
        bounds_m=((-20, -20, -20), (20, 20, 20)),
        build=build,
        read=lambda t: "high" if t.position_m[-1, 0, 2] > 0.05 else "low",
        settings={} if settings is None else settings,
        **more,
    )


def thrown(kind, size, *, qpos, qvel=(0, 0, 0, 0, 0, 0), law=None, ground="plane", tilt_rad=0.0, extra=None, **geom):
    """A build with one free body over a floor."""

    def build(params: Params):
        import mujoco

        kinds = mujoco.mjtGeom
        spec = world(params)
        floor = {
            "plane": {"type": kinds.mjGEOM_PLANE, "size": [1, 1, 0.1]},
            "box": {"type": kinds.mjGEOM_BOX, "size": [1, 1, 0.1], "pos": [0.1 * math.sin(-tilt_rad), 0, -0.1]},
        }
        if ground is not None:
            turn = [math.cos(tilt_rad / 2), 0, math.sin(tilt_rad / 2), 0]
            spec.worldbody.add_geom(name="floor", quat=turn, **floor[ground])
        body = spec.worldbody.add_body(name="thing")
        body.add_freejoint(name="thing")
        given = {"density": 1000, **geom}
        body.add_geom(
            name="thing",
            type=getattr(kinds, f"mjGEOM_{kind.upper()}"),
            size=[*size, 0, 0, 0][:3],
            **given,
            **contact(params, **({"restitution": 0.3, "friction": 0.4} | (law or {}))),
        )
        if extra is not None:
            extra(spec, body)
        spec.add_key(name="start", qpos=list(qpos), qvel=list(qvel))
        return spec

    return build


def wheel(n_frets, *, damping=0.0, off_centre_m=0.0, axis=(0, 0, 1)):
    def build(params):
        import mujoco

        spec = world(params)
        rotor = spec.worldbody.add_body(name="thing", pos=[0, 0, 0.1])
        rotor.add_joint(name="thing", type=mujoco.mjtJoint.mjJNT_HINGE, axis=list(axis), damping=damping)
        for k in range(n_frets):
            turn = 2 * math.pi * k / n_frets
            rotor.add_geom(
                name=f"fret_{k}",
                type=mujoco.mjtGeom.mjGEOM_BOX,
                size=[0.02, 0.002, 0.01],
                pos=[0.08 * math.cos(turn) + off_centre_m, 0.08 * math.sin(turn), 0],
                quat=[math.cos(turn / 2), 0, 0, math.sin(turn / 2)],
                **contact(params, restitution=0.4, friction=0.3, priority=2),
            )
        ball = spec.worldbody.add_body(name="ball")
        ball.add_freejoint(name="ball")
        law = contact(params, restitution=0.2, friction=0.2)
        ball.add_geom(name="ball", type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[0.005, 0, 0], **law)
        spec.add_key(name="start", qpos=[0.0, 0, 0, 0.5, 1, 0, 0, 0], qvel=[3.0, 0, 0, 0, 0, 0, 0])
        return spec

    return staged(build, bodies=("thing", "ball"))


def run(scene, *, name="bullet", full=True, index=0):
    return engine(name).run(scene, [scene.params(0, index)], full=full, threads=1)[0]
