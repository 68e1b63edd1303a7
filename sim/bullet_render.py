"""How does a second renderer, which shares no line with the first, draw a scene?

PyBullet's TinyRenderer draws in plain software: no OpenGL, other shading, other shadows, hard edges. It judges the
judge: a network that reads the same clip from both renderers reads the scene and not MuJoCo's pictures. Clear parts
(glass) are left out, because it cannot blend.
"""

from __future__ import annotations

import math
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from .bullet_shapes import pybullet
from .primitives import Triangles, corner_normals
from .scene import Camera, Look, Scene
from .studio import AnyStudio
from .surface import Part, Surfaces, surfaces
from .track import Track
from .view import View

_SLICES = 24
_DISTANCE = 0.75
"""Distance from camera to target in drawn units. TinyRenderer's shadows start 0.05 units behind what casts them, less
the distance of the near plane: at 0.5 shadows of small things are lost, at 1.0 everything shadows itself."""
_NEAR = 0.05
"""Distance of the near plane, in distances to the target."""
_LIGHT_DISTANCE = 2.0
"""Distance of the light, from which the shadow map is drawn with the camera's angle, in distances to the target."""
_FINEST = 0.12
"""Longest edge drawn, in distances to the target (farther out, in distances from the target): depth in the shadow map
is wrong within large triangles."""
_SIGHT = 60.0
_HEADLIGHT = 0.3
"""Share of the headlight that is taken as ambient light, of which this renderer has only one kind."""
_ENLARGEMENT = {"fast": 1, "fine": 2}


@dataclass(frozen=True, kw_only=True)
class _Piece:
    """One drawn mesh."""

    handle: int
    part: Part
    body: int
    """Position in `Scene.moving_bodies`; -1 for what never moves, B for the twin of the main body."""


def split(triangles: Triangles, target_m: np.ndarray, distance_m: float) -> Triangles:
    """The same surface in triangles that are small near the target.

    Args:
        triangles: What to split.
        target_m: (3,) where the camera looks.
        distance_m: From the camera to there.
    """
    done: list[np.ndarray] = []
    uv = np.zeros((len(triangles.corners_m), 3, 2)) if triangles.uv is None else triangles.uv
    rest = np.concatenate([triangles.corners_m, triangles.normals, uv], axis=2)  # (F, 3, 8)
    while len(rest):
        corners = rest[..., :3]
        longest = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max(axis=1)
        away = np.linalg.norm(corners - target_m, axis=2).min(axis=1)
        small = longest <= _FINEST * np.maximum(distance_m, np.maximum(away, 0.5 * longest))
        done.append(rest[small])
        a, b, c = np.moveaxis(rest[~small], 1, 0)
        ab, bc, ca = (a + b) / 2, (b + c) / 2, (c + a) / 2
        rest = np.concatenate([np.stack(t, axis=1) for t in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))])
    every = np.concatenate(done)
    return Triangles(
        corners_m=every[..., :3], normals=every[..., 3:6], uv=None if triangles.uv is None else every[..., 6:]
    )


