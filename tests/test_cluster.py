"""Rollouts on a real local Ray cluster, one of whose machines is lost in the middle, give the same bytes."""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from typing import Any

import pytest

from scenes import parse_token
from sim import InputError, PrerequisiteError, SceneError
from sim.cluster import sample_on_cluster
from sim.sampling import sample

N = 1500
"""Six ranges."""


def test_without_ray_one_line_holds_the_cure(monkeypatch: pytest.MonkeyPatch) -> None:
    known = builtins.__import__

    def no_ray(name: str, *rest: Any, **more: Any) -> Any:
        if name == "ray":
            raise ImportError("No module named 'ray'")
        return known(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", no_ray)
    with pytest.raises(PrerequisiteError, match=r"Ray is not installed; run: pip install 'quincunx\[cluster\]'"):
        sample_on_cluster(parse_token, "die_roll", n=10, seed=0, address="auto")


def test_n_must_be_positive() -> None:
    with pytest.raises(ValueError, match="n must be positive, got 0"):
        sample_on_cluster(parse_token, "die_roll", n=0, seed=0, address="auto")


@pytest.fixture
def cluster() -> Iterator[Any]:
    """A head without CPUs, so that all work is done by the nodes that a test adds."""
    pytest.importorskip("ray", reason="the extra [cluster] is not installed")
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
    yield made
    made.shutdown()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # Ray's own
def test_a_lost_machine_changes_no_byte(cluster: Any) -> None:
    first, _ = cluster.add_node(num_cpus=1), cluster.add_node(num_cpus=1)
    killed: list[int] = []

    def kill(done: int, n: int) -> None:
        if not killed and done < n:
            cluster.remove_node(first, allow_graceful=False)
            killed.append(done)

    found = sample_on_cluster(parse_token, "y_fork", n=N, seed=5, address=cluster.address, progress=kill)
    assert killed, "no machine was lost in the middle"
    scene, variant = parse_token("y_fork")
    assert found.to_json() == sample(scene, variant=variant, n=N, seed=5).to_json()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_no_cluster_and_no_scene_are_one_line() -> None:
    pytest.importorskip("ray", reason="the extra [cluster] is not installed")
    with pytest.raises(SceneError, match="nothing"):
        sample_on_cluster(parse_token, "nothing", n=10, seed=0, address="auto")
    with pytest.raises(InputError, match="no Ray cluster answers at '127.0.0.1:1'.*leave --cluster out"):
        sample_on_cluster(parse_token, "y_fork", n=10, seed=0, address="127.0.0.1:1")
