"""How does an object look from close by, on its way and at rest?

Most clips end with the object at rest. To see that one does not, because it leans or is in the air, the close look must
have seen many that do.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sim import Scene, Trajectory, rotation_matrices

from .clips import SIZES_PX, Order, body_sphere, random_source, rollouts, studio_of
from .faults import settling_s
from .lens import through_lens
from .lesson import CLOSE_STORED_PX, STORED_PER_SEEN
from .looks import close_camera, random_camera, random_look
from .truth import Lens
from .views import around, close_look

N_TIMES = 10
"""Close looks at one rollout from one side, of which two show it at rest."""
_P_ABOVE = 0.15
_LIFTED, _LEANS = 0.15, 0.1
"""On its way is what is higher than its end by so many diameters, or whose upright leans so much from it."""


def poses(scene: Scene, order: Order) -> dict[str, np.ndarray]:
    """N close looks: `close` (N, 1, 96, 96, 3), `outcome` (N,), `up` (N, 3) and `rest` (N,), as in reading.Marks.

    Args:
        scene: Whose main body is looked at; it is no ball.
        order: Decides everything, with the scene; `n_clips` is the number of close looks, a multiple of ten.
    """
    from sim.render import Track
    from sim.surface import surfaces

    seen = surfaces(scene, order.variant)
    body = body_sphere(seen)
    shape = random_source("poses", scene.name, scene.version, order.seed, order.number)
    size_px = SIZES_PX[int(shape.integers(len(SIZES_PX)))]
    few = replace(order, clips_per_rollout=2 * N_TIMES)
    cast = [(answer, path) for answer, path in rollouts(scene, few) if isinstance(answer, str)]
    found: dict[str, list[np.ndarray]] = {"close": [], "outcome": [], "up": [], "rest": []}
    with studio_of(scene, order, size_px, "draft") as studio:
        for k in range(order.n_clips // N_TIMES):
            rng = random_source("pose", scene.name, scene.version, order.seed, order.number, k)
            answer, path = cast[k % len(cast)]
            end_s = settling_s(path)
            times = np.append(rng.uniform(0.03 * end_s, end_s, N_TIMES - 2), end_s + rng.uniform(0.02, 0.5, 2))
            ends = path.position_m[[0, -1], 0]
            above = rng.uniform() < _P_ABOVE
            camera = close_camera(path, body.diameter_m, rng) if above else random_camera(scene, ends, size_px, rng)
            look, track = random_look(scene.look, camera, seen.materials, rng), Track.of(path, times)
            frames = through_lens(studio.frames(track, look=look, camera=camera), rng).frames
            lens, turn = Lens(camera=camera, size_px=size_px), rotation_matrices(track.quaternion[:, 0])
            rest = rest_at(path, times, body.diameter_m)
            for t, middle in enumerate(track.position_m[:, 0] + turn @ body.centre_m):
                column, row, diameter = lens.where(middle, body.diameter_m)
                if not (0 < column < 1 and 0 < row < 1):
                    continue
                box = around(column, row, diameter)
                wide = replace(box, side=box.side * STORED_PER_SEEN)
                found["close"].append(close_look(frames[[t, t, t]], wide, side_px=CLOSE_STORED_PX)[1:])
                found["outcome"].append(np.array(scene.outcomes.index(answer) if rest[t] == 1 else -1))
                found["up"].append(turn[t, 2].astype(np.float32))
                found["rest"].append(rest[t])
    return {name: np.stack(parts) for name, parts in found.items()}


def rest_at(path: Trajectory, time_s: np.ndarray, diameter_m: float) -> np.ndarray:
    """(T,) float32: 1 at times at which the main body lies still, 0 where it is on its way, nan in between."""
    from sim.render import Track

    track = Track.of(path, time_s)
    lift = (track.position_m[:, 0, 2] - path.position_m[-1, 0, 2]) / diameter_m
    now = np.sort(np.abs(rotation_matrices(track.quaternion[:, 0])[:, 2]), axis=1)  # whichever face is up
    end = np.sort(np.abs(rotation_matrices(path.quaternion[-1, 0])[2]))
    moving = (lift > _LIFTED) | (np.abs(now - end).max(axis=1) > _LEANS)
    rest = np.where(moving, 0.0, np.nan)
    return np.where(time_s >= settling_s(path), 1.0, rest).astype(np.float32)
