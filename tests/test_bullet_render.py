import numpy as np
import pytest

from scenes.drawing.textured import add_textured_mesh
from sim import Camera, Look, PrerequisiteError, Scene, Uniform, contact, hidden, world
from sim.bullet_render import BulletStudio, split
from sim.bullet_shapes import pybullet
from sim.primitives import rectangle
from sim.render import Studio
from sim.track import Track
from sim.view import View

EYE = Camera(position_m=(0.1, -0.5, 0.4), target_m=(0.02, 0.0, 0.03), fovy_deg=35)
COLOURS = ((20, 200, 200), (20, 200, 20), (20, 20, 230), (220, 220, 20))


def build(params):
    import mujoco

    kinds = mujoco.mjtGeom
    spec = world(params)
    spec.add_material(name="cloth", rgba=[0.5, 0.5, 0.5, 1])
    spec.add_material(name="mark_ball", rgba=[0.9, 0.05, 0.05, 1])
    spec.worldbody.add_geom(name="floor", type=kinds.mjGEOM_PLANE, size=[0, 0, 0.1], material="cloth")
    glass = {"type": kinds.mjGEOM_BOX, "size": [0.3, 0.001, 0.3], "pos": [0, 0.6, 0.3]}
    # clear things are left out; this one stands aside
    spec.worldbody.add_geom(name="glass", rgba=[0.8, 0.9, 1, 0.15], contype=0, conaffinity=0, **glass)
    for number, name in enumerate(("ball", "card")):
        body = spec.worldbody.add_body(name=name)
        body.add_freejoint(name=name)
        law = contact(params, restitution=0.3, friction=0.3)
        size, group = ([0.02, 0, 0], 0) if name == "ball" else ([0.001, 0, 0], 3)
        body.add_geom(
            name=name,
            type=kinds.mjGEOM_SPHERE,
            size=size,
            group=group,
            **law,
            **({} if number else {"material": "mark_ball"}),
        )
        if name == "card":
            image = np.empty((64, 64, 3), dtype=np.uint8)
            image[:32, :32], image[:32, 32:], image[32:, :32], image[32:, 32:] = COLOURS
            h, d = 0.05, 0.002
            vertices = np.array([[-h, -h, 0], [h, -h, 0], [h, h, 0], [-h, h, 0], [0, 0, -d]], dtype=float)
            faces = np.array([[0, 1, 2], [0, 2, 3], [1, 0, 4], [2, 1, 4], [3, 2, 4], [0, 3, 4]])
            uv = np.zeros((6, 3, 2))
            uv[0], uv[1] = [[0, 1], [1, 1], [1, 0]], [[0, 1], [1, 0], [0, 0]]
            add_textured_mesh(spec, body, name="mark_card", vertices=vertices, faces=faces, uv=uv, image=image)
    spec.add_key(name="start", qpos=[0, 0, 0.02, 1, 0, 0, 0, 0.1, 0.08, 0.02, 1, 0, 0, 0], qvel=[0] * 12)
    return spec


SCENE = Scene(
    name="staged",
    version=1,
    group="tossing",
    prompt="A ball.",
    negative_prompt="",
    outcomes=("a", "b"),
    null_rules=(),
    duration_s=1.0,
    camera=EYE,
    look=Look(),
    factors={"x_m": hidden(Uniform(0, 1))},
    moving_bodies=("ball", "card"),
    bounds_m=((-1, -1, -1), (1, 1, 1)),
    build=build,
    read=lambda t: "a",
)


def track(*places, quaternion=(1, 0, 0, 0), card=(0.1, 0.08, 0.02), **more):
    n = len(places)
    return Track(
        position_m=np.stack([np.array(places, dtype=float), np.tile(card, (n, 1))], axis=1),
        quaternion=np.tile(np.array([[1.0, 0, 0, 0], quaternion]), (n, 1, 1)),
        visible=more.pop("visible", np.ones((n, 2), dtype=bool)),
        **more,
    )


PLACES = ((0, 0, 0.02), (-0.12, 0.1, 0.02), (0.1, -0.06, 0.12), (-0.08, -0.1, 0.05))


def red(picture):
    r, g, b = np.moveaxis(picture.astype(int), -1, 0)
    return (r > 25) & (r > 2.2 * g) & (r > 2.2 * b)


def centroid(mask):
    rows, columns = np.nonzero(mask)
    return np.array([columns.mean() + 0.5, rows.mean() + 0.5])


@pytest.fixture(scope="module")
def pictures():
    with BulletStudio(SCENE, size_px=(120, 160)) as studio:
        return studio.frames(track(*PLACES))


def test_ball_stands_where_the_camera_model_and_mujoco_put_it(pictures):
    with Studio(SCENE, size_px=(120, 160)) as studio:
        others = studio.frames(track(*PLACES))
    expected = View(camera=EYE, height_px=120, width_px=160).pixels(np.array(PLACES))
    for ours, theirs, where, where_m in zip(pictures, others, expected, np.array(PLACES), strict=True):
        assert np.linalg.norm(centroid(red(ours)) - where) < 0.4
        assert np.linalg.norm(centroid(red(ours)) - centroid(red(theirs))) < 1.0
        away = np.linalg.norm(where_m - EYE.position_m)
        disc = np.pi * (0.02 / away * 60 / np.tan(np.radians(35) / 2)) ** 2
        assert red(ours).sum() == pytest.approx(disc, rel=0.15)


