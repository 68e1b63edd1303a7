"""Which of the possible outcomes does a model show, which may it have missed by chance, and what may it hide?"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .stats.never_shown import good_turing, missed_p, never_shown_limit

if TYPE_CHECKING:
    from sim.reference import Reference


@dataclass(frozen=True, kw_only=True)
class Support:
    """The outcomes that a cell shows, beside those that the reference gives."""

    size: int
    """Outcomes that the reference gives."""
    seen: int
    """Of these, the ones that a scored clip shows."""
    share: float
    """seen / size."""
    share_expected: float
    """What `share` is on average for a faithful model with so many scored clips, all draws of the unknown constants
    together; exact."""
    missing: Mapping[str, float]
    """Outcome of the reference that no clip shows -> probability that a faithful model misses it by chance with so many
    scored clips, or clusters of them that hang together; for a set the largest over it."""
    never_shown: float | None
    """Good and Turing's estimate of the probability with which the next clip shows an outcome not yet shown; None
    without scored clips."""
    never_shown_limit: float | None
    """Its 95 % upper limit (calibrate.stats.never_shown); the lower one is 0."""


def support(counts: Sequence[int], reference: Reference, *, apart: Sequence[int] | None = None) -> Support:
    """The support of a cell.

    Clips that hang together may all show the same, and then miss an outcome as easily as one clip: chances and limits
    are those of one clip of each cluster, whatever the dependence is.

    Args:
        counts: (K,) scored clips per outcome, in the reference's order.
        reference: The reference.
        apart: (K,) the same of one clip of each cluster (calibrate.clusters.one_of_each); None if all are independent.
    """
    alone = counts if apart is None else apart
    n, outcomes = sum(alone), list(reference.outcomes)
    pooled = [reference.counts[outcome] for outcome in outcomes]
    total, k = sum(pooled), len(outcomes)
    given = [i for i in range(k) if pooled[i] > 0]
    seen = [i for i in given if counts[i] > 0]
    hits, of = [float(c) for c in pooled], float(total)
    if reference.why_point is None:
        of = float(reference.n_member)
        hits = (reference.member_shares.min(axis=0) * of).tolist()
    unseen = alone if min(counts) == 0 else counts  # what other clips of a cluster show is not hidden
    hidden = good_turing(unseen)
    return Support(
        size=len(given),
        seen=len(seen),
        share=len(seen) / len(given),
        share_expected=math.fsum(1 - missed_p(n, pooled[i], total, k) for i in given) / len(given),
        missing={outcomes[i]: missed_p(n, hits[i], of, k) for i in given if i not in seen},
        never_shown=hidden if n else None,
        never_shown_limit=never_shown_limit(unseen) if n else None,
    )


def check_support(
    found: Support, counts: Sequence[int], reference: Reference, *, apart: Sequence[int] | None = None
) -> None:
    """Refuse a support that is not that of the counts.

    Raises:
        ValueError: It is of another cell.
    """
    fresh = support(counts, reference, apart=apart)
    if (found.size, found.seen, set(found.missing)) != (fresh.size, fresh.seen, set(fresh.missing)):
        raise ValueError("its support is not that of its counts")
    pairs = [(found.share, fresh.share), (found.share_expected, fresh.share_expected)]
    pairs += [(p, fresh.missing[outcome]) for outcome, p in found.missing.items()]
    pairs += [(found.never_shown or 0, fresh.never_shown or 0)]
    pairs += [(found.never_shown_limit or 0, fresh.never_shown_limit or 0)]
    if not all(math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-9) for a, b in pairs):
        raise ValueError("its support is not that of its counts")
