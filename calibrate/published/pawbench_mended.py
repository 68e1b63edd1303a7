"""What is left of PAWBench's figures once floor, chance, nulls and a single failure are allowed for?

The published average takes passing scenes alone, a failure blocks the track, no floor is subtracted and nothing has an
interval. Here every scene with a readable clip counts, a failure counts as a clip without an outcome, and beside each
TVD stands what a perfect sampler would show.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from calibrate.stats import Baseline, excess, expected_total_variation, holm, total_variation, tv_bounds, tv_test
from calibrate.stats.efron_stein import efron_stein_interval
from calibrate.stats.excess_spread import Part, excess_spread

if TYPE_CHECKING:
    from .pawbench import PawScene, SceneMetric

LEVEL = 0.05
"""A scene differs from its reference if p of total variation is below this, after Holm over the whole file."""


def mended_scene(scene: PawScene, metric: SceneMetric) -> dict[str, Any]:
    """The figures of one scene and model, in TVD points (100 x total variation); `p_holm` and `finding` come later.

    `tvd` of the readable clips, `floor` (its mean for a perfect sampler), `excess`, `p` of total variation, and
    `bounds`, the lowest and highest TVD whatever the other clips showed. On the coverage track `bounds` of the
    percentage alone.
    """
    counts = list(metric.counts.values())
    n, unread = sum(counts), metric.nulls + metric.infrastructure_failures
    if scene.reference is None:
        seen, k = sum(count > 0 for count in counts), len(counts)
        return {"n": n, "bounds": [100 * seen / k, 100 * min(k, seen + unread) / k]}
    baseline = _baseline(scene)
    told: dict[str, Any] = {"n": n, "tvd": None, "floor": None, "excess": None, "p": None, "bounds": [0.0, 100.0]}
    if n + unread:
        found = tv_bounds(counts, unread, baseline)
        told["bounds"] = [100 * found.low, 100 * found.high]
    if n:
        tv, expected = total_variation(counts, baseline), expected_total_variation(n, baseline)
        p = tv_test(counts, baseline, seed=0).p
        above = excess(tv, expected) if expected < 1 else tv
        told |= {"tvd": 100 * tv, "floor": 100 * expected, "excess": 100 * above, "p": p}
    return told


def mended_model(listed: Sequence[PawScene], metrics: Mapping[str, SceneMetric]) -> dict[str, Any]:
    """One model on one track: its scenes, and the mean excess over all of them with a 95 % interval.

    The interval is Efron and Stein's (calibrate.stats.efron_stein), clips being independent.
    """
    scenes = {s.scene_id: mended_scene(s, metrics[s.scene_id]) for s in listed if s.scene_id in metrics}
    used = [s for s in listed if s.reference is not None and scenes.get(s.scene_id, {}).get("tvd") is not None]
    summary: dict[str, Any] = {
        "n_scenes": len(used),
        "tvd": None,
        "floor": None,
        "excess": None,
        "excess_interval": None,
    }
    if used:
        for name in ("tvd", "floor", "excess"):
            summary[name] = math.fsum(scenes[s.scene_id][name] for s in used) / len(used)
        spread = excess_spread([_part(s, metrics[s.scene_id], 1 / len(used)) for s in used])
        interval = efron_stein_interval(replace(spread, estimate=summary["excess"] / 100))
        summary["excess_interval"] = [100 * interval.low, 100 * interval.high]
    return {**summary, "scenes": scenes}


def with_findings(models: Sequence[dict[str, Any]]) -> None:
    """Add `p_holm` and `finding` to the scenes of all models, and count in each model the scenes that differ."""
    tested = [scene for model in models for scene in model["scenes"].values() if "tvd" in scene]
    for scene, p in zip(tested, holm([scene["p"] for scene in tested]), strict=True):
        scene["p_holm"] = p
        scene["finding"] = "not_tested" if p is None else "differs" if p < LEVEL else "within_chance"
    for model in models:
        model["n_differ"] = sum(scene.get("finding") == "differs" for scene in model["scenes"].values())


def _baseline(scene: PawScene) -> Baseline:
    q = [(scene.reference or {}).get(label, 0.0) for label in scene.labels]
    return Baseline.exact([p / math.fsum(q) for p in q])


def _part(scene: PawScene, metric: SceneMetric, weight: float) -> Part:
    counts, baseline = list(metric.counts.values()), _baseline(scene)
    shown = tuple(k for k, count in enumerate(counts) for _ in range(count))
    return Part(
        shown=shown,
        clusters=tuple((scene.scene_id, i) for i in range(len(shown))),
        n_outcomes=len(counts),
        tv=lambda table: total_variation(table, baseline),
        expected=expected_total_variation(len(shown), baseline),
        weight=weight,
    )
