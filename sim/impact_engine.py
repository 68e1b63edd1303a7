"""How does the event-driven engine run a scene of one convex body on fixed planes?

A second opinion by another law: rigid impacts with Stronge's restitution and Coulomb friction instead of soft contacts.
The body, the planes and the contact laws come from the compiled MuJoCo model. A box counts as the plane of the face in
front of which the body starts; a body that touches that plane beside the face has left the tray: the run has failed.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .engine import Engine, Run, decided, left_bounds, recorded, stacked_params, states_at
from .impact.records import FAILURES, Rules
from .impact.staging import Staging, staging
from .impact.throws import rules_for
from .mujoco_engine import compile_scene
from .scene import FRAME_RATE_HZ, Params, Scene
from .trajectory import rotation_matrices

VERSION = "2"
"""Raised with every change that moves an outcome."""


class ImpactEngine(Engine):
    """Event-driven impacts of one convex body on fixed planes."""

    name = "impact"

    @property
    def version(self) -> str:
        """See Engine."""
        return VERSION

    def run(self, scene: Scene, params: Sequence[Params], *, full: bool, threads: int | None) -> list[Run]:
        """See Engine; a scene that this engine cannot express raises SceneError. Runs follow one another."""
        return [_run(scene, draw, full=full) for draw in params]


def _run(scene: Scene, params: Params, *, full: bool) -> Run:
    from .impact.compiled import travel_entry

    model, stacked = compile_scene(scene, params), stacked_params([params])
    stage = staging(model, scene)
    travel, shape, state = travel_entry(), stage.body.shape, np.ascontiguousarray(stage.start)
    gravity = float(np.linalg.norm(stage.ground.gravity_m_s2))
    rules: Rules = rules_for(stage.body, gravity_m_s2=gravity)
    failed = "penetration" if _overlaps(stage, rules) else None
    rows, n_impacts = [_row(stage, state)], 0
    for frame in range(1, scene.n_frames):
        if failed is None and left_bounds(scene, rows[-1][0][None])[0]:
            failed = "left_the_scene"
        if failed is not None or (
            not full and bool(decided(scene, states_at(scene, frame - 1, rows[-1:], stacked))[0])
        ):
            break
        code, n_impacts, _ = travel(state, shape, stage.ground, rules, 1 / FRAME_RATE_HZ, n_impacts)
        row = _row(stage, state)
        if code:
            failed = FAILURES[code]
        elif not all(np.isfinite(part).all() for part in row):
            failed = "not_a_number"
        else:
            rows.append(row)
    if failed is None and left_bounds(scene, rows[-1][0][None])[0]:
        failed = "left_the_scene"
    return Run(trajectory=recorded(scene, rows), failed=failed)


def _overlaps(stage: Staging, rules: Rules) -> bool:
    from .impact.compiled import gap_entry

    gap_m, _ = gap_entry()(stage.start, stage.body.shape, stage.ground)
    return bool(gap_m < -max(rules.touch_m, 1e-6))


def _row(stage: Staging, state: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Position (1, 3), quaternion (1, 4) and world velocity (1, 6) of MuJoCo's body frame."""
    import mujoco

    quaternion = np.full(4, np.nan)
    turn = rotation_matrices(state[6:10]) @ stage.frame.T
    lever = -turn @ stage.origin_m
    if np.isfinite(turn).all():
        mujoco.mju_mat2Quat(quaternion, np.ascontiguousarray(turn).ravel())
    velocity = np.concatenate([state[3:6] + np.cross(state[10:13], lever), state[10:13]])
    return (state[:3] + lever)[None], quaternion[None], velocity[None]
