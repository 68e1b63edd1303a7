"""What does a scene look like, free of any renderer?

A scene's build holds physics and visuals together. Here its visible geoms become a few parts: all triangles
of one body and one material in one mesh, because the number of draw calls decides how fast a software renderer is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .errors import SceneError
from .mujoco_engine import compile_scene
from .primitives import Triangles, primitive, rectangle
from .scene import Scene
from .start import start_data
from .trajectory import rotation_matrices
from .view import View

if TYPE_CHECKING:
    import mujoco

_UNSEEN_GROUP = 3
"""Geoms of this group collide and are never drawn."""
_GROUND = 2.0
"""What is longer and wider than this many picture heights is ground: tables and floors of the catalogue measure 2.1 to
4, all other things less than 1."""
_PLANE_HALF_M = 30.0
"""Half side of a plane that the scene calls infinite, in distances from camera to target."""


@dataclass(frozen=True, kw_only=True)
class Finish:
    """How a surface reflects light."""

    material: str
    """Name of the material, or `` for a surface that has only a colour."""
    rgba: tuple[float, float, float, float]
    specular: float
    shininess: float
    texture: str
    """Name of the texture, or ``."""


@dataclass(frozen=True, kw_only=True)
class Part:
    """All triangles of one body that share one finish."""

    body: int
    """Position in `Scene.moving_bodies`, or -1 for what never moves."""
    finish: Finish
    triangles: Triangles
    """In the body's frame; in the world frame for what never moves."""
    casts_shadow: bool
    """False for what is clear, and for the ground: it reaches beyond the shadow map and would darken itself there."""


@dataclass(frozen=True, kw_only=True)
class Surfaces:
    """Everything that can be seen of a scene."""

    parts: tuple[Part, ...]
    textures: dict[str, np.ndarray]
    """Name -> (H, W, 3) uint8."""

    @property
    def materials(self) -> tuple[str, ...]:
        """Names of the materials that are seen, sorted: the names that a Look may tint."""
        return tuple(sorted({part.finish.material for part in self.parts} - {""}))


def _moving_body(model: mujoco.MjModel, ids: dict[int, int], body: int) -> int:
    """Position in `ids` of the moving body that carries `body`, or -1."""
    while body > 0:
        if body in ids:
            return ids[body]
        body = int(model.body_parentid[body])
    return -1


def _mesh(model: mujoco.MjModel, mesh: int) -> Triangles:
    def rows(table: np.ndarray, adr: np.ndarray, num: np.ndarray) -> np.ndarray:
        return table[adr[mesh] : adr[mesh] + num[mesh]]

    faces = rows(model.mesh_face, model.mesh_faceadr, model.mesh_facenum)
    normal_faces = rows(model.mesh_facenormal, model.mesh_faceadr, model.mesh_facenum)
    vertices = rows(model.mesh_vert, model.mesh_vertadr, model.mesh_vertnum)
    normals = rows(model.mesh_normal, model.mesh_normaladr, model.mesh_normalnum)
    uv = None
    if model.mesh_texcoordnum[mesh]:
        uv_faces = rows(model.mesh_facetexcoord, model.mesh_faceadr, model.mesh_facenum)
        uv = rows(model.mesh_texcoord, model.mesh_texcoordadr, model.mesh_texcoordnum)[uv_faces].astype(float)
    return Triangles(corners_m=vertices[faces].astype(float), normals=normals[normal_faces].astype(float), uv=uv)


def _shape(model: mujoco.MjModel, geom: int, scene: Scene, slices: int) -> Triangles:
    import mujoco

    kinds = mujoco.mjtGeom
    kind = kinds(int(model.geom_type[geom]))
    x, y, z = (float(s) for s in model.geom_size[geom])
    if kind == kinds.mjGEOM_MESH:
        return _mesh(model, int(model.geom_dataid[geom]))
    if kind == kinds.mjGEOM_PLANE:
        far = _PLANE_HALF_M * float(np.linalg.norm(np.subtract(scene.camera.target_m, scene.camera.position_m)))
        return rectangle(x or far, y or far)
    named = kind.name.removeprefix("mjGEOM_").lower()
    if named not in ("box", "sphere", "ellipsoid", "cylinder", "capsule"):
        raise SceneError(
            f"{scene.name}: geom {model.geom(geom).name!r} is a {named}, which cannot be drawn; use a mesh"
        )
    return primitive(named, (x, y, z), slices)


