"""Entry points of the compiled code, kept on disk between runs.

Numba's cache does not notice when a function in another file has changed. So only these entries are cached, and each
carries a digest of all files of this package, which is part of the cache's key.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit

from .gap import least_gap
from .motion import throw_one, travel
from .records import Ground
from .vectors import matrix


def digest() -> int:
    """A number that changes with any file of this package."""
    text = b"".join(path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py")))
    return int.from_bytes(hashlib.sha256(text).digest()[:7], "big")


@cache
def throw_entry() -> Any:
    """Compiled `throws(states, shape, ground, laws, rest, rules, limit, faces, codes, impacts, times)`.

    `laws` is (N, P, 4): each throw may have its own contact law.
    """
    version = digest()

    @njit(cache=True, nogil=True)
    def throws(states, shape, ground, laws, rest, rules, limit, faces, codes, impacts, times):  # type: ignore[no-untyped-def]
        for i in range(states.shape[0]):
            own = Ground(ground.planes, laws[i], ground.patches, ground.gravity_m_s2)
            faces[i], codes[i], impacts[i], times[i] = throw_one(states[i], shape, own, rest, rules, limit)
        return version

    return throws


@cache
def travel_entry() -> Any:
    """Compiled `travel(state, shape, ground, rules, duration, n_before)`."""
    version = digest()

    @njit(cache=True, nogil=True)
    def run(state, shape, ground, rules, duration, n_before):  # type: ignore[no-untyped-def]
        code, n_impacts = travel(state, shape, ground, rules, duration, n_before)
        return code, n_impacts, version

    return run


@cache
def replay_entry() -> Any:
    """Compiled `replay(states, shape, ground, rules, frame, counts, out)`: the codes (N,) of states followed in time.

    `out` (N, T, 13) gets the state at each frame, up to `counts` (N,) of them, or up to a failure.
    """
    version = digest()

    @njit(cache=True, nogil=True)
    def replay(states, shape, ground, rules, frame, counts, out):  # type: ignore[no-untyped-def]
        codes = np.zeros(states.shape[0], dtype=np.int64)
        for i in range(states.shape[0]):
            n_impacts = 0
            for k in range(counts[i]):
                out[i, k] = states[i]
                codes[i], n_impacts = travel(states[i], shape, ground, rules, frame, n_impacts)
                if codes[i]:
                    break
        return codes, version

    return replay


@cache
def gap_entry() -> Any:
    """Compiled `gap(state, shape, ground)`: the least gap to any plane first."""
    version = digest()

    @njit(cache=True, nogil=True)
    def gap(state, shape, ground):  # type: ignore[no-untyped-def]
        return least_gap(state, matrix((state[6], state[7], state[8], state[9])), shape, ground), version

    return gap


def contiguous(values: Any) -> np.ndarray:
    """A float64 array in C order: compiled code has one signature."""
    return np.ascontiguousarray(values, dtype=np.float64)
