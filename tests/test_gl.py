import ctypes
import os
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from cli.faults import guarded
from sim import InputError, gl

ROOT = Path(__file__).parents[1]
DRAW = """
import numpy as np
from sim import Camera, Look, Scene, world
from sim.render import Studio, Track

def build(params):
    spec = world(params)
    spec.worldbody.add_body(name="b").add_geom(name="b", size=[0.1, 0, 0])
    spec.add_key(name="start")
    return spec

SCENE = Scene(name="b", version=1, group="tossing", prompt="", negative_prompt="", outcomes=("x", "y"), null_rules=(),
    duration_s=1, camera=Camera(position_m=(0, -1, 0), target_m=(0, 0, 0)), look=Look(), factors={},
    moving_bodies=("b",), bounds_m=((-1, -1, -1), (1, 1, 1)), build=build, read=lambda t: "x")
TRACK = Track(position_m=np.zeros((1, 1, 3)), quaternion=np.array([[[1.0, 0, 0, 0]]]), visible=np.ones((1, 1), bool))

def mean(_=0):
    with Studio(SCENE, size_px=(32, 32)) as studio:
        return float(studio.frames(TRACK).mean())
"""


def python(code: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Runs code in a fresh process with only the given graphics variables."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("MUJOCO_", "PYOPENGL_", "LP_"))} | variables
    return subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=env, capture_output=True, text=True, timeout=100, check=False
    )


def fault(code: str, **variables: str) -> str:
    """The line of the error that the code ends with."""
    done = python(f"from sim import QuincunxError\ntry:\n {code}\nexcept QuincunxError as e:\n print(e)", **variables)
    assert done.stderr == ""
    assert done.stdout.count("\n") == 1
    return done.stdout


@pytest.mark.parametrize("variables", [{}, {"MUJOCO_GL": "egl"}], ids=["unset", "egl"])
def test_draws_with_egl_and_leaves_quietly(variables):
    done = python(DRAW + "\nfrom sim import gl\nprint(gl.backend(), mean() > 50)", **variables)
    assert (done.returncode, done.stdout, done.stderr) == (0, "egl True\n", "")


def test_a_studio_left_by_an_exit_leaves_quietly():
    done = python(DRAW + "\nimport sys\nwith Studio(SCENE, size_px=(32, 32)) as studio:\n sys.exit(3)")
    assert (done.returncode, done.stderr) == (3, "")


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_children_draw_after_their_parent_drew(method, tmp_path):
    # R06: an EGL that was set up in the parent is dead in forked children of other programs.
    (tmp_path / "drawing.py").write_text(DRAW)
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\nimport multiprocessing\nfrom drawing import mean\n"
        "if __name__ == '__main__':\n own = mean()\n"
        f" with multiprocessing.get_context({method!r}).Pool(2) as pool:\n"
        "  print(set(pool.map(mean, range(4))) == {own})\n"
    )
    (tmp_path / "main.py").write_text(code)
    done = python(f"import runpy; runpy.run_path({str(tmp_path / 'main.py')!r}, run_name='__main__')")
    assert (done.stdout, done.stderr) == ("True\n", "")


def test_no_library_is_one_line_with_the_cure():
    broken = "from sim import gl\n gl._egl_device = lambda: None\n gl._osmesa_is_there = lambda: False\n gl.backend()"
    assert fault(broken) == f"no OpenGL can draw here without a screen; install one: {gl.CURE}\n"
    assert gl.CURE == "apt-get install -y libegl1 libgl1-mesa-dri"


def test_egl_is_left_for_osmesa_where_it_cannot_draw():
    code = "from sim import gl\ngl._egl_device = lambda: None\ngl._osmesa_is_there = lambda: True\nprint(gl.backend())"
    assert python(code).stdout == "osmesa\n"
    assert python(code, MUJOCO_GL="osmesa").stdout == "osmesa\n"


def test_osmesa_that_is_asked_for_and_missing_is_one_line():
    said = fault("from sim import gl\n gl._osmesa_is_there = lambda: False\n gl.backend()", MUJOCO_GL="osmesa")
    assert "OSMesa is not installed; unset MUJOCO_GL to draw with EGL" in said
    assert "apt-get install -y libosmesa6" in said


@pytest.mark.parametrize("name", ["nonsense", "glfw", "off"])
def test_other_backends_are_refused(name, monkeypatch):
    monkeypatch.setenv("MUJOCO_GL", name)
    with pytest.raises(InputError, match=f"MUJOCO_GL is '{name}', .* unset it, or set it to egl or osmesa"):
        gl.asked_backends()


