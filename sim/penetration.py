"""How deep do bodies sink into one another in MuJoCo's soft contacts?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .engine import decided, stacked_params, states_at
from .errors import EngineError
from .mujoco_engine import body_states, compile_scene, joints_of
from .scene import Scene

MAX_DEPTH_SHARE = 0.5
"""Depth, as a share of that at which the middles of two geoms meet, from which on one may leave the other on the wrong
side; a plane has no other side."""


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
        the deepest of each, the rollouts that `sank` beyond `MAX_DEPTH_SHARE`, and how many rollouts were looked at.
    """
    deepest, sank = [], []
    for index in indices:
        depth, geoms, share = _of_one(scene, variant, seed, index)
        deepest.append((depth, geoms, index))
        if share > MAX_DEPTH_SHARE:
            sank.append(index)
    depth, geoms, index = max(deepest, key=lambda found: found[0])
    return {
        "deepest_m": round(depth, 8),
        "geoms": list(geoms),
        "index": index,
        "median_m": round(float(np.median([found[0] for found in deepest])), 8),
        "sank": sank,
        "n": len(deepest),
        "seed": seed,
        "how": "rollouts run again one step at a time",
    }


def check_penetration(token: str, found: Mapping[str, Any]) -> None:
    """Refuse a scene whose bodies sink so deep that they may pass through one another.

    Args:
        token: Token of the scene.
        found: What `deepest_penetration` gave.

    Raises:
        EngineError: A rollout sank beyond `MAX_DEPTH_SHARE` (the message names some).
    """
    if found["sank"]:
        raise EngineError(
            f"{token}, seed {found['seed']}: bodies sink more than half-way into one another in {len(found['sank'])} "
            f"of {found['n']} rollouts, as {found['sank'][:5]}, and may pass through; take a smaller timestep_s and a "
            "higher contact_frequency_rad_s, or thicker walls"
        )


def _half_m(model: Any) -> np.ndarray:
    """(G,) half the least extent of each geom; infinite for a plane or a height field, which have no other side."""
    import mujoco

    endless = np.isin(model.geom_type, (int(mujoco.mjtGeom.mjGEOM_PLANE), int(mujoco.mjtGeom.mjGEOM_HFIELD)))
    return np.where(endless, np.inf, model.geom_aabb[:, 3:].min(axis=1))


def _of_one(scene: Scene, variant: str | None, seed: int, index: int) -> tuple[float, tuple[str, ...], float]:
    """Deepest penetration of one rollout in metres, the two geoms, and the largest share of where middles meet."""
    import mujoco

    params = scene.params(seed, index, variant=variant)
    model = compile_scene(scene, params)
    data, joints, stacked = mujoco.MjData(model), joints_of(model, scene), stacked_params([params])
    mujoco.mj_resetDataKeyframe(model, data, 0)
    depth, pair, share, half = 0.0, (-1, -1), 0.0, _half_m(model)
    for frame in range(1, scene.n_frames):
        for _ in range(params.solver.steps_per_frame):
            mujoco.mj_step(model, data)
            if data.ncon:
                gap = data.contact.dist
                k = int(np.argmin(gap))
                if -gap[k] > depth:
                    depth, pair = float(-gap[k]), (int(data.contact.geom1[k]), int(data.contact.geom2[k]))
                share = max(share, float(np.max(-gap / half[data.contact.geom].sum(axis=1))))
        row = tuple(part[0] for part in body_states(joints, data.qpos[None], data.qvel[None]))
        if decided(scene, states_at(scene, frame, [row], stacked))[0]:
            break
    return depth, tuple(model.geom(g).name for g in pair if g >= 0), share
