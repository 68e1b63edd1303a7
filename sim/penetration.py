"""How deep do bodies sink into one another in MuJoCo's soft contacts?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .engine import decided, stacked_params, states_at
from .mujoco_engine import body_states, compile_scene, joints_of
from .scene import Scene


def deepest_penetration(
    scene: Scene, *, variant: str | None = None, seed: int, indices: Sequence[int]
) -> dict[str, Any]:
    """The deepest penetration of some rollouts, and between what, as JSON can hold it.

    The batch shows its contacts once a frame, but a contact lasts a fraction of that: these rollouts are run again, one
    step at a time, until their outcome is decided. Every step's contacts count.

    Args:
        scene: The scene.
        variant: Name of a variant; None for the base scene.
        seed: Seed of the rollouts.
        indices: Which rollouts.

    Returns:
        `deepest_m` (0 if nothing touches), the `index` and the `geoms` where it was found, the median over rollouts of
        the deepest of each, and how many rollouts were looked at.
    """
    deepest = []
    for index in indices:
        deepest.append((*_of_one(scene, variant, seed, index), index))
    depth, geoms, index = max(deepest, key=lambda found: found[0])
    return {
        "deepest_m": round(depth, 8),
        "geoms": list(geoms),
        "index": index,
        "median_m": round(float(np.median([found[0] for found in deepest])), 8),
        "n": len(deepest),
        "seed": seed,
        "how": "rollouts run again one step at a time",
    }


def _of_one(scene: Scene, variant: str | None, seed: int, index: int) -> tuple[float, tuple[str, ...]]:
    """Deepest penetration of one rollout in metres, and the two geoms."""
    import mujoco

    params = scene.params(seed, index, variant=variant)
    model = compile_scene(scene, params)
    data, joints, stacked = mujoco.MjData(model), joints_of(model, scene), stacked_params([params])
    mujoco.mj_resetDataKeyframe(model, data, 0)
    depth, pair = 0.0, (-1, -1)
    for frame in range(1, scene.n_frames):
        for _ in range(params.solver.steps_per_frame):
            mujoco.mj_step(model, data)
            if data.ncon:
                gap = data.contact.dist
                k = int(np.argmin(gap))
                if -gap[k] > depth:
                    depth, pair = float(-gap[k]), (int(data.contact.geom1[k]), int(data.contact.geom2[k]))
        row = tuple(part[0] for part in body_states(joints, data.qpos[None], data.qvel[None]))
        if decided(scene, states_at(scene, frame, [row], stacked))[0]:
            break
    return depth, tuple(model.geom(g).name for g in pair if g >= 0)