class BulletStudio(AnyStudio):
    """PyBullet's software renderer for one scene; used in a `with`."""

    def __init__(
        self,
        scene: Scene,
        *,
        variant: str | None = None,
        size_px: tuple[int, int],
        quality: Literal["fast", "fine"] = "fast",
    ) -> None:
        """See AnyStudio.

        Args:
            scene: What to draw.
            variant: Name of a variant, or None for the base scene.
            size_px: Height and width of the pictures.
            quality: `fast` has hard edges; `fine` draws at double size and averages.
        """
        super().__init__(scene, variant=variant, size_px=size_px, quality=quality, qualities=_ENLARGEMENT)
        self.quality = quality
        self._client: int | None = None

    def __enter__(self) -> BulletStudio:
        """See AnyStudio."""
        self._p = pybullet()
        self._seen: Surfaces = surfaces(self.scene, self.variant, slices=_SLICES)
        view = View(camera=self.scene.camera, height_px=1, width_px=1)
        self._unit = _DISTANCE / view.distance_m
        self._client = self._p.connect(self._p.DIRECT)
        try:
            self._pieces = self._draw_pieces(view)
        except BaseException:
            self._free()
            raise
        return self

    def _free(self) -> None:
        if self._client is not None:
            self._p.disconnect(physicsClientId=self._client)
            self._client = None

    def _is_open(self) -> bool:
        return self._client is not None

    def _materials(self) -> tuple[str, ...]:
        return self._seen.materials

    def _call(self, function: str, *args: Any, **kwargs: Any) -> Any:
        return getattr(self._p, function)(*args, **kwargs, physicsClientId=self._client)

    def _draw_pieces(self, view: View) -> list[_Piece]:
        """Hands every opaque part to the renderer, the main body's twice."""
        with tempfile.TemporaryDirectory(prefix="quincunx_bullet_") as folder:
            textures = {name: self._texture(Path(folder), name, image) for name, image in self._seen.textures.items()}
        n_bodies, pieces = len(self.scene.moving_bodies), []
        opaque = [part for part in self._seen.parts if part.finish.rgba[3] == 1]
        for body, part in [(part.body, part) for part in opaque] + [(n_bodies, p) for p in opaque if p.body == 0]:
            centre = np.array(view.camera.target_m) if part.body < 0 else np.zeros(3)
            # MuJoCo smooths the normals of meshes over sharp edges, which hard shading shows
            shown = replace(part.triangles, normals=corner_normals(part.triangles.corners_m))
            shown = split(shown, centre, view.distance_m)
            n = 3 * len(shown.corners_m)
            given: dict[str, Any] = {
                "vertices": (self._unit * shown.corners_m).reshape(n, 3).tolist(),
                "normals": shown.normals.reshape(n, 3).tolist(),
                "indices": list(range(n)),
                "rgbaColor": part.finish.rgba,
                "specularColor": [0.3 * part.finish.specular] * 3,
            }
            if shown.uv is not None:
                # here a texture's rows begin at the lower edge, in MuJoCo at the upper
                given["uvs"] = (shown.uv * (1, -1) + (0, 1)).reshape(n, 2).tolist()
            shape = self._call("createVisualShape", self._p.GEOM_MESH, **given)
            handle = int(self._call("createMultiBody", 0, -1, shape))
            if part.finish.texture:
                self._call("changeVisualShape", handle, -1, textureUniqueId=textures[part.finish.texture])
            pieces.append(_Piece(handle=handle, part=part, body=body))
        return pieces

    def _texture(self, folder: Path, name: str, image: np.ndarray) -> int:
        import cv2

        path = folder / f"{len(list(folder.iterdir()))}.png"
        cv2.imwrite(str(path), np.ascontiguousarray(image[..., ::-1]))
        return int(self._call("loadTexture", str(path)))

    def _frames(self, track: Track, look: Look, camera: Camera) -> np.ndarray:
        self._paint(look)
        factor = _ENLARGEMENT[self.quality]
        view = View(camera=camera, height_px=self.size_px[0] * factor, width_px=self.size_px[1] * factor)
        settings = self._settings(look, view)
        background = np.round(255 * np.clip(look.background_rgb, 0, 1)).astype(np.uint8)
        target = np.array(view.camera.target_m)
        for piece in self._pieces:
            if piece.body < 0:
                self._place(piece, -target, np.array([1.0, 0, 0, 0]))
        out = np.empty((len(track), *self.size_px, 3), dtype=np.uint8)
        behind = target + 3 * _SIGHT * view.distance_m * view.rotation[:, 2]
        for t in range(len(track)):
            for piece in self._pieces:
                if piece.body >= 0:
                    place, turn = _pose(track, t, piece.body)
                    self._place(piece, (behind if place is None else place) - target, turn)
            out[t] = self._picture(settings, view, background)
        return out

    def _place(self, piece: _Piece, position_m: np.ndarray, quaternion: np.ndarray) -> None:
        w, x, y, z = quaternion.tolist()
        at = (self._unit * position_m).tolist()
        self._call("resetBasePositionAndOrientation", piece.handle, at, [x, y, z, w])

    def _paint(self, look: Look) -> None:
        for piece in self._pieces:
            finish = piece.part.finish
            rgb = np.clip(np.multiply(finish.rgba[:3], look.tint.get(finish.material, (1.0, 1.0, 1.0))), 0, 1)
            self._call("changeVisualShape", piece.handle, -1, rgbaColor=[*rgb.tolist(), 1.0])

    def _settings(self, look: Look, view: View) -> dict[str, Any]:
        """Camera and light; the world is shifted so that the target is the origin, where the light aims."""
        p, target = self._p, np.array(view.camera.target_m)
        eye = (self._unit * (view.camera.position_m - target)).tolist()
        reach = self._unit * view.distance_m
        fovy_deg, aspect = math.degrees(2 * math.atan(view.tan_half_height)), view.width_px / view.height_px
        projection = list(p.computeProjectionMatrixFOV(fovy_deg, aspect, _NEAR * reach, _SIGHT * reach))
        # this renderer takes a pixel's corner for its middle: move the picture by half a pixel, left and down
        projection[8] += 1 / view.width_px
        projection[9] += 1 / view.height_px
        return {
            "viewMatrix": p.computeViewMatrix(eye, [0, 0, 0], view.rotation[:, 1].tolist()),
            "projectionMatrix": projection,
            "lightDirection": (np.array(look.light_position_m) - target).tolist(),
            "lightDistance": _LIGHT_DISTANCE * reach,
            "shadow": 1,
            "lightAmbientCoeff": look.ambient + _HEADLIGHT * look.headlight_diffuse,
            "lightDiffuseCoeff": look.light_diffuse,
            "lightSpecularCoeff": 0.3 * look.light_diffuse,
            "renderer": p.ER_TINY_RENDERER,
        }

    def _picture(self, settings: dict[str, Any], view: View, background: np.ndarray) -> np.ndarray:
        """(H, W, 3) one frame."""
        import cv2

        shot = self._call("getCameraImage", view.width_px, view.height_px, **settings)
        size = (view.height_px, view.width_px)
        pixels = np.asarray(shot[2], dtype=np.uint8).reshape(*size, 4)[..., :3].copy()
        pixels[np.asarray(shot[4]).reshape(size) < 0] = background
        if (view.height_px, view.width_px) != self.size_px:
            return np.asarray(cv2.resize(pixels, self.size_px[::-1], interpolation=cv2.INTER_AREA), dtype=np.uint8)
        return pixels


def _pose(track: Track, t: int, body: int) -> tuple[np.ndarray | None, np.ndarray]:
    """Position (None if it is not drawn) and orientation of a body, or of the main body's twin, in a frame."""
    upright = np.array([1.0, 0, 0, 0])
    if body < track.position_m.shape[1]:
        shown = bool(track.visible[t, body])
        return (track.position_m[t, body], track.quaternion[t, body]) if shown else (None, upright)
    if track.ghost_position_m is None or track.ghost_quaternion is None or np.isnan(track.ghost_position_m[t]).any():
        return None, upright
    return track.ghost_position_m[t], track.ghost_quaternion[t]
