"""How does a scene become pictures?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np

from .gl import Context, open_context
from .scene import Camera, Look, Scene
from .track import Track as Track
from .trajectory import rotation_matrices
from .view import View
from .visual_model import EFFORTS, Quality, visual_model

if TYPE_CHECKING:
    import mujoco

_MAX_PX = 4096
_SOFTNESS = 0.06
"""Radius of the light over its distance, in pictures that are averaged over several samples."""
_SHADOW_REACH = 1.6
"""Half side of the shadowed square over the half diagonal of what the camera sees at its target."""
_FAR_M = 1e4
_open_studio: Studio | None = None


@dataclass(frozen=True, kw_only=True)
class _Shot:
    """Light and pixel grid of one picture."""

    aim: np.ndarray
    light_m: np.ndarray
    grid_px: tuple[float, float]


class Studio:
    """One renderer for one scene; used in a `with`, one open at a time in a process.

    Look and camera may change from call to call without compiling anything.
    """

    def __init__(
        self,
        scene: Scene,
        *,
        variant: str | None = None,
        size_px: tuple[int, int],
        quality: Quality = "fast",
    ) -> None:
        """Prepares nothing yet; the renderer is set up on entering the `with`.

        Args:
            scene: What to draw.
            variant: Name of a variant, or None for the base scene.
            size_px: Height and width of the pictures.
            quality: `fast` for many small pictures, `fine` for soft light and smooth edges.

        Raises:
            ValueError: The size or the quality is out of range.
            SceneError: There is no such variant.
        """
        if len(size_px) != 2 or not all(1 <= side <= _MAX_PX for side in size_px):
            raise ValueError(f"size_px must be a height and a width from 1 to {_MAX_PX}, got {size_px}")
        if quality not in EFFORTS:
            raise ValueError(f"quality must be one of {', '.join(EFFORTS)}, got {quality!r}")
        scene.variant(variant)
        self.scene, self.variant, self.size_px, self.quality = scene, variant, size_px, quality
        self._context: Context | None = None

    def __enter__(self) -> Studio:
        """Sets up the renderer.

        Raises:
            RuntimeError: Another studio is open in this process.
            PrerequisiteError: No OpenGL works here.
        """
        global _open_studio
        if _open_studio is not None:
            raise RuntimeError(
                f"a studio for {_open_studio.scene.name} is open in this process; leave its `with` first"
            )
        _open_studio = self
        try:
            self._set_up()
        except BaseException:
            self._free()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Frees all that the renderer holds."""
        self._free()

    def _set_up(self) -> None:
        self._context = open_context(*self._drawn_px())
        import mujoco

        height, width = self.size_px
        self._visual = visual_model(self.scene, self.variant, height_px=height, width_px=width, quality=self.quality)
        model = self._visual.model
        self._data = mujoco.MjData(model)
        self._mjr: Any = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_50.value)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN.value, self._mjr)
        self._mjv: Any = mujoco.MjvScene(model, len(self._visual.pieces) + 1)
        flags = mujoco.mjtRndFlag
        for flag in (flags.mjRND_REFLECTION, flags.mjRND_SKYBOX, flags.mjRND_FOG, flags.mjRND_HAZE):
            self._mjv.flags[flag] = False

    def _free(self) -> None:
        global _open_studio
        _open_studio = None
        if self._context is not None:
            if "_mjr" in self.__dict__:
                self._mjr.free()
            self._context.free()
        for name in ("_mjr", "_mjv", "_data", "_visual"):
            self.__dict__.pop(name, None)
        self._context = None

    def _drawn_px(self) -> tuple[int, int]:
        factor = EFFORTS[self.quality].enlargement
        return self.size_px[0] * factor, self.size_px[1] * factor

    @property
    def materials(self) -> tuple[str, ...]:
        """Names of the materials that a Look may tint, sorted; those named `mark_...` carry the outcome."""
        self._check_open()
        return self._visual.materials

    def _check_open(self) -> None:
        if self._context is None:
            raise RuntimeError("a studio draws only inside its `with`")

    def frames(self, track: Track, *, look: Look | None = None, camera: Camera | None = None) -> np.ndarray:
        """(T, H, W, 3) uint8 pictures of the track.

        Args:
            track: What to draw in each frame.
            look: Light and background; the scene's (or the variant's) own if None.
            camera: Where the pictures are taken from; the scene's own if None.

        Raises:
            RuntimeError: The studio is not open.
            ValueError: The track has another number of bodies, or the look tints a material that is not there.
        """
        self._check_open()
        n_bodies = len(self.scene.moving_bodies)
        if track.position_m.shape[1] != n_bodies:
            raise ValueError(f"track must hold {n_bodies} bodies, got {track.position_m.shape[1]}")
        look = self.scene.look_of(self.variant) if look is None else look
        view = View(
            camera=self.scene.camera if camera is None else camera, height_px=self.size_px[0], width_px=self.size_px[1]
        )
        self._stage(look, view)
        shots = self._shots(look, view)
        movers = self._movers(track)
        out = np.empty((len(track), *self.size_px, 3), dtype=np.uint8)
        for t in range(len(track)):
            for geom, position, rotation in movers:
                geom.pos[:] = position[t]
                geom.mat[:] = rotation[t]
            out[t] = self._picture(shots)
        return out

    def _stage(self, look: Look, view: View) -> None:
        """Writes look and camera into the model and lists what is to be drawn."""
        import mujoco

        model, data, key = self._visual.model, self._data, self._visual.model.light("light").id
        if unknown := set(look.tint) - set(self._visual.materials):
            known = ", ".join(self._visual.materials)
            raise ValueError(f"tint must name materials of the scene ({known}), got {sorted(unknown)}")
        for piece in self._visual.pieces:
            tint = look.tint.get(piece.part.finish.material, (1.0, 1.0, 1.0))
            rgb = np.multiply(piece.part.finish.rgba[:3], tint)
            model.mat_rgba[model.geom_matid[piece.geom], :3] = np.clip(rgb, 0.0, 1.0)
        model.vis.headlight.ambient[:] = look.ambient
        model.vis.headlight.diffuse[:] = look.headlight_diffuse
        model.vis.headlight.specular[:] = 0.0
        model.light_diffuse[key] = look.light_diffuse
        model.light_specular[key] = 0.3 * look.light_diffuse
        model.light_ambient[key] = 0.0
        model.vis.map.znear, model.vis.map.zfar = 0.05 * view.distance_m, 60.0 * view.distance_m
        model.cam_pos[0] = view.camera.position_m
        mujoco.mju_mat2Quat(model.cam_quat[0], np.ascontiguousarray(view.rotation).ravel())
        model.cam_fovy[0] = math.degrees(2 * math.atan(view.tan_half_height))
        mujoco.mj_kinematics(model, data)
        mujoco.mj_camlight(model, data)
        eye = mujoco.MjvCamera()
        eye.type, eye.fixedcamid = mujoco.mjtCamera.mjCAMERA_FIXED, 0
        mujoco.mjv_updateScene(model, data, mujoco.MjvOption(), None, eye, mujoco.mjtCatBit.mjCAT_ALL, self._mjv)

    def _shots(self, look: Look, view: View) -> list[_Shot]:
        """Light and pixel grid of each picture that is averaged into one frame."""
        target = np.array(view.camera.target_m, dtype=float)
        reach = view.distance_m * view.tan_half_height * math.hypot(1.0, view.width_px / view.height_px) * _SHADOW_REACH
        self._mjr.shadowClip = reach
        towards = target - look.light_position_m
        aim = towards / np.linalg.norm(towards)
        aside = np.cross(aim, (1.0, 0.0, 0.0) if abs(aim[0]) < 0.9 else (0.0, 1.0, 0.0))
        aside /= np.linalg.norm(aside)
        n = EFFORTS[self.quality].n_samples
        shots = []
        for k in range(n):
            # A sunflower over the light's disc and an R2 sequence over the pixel: even, and the same every time.
            radius, turn = (math.sqrt((k + 0.5) / n) * _SOFTNESS if n > 1 else 0.0), k * 2.399963
            shifted = aim + radius * (math.cos(turn) * aside + math.sin(turn) * np.cross(aim, aside))
            shifted /= np.linalg.norm(shifted)
            grid = ((0.5 + k * 0.7548776662) % 1 - 0.5, (0.5 + k * 0.5698402910) % 1 - 0.5) if n > 1 else (0.0, 0.0)
            shots.append(_Shot(aim=shifted, light_m=target - 2 * reach * shifted, grid_px=grid))
        return shots

    def _movers(self, track: Track) -> list[tuple[Any, np.ndarray, np.ndarray]]:
        """What moves: a geom of the picture with its position (T, 3) and rotation (T, 3, 3)."""
        model = self._visual.model
        n_bodies = len(self.scene.moving_bodies)
        position = np.where(track.visible[..., None], track.position_m, _FAR_M)
        rotation = rotation_matrices(track.quaternion)
        if track.ghost_position_m is not None and track.ghost_quaternion is not None:
            ghost = np.nan_to_num(track.ghost_position_m, nan=_FAR_M)[:, None]
            turned = np.nan_to_num(track.ghost_quaternion, nan=0.5)[:, None]
            position = np.concatenate([position, ghost], axis=1)
            rotation = np.concatenate([rotation, rotation_matrices(turned)], axis=1)
        else:  # The twin comes last: leaving it out costs nothing.
            self._mjv.ngeom = sum(piece.body < n_bodies for piece in self._visual.pieces)
        drawn = {int(geom.objid): geom for geom in self._mjv.geoms[: self._mjv.ngeom]}
        movers = []
        for piece in self._visual.pieces:
            if piece.body < 0 or piece.geom not in drawn:
                continue
            turn = rotation[:, piece.body]
            own = rotation_matrices(model.geom_quat[piece.geom])
            place = position[:, piece.body] + turn @ model.geom_pos[piece.geom]
            movers.append((drawn[piece.geom], place, turn @ own))
        return movers

    def _picture(self, shots: list[_Shot]) -> np.ndarray:
        """(H, W, 3) one frame of what is staged."""
        import mujoco

        height, width = self.size_px
        rect = mujoco.MjrRect(0, 0, width, height)
        pixels = np.empty((height, width, 3), dtype=np.uint8)
        total = np.zeros((height, width, 3), dtype=np.uint16)
        light = next(light for light in self._mjv.lights[: self._mjv.nlight] if not light.headlight)
        for shot in shots:
            light.pos[:], light.dir[:] = shot.light_m, shot.aim
            mujoco.mjr_render(rect, self._mjv, self._mjr)
            mujoco.mjr_readPixels(pixels, None, rect, self._mjr)
            if len(shots) == 1:
                return pixels[::-1]
            total += pixels
        return ((total + len(shots) // 2) // len(shots)).astype(np.uint8)[::-1]
