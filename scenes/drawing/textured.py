"""How is a drawn picture put on a body so that every renderer shows it?

Textured things are meshes with UV coordinates and a 2D texture. MuJoCo's cube maps and projected textures are avoided,
because no other renderer draws them.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def add_textured_mesh(
    spec: Any,
    body: Any,
    *,
    name: str,
    vertices: np.ndarray,
    faces: np.ndarray,
    uv: np.ndarray,
    image: np.ndarray,
    specular: float = 0.2,
) -> Any:
    """Adds a drawn, weightless, collision-free mesh to a body and returns the geom.

    Args:
        spec: The MjSpec being built.
        body: The body that carries the mesh.
        name: Name of geom, mesh, material and texture; `mark_...` if the picture carries the outcome.
        vertices: (V, 3) in the body's frame, metres; must span a volume.
        faces: (F, 3) vertex indices, counter-clockwise seen from outside.
        uv: (F, 3, 2) texture coordinates of each face's corners, (0, 0) at the picture's upper left.
        image: (H, W, 3) uint8 RGB.
        specular: Strength of highlights, 0 to 1.
    """
    import mujoco

    height, width = image.shape[:2]
    texture = spec.add_texture(name=name, type=mujoco.mjtTexture.mjTEXTURE_2D, width=width, height=height, nchannel=3)
    texture.data = np.ascontiguousarray(image, dtype=np.uint8).tobytes()
    material = spec.add_material(name=name, specular=specular, shininess=0.4, texuniform=False)
    material.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = name
    corners = np.asarray(uv, dtype=float).reshape(-1, 2)
    spec.add_mesh(
        name=name,
        uservert=np.asarray(vertices, dtype=float).ravel(),
        userface=np.asarray(faces, dtype=np.int32).ravel(),
        usertexcoord=corners.ravel(),
        userfacetexcoord=np.arange(len(corners), dtype=np.int32),
        inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL,
    )
    return body.add_geom(
        name=name,
        type=mujoco.mjtGeom.mjGEOM_MESH,
        meshname=name,
        material=name,
        contype=0,
        conaffinity=0,
        mass=0,
        group=1,
    )