@pytest.mark.parametrize("turn", [(1, 0, 0, 0), (0.92387953, 0, 0, 0.38268343)])
def test_textures_lie_as_in_mujoco(turn):
    above = Camera(position_m=(0, -0.001, 0.5), target_m=(0, 0, 0), fovy_deg=20)
    shown = track((0.5, 0.5, 0.5), card=(0, 0, 0.02), quaternion=turn)
    with BulletStudio(SCENE, size_px=(96, 96)) as studio:
        (ours,) = studio.frames(shown, camera=above)
    with Studio(SCENE, size_px=(96, 96)) as studio:
        (theirs,) = studio.frames(shown, camera=above)
    if turn[0] == 1:
        for picture in (ours, theirs):
            quarters = [picture[36, 36], picture[36, 60], picture[60, 36], picture[60, 60]]
            for seen, colour in zip(quarters, COLOURS, strict=True):
                assert [c > 90 for c in seen] == [c > 127 for c in colour]
    else:
        where = [(30, 48), (48, 30), (48, 66), (66, 48)]
        assert [np.argmax(ours[w]) for w in where] == [np.argmax(theirs[w]) for w in where]


def test_shadow_falls_away_from_the_light():
    look = Look(light_position_m=(-1.0, 0.0, 1.0))
    shown = track((0, 0, 0.06), card=(0.5, 0.5, -0.5))
    with BulletStudio(SCENE, size_px=(160, 160)) as studio:
        (with_ball,) = studio.frames(shown, look=look).astype(int)
        (without,) = studio.frames(track((0.5, 0.5, -0.5), card=(0.5, 0.5, -0.5)), look=look).astype(int)
    darker = (without - with_ball).sum(-1) * ~red(with_ball) > 30
    x, y = View(camera=EYE, height_px=160, width_px=160).pixels(np.array([0.06, 0, 0.0]))  # 45 degrees, 60 mm up
    assert darker.sum() > 30
    assert np.linalg.norm(centroid(darker) - [x, y]) < 8


def test_hidden_bodies_vanish_and_the_twin_appears():
    visible = np.array([[True, True], [False, True]])
    ghost = np.array([[np.nan] * 3, [0.0, 0, 0.02]])
    shown = track(
        PLACES[1],
        PLACES[1],
        visible=visible,
        ghost_position_m=ghost,
        ghost_quaternion=np.tile([1.0, 0, 0, 0], (2, 1)),
    )
    with BulletStudio(SCENE, size_px=(120, 160)) as studio:
        first, second = studio.frames(shown)
    view = View(camera=EYE, height_px=120, width_px=160)
    assert np.linalg.norm(centroid(red(first)) - view.pixels(np.array(PLACES[1]))) < 1
    assert np.linalg.norm(centroid(red(second)) - view.pixels(np.array(PLACES[0]))) < 1


def test_looks_change_colours_and_background_and_leave_nothing_behind(pictures):
    level = Camera(position_m=(0, -0.5, 0.1), target_m=(0, 0, 0.1))
    look = Look(tint={"mark_ball": (0.1, 1.0, 1.0)}, background_rgb=(0.2, 0.4, 0.8))
    with BulletStudio(SCENE, size_px=(120, 160)) as studio:
        assert studio.materials == ("cloth", "mark_ball", "mark_card")
        assert not red(studio.frames(track(PLACES[0]), look=look)[0]).any()
        assert studio.frames(track(PLACES[0]), look=look, camera=level)[0, 0, 80].tolist() == [51, 102, 204]
        np.testing.assert_array_equal(studio.frames(track(*PLACES)), pictures)


def test_fine_pictures_have_smoother_edges(pictures):
    with BulletStudio(SCENE, size_px=(120, 160), quality="fine") as studio:
        (fine,) = studio.frames(track(PLACES[0]))
    assert fine.shape == (120, 160, 3)
    assert np.linalg.norm(centroid(red(fine)) - centroid(red(pictures[0]))) < 0.5
    assert np.abs(np.diff(fine.astype(int), axis=0)).max() <= np.abs(np.diff(pictures[0].astype(int), axis=0)).max()


def test_splitting_keeps_the_surface_and_makes_it_fine_near_the_target():
    floor = rectangle(30.0, 30.0)
    parts = split(floor, np.zeros(3), 1.0)
    corners = parts.corners_m
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1) / 2
    assert area.sum() == pytest.approx(3600)
    near = np.linalg.norm(corners, axis=2).min(axis=1) < 0.9
    edges = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2)
    assert edges[near].max() <= 0.12 and len(corners) < 20_000


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"size_px": (0, 5)}, "size_px must be a height and a width"),
        ({"size_px": (9, 9), "quality": "best"}, "quality must be one of fast, fine"),
    ],
)
def test_wrong_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        BulletStudio(SCENE, **arguments)


def test_wrong_tracks_looks_and_times_are_refused():
    closed = BulletStudio(SCENE, size_px=(8, 8))
    with pytest.raises(RuntimeError, match="inside its `with`"):
        closed.frames(track(PLACES[0]))
    one = Track(position_m=np.zeros((1, 1, 3)), quaternion=np.ones((1, 1, 4)), visible=np.ones((1, 1), dtype=bool))
    with closed as studio:
        with pytest.raises(ValueError, match="track must hold 2 bodies"):
            studio.frames(one)
        with pytest.raises(ValueError, match="tint must name materials of the scene"):
            studio.frames(track(PLACES[0]), look=Look(tint={"gold": (1, 1, 1)}))


def test_without_pybullet_one_line_says_how_to_install_it(monkeypatch):
    import sys

    pybullet.cache_clear()
    monkeypatch.setitem(sys.modules, "pybullet", None)
    with pytest.raises(PrerequisiteError, match="pip install pybullet"):
        BulletStudio(SCENE, size_px=(8, 8)).__enter__()
    pybullet.cache_clear()