def _is_ground(triangles: Triangles, scene: Scene) -> bool:
    """Whether a still thing, in the world frame, is far wider and longer than the picture."""
    view = View(camera=scene.camera, height_px=1, width_px=1)
    seen_m = 2 * view.distance_m * view.tan_half_height
    extent = np.sort(np.ptp(triangles.corners_m.reshape(-1, 3), axis=0))
    return bool(extent[1] > _GROUND * seen_m)


def _finish(model: mujoco.MjModel, geom: int) -> Finish:
    material = int(model.geom_matid[geom])
    rgba = model.geom_rgba[geom]
    if material < 0:
        return Finish(material="", rgba=_rgba(rgba), specular=0.3, shininess=0.4, texture="")
    # MuJoCo's rule: a geom's own colour counts only where it differs from the default grey.
    if np.array_equal(rgba, np.array([0.5, 0.5, 0.5, 1], dtype=rgba.dtype)):
        rgba = model.mat_rgba[material]
    texture = max(int(t) for t in model.mat_texid[material])
    return Finish(
        material=model.material(material).name,
        rgba=_rgba(rgba),
        specular=float(model.mat_specular[material]),
        shininess=float(model.mat_shininess[material]),
        texture=model.texture(texture).name if texture >= 0 else "",
    )


def _rgba(values: np.ndarray) -> tuple[float, float, float, float]:
    r, g, b, a = (float(v) for v in values)
    return (r, g, b, a)


def _textures(model: mujoco.MjModel) -> dict[str, np.ndarray]:
    out = {}
    for t in range(model.ntex):
        height, width, channels = (int(a[t]) for a in (model.tex_height, model.tex_width, model.tex_nchannel))
        data = model.tex_data[model.tex_adr[t] : model.tex_adr[t] + height * width * channels]
        image = data.reshape(height, width, channels)
        out[model.texture(t).name] = np.repeat(image, 3, axis=2) if channels == 1 else image[..., :3].copy()
    return out


def _joined(pieces: list[Triangles]) -> Triangles:
    uv = None
    if any(p.uv is not None for p in pieces):
        uv = np.concatenate([np.zeros((len(p.corners_m), 3, 2)) if p.uv is None else p.uv for p in pieces])
    return Triangles(
        corners_m=np.concatenate([p.corners_m for p in pieces]),
        normals=np.concatenate([p.normals for p in pieces]),
        uv=uv,
    )


def surfaces(scene: Scene, variant: str | None = None, *, slices: int = 12) -> Surfaces:
    """What can be seen of a scene; the same for every draw of its factors.

    Args:
        scene: The scene.
        variant: Name of a variant, or None for the base scene.
        slices: How many sides a round primitive has.

    Raises:
        SceneError: The build lacks a moving body or its keyframe, or holds a shape that cannot be drawn.
    """
    model = compile_scene(scene, scene.params(0, 0, variant=variant), drawn=True)
    data = start_data(model)
    bodies = [model.body(name).id for name in scene.moving_bodies]
    ids = {body: position for position, body in enumerate(bodies)}
    found: dict[tuple[int, Finish, bool], list[Triangles]] = {}
    for geom in range(model.ngeom):
        if model.geom_group[geom] == _UNSEEN_GROUP:
            continue
        triangles = _shape(model, geom, scene, slices)
        triangles = triangles.moved(data.geom_xpos[geom], data.geom_xmat[geom].reshape(3, 3))
        body = _moving_body(model, ids, int(model.geom_bodyid[geom]))
        if body >= 0:
            rotation = rotation_matrices(data.xquat[bodies[body]]).T
            triangles = triangles.moved(-rotation @ data.xpos[bodies[body]], rotation)
        finish = _finish(model, geom)
        if finish.rgba[3] > 0:
            casts = finish.rgba[3] == 1 and not (body < 0 and _is_ground(triangles, scene))
            found.setdefault((body, finish, casts), []).append(triangles)
    return Surfaces(
        parts=tuple(
            Part(body=body, finish=finish, triangles=_joined(pieces), casts_shadow=casts)
            for (body, finish, casts), pieces in found.items()
        ),
        textures=_textures(model),
    )
