"""What do clips show that have nothing of a scene: models that ship with PyBullet, or photographs with scikit-image?"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

ROBOTS = (
    "r2d2.urdf",
    "kuka_iiwa/model.urdf",
    "duck_vhacd.urdf",
    "racecar/racecar.urdf",
    "table/table.urdf",
    "a1/a1.urdf",
    "jenga/jenga.urdf",
    "teddy_vhacd.urdf",
    "soccerball.urdf",
    "lego/lego.urdf",
    "quadruped/minitaur.urdf",
    "objects/mug.urdf",
)
"""Models of pybullet_data that load without a warning; between two of them comes one of its thousand random lumps."""
_N_LUMPS = 1000
PHOTOGRAPHS = (
    "astronaut.png",
    "brick.png",
    "camera.png",
    "chelsea.png",
    "coffee.png",
    "grass.png",
    "gravel.png",
    "hubble_deep_field.jpg",
    "motorcycle_left.png",
    "rocket.jpg",
    "moon.png",
    "retina.jpg",
    "page.png",
)
"""Pictures in the wheel of scikit-image, which need no download; none shows a coin, a die, a ball or a pencil."""
_HZ = 240


@cache
def folder_of(package: str, inside: str = "") -> Path | None:
    """Where an installed package keeps its files, without importing it; None if it is not installed."""
    found = find_spec(package)
    return None if found is None or found.origin is None else Path(found.origin).parent / inside


def model_clip(
    number: int, times_s: np.ndarray, size_px: tuple[int, int], rng: np.random.Generator, *, first: int, step: int
) -> np.ndarray:
    """(T, H, W, 3) uint8: a model drops, turned at random, onto a plane; drawn by PyBullet's software renderer.

    Args:
        number: Which model; even numbers are ROBOTS, odd ones random lumps.
        times_s: (T,) ascending times of the frames.
        size_px: Height and width.
        rng: Decides pose, camera and light.
        first: First of the models of this part ...
        step: ... and the distance to the next one, so that parts never share a model.

    Raises:
        PrerequisiteError: PyBullet is not installed.
    """
    from sim.bullet_shapes import pybullet

    p = pybullet()
    client = p.connect(p.DIRECT)
    try:
        return _drop(p, client, _model(number, first, step), times_s, size_px, rng)
    finally:
        p.disconnect(physicsClientId=client)


def _model(number: int, first: int, step: int) -> str:
    if number % 2:
        lump = (first + step * (number * 37)) % _N_LUMPS
        return f"random_urdfs/{lump:03d}/{lump:03d}.urdf"
    some = ROBOTS[first::step]
    return some[number // 2 % len(some)]


def _drop(
    p: Any, client: int, model: str, times_s: np.ndarray, size_px: tuple[int, int], rng: np.random.Generator
) -> np.ndarray:
    where, on = folder_of("pybullet_data"), {"physicsClientId": client}
    p.setGravity(0, 0, -9.81, **on)
    plane = p.loadURDF(f"{where}/plane.urdf", **on)
    p.changeVisualShape(plane, -1, rgbaColor=[*rng.uniform(0.3, 1, 3), 1], **on)
    turn = rng.standard_normal(4) if rng.uniform() < 0.6 else np.array([0.0, 0.0, *rng.standard_normal(2)])
    body = p.loadURDF(f"{where}/{model}", [0, 0, 0], (turn / np.linalg.norm(turn)).tolist(), **on)
    low, high = _extent(p, body, on)
    radius = float(np.linalg.norm(high - low)) / 2
    lift, (place, way) = radius * rng.uniform(0.05, 1.2), p.getBasePositionAndOrientation(body, **on)
    p.resetBasePositionAndOrientation(body, (np.array(place) + (0, 0, lift - low[2])).tolist(), way, **on)
    push = radius * rng.normal(0, [1.5, 1.5, 0.5])
    p.resetBaseVelocity(body, push.tolist(), rng.normal(0, 2, 3).tolist(), **on)
    eye = _eye(radius, size_px, rng)
    eye["viewMatrix"] = p.computeViewMatrix(*eye.pop("from_to_up"))
    eye["projectionMatrix"] = p.computeProjectionMatrixFOV(**eye.pop("lens"))
    frames, done = [], 0
    for time_s in times_s:
        for _ in range(round(time_s * _HZ) - done):
            p.stepSimulation(**on)
        done = max(done, round(time_s * _HZ))
        shot = p.getCameraImage(size_px[1], size_px[0], renderer=p.ER_TINY_RENDERER, **eye, **on)
        frames.append(np.asarray(shot[2], dtype=np.uint8).reshape(*size_px, 4)[..., :3])
    return np.stack(frames)


def _extent(p: Any, body: int, on: dict[str, int]) -> tuple[np.ndarray, np.ndarray]:
    """Lowest and highest corner of a model with all its links."""
    boxes = np.array([p.getAABB(body, link, **on) for link in range(-1, p.getNumJoints(body, **on))])
    return boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0)


def _eye(radius: float, size_px: tuple[int, int], rng: np.random.Generator) -> dict[str, Any]:
    """Camera and light around a model at the origin."""
    azimuth, elevation = rng.uniform(0, 2 * np.pi), np.radians(rng.uniform(12, 65))
    way = np.array([np.cos(azimuth) * np.cos(elevation), np.sin(azimuth) * np.cos(elevation), np.sin(elevation)])
    distance = radius * rng.uniform(3, 6)
    target = radius * np.array([*rng.uniform(-0.3, 0.3, 2), rng.uniform(0.1, 0.7)])
    lens = {"fov": rng.uniform(32, 50), "aspect": size_px[1] / size_px[0], "nearVal": 0.02 * distance}
    return {
        "from_to_up": ((target + distance * way).tolist(), target.tolist(), [0, 0, 1]),
        "lens": {**lens, "farVal": 50 * distance},
        "lightDirection": rng.normal([0, 0, 2], 1, 3).tolist(),
        "lightAmbientCoeff": float(rng.uniform(0.3, 0.6)),
        "lightDiffuseCoeff": float(rng.uniform(0.4, 0.8)),
        "shadow": int(rng.uniform() < 0.7),
    }


def photograph_clip(name: str, times_s: np.ndarray, size_px: tuple[int, int], rng: np.random.Generator) -> np.ndarray:
    """(T, H, W, 3) uint8: a pan, zoom or turn over a photograph, which comes to rest in most clips.

    Args:
        name: One of PHOTOGRAPHS.
        times_s: (T,) ascending times of the frames.
        size_px: Height and width.
        rng: Decides the path.
    """
    import cv2

    picture = cv2.cvtColor(cv2.imread(f"{folder_of('skimage', 'data')}/{name}"), cv2.COLOR_BGR2RGB)
    height, width = picture.shape[:2]
    rests_s = times_s[-1] * (rng.uniform(0.4, 0.8) if rng.uniform() < 0.7 else 1.0)
    ends = np.column_stack([rng.uniform(0.3, 0.7, (2, 2)), rng.uniform(0.35, 0.8, 2), rng.normal(0, 8, 2)])
    frames = []
    for time_s in times_s:
        done = min(1.0, time_s / max(rests_s, 1e-6))
        column, row, share, turn_deg = ends[0] + (ends[1] - ends[0]) * done * (2 - done)
        scale = max(size_px[0] / height, size_px[1] / width) / share
        matrix = cv2.getRotationMatrix2D((column * width, row * height), turn_deg, scale)
        matrix[:, 2] += np.array(size_px[::-1]) / 2 - (column * width, row * height)
        frames.append(
            cv2.warpAffine(picture, matrix, size_px[::-1], flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
        )
    return np.stack(frames)
