import pytest

from sim import SceneError, contact, world
from sim.bullet_model import fixed_parts
from sim.mujoco_engine import compile_scene
from tests.bullet_stage import run, staged, thrown, wheel


def soft(spec, body):
    body.geoms[0].solref = [0.02, 1.0]


def joint_damping(spec, body):
    body.joints[0].damping = [0.1, 0, 0]


def ellipsoid(spec, body):
    body.add_geom(name="egg", type=4, size=[0.001, 0.002, 0.003])


def thick(spec, body):
    body.geoms[0].margin = 0.01


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        (soft, "solref must be in the direct form"),
        (joint_damping, "cannot express damping, friction or armature of a free joint"),
        (ellipsoid, "Bullet has no ellipsoid"),
        (thick, "has a contact margin"),
    ],
)
def test_what_bullet_would_lose_is_refused(extra, message):
    with pytest.raises(SceneError, match=message):
        run(staged(thrown("sphere", (0.01,), qpos=[0, 0, 0.1, 1, 0, 0, 0], extra=extra)))


def test_unbalanced_wheel_is_refused():
    with pytest.raises(SceneError, match="gravity turns 'thing' about its hinge"):
        run(wheel(12, off_centre_m=0.01, axis=(0, 1, 0)))


def test_a_pendulum_that_hangs_straight_down_is_refused_too():
    """S19: its weight turns it in every other pose, whatever the pose that the model is written in."""
    import mujoco

    def build(params):
        spec = world(params)
        bob = spec.worldbody.add_body(name="thing")
        bob.add_joint(name="thing", type=mujoco.mjtJoint.mjJNT_HINGE, axis=[0, 1, 0])
        bob.add_geom(name="bob", size=[0.01, 0, 0], pos=[0, 0, -0.3], **contact(params, restitution=0.3, friction=0.3))
        spec.add_key(name="start", qpos=[1.0], qvel=[0.0])
        return spec

    with pytest.raises(SceneError, match="gravity turns 'thing' about its hinge"):
        run(staged(build))


def test_fixed_geoms_are_found_with_their_world_poses():
    scene = staged(thrown("sphere", (0.01,), qpos=[0, 0, 0.1, 1, 0, 0, 0], ground="box"))
    (floor,) = fixed_parts(compile_scene(scene, scene.params(0, 0)), "staged")
    assert (floor.name, floor.kind, floor.position_m[2]) == ("floor", "box", -0.1)
