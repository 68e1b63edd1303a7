import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import scenes
from sim import Camera, Look, PrerequisiteError, SceneError
from sim.render import Studio, Track
from sim.start import start_track
from sim.view import View

SIZE = (64, 96)


@pytest.fixture
def red(ball):
    """The ball's scene with a red ball."""

    def build(params):
        spec = ball.build(params)
        spec.geom("ball").rgba = [1, 0, 0, 1]
        return spec

    return replace(ball, build=build)


def at(*places, visible=True):
    """The ball at the given places, one a frame."""
    return Track(
        position_m=np.array(places, dtype=float)[:, None],
        quaternion=np.tile([1.0, 0, 0, 0], (len(places), 1, 1)),
        visible=np.full((len(places), 1), visible),
    )


def resident_mb():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 1e6


def drawn(name, size=(48, 48), quality="fast"):
    scene = scenes.load(name)
    with Studio(scene, size_px=size, quality=quality) as studio:
        return studio.frames(start_track(scene))[0]


@pytest.mark.parametrize("quality", ["fast", "fine"])
@pytest.mark.parametrize("place", [(0, 0, 0.1), (0.1, 0, 0.05), (-0.12, 0.1, 0.2)])
def test_a_body_is_where_the_projection_says(red, place, quality):
    with Studio(red, size_px=(128, 192), quality=quality) as studio:
        bare, shown = studio.frames(at(place, visible=False))[0], studio.frames(at(place))[0]
        higher = studio.frames(at((place[0], place[1], place[2] + 0.6)))[0]  # its shadow hardly moves
    changed = np.abs(shown.astype(int) - bare).sum(-1)
    column, row = View(camera=red.camera, height_px=128, width_px=192).pixels(np.array(place))
    assert changed[int(row), int(column)] > 20
    assert np.abs(higher.astype(int) - bare)[int(row), int(column)].sum() == 0


def test_a_hidden_body_leaves_nothing_and_a_ghost_is_a_second_one(ball):
    place, shift = (0, 0, 0.1), np.array([0.15, 0, 0])
    with Studio(ball, size_px=SIZE) as studio:
        bare = studio.frames(at(place, visible=False))[0]
        one, other = studio.frames(at(place))[0], studio.frames(at(np.add(place, shift)))[0]
        both = studio.frames(at(place).with_ghost(shift))[0]
        again = studio.frames(at(place))[0]
        none = studio.frames(at(place).with_ghost(np.full(3, np.nan)))[0]
    np.testing.assert_array_equal(np.where(one != bare, one, other), both)
    np.testing.assert_array_equal(again, one)
    np.testing.assert_array_equal(none, one)


def test_bodies_cast_shadows(ball):
    with Studio(ball, size_px=(128, 128)) as studio:
        bare, shown = (studio.frames(at((0, 0, 0.15), visible=v))[0].astype(int).sum(-1) for v in (False, True))
    feet = np.array([0, 0, 0.15]) - 0.15 / 1.2 * np.array(ball.look.light_position_m)
    column, row = View(camera=ball.camera, height_px=128, width_px=128).pixels(feet)
    assert shown[int(row), int(column)] < 0.7 * bare[int(row), int(column)]


def test_look_and_camera_change_in_place_and_back(ball):
    dark = Look(light_diffuse=0.1, ambient=0.1, headlight_diffuse=0.0, background_rgb=(1.0, 0.0, 0.5))
    above = Camera(position_m=(0, -0.2, 1), target_m=(0, 0, 0), fovy_deg=30)
    sky = Camera(position_m=(0, -1, 0.3), target_m=(0, 0, 2))
    with Studio(ball, size_px=SIZE) as studio:
        first = studio.frames(at((0, 0, 0.1)))
        other = studio.frames(at((0, 0, 0.1)), look=dark)
        moved = studio.frames(at((0, 0, 0.1)), camera=above)
        upwards = studio.frames(at((0, 0, 0.1)), look=dark, camera=sky)
        last = studio.frames(at((0, 0, 0.1)))
    np.testing.assert_array_equal(first, last)
    assert other.mean() < 0.5 * first.mean()
    assert np.abs(moved.astype(int) - first).mean() > 5
    np.testing.assert_array_equal(np.unique(upwards[0, :4].reshape(-1, 3), axis=0), [[255, 0, 128]])


def test_a_tint_multiplies_a_material_and_no_other():
    scene = scenes.load("die_roll")
    with Studio(scene, size_px=SIZE) as studio:
        track = start_track(scene)
        plain = studio.frames(track)[0].astype(int)
        tinted = studio.frames(track, look=replace(scene.look, tint={"felt": (1.0, 0.0, 1.0)}))[0].astype(int)
        assert {"felt", "mark_die", "mark_pips"} <= set(studio.materials)
        with pytest.raises(ValueError, match=r"tint must name materials of the scene \(.*felt.*\), got silk"):
            studio.frames(track, look=Look(tint={"silk": (1, 1, 1)}))
    changed = (plain != tinted).any(-1)
    assert 0.1 < changed.mean() < 0.9
    assert tinted[changed][:, 1].max() < plain[changed][:, 1].max()


