"""How does what a scene looks like become a MuJoCo model that draws fast?

No joints, no collisions: one mesh per part, a mocap body per moving body, a hidden twin of the main one, one camera and
one light whose places are written into the model later, so that another look or camera needs no compiling.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .errors import SceneError, one_line
from .primitives import Triangles
from .scene import Scene
from .surface import Part, surfaces

if TYPE_CHECKING:
    import mujoco

Quality = Literal["draft", "fast", "fine"]


_SHADOW_SCALE, _SHADOW_LIMIT_PX = 3, 1024
"""Side of the shadow map over that of the picture, and at most: it decides the speed of a small picture."""


@dataclass(frozen=True, kw_only=True)
class Effort:
    """How much work goes into a picture."""

    slices: int
    """Sides of a round primitive."""
    n_samples: int
    """Pictures averaged into one, with light and pixel grid a little elsewhere in each: soft shadows, smooth edges."""
    enlargement: int
    """The picture is drawn this many times larger in each direction, then averaged."""


EFFORTS: dict[Quality, Effort] = {
    "draft": Effort(slices=12, n_samples=1, enlargement=1),
    "fast": Effort(slices=12, n_samples=1, enlargement=2),
    "fine": Effort(slices=48, n_samples=32, enlargement=1),
}


@dataclass(frozen=True, kw_only=True)
class Piece:
    """One mesh of the visual model."""

    geom: int
    """Its number in the model."""
    body: int
    """Position in `Scene.moving_bodies`; -1 for what never moves, B for the twin of the main body."""
    part: Part


@dataclass(frozen=True, kw_only=True)
class VisualModel:
    """A compiled model and what its geoms are."""

    model: mujoco.MjModel
    pieces: tuple[Piece, ...]
    materials: tuple[str, ...]
    """Names that a Look may tint, sorted."""


def _add_mesh(spec: Any, name: str, triangles: Triangles) -> None:
    import mujoco

    n = len(triangles.corners_m)
    corner = np.arange(3 * n, dtype=np.int32)
    mesh = spec.add_mesh(
        name=name,
        uservert=triangles.corners_m.ravel(),
        userface=corner,
        usernormal=triangles.normals.ravel(),
        userfacenormal=corner,
        inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL,
    )
    if triangles.uv is not None:
        mesh.usertexcoord = triangles.uv.ravel()
        mesh.userfacetexcoord = corner


def _add_geom(spec: Any, body: Any, name: str, part: Part) -> None:
    import mujoco

    finish = part.finish
    material = spec.add_material(name=name, rgba=finish.rgba, specular=finish.specular, shininess=finish.shininess)
    if finish.texture:
        material.texuniform = False
        material.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = finish.texture
    body.add_geom(
        name=name, type=mujoco.mjtGeom.mjGEOM_MESH, meshname=name, material=name, contype=0, conaffinity=0, mass=0
    )


def visual_model(
    scene: Scene, variant: str | None = None, *, height_px: int, width_px: int, quality: Quality
) -> VisualModel:
    """The model that draws a scene; one serves every draw of its factors.

    Args:
        scene: The scene.
        variant: Name of a variant, or None for the base scene.
        height_px: Height of the picture.
        width_px: Width of the picture.
        quality: How much work goes into a picture.

    Raises:
        SceneError: Its start cannot be drawn.
    """
    import mujoco

    effort = EFFORTS[quality]
    seen = surfaces(scene, variant, slices=effort.slices)
    spec = mujoco.MjSpec()
    spec.visual.quality.shadowsize = min(_SHADOW_SCALE * max(height_px, width_px), _SHADOW_LIMIT_PX)
    spec.visual.quality.offsamples = 0
    spec.visual.global_.offheight = height_px * effort.enlargement
    spec.visual.global_.offwidth = width_px * effort.enlargement
    spec.stat.extent = 1.0
    spec.stat.center = (0, 0, 0)
    for name, image in seen.textures.items():
        height, width = image.shape[:2]
        kind = mujoco.mjtTexture.mjTEXTURE_2D
        texture = spec.add_texture(name=name, type=kind, width=width, height=height, nchannel=3)
        texture.data = np.ascontiguousarray(image).tobytes()
    n_bodies = len(scene.moving_bodies)
    bodies = [spec.worldbody] + [spec.worldbody.add_body(name=f"body_{b}", mocap=True) for b in range(n_bodies + 1)]
    pieces = []
    twins = [(n_bodies, part) for part in seen.parts if part.body == 0]
    for number, (body, part) in enumerate([(part.body, part) for part in seen.parts] + twins):
        name = f"piece_{number}"
        _add_mesh(spec, name, part.triangles)
        _add_geom(spec, bodies[body + 1], name, part)
        pieces.append((name, body, part))
    spec.worldbody.add_camera(name="camera")
    spec.worldbody.add_light(name="light", type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL, castshadow=True)
    try:
        model = spec.compile()
    except ValueError as fault:
        raise SceneError(f"{scene.name}: cannot be drawn: {one_line(fault)}") from fault
    return VisualModel(
        model=model,
        pieces=tuple(Piece(geom=model.geom(name).id, body=body, part=part) for name, body, part in pieces),
        materials=seen.materials,
    )
