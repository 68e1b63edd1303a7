"""Which OpenGL can draw here without a screen?

EGL is tried first, then OSMesa. On EGL the software device is preferred to a graphics card unless MUJOCO_EGL_DEVICE_ID
says otherwise: its pixels are the same on every machine, several processes may draw at once, and drawing beside CUDA
cannot hang. Everything is set up in the process that draws, when it first draws.
"""

from __future__ import annotations

import ctypes
import os
from functools import cache
from typing import Any, Protocol

from .errors import InputError, PrerequisiteError

CURE = "apt-get install -y libegl1 libgl1-mesa-dri"
"""What installs a software OpenGL on Debian and Ubuntu."""
_NO_GL = f"no OpenGL can draw here without a screen; install one: {CURE}"
_NO_OSMESA = (
    f"MUJOCO_GL is osmesa, but OSMesa is not installed; unset MUJOCO_GL to draw with EGL ({CURE}), "
    "or: apt-get install -y libosmesa6"
)
_NO_SCREEN = ("egl", "osmesa")
_OTHERS = ("glfw", "glx", "disable", "disabled", "off", "false", "0")
_AUTOMATIC = ("", "enable", "enabled", "on", "true", "1")
_EXTENSIONS, _DEVICE_PLATFORM = 0x3055, 0x313F


class Context(Protocol):
    """An OpenGL context without a window."""

    def make_current(self) -> None:
        """Makes it the one that draws."""

    def free(self) -> None:
        """Gives back all that it holds."""


def asked_backends() -> tuple[str, ...]:
    """The backends to try, in order, as MUJOCO_GL says: `egl`, `osmesa`, or both if it is unset.

    Raises:
        InputError: MUJOCO_GL names something else.
    """
    asked = os.environ.get("MUJOCO_GL", "").strip().lower()
    if asked in _AUTOMATIC:
        return _NO_SCREEN
    if asked in _NO_SCREEN:
        return (asked,)
    raise InputError(
        f"MUJOCO_GL is {asked!r}, which cannot draw without a screen; unset it, or set it to egl or osmesa"
    )


def _egl_device(library: str = "libEGL.so.1") -> int | None:
    """Number of the EGL device to draw with: the software one if there is one; None if EGL cannot draw."""
    try:
        egl = ctypes.CDLL(library)
        egl.eglGetProcAddress.restype = ctypes.c_void_p
        egl.eglGetProcAddress.argtypes = [ctypes.c_char_p]
    except (OSError, AttributeError):
        return None

    def function(name: bytes, result: Any, *arguments: Any) -> Any:
        address = egl.eglGetProcAddress(name)
        return ctypes.CFUNCTYPE(result, *arguments)(address) if address else None

    pointer, number = ctypes.c_void_p, ctypes.c_int
    query = function(b"eglQueryDevicesEXT", ctypes.c_uint, number, ctypes.POINTER(pointer), ctypes.POINTER(number))
    text = function(b"eglQueryDeviceStringEXT", ctypes.c_char_p, pointer, number)
    display_of = function(b"eglGetPlatformDisplayEXT", pointer, ctypes.c_uint, pointer, pointer)
    start = function(b"eglInitialize", ctypes.c_uint, pointer, pointer, pointer)
    if not (query and text and display_of and start):
        return None
    devices, count = (pointer * 32)(), number()
    if not query(32, devices, ctypes.byref(count)):
        return None
    order = sorted(
        range(count.value), key=lambda d: b"EGL_MESA_device_software" not in (text(devices[d], _EXTENSIONS) or b"")
    )
    for device in order:
        display = display_of(_DEVICE_PLATFORM, devices[device], None)
        if display and start(display, None, None):
            return device
    return None


def _osmesa_is_there() -> bool:
    for library in ("libOSMesa.so.8", "libOSMesa.so.6", "libOSMesa.so"):
        try:
            ctypes.CDLL(library)
        except OSError:
            continue
        return True
    return False


def import_fault() -> str | None:
    """Why `import mujoco` itself fails under this MUJOCO_GL, with the cure; None if MUJOCO_GL is not to blame."""
    asked = os.environ.get("MUJOCO_GL", "").strip().lower()
    if asked not in (*_AUTOMATIC, *_NO_SCREEN, *_OTHERS):
        return f"MUJOCO_GL is {asked!r}, which MuJoCo does not know; unset it, or set it to egl or osmesa"
    if asked == "osmesa" and not _osmesa_is_there():
        return _NO_OSMESA
    if asked == "egl" and _egl_device() is None:
        return _NO_GL
    return None


@cache
def _settle(asked: tuple[str, ...], pid: int) -> str:
    """The backend that this process draws with; fixes the settings that are read once."""
    del pid  # part of the key: a forked child decides for itself
    # One thread per process: two processes on two cores draw more than one process on two, and forking stays safe.
    os.environ.setdefault("LP_NUM_THREADS", "0")
    chosen = os.environ.get("MUJOCO_EGL_DEVICE_ID")
    if chosen is not None and not chosen.strip().isdecimal():
        raise InputError(f"MUJOCO_EGL_DEVICE_ID must be the number of a device, got {chosen!r}; correct or unset it")
    for name in asked:
        if name == "egl" and (device := _egl_device()) is not None:
            os.environ.setdefault("MUJOCO_EGL_DEVICE_ID", str(device))
            return name
        if name == "osmesa" and _osmesa_is_there():
            return name
    raise PrerequisiteError(_NO_OSMESA if asked == ("osmesa",) else _NO_GL)


def backend() -> str:
    """The backend that is used here: `egl` or `osmesa`.

    Raises:
        InputError: MUJOCO_GL or MUJOCO_EGL_DEVICE_ID is wrong.
        PrerequisiteError: None works; the message holds the command that installs one.
    """
    return _settle(asked_backends(), os.getpid())


def open_context(height_px: int, width_px: int) -> Context:
    """A context that is current, on the backend of this process.

    Raises:
        InputError: MUJOCO_GL or MUJOCO_EGL_DEVICE_ID is wrong.
        PrerequisiteError: No backend works; the message holds the command that installs one.
    """
    name = backend()
    platform = os.environ.get("PYOPENGL_PLATFORM")
    if platform and platform.lower() != name:
        raise InputError(f"PYOPENGL_PLATFORM is {platform!r} while {name} draws; unset it")
    try:
        if name == "egl":
            from mujoco.egl import GLContext
        else:
            from mujoco.osmesa import GLContext
        context: Context = GLContext(width_px, height_px)
        context.make_current()
    except (ImportError, AttributeError, RuntimeError) as fault:
        raise PrerequisiteError(_NO_GL) from fault
    return context
