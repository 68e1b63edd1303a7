"""How are the rollouts of a reference spread over the machines of a Ray cluster?

The unit of work is a range of rollout indices. Ray hands the ranges out and repeats those whose machine was lost; the
counts are merged as those of `--indices` are, so the reference is, byte for byte, the one that one machine makes.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import Any

from .errors import EngineError, InputError, PrerequisiteError, one_line
from .merging import merge
from .reference import Reference
from .rollout import CHUNK
from .sampling import Progress, sample
from .scene import Scene

Load = Callable[[str], tuple[Scene, str | None]]
"""Scene token -> scene and name of the variant; importable, because other machines call it."""
_ANSWERS_S = 10.0
"""How long a cluster may take to answer."""
RETRIES = 20
"""How often a range is begun again if its machine is lost."""


def count(load: Load, token: str, first: int, n: int, seed: int, engine: str) -> dict[str, Any]:
    """One range's counts, as JSON; runs on a machine of the cluster, on one thread."""
    scene, variant = load(token)
    found = sample(scene, variant=variant, n=n, seed=seed, first_index=first, engine=engine, threads=1)
    return found.to_json()


def sample_on_cluster(
    load: Load,
    token: str,
    *,
    n: int,
    seed: int,
    address: str,
    engine: str = "mujoco",
    progress: Progress | None = None,
) -> Reference:
    """The counts of n rollouts, made by all machines of a Ray cluster.

    Args:
        load: Gives scene and variant; quincunx must be installed alike on every machine.
        token: Scene token.
        n: Number of rollouts.
        seed: Any integer.
        address: `auto`, `host:port`, or `ray://host:port`; `local` for this machine alone.
        engine: `mujoco`, `bullet` or `impact`.
        progress: Called with (done, n) after every range.

    Raises:
        ValueError: `n` is not positive.
        PrerequisiteError: Ray is not installed.
        InputError: There is no cluster at the address, or its machines differ.
        EngineError: A range could not be made, on any machine.
    """
    if n < 1:
        raise ValueError(f"n must be positive, got {n}")
    try:
        import ray
    except ImportError as fault:
        raise PrerequisiteError("Ray is not installed; run: pip install 'quincunx[cluster]'") from fault
    load(token)  # a wrong token is told before anything is started
    mine = not ray.is_initialized()
    if mine:
        _join(ray, address)
    try:
        task = ray.remote(num_cpus=1, max_retries=RETRIES, retry_exceptions=False)(count)
        waiting = [task.remote(load, token, first, min(CHUNK, n - first), seed, engine) for first in range(0, n, CHUNK)]
        parts: list[Reference] = []
        while waiting:
            ready, waiting = ray.wait(waiting, num_returns=1)
            try:
                told = ray.get(ready[0])
            except ray.exceptions.RayError as fault:
                cause = fault.cause if isinstance(fault, ray.exceptions.RayTaskError) else fault
                raise EngineError(f"{token}: a range of rollouts failed on the cluster: {one_line(cause)}") from fault
            parts.append(Reference.from_json(told, origin="a machine of the cluster"))
            if progress is not None:
                progress(sum(part.n for part in parts), n)
    finally:
        if mine:
            ray.shutdown()
    return merge({f"rollouts {part.first_index} to {part.first_index + part.n - 1}": part for part in parts})


def _join(ray: Any, address: str) -> None:
    """Connects this process with the cluster; Ray itself would try a dead address for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    try:
        if host and port.isdigit():
            socket.create_connection((host, int(port)), timeout=_ANSWERS_S).close()
        ray.init(address=address, log_to_driver=False, configure_logging=False, include_dashboard=False)
    except (ConnectionError, RuntimeError, ValueError, OSError) as fault:
        raise InputError(
            f"no Ray cluster answers at {address!r} ({one_line(fault)}); start one with `ray start --head`, or leave "
            "--cluster out"
        ) from fault
