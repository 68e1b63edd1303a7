"""How does a scene become pictures?"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .gl import Context, open_context
from .lighting import Shot, light_shots, shadow_reach_m, write_look
from .scene import Camera, Look, Scene
from .studio import AnyStudio
from .track import Track as Track
from .trajectory import rotation_matrices
from .view import View
from .visual_model import EFFORTS, Quality, visual_model

_SIGHT = 60.0
"""How far the camera sees, in distances to its target."""
_DIM = 1e-3
"""Colour of the backdrop under the lights, over its own glow: so little that no light or shadow shows on it."""
_FAR_M = 1e4
"""Where a body is put that is not drawn."""
_open_studio: Studio | None = None


class Studio(AnyStudio):
    """MuJoCo's renderer for one scene; used in a `with`, one open at a time in a process."""

    def __init__(
        self,
        scene: Scene,
        *,
        variant: str | None = None,
        size_px: tuple[int, int],
        quality: Quality = "fast",
    ) -> None:
        """See AnyStudio.

        Args:
            scene: What to draw.
            variant: Name of a variant, or None for the base scene.
            size_px: Height and width of the pictures.
            quality: `draft` for training clips, `fast` for many small pictures, `fine` for soft light and smooth edges.
        """
        super().__init__(scene, variant=variant, size_px=size_px, quality=quality, qualities=EFFORTS)
        self.quality = quality
        self._context: Context | None = None

    def __enter__(self) -> Studio:
        """See AnyStudio."""
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
        for name in ("_geoms", "_mjr", "_mjv", "_data", "_visual"):
            self.__dict__.pop(name, None)
        self._context = None

    def _drawn_px(self) -> tuple[int, int]:
        factor = EFFORTS[self.quality].enlargement
        return self.size_px[0] * factor, self.size_px[1] * factor

    def _is_open(self) -> bool:
        return self._context is not None

    def _materials(self) -> tuple[str, ...]:
        return self._visual.materials

    def _frames(self, track: Track, look: Look, camera: Camera) -> np.ndarray:
        view = View(camera=camera, height_px=self.size_px[0], width_px=self.size_px[1])
        self._stage(look, view)
        movers = self._movers(track)
        self._add_backdrop(look, view)
        shots = light_shots(look, view, EFFORTS[self.quality].n_samples)
        frusta = [(eye.frustum_center, eye.frustum_bottom, eye.frustum_top) for eye in self._mjv.camera]
        out = np.empty((len(track), *self.size_px, 3), dtype=np.uint8)
        for t in range(len(track)):
            for geom, position, rotation in movers:
                geom.pos[:] = position[t]
                geom.mat[:] = rotation[t]
            out[t] = self._picture(shots, frusta)
        return out

    def _stage(self, look: Look, view: View) -> None:
        """Writes look and camera into the model and lists what is to be drawn."""
        import mujoco

        model, data = self._visual.model, self._data
        write_look(self._visual, look)
        model.vis.map.znear, model.vis.map.zfar = 0.05 * view.distance_m, _SIGHT * view.distance_m
        model.cam_pos[0] = view.camera.position_m
        mujoco.mju_mat2Quat(model.cam_quat[0], np.ascontiguousarray(view.rotation).ravel())
        model.cam_fovy[0] = math.degrees(2 * math.atan(view.tan_half_height))
        mujoco.mj_kinematics(model, data)
        mujoco.mj_camlight(model, data)
        eye = mujoco.MjvCamera()
        eye.type, eye.fixedcamid = mujoco.mjtCamera.mjCAMERA_FIXED, 0
        mujoco.mjv_updateScene(model, data, mujoco.MjvOption(), None, eye, mujoco.mjtCatBit.mjCAT_ALL, self._mjv)
        self._geoms = {int(geom.objid): geom for geom in self._mjv.geoms[: self._mjv.ngeom]}
        for piece in self._visual.pieces:
            if not piece.part.casts_shadow:  # MuJoCo draws decor in the picture and leaves it out of the shadow map.
                self._geoms[piece.geom].category = mujoco.mjtCatBit.mjCAT_DECOR.value
        self._mjr.shadowClip = shadow_reach_m(view)

    def _add_backdrop(self, look: Look, view: View) -> None:
        """Hangs a glowing sheet behind everything: MuJoCo clears to black, and a sky box costs far more."""
        import mujoco

        far = 0.95 * _SIGHT * view.distance_m
        half = 1.5 * far * view.tan_half_height * max(1.0, view.width_px / view.height_px)
        sheet = self._mjv.geoms[self._mjv.ngeom]
        rgba = np.array([*(_DIM * c for c in look.background_rgb), 1.0], dtype=np.float32)
        place = np.array(view.camera.position_m) - far * view.rotation[:, 2]
        size, turn = np.array([half, half, 0.0]), np.ascontiguousarray(view.rotation).ravel()
        mujoco.mjv_initGeom(sheet, mujoco.mjtGeom.mjGEOM_PLANE, size, place, turn, rgba)
        sheet.emission, sheet.specular, sheet.reflectance = 1 / _DIM, 0.0, 0.0
        self._mjv.ngeom += 1

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
        movers = []
        for piece in self._visual.pieces:
            if not 0 <= piece.body < position.shape[1]:
                continue
            turn = rotation[:, piece.body]
            own = rotation_matrices(model.geom_quat[piece.geom])
            place = position[:, piece.body] + turn @ model.geom_pos[piece.geom]
            movers.append((self._geoms[piece.geom], place, turn @ own))
        return movers

    def _picture(self, shots: tuple[Shot, ...], frusta: list[tuple[float, float, float]]) -> np.ndarray:
        """(H, W, 3) one frame of what is staged."""
        import cv2
        import mujoco

        height, width = self._drawn_px()
        rect = mujoco.MjrRect(0, 0, width, height)
        pixels = np.empty((height, width, 3), dtype=np.uint8)
        total = np.zeros((height, width, 3), dtype=np.uint16)
        light = next(light for light in self._mjv.lights[: self._mjv.nlight] if not light.headlight)
        for shot in shots:
            light.pos[:], light.dir[:] = shot.light_m, shot.aim
            for eye, straight in zip(self._mjv.camera, frusta, strict=True):
                unit = (straight[2] - straight[1]) / height  # one pixel on the near plane
                eye.frustum_center = straight[0] + shot.grid_px[0] * unit
                eye.frustum_bottom = straight[1] + shot.grid_px[1] * unit
                eye.frustum_top = straight[2] + shot.grid_px[1] * unit
            mujoco.mjr_render(rect, self._mjv, self._mjr)
            mujoco.mjr_readPixels(pixels, None, rect, self._mjr)
            if len(shots) > 1:
                total += pixels
        if len(shots) > 1:
            pixels = ((total + len(shots) // 2) // len(shots)).astype(np.uint8)
        if EFFORTS[self.quality].enlargement > 1:
            pixels = cv2.resize(pixels, self.size_px[::-1], interpolation=cv2.INTER_AREA)
        return pixels[::-1]