def test_texture_of_a_coin_is_on_its_face():
    up, down = (drawn(token, (96, 96)).astype(int) for token in ("coin_toss", "coin_toss"))
    np.testing.assert_array_equal(up, down)
    scene = scenes.load("coin_toss")
    with Studio(scene, size_px=(96, 96)) as studio:
        track = start_track(scene)
        turned = replace(track, quaternion=np.array([[[0.0, 1, 0, 0]]]))
        assert np.abs(studio.frames(turned)[0].astype(int) - up).max() > 60


@pytest.mark.parametrize("size", [(1080, 1920), (481, 641), (1, 1), (640, 360)])
def test_any_size_is_drawn(ball, size):
    with Studio(ball, size_px=size) as studio:
        assert studio.frames(at((0, 0, 0.1))).shape == (1, *size, 3)


def test_large_pictures_show_what_small_ones_show(ball):
    import cv2

    pictures = []
    for size in ((96, 96), (480, 480)):
        with Studio(ball, size_px=size, quality="fine") as studio:
            pictures.append(cv2.resize(studio.frames(at((0, 0, 0.1)))[0], (48, 48), interpolation=cv2.INTER_AREA))
    assert np.abs(pictures[0].astype(int) - pictures[1]).mean() < 2


def test_fine_pictures_have_the_light_of_fast_ones():
    fast, fine = drawn("die_roll", (96, 96)), drawn("die_roll", (96, 96), "fine")
    assert np.abs(fast.astype(int) - fine).mean() < 4


def test_scene_k_after_others_equals_a_fresh_process():
    names = ("galton_board", "coin_toss", "roulette", "die_roll")
    here = {name: drawn(name) for name in names}
    here |= {name: drawn(name) for name in reversed(names)}
    root = Path(__file__).parents[1]
    code = (
        f"import sys; sys.path.insert(0, {str(root)!r}); sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "from test_render import drawn\nsys.stdout.buffer.write(drawn(sys.argv[1]).tobytes())"
    )
    for name in ("die_roll", "roulette"):
        fresh = subprocess.run([sys.executable, "-c", code, name], capture_output=True, check=True, timeout=100)
        assert fresh.stdout == here[name].tobytes()


def opened(scene, n):
    for _ in range(n):
        with Studio(scene, size_px=SIZE) as studio:
            studio.frames(start_track(scene))


def test_memory_is_flat_over_many_scenes(ball):
    opened(ball, 20)
    before = resident_mb()
    opened(ball, 50)
    assert resident_mb() - before < 5


@pytest.mark.slow
def test_memory_is_flat_over_500_scenes():
    catalogue = [scenes.load(name) for name in ("coin_toss", "die_roll", "galton_board", "roulette")]
    for scene in catalogue:
        opened(scene, 5)
    before = resident_mb()
    for scene in catalogue:
        opened(scene, 125)
    assert resident_mb() - before < 20


def test_a_second_open_studio_is_refused(ball):
    with Studio(ball, size_px=SIZE) as studio:
        with pytest.raises(RuntimeError, match="a studio for ball is open in this process"), Studio(ball, size_px=SIZE):
            pass
        assert studio.frames(at((0, 0, 0.1))).any()
    with Studio(ball, size_px=SIZE) as studio:
        assert studio.frames(at((0, 0, 0.1))).any()


def test_a_studio_that_could_not_open_blocks_no_other(ball, monkeypatch):
    def missing(*size):
        raise PrerequisiteError("none")

    with monkeypatch.context() as patch:
        patch.setattr("sim.render.open_context", missing)
        with pytest.raises(PrerequisiteError, match="none"), Studio(ball, size_px=SIZE):
            pass
    broken = replace(ball, build=lambda params: 1 / 0)
    with pytest.raises(SceneError, match="ball: build failed: ZeroDivisionError"), Studio(broken, size_px=SIZE):
        pass
    with Studio(ball, size_px=SIZE) as studio:
        assert studio.frames(at((0, 0, 0.1))).any()


def test_a_closed_studio_draws_nothing(ball):
    studio = Studio(ball, size_px=SIZE)
    with pytest.raises(RuntimeError, match="a studio draws only inside its `with`"):
        studio.frames(at((0, 0, 0.1)))
    with studio:
        pass
    with pytest.raises(RuntimeError, match="a studio draws only inside its `with`"):
        _ = studio.materials


def test_wrong_arguments_are_refused(ball):
    with pytest.raises(ValueError, match=r"size_px must be a height and a width from 1 to 4096, got \(0, 8\)"):
        Studio(ball, size_px=(0, 8))
    with pytest.raises(ValueError, match="quality must be one of draft, fast, fine, got 'best'"):
        Studio(ball, size_px=SIZE, quality="best")
    with pytest.raises(SceneError, match="ball has no variant 'x'"):
        Studio(ball, variant="x", size_px=SIZE)
    two = Track(position_m=np.zeros((1, 2, 3)), quaternion=np.ones((1, 2, 4)) / 2, visible=np.ones((1, 2), bool))
    with Studio(ball, size_px=SIZE) as studio, pytest.raises(ValueError, match="track must hold 1 bodies, got 2"):
        studio.frames(two)
