"""Does each engine land a tracked cube as the real one did, with parameters fitted on other tosses?

Fitted on `--fit` alone, per engine: friction and restitution, by the mean errors of the paths; then how far the
ensemble scatters (in units of a declared one) and what share of it is chance, by log loss. Without `--fit` or `--data`
the tosses of the one file are split: even ids to fit on, odd ids to tell.

    python -m benchmarks.real_cube_tosses --data ../shared/data/cube_tosses.npz --json
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sim import InputError

from .cube_replay import ENGINES, Tosses, errors, lifted, lowest_faces, read_tosses, releases
from .real_results import finish, parser, row
from .throwing import SEED

DATA = Path("../shared/data/cube_tosses.npz")
FRICTION = (0.10, 0.14, 0.18, 0.22, 0.26, 0.30, 0.36, 0.42, 0.50)
RESTITUTION = (0.05, 0.10, 0.15, 0.20, 0.30, 0.40)
FINE = (-0.02, -0.01, 0.0, 0.01, 0.02)
SCALES = (0.25, 0.5, 1.0, 2.0, 3.0)
CHANCE = (0.01, 0.02, 0.05, 0.10)
FRICTION_SD, RESTITUTION_SD = 0.03, 0.05
SPEED_SD_M_S, SPIN_SD_RAD_S, TILT_SD_RAD = 0.02, 0.1, 0.01
"""Noise of a measured release, and of the surface, at scale 1."""
AIMS = {"position_error_width_mean": 0.15, "rotation_error_deg_mean": 18.0, "face_right": 0.83, "log_loss": 0.45}
_KINDS = ("same", "opposite", "side")
_N_BINS = 10


@dataclass(frozen=True, kw_only=True)
class Fitted:
    """What was fitted for one engine."""

    friction: float
    restitution: float
    scale: float
    """Scatter of the ensemble, in units of the declared one."""
    chance: float
    """Share of the forecast that is spread over all six faces."""


def last_faces(paths: np.ndarray, tosses: Tosses) -> np.ndarray:
    """(N,) the face that is down at the end of the record; of a run that failed, at its own end."""
    found = [path[:n][np.isfinite(path[:n, 0])][-1, 3:7] for path, n in zip(paths, tosses.counts, strict=True)]
    return lowest_faces(np.array(found))


def real_faces(tosses: Tosses, row_index: int) -> np.ndarray:
    """(N,) the real face that is down at the first (0) or last (-1) row."""
    return lowest_faces(np.array([path[row_index, 3:7] for path in tosses.paths]))


def _path_loss(engine: str, tosses: Tosses, friction: float, restitution: float) -> float:
    found = errors(ENGINES[engine](releases(tosses), tosses.counts, restitution, friction), tosses).mean(axis=0)
    return float(found[0] / AIMS["position_error_width_mean"] + found[2] / AIMS["rotation_error_deg_mean"])


def fit_contact(engine: str, tosses: Tosses) -> tuple[float, float]:
    """Friction and restitution of the least path errors: one after the other, then friction again, finely."""
    friction = min(FRICTION, key=lambda mu: _path_loss(engine, tosses, mu, 0.1))
    restitution = min(RESTITUTION, key=lambda e: _path_loss(engine, tosses, friction, e))
    fine = [round(friction + step, 3) for step in FINE]
    return min(fine, key=lambda mu: _path_loss(engine, tosses, mu, restitution)), restitution


def ensemble(
    engine: str, tosses: Tosses, friction: float, restitution: float, scale: float, members: int, *, seed: int = SEED
) -> np.ndarray:
    """(N, 6) share of the members that end on each face; surface and measured release differ between members."""
    rng, shares = np.random.default_rng(seed), np.zeros((len(tosses.ids), 6))
    start = releases(tosses)
    for _ in range(members):
        mu = max(0.02, friction + scale * FRICTION_SD * rng.normal())
        e = min(0.95, max(0.05, restitution + scale * RESTITUTION_SD * rng.normal()))
        states = start.copy()
        states[:, 3:6] += scale * SPEED_SD_M_S * rng.normal(size=(len(start), 3))
        states[:, 10:] += scale * SPIN_SD_RAD_S * rng.normal(size=(len(start), 3))
        states[:, 6:10] += 0.5 * scale * TILT_SD_RAD * rng.normal(size=(len(start), 4))
        states[:, 6:10] /= np.linalg.norm(states[:, 6:10], axis=1, keepdims=True)
        faces = last_faces(ENGINES[engine](lifted(states), tosses.counts, e, mu), tosses)
        shares[np.arange(len(faces)), faces] += 1 / members
    return shares


def log_loss(shares: np.ndarray, faces: np.ndarray, chance: float) -> float:
    """Mean surprise, nats."""
    return float(-np.log((1 - chance) * shares[np.arange(len(faces)), faces] + chance / 6).mean())


def fit(engine: str, tosses: Tosses, *, members: int) -> Fitted:
    """All that is fitted for an engine, on the tosses given."""
    friction, restitution = fit_contact(engine, tosses)
    faces = real_faces(tosses, -1)
    tried = []
    for scale in SCALES:
        shares = ensemble(engine, tosses, friction, restitution, scale, members)
        tried += [(log_loss(shares, faces, chance), scale, chance) for chance in CHANCE]
    _, scale, chance = min(tried)
    return Fitted(friction=friction, restitution=restitution, scale=scale, chance=chance)


def reliability(forecast: np.ndarray, faces: np.ndarray) -> list[dict[str, float]]:
    """For each tenth of forecast probability: how many forecasts, their mean, and how often they came true."""
    hits, flat = (np.arange(6) == faces[:, None]).ravel(), forecast.ravel()
    bins = np.minimum((flat * _N_BINS).astype(int), _N_BINS - 1)
    return [
        {"n": int((bins == b).sum()), "forecast": float(flat[bins == b].mean()), "came": float(hits[bins == b].mean())}
        for b in range(_N_BINS)
        if (bins == b).any()
    ]


def kinds(first: np.ndarray) -> np.ndarray:
    """(N, 6) of each face 0, 1 or 2: nearest to the table at release, opposite to that, or a side."""
    faces = np.arange(6)
    return np.where(faces == first[:, None], 0, np.where(faces // 2 == first[:, None] // 2, 1, 2))


def _counts(forecast: np.ndarray, first: np.ndarray, faces: np.ndarray) -> dict[str, Any]:
    """Real counts of same, opposite and side beside what the forecasts give: expected, and the central 95 %."""
    of_face, rng, found = kinds(first), np.random.default_rng(SEED), {}
    for k, name in enumerate(_KINDS):
        chance = (forecast * (of_face == k)).sum(axis=1)
        drawn = (rng.random((4000, len(chance))) < chance).sum(axis=1)
        low, high = (int(x) for x in np.quantile(drawn, (0.025, 0.975)))
        real = int((of_face[np.arange(len(faces)), faces] == k).sum())
        found[name] = {"real": real, "expected": float(chance.sum()), "interval": [low, high]}
        found[name]["inside"] = low <= real <= high
    return found


def told(engine: str, fitted: Fitted, tosses: Tosses, *, members: int) -> dict[str, Any]:
    """How well an engine tells tosses that it was not fitted on."""
    faces, first = real_faces(tosses, -1), real_faces(tosses, 0)
    paths = ENGINES[engine](releases(tosses), tosses.counts, fitted.restitution, fitted.friction)
    away = errors(paths, tosses).mean(axis=0)
    shares = ensemble(engine, tosses, fitted.friction, fitted.restitution, fitted.scale, members)
    forecast = (1 - fitted.chance) * shares + fitted.chance / 6
    hits = np.arange(6) == faces[:, None]
    return {
        "n": len(faces),
        "face_right": float((last_faces(paths, tosses) == faces).mean()),
        "log_loss": log_loss(shares, faces, fitted.chance),
        "brier": float(((forecast - hits) ** 2).sum(axis=1).mean()),
        "position_error_width_final": float(away[1]),
        "position_error_width_mean": float(away[0]),
        "rotation_error_deg_final": float(away[3]),
        "rotation_error_deg_mean": float(away[2]),
        "failed": int(sum(~np.isfinite(p[:n]).all() for p, n in zip(paths, tosses.counts, strict=True))),
        "fitted": asdict(fitted),
        "counts": _counts(forecast, first, faces),
        "reliability": reliability(forecast, faces),
        "members": members,
    }


def _row(engine: str, found: dict[str, Any], still: float) -> dict[str, Any]:
    right, loss = found["face_right"], found["log_loss"]
    position, rotation = found["position_error_width_mean"], found["rotation_error_deg_mean"]
    reached = position <= AIMS["position_error_width_mean"] and rotation <= AIMS["rotation_error_deg_mean"]
    inside = all(c["inside"] for c in found["counts"].values())
    return row(
        f"tracked cube tosses, {engine}, {found['n']} not fitted on",
        real="published: Drake 13.5 %, 16.5°; Bullet 14.9 %, 16.5°; MuJoCo 25.1 %, 21.7° (all 570, fitted on all)",
        simulated=f"position {100 * position:.1f} % of the width, rotation {rotation:.1f}°; face right {right:.3f}; "
        f"log loss {loss:.3f}, Brier {found['brier']:.3f}; counts {'inside' if inside else 'outside'} their intervals",
        aim="15 %, 18°; 0.83; 0.45; inside",
        reached=reached and right >= AIMS["face_right"] and loss <= AIMS["log_loss"] and inside,
        quasi_static=f"face right {still:.3f}",
    )


def measure(
    fit_file: Path | None, data_file: Path | None, engines: Sequence[str], *, members: int, limit: int | None = None
) -> dict[str, Any]:
    """Figures of each engine.

    Args:
        fit_file: Tosses to fit on, all of them; None: the even ids of the other file.
        data_file: Tosses to tell, all of them; None: the odd ids of the other file.
        engines: Names.
        members: Members of the ensemble.
        limit: Use no more than so many tosses of each part.
    """
    first = read_tosses(fit_file or data_file or DATA)
    if fit_file is not None and data_file is not None:
        known, other = first, read_tosses(data_file)
    else:
        known, other = first.some(first.ids % 2 == 0), first.some(first.ids % 2 == 1)
    if limit is not None:
        known, other = (t.some(np.arange(len(t.ids)) < limit) for t in (known, other))
    if not len(known.ids) or not len(other.ids):
        raise InputError("there must be at least one toss to fit on and one to tell")
    still = float((real_faces(other, 0) == real_faces(other, -1)).mean())
    figures: dict[str, Any] = {}
    for engine in engines:
        fitted = fit(engine, known, members=members)
        figures[engine] = told(engine, fitted, other, members=members)
    lines = [_row(engine, figures[engine], still) for engine in engines]
    return {**figures, "n_fit": len(known.ids), "quasi_static_face_right": still, "table": lines}


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the comparison from the command line; the exit code."""
    made = parser("real_cube_tosses", __doc__)
    made.add_argument("--fit", type=Path, default=None, help="file of the tosses to fit on")
    made.add_argument("--data", type=Path, default=None, help="file of the tosses to tell")
    made.add_argument("--engine", action="append", choices=sorted(ENGINES), help="only this engine; may be repeated")
    made.add_argument("--members", type=int, default=24, help="members of the ensemble")
    made.add_argument("--limit", type=int, default=None, help="use no more than so many tosses of each part")
    made.add_argument("--suffix", default="", help="tells kept results apart")
    chosen = made.parse_args(arguments)
    engines = chosen.engine or list(ENGINES)
    return finish(
        "real_cube_tosses",
        chosen,
        arguments,
        lambda: measure(chosen.fit, chosen.data, engines, members=chosen.members, limit=chosen.limit),
        suffix=chosen.suffix,
    )


if __name__ == "__main__":
    sys.exit(main())
