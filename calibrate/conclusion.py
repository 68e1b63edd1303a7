"""What may be said of a cell, given the p-values of both of its tests?"""

from __future__ import annotations

from typing import Literal

LEVEL = 0.05
"""Something is found of a cell if the p of it, after Holm, is below this."""
MARGIN_TV = 0.1
"""Total variation within which a cell counts as calibrated, if no other margin is asked for."""

Finding = Literal["calibrated", "miscalibrated", "cannot_tell", "not_tested"]
"""`calibrated`: shown to be within the margin of the reference (equivalence test, p after Holm below LEVEL), though it
may differ from it by less. `miscalibrated`: not shown to be within the margin, and different from the reference (test
of total variation, p after Holm below LEVEL). Where it is known how the judge errs, either holds with these errors
carried through as well. `cannot_tell`: neither. `not_tested`: no outcome."""


def finding_of(p_holm: float | None, p_equivalence_holm: float | None) -> Finding:
    """What the p-values of the two tests say, see `Finding`."""
    if p_holm is None or p_equivalence_holm is None:
        return "not_tested"
    if p_equivalence_holm < LEVEL:
        return "calibrated"
    return "miscalibrated" if p_holm < LEVEL else "cannot_tell"