def test_wrong_settings_of_others_are_one_line():
    code = DRAW.replace("\n", "\n ") + "\n mean()"
    assert "PYOPENGL_PLATFORM is 'osmesa' while egl draws; unset it" in fault(code, PYOPENGL_PLATFORM="osmesa")
    assert "MUJOCO_EGL_DEVICE_ID must be the number of a device, got 'x'" in fault(code, MUJOCO_EGL_DEVICE_ID="x")
    assert gl.CURE in fault(code, MUJOCO_EGL_DEVICE_ID="77")


def test_a_library_without_egl_is_no_device():
    assert gl._egl_device("libNotThere.so.1") is None
    assert gl._egl_device("libc.so.6") is None


def egl_with(devices: list[str], *, broken: tuple[int, ...] = ()):
    """Stands in for libEGL with devices of these extensions, of which some cannot start."""
    pointer, number = ctypes.c_void_p, ctypes.c_int
    kept = [ctypes.create_string_buffer(name.encode()) for name in devices]

    @ctypes.CFUNCTYPE(ctypes.c_uint, number, ctypes.POINTER(pointer), ctypes.POINTER(number))
    def query(most, found, count):
        for k in range(len(kept)):
            found[k] = k + 1
        count[0] = len(kept)
        return 1

    @ctypes.CFUNCTYPE(pointer, pointer, number)
    def text(device, name):
        return ctypes.addressof(kept[device - 1])

    @ctypes.CFUNCTYPE(pointer, ctypes.c_uint, pointer, pointer)
    def display(platform, device, attributes):
        return device

    @ctypes.CFUNCTYPE(ctypes.c_uint, pointer, pointer, pointer)
    def start(device, major, minor):
        return int(device - 1 not in broken)

    functions = {b"eglQueryDevicesEXT": query, b"eglQueryDeviceStringEXT": text}
    functions |= {b"eglGetPlatformDisplayEXT": display, b"eglInitialize": start}

    class Library:
        @staticmethod
        def eglGetProcAddress(name):  # noqa: N802 the name in libEGL
            return ctypes.cast(functions[name], pointer).value

    Library.eglGetProcAddress.kept = functions
    return Library


def test_the_software_device_is_drawn_with_where_there_are_graphics_cards_too(monkeypatch):
    # R02: several renderers on one graphics card hang at the first read-back, and so does drawing beside CUDA.
    cards = ["EGL_NV_device_cuda EGL_EXT_device_drm", "EGL_NV_device_cuda", "EGL_MESA_device_software"]
    monkeypatch.setattr(ctypes, "CDLL", lambda name: egl_with(cards))
    assert gl._egl_device() == 2
    monkeypatch.setattr(ctypes, "CDLL", lambda name: egl_with(cards, broken=(2,)))
    assert gl._egl_device() == 0
    monkeypatch.setattr(ctypes, "CDLL", lambda name: egl_with(cards, broken=(0, 1, 2)))
    assert gl._egl_device() is None


def test_a_wrong_mujoco_gl_ends_a_verb_in_one_line():
    verb = "reference die_roll --n 2 --seed 1 --json".split()
    done = python(f"from cli.main import app\napp({verb})", MUJOCO_GL="nonsense")
    assert done.returncode == 1
    assert "MUJOCO_GL is 'nonsense', which MuJoCo does not know; unset it" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_missing_osmesa_ends_a_verb_in_one_line(monkeypatch, capsys):
    def verb():
        raise AttributeError("'NoneType' object has no attribute 'glGetError'")  # as `import mujoco` does

    monkeypatch.setattr(gl, "_osmesa_is_there", lambda: False)
    monkeypatch.setenv("MUJOCO_GL", "osmesa")
    with pytest.raises(typer.Exit, match="1"):
        guarded(verb)()
    said = capsys.readouterr().err
    assert "OSMesa is not installed" in said
    assert said.count("\n") == 1
    monkeypatch.delenv("MUJOCO_GL")
    with pytest.raises(AttributeError, match="glGetError"):
        guarded(verb)()


def test_settings_under_which_mujoco_loads_are_not_blamed(monkeypatch):
    for name in ("", "egl", "glfw", "off", " EGL"):
        monkeypatch.setenv("MUJOCO_GL", name)
        assert gl.import_fault() is None
    monkeypatch.setattr(gl, "_egl_device", lambda: None)
    assert gl.CURE in (gl.import_fault() or "")
