"""What speaks for a reference: settings, engines, unknown constants, jitter; and when is one refused?"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from .comparison import share_as_far
from .errors import EngineError, InputError
from .intervals import tv_limits
from .reference import Comparison, Reference, write_json
from .sampling import Sampling
from .scene import Solver
from .spread import p_no_spread

FORMAT = 1
"""Format number of evidence files."""
MAX_BAD_SHARE = 0.005
"""Largest share of failed and unsettled rollouts that a reference may have."""
MIN_P_NOT_CAUSAL = 0.001
"""Smallest p at which a variant still passes for one that does not matter."""
MIN_P_TWIN = 0.001
"""Smallest p of the two-sample permutation test at which a twin passes for equal."""


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """What stands behind one reference."""

    scene: str
    """Scene token."""
    version: int
    settings_hash: str
    code_hash: str | None
    seed: int
    n: int
    """Rollouts of the reference that this belongs to."""
    sampling: Mapping[str, Any]
    """`half_width` reached, `aimed_half_width`, whether it was `reached`, `cpu_s` and `budget_cpu_s`."""
    failed_share: float
    undecided_share: float
    failed: Mapping[str, list[int]]
    """What went wrong -> indices that reproduce it with scene, version and seed."""
    null: Mapping[str, list[int]]
    """Reason, `not_settled` for the undecided -> indices that reproduce it."""
    unknown_spread: Mapping[str, Any]
    """See `unknown_spread`."""
    ideal: Mapping[str, float] | None
    ideal_distance: Mapping[str, Any] | None
    """See `ideal_distance`; None without a textbook distribution."""
    twins: Mapping[str, Comparison]
    """The same scene at other numerical settings; of the base scene alone."""
    engines: Mapping[str, Comparison]
    """The same from other engines."""
    engines_missing: Mapping[str, str]
    """Engine -> why it cannot tell."""
    not_causal: Mapping[str, Comparison]
    penetration: Mapping[str, Any] | None
    """See sim.penetration; None of a causal variant."""
    predictability: Mapping[str, Any] | None
    """See sim.predictability; None of a causal variant."""

    def to_json(self) -> dict[str, Any]:
        """A dictionary that JSON can hold."""
        return {"format": FORMAT, **asdict(self)}

    @staticmethod
    def from_json(data: Mapping[str, Any], *, origin: str) -> Evidence:
        """The evidence that `to_json` wrote.

        Raises:
            InputError: Another format, or fields that are missing.
        """
        if data.get("format") != FORMAT:
            raise InputError(f"{origin} has evidence format {data.get('format')!r}; this version reads {FORMAT}")
        try:
            fields = {name: data[name] for name in Evidence.__dataclass_fields__}
            for name in ("twins", "engines", "not_causal"):
                fields[name] = {key: Comparison.from_json(found) for key, found in fields[name].items()}
            _check_shapes(fields)
            return Evidence(**fields)
        except (KeyError, TypeError, AttributeError) as fault:
            raise InputError(f"{origin} is not whole evidence ({fault}); make it again") from fault

    def write(self, path: Path) -> None:
        """Writes the JSON file, whole or not at all."""
        write_json(path, self.to_json())

    @staticmethod
    def read(path: Path) -> Evidence:
        """The evidence in a JSON file.

        Raises:
            InputError: The file is missing or not evidence.
        """
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError as fault:
            raise InputError(f"{path} does not exist; make it with: quincunx references") from fault
        except (ValueError, RecursionError) as fault:
            raise InputError(f"{path} is not JSON: {fault}") from fault
        if not isinstance(data, dict):
            raise InputError(f"{path} is not evidence; make it again")
        return Evidence.from_json(data, origin=str(path))


def _check_shapes(fields: Mapping[str, Any]) -> None:
    """Raises TypeError for a table or a number that is none; NaN is no number."""
    optional = ("ideal", "ideal_distance", "penetration", "predictability")
    for name in ("sampling", "failed", "null", "unknown_spread", "engines_missing", *optional):
        if not (isinstance(fields[name], Mapping) or name in optional and fields[name] is None):
            raise TypeError(f"{name} is no table")
    for name in ("reached", "aimed_half_width", "budget_cpu_s"):
        fields["sampling"][name]  # KeyError if it is missing
    for name in ("version", "failed_share", "undecided_share"):
        if type(fields[name]) not in (int, float) or not 0 <= fields[name] < float("inf"):
            raise TypeError(f"{name} is no number")


def twin_solvers(solver: Solver) -> dict[str, Solver]:
    """Name -> the numerical settings of a reference's twins: (omega, dt/2) and (2 omega, dt/2)."""
    half = replace(solver, timestep_s=solver.timestep_s / 2)
    return {
        "half_step": half,
        "half_step_double_frequency": replace(half, contact_frequency_rad_s=2 * solver.contact_frequency_rad_s),
    }


