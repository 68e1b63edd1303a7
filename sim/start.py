"""Where is everything at the start, and can a picture of it tell two draws apart?"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from .mujoco_engine import compile_scene
from .scene import Params, Scene
from .track import Track
from .view import View

_UNSEEN_GROUP = 3


def start_data(model: Any) -> Any:
    """The MjData of a compiled scene at its keyframe `start`, world positions computed."""
    import mujoco

    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, model.key("start").id)
    mujoco.mj_kinematics(model, data)
    return data


def start_track(scene: Scene, *, variant: str | None = None, seed: int = 0, index: int = 0) -> Track:
    """The one frame that a rollout starts from.

    Args:
        scene: The scene.
        variant: Name of a variant, or None for the base scene.
        seed: Seed of the rollout; no hidden factor can be seen, so it does not matter to a picture.
        index: Index of the rollout.
    """
    model = compile_scene(scene, scene.params(seed, index, variant=variant))
    data = start_data(model)
    bodies = [model.body(name).id for name in scene.moving_bodies]
    return Track(
        position_m=data.xpos[bodies][None].copy(),
        quaternion=data.xquat[bodies][None].copy(),
        visible=np.ones((1, len(bodies)), dtype=bool),
    )


def hidden_shift_px(
    scene: Scene, variant: str | None = None, *, size_px: tuple[int, int] = (512, 512), seed: int = 0, n_draws: int = 16
) -> float:
    """Largest distance in the picture between the same point of a moving body at the start of two draws.

    Compares `n_draws` draws of all factors, and the draws that have one hidden factor at an end of its law. A round
    ball's turn does not count: it cannot be seen.

    Args:
        scene: The scene.
        variant: Name of a variant, or None for the base scene.
        size_px: Height and width of the picture.
        seed: Seed of the draws.
        n_draws: How many draws of all factors, at least 2.

    Raises:
        ValueError: `n_draws` is below 2.
    """
    if n_draws < 2:
        raise ValueError(f"n_draws must be at least 2, got {n_draws}")
    view = View(camera=scene.camera, height_px=size_px[0], width_px=size_px[1])
    draws = [*(scene.params(seed, i, variant=variant) for i in range(n_draws)), *_ends(scene, variant, seed)]
    pixels = np.stack([view.pixels(_outline(scene, params)) for params in draws])  # (N, P, 2)
    if not np.isfinite(pixels).all():
        return float("inf")  # behind the camera in some draw
    shift = np.linalg.norm(pixels[:, None] - pixels[None], axis=-1)
    return float(shift.max())


def _ends(scene: Scene, variant: str | None, seed: int) -> Iterator[Params]:
    """Draws with one hidden factor at an end of its law, the others as in draw 0."""
    base = scene.params(seed, 0, variant=variant)
    for name, factor in scene.factors.items():
        if factor.kind == "hidden":
            for value in factor.law.ends():
                yield Params({**base.entries, name: value}, base.solver)


def _outline(scene: Scene, params: Params) -> np.ndarray:
    """(P, 3) corners around every visible geom of the moving bodies at the start, in the world frame."""
    import mujoco

    model = compile_scene(scene, params, drawn=True)
    data = start_data(model)
    roots = {model.body(name).id for name in scene.moving_bodies}
    corners = np.array(list(product((-1.0, 1.0), repeat=3)))
    points = [data.xpos[sorted(roots)]]
    for geom in range(model.ngeom):
        if model.geom_group[geom] == _UNSEEN_GROUP or model.body_rootid[model.geom_bodyid[geom]] not in roots:
            continue
        centre, half = model.geom_aabb[geom, :3], model.geom_aabb[geom, 3:]
        turn = data.geom_xmat[geom].reshape(3, 3)
        if model.geom_type[geom] == mujoco.mjtGeom.mjGEOM_SPHERE:
            turn = np.eye(3)
        points.append(data.geom_xpos[geom] + (centre + half * corners) @ turn.T)
    return np.concatenate(points)
