"""How are the shipped references, their evidence and the source images made again?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from sim import SceneError, Solver
from sim.comparison import compare
from sim.evidence import Evidence, check_reference, ideal_distance, sampling_facts, twin_solvers, unknown_spread
from sim.penetration import check_penetration, deepest_penetration
from sim.predictability import curve
from sim.reference import Comparison, Reference
from sim.sampling import BUDGET_CPU_S, Sampling, sample, sample_to_width

from .registry import load, names, parse_token
from .shipped import evidence_path, forget, reference_path, source_image_path, tokens

N_LEAST, N_TWIN, N_SECOND_ENGINE, N_NOT_CAUSAL = 5120, 2048, 2048, 2048
"""Rollouts: at least of a shipped reference, of each twin, of the second engine, and of each variant that should not
matter; multiples of the number of draws of the unknown factors."""
N_JITTER, N_PENETRATION = 1024, 64
"""Rollouts at each scale of the hidden jitter, and rollouts whose penetration is measured, one a draw."""
SEED, CHECK_INDEX = 20261130, 1 << 40
"""Seed of the shipped references, and index at which the checks begin. No other part of the project draws with it."""


Progress = Callable[[str, int, int], None]


def make_reference(
    token: str,
    *,
    work: Path,
    evidence: bool = True,
    budget_cpu_s: float = BUDGET_CPU_S,
    progress: Progress | None = None,
) -> Reference:
    """Samples the shipped reference of one token with its evidence; interrupted work goes on where it stopped.

    Checks take the rollouts from `CHECK_INDEX` on: other draws of the hidden factors, the same draws of the unknown
    ones, so that what differs is the settings, the engine or the variant.

    Args:
        token: A base scene or a causal variant.
        work: Folder for checkpoints.
        evidence: Also the twins, the jitter curve and the penetration of a base scene, and the evidence file; without
            them a reference costs about a quarter.
        budget_cpu_s: CPU time after which sampling stops even if the half-width is not reached.
        progress: Called with (what, done, n).

    Raises:
        EngineError: Too many rollouts failed, a twin or a variant that should not matter differs, or bodies sink so
            deep that they may pass through one another.
    """
    scene, variant = parse_token(token)
    main = sample_to_width(
        scene,
        variant=variant,
        seed=SEED,
        budget_cpu_s=budget_cpu_s,
        least_n=N_LEAST,
        checkpoint=work / f"{token}-mujoco-{SEED}.json",
        progress=None if progress is None else (lambda done, n: progress(f"{token}: reference", done, n)),
    )
    checks = _Checks(main.reference, token, work=work, progress=progress)
    engines, missing = checks.engines(N_SECOND_ENGINE)
    twins = checks.twins() if evidence and variant is None else {}
    not_causal = checks.not_causal() if variant is None else {}
    exact = scene.ideal if scene.exact and variant is None else None
    check_reference(main.reference, twins=twins, not_causal=not_causal, exact=exact)
    made = replace(main.reference, second_engine=engines.get("bullet"), not_causal=not_causal or None)
    if evidence:
        stands = {"twins": twins, "engines": engines, "engines_missing": missing, "not_causal": not_causal}
        if variant is None:
            sunk = deepest_penetration(scene, seed=SEED, indices=range(N_PENETRATION))
            check_penetration(token, sunk)
            stands["penetration"] = sunk
            stands["predictability"] = checks.jitter()
        _evidence(made, main, scene.ideal if variant is None else None, stands).write(evidence_path(token))
    made.write(reference_path(token))
    forget()
    return made


def _evidence(made: Reference, main: Sampling, ideal: Mapping[str, float] | None, stands: dict[str, Any]) -> Evidence:
    """The evidence of a reference, of which `stands` is what further samples gave."""
    null = made.null_rows or {}
    return Evidence(
        scene=made.scene,
        version=made.version,
        settings_hash=made.settings_hash,
        code_hash=made.code_hash,
        seed=made.seed,
        n=made.n,
        sampling=sampling_facts(main),
        failed_share=made.n_failed / made.n,
        undecided_share=made.null.get("not_settled", 0) / made.n,
        failed={reason: list(rows) for reason, rows in made.failed.items()},
        null={reason: list(rows) for reason, rows in null.items()},
        unknown_spread=unknown_spread(made),
        ideal=ideal,
        ideal_distance=ideal_distance(made, ideal),
        **{"penetration": None, "predictability": None, **stands},
    )


class _Checks:
    """Further samples of the scene of one reference."""

    def __init__(self, main: Reference, token: str, *, work: Path, progress: Progress | None) -> None:
        self._main, self._token, self._work, self._progress = main, token, work, progress
        self._scene, self._variant = parse_token(token)

    def _step(self, what: str) -> Callable[[int, int], None] | None:
        progress, token = self._progress, self._token
        return None if progress is None else (lambda done, n: progress(f"{token}: {what}", done, n))

    def _against(
        self, what: str, name: str, n: int, *, engine: str = "mujoco", solver: Solver | None = None, other: str | None
    ) -> Comparison:
        found = sample(
            self._scene,
            variant=other,
            n=n,
            seed=SEED,
            first_index=CHECK_INDEX,
            engine=engine,
            solver=solver,
            checkpoint=self._work / f"{self._scene.token(other)}-{name}-{SEED}-{CHECK_INDEX}-{n}.json",
            progress=self._step(what),
        )
        return compare(self._main, found, solver=solver)

    def engines(self, n: int) -> tuple[dict[str, Comparison], dict[str, str]]:
        """What other engines give, and why those that say nothing do not."""
        found: dict[str, Comparison] = {}
        missing: dict[str, str] = {}
        if self._scene.one_engine_only is not None:
            missing["bullet"] = self._scene.one_engine_only
        else:
            found["bullet"] = self._against("second engine", "bullet", n, engine="bullet", other=self._variant)
        try:
            found["impact"] = self._against("rigid impacts", "impact", n, engine="impact", other=self._variant)
        except SceneError as cannot:  # more than one body, or a shape that rigid impacts do not cover
            missing["impact"] = str(cannot)
        return found, missing

    def twins(self) -> dict[str, Comparison]:
        """The same scene at half the step, and at twice the contact frequency besides."""
        return {
            name: self._against(f"twin {name}", name, N_TWIN, solver=solver, other=self._variant)
            for name, solver in twin_solvers(self._scene.solver).items()
        }

    def not_causal(self) -> dict[str, Comparison]:
        """The variants that should not move the distribution."""
        quiet = [name for name, other in self._scene.variants.items() if not other.causal]
        return {name: self._against(f"check of {name}", "mujoco", N_NOT_CAUSAL, other=name) for name in quiet}

    def jitter(self) -> dict[str, Any]:
        """The predictability curve."""
        return curve(
            self._scene,
            seed=SEED,
            n=N_JITTER,
            first_index=CHECK_INDEX,
            work=self._work,
            progress=self._step("hidden jitter"),
        )


def make_references(
    only: tuple[str, ...] = (),
    *,
    work: Path = Path("runs/references"),
    evidence: bool = True,
    budget_cpu_s: float = BUDGET_CPU_S,
    progress: Progress | None = None,
) -> list[Reference]:
    """Makes the shipped references of the named scenes (all if none is named) and their causal variants.

    Args:
        only: Names of scenes.
        work: Folder for checkpoints.
        evidence: See `make_reference`.
        budget_cpu_s: CPU time for the sampling of each.
        progress: Called with (what, done, n).
    """
    wanted = [token for name in (only or names()) for token in tokens(load(name))]
    return [
        make_reference(token, work=work, evidence=evidence, budget_cpu_s=budget_cpu_s, progress=progress)
        for token in wanted
    ]


def make_source_images(only: tuple[str, ...] = (), *, progress: Progress | None = None) -> list[Path]:
    """Draws the first frames of the named scenes (all if none is named) and of all their variants.

    Raises:
        PrerequisiteError: No OpenGL can draw here.
    """
    from sim.footage import source_image, write_picture

    scenes = [load(name) for name in (only or names())]
    wanted = [(scene, variant) for scene in scenes for variant in (None, *scene.variants)]
    paths = []
    for done, (scene, variant) in enumerate(wanted, 1):
        path = source_image_path(scene.token(variant))
        write_picture(path, source_image(scene, variant))
        paths.append(path)
        if progress is not None:
            progress(f"{scene.token(variant)}: source image", done, len(wanted))
    return paths