def unknown_spread(reference: Reference) -> dict[str, Any]:
    """How much the outcome distribution moves with the unknown factors.

    `dispersion` and `intraclass` (the variance of a share p between draws over p (1 - p)) of the fitted
    Dirichlet-multinomial law; `p_none`, the p-value of no spread at all; `sd`, the standard deviation between draws of
    each outcome's share; `low` and `high`, the ends of the shrunk members; `tv_mean` and `tv_most`, their distances
    from their mean; `is_point`, whether the set is a point. Undefined (`why_undefined`) where the draws were not kept.
    """
    spread, shares = reference.spread, reference.draw_shares
    mean = np.asarray(spread.mean)
    tv = 0.5 * np.abs(shares - shares.mean(axis=0)).sum(axis=1)
    kept = reference.members is not None

    def each(values: np.ndarray) -> dict[str, float]:
        return dict(zip(reference.outcomes, [round(float(v), 6) for v in values], strict=True))

    return {
        "n_draws": len(reference.members or ()),
        "is_point": len(shares) == 1,
        "dispersion": round(spread.dispersion, 8),
        "intraclass": round(spread.intraclass, 8),
        "gain_log_likelihood": round(spread.gain, 4),
        "p_none": p_no_spread(reference.members, seed=0) if reference.members is not None else None,
        "sd": each(np.sqrt(spread.intraclass * mean * (1 - mean))),
        "low": each(shares.min(axis=0)),
        "high": each(shares.max(axis=0)),
        "tv_mean": round(float(tv.mean()), 6),
        "tv_most": round(float(tv.max()), 6),
        "why_undefined": None if kept else "the counts by draw were not kept",
    }


def ideal_distance(reference: Reference, ideal: Mapping[str, float] | None) -> dict[str, Any] | None:
    """Total variation of a reference's shares from the textbook, with its 95 % interval and what chance gives."""
    if ideal is None:
        return None
    counts = np.array([reference.counts[o] for o in reference.outcomes])
    p, n = np.array([ideal[o] for o in reference.outcomes]), int(counts.sum())
    tv = 0.5 * float(np.abs(counts / n - p).sum())
    null = 0.5 * np.abs(np.random.default_rng(0).multinomial(n, p, size=20_000) / n - p).sum(axis=1)
    low, high = tv_limits(counts, None, seed=0, exact=p)
    return {
        "tv": round(tv, 6),
        "tv_interval": [round(low, 6), round(high, 6)],
        "tv_expected": round(float(null.mean()), 6),
        "p": share_as_far(null, tv),
    }


def sampling_facts(sampling: Sampling) -> dict[str, Any]:
    """How far sampling went, as JSON can hold it."""
    names = ("half_width", "aimed_half_width", "reached", "cpu_s", "budget_cpu_s")
    return {name: getattr(sampling, name) for name in names}


def check_reference(
    reference: Reference, *, twins: Mapping[str, Comparison], not_causal: Mapping[str, Comparison]
) -> None:
    """Refuse a reference that its own evidence speaks against.

    Another engine is evidence, not a gate: where engines differ, the card shows by how much.

    Raises:
        EngineError: More than 0.5 % of the rollouts failed or did not settle (the message names some); a twin at finer
            settings, or a variant that should not matter, differs beyond sampling error (p below 0.001).
    """
    if reference.bad_share > MAX_BAD_SHARE:
        some = {reason: list(indices[:5]) for reason, indices in reference.failed.items()}
        null = {reason: list(indices[:5]) for reason, indices in (reference.null_rows or {}).items()}
        raise EngineError(
            f"{reference.scene} version {reference.version}, seed {reference.seed}: {reference.bad_share:.2%} of the "
            f"rollouts failed or did not settle (limit {MAX_BAD_SHARE:.1%}); failed {some}, "
            f"null {null or reference.null}"
        )
    for name, twin in twins.items():
        if twin.p < MIN_P_TWIN:
            raise EngineError(
                f"{reference.scene}: the twin {name} ({dict(twin.solver or {})}) differs beyond sampling error: "
                f"TV {twin.tv:.3f}, p = {twin.p:.2g}; take a smaller timestep_s or a higher contact_frequency_rad_s"
            )
    for variant, check in not_causal.items():
        if check.p < MIN_P_NOT_CAUSAL:
            raise EngineError(
                f"{reference.scene}@{variant} is said not to be causal, but moves the distribution: TV {check.tv:.3f}, "
                f"p = {check.p:.2g}; mark it causal or mend the scene"
            )
