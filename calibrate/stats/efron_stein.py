"""Between which limits does the average of a statistic of many clips lie, if some of the clips hang together?"""

from __future__ import annotations

import math
from dataclasses import dataclass

from .clopper_pearson import Interval, checked_level


@dataclass(frozen=True, kw_only=True)
class Spread:
    """How far a statistic moves when one cluster of clips is left out."""

    estimate: float
    """The statistic."""
    changes: tuple[float, ...]
    """(C,) its change when one cluster is left out; clusters do not depend on one another."""
    floor: float
    """Sum over the cells of the square of what one clip can move it."""

    @property
    def error(self) -> float:
        """An upper bound of its standard deviation, on average: the root of the summed squares, and of `floor`."""
        return math.sqrt(math.fsum(change * change for change in self.changes) + self.floor)

    @property
    def df(self) -> int:
        """Degrees of freedom, one less than there are clusters, at least one."""
        return max(1, len(self.changes) - 1)


def efron_stein_interval(spread: Spread, *, level: float = 0.95) -> Interval:
    """Interval of the expected value of a statistic: the estimate and t times `Spread.error` to both sides.

    By the inequality of Efron and Stein the summed squares of the changes are no less than the variance, on average,
    whatever the statistic and the number of clusters. The floor stands for what so few clips have not shown: of cells
    that show one outcome alone the summed squares are zero, though the variance need not be. For differences of excess
    the coverage is measured: `python -m benchmarks.coverage_differences`.

    Args:
        spread: The statistic and its changes.
        level: Confidence level.

    References:
        Efron and Stein 1981, Annals of Statistics 9, 586, eq. 1.2; in the form used here Boucheron, Lugosi and Massart
        2013, Concentration Inequalities, theorem 3.1.

    >>> found = efron_stein_interval(Spread(estimate=0.5, changes=(0.1, -0.1, 0.1), floor=0.0))
    >>> round(found.low, 3), round(found.high, 3)
    (-0.245, 1.245)
    """
    from scipy.special import stdtrit

    reach = float(stdtrit(spread.df, (1 + checked_level(level)) / 2)) * spread.error
    return Interval(low=spread.estimate - reach, high=spread.estimate + reach, level=level)


def efron_stein_p(spread: Spread) -> float:
    """The least p at which the interval leaves out zero, two-sided; 1 where the statistic is zero."""
    from scipy.special import stdtr

    if spread.error == 0:
        return 1.0 if spread.estimate == 0 else 0.0
    return float(min(1.0, 2 * stdtr(spread.df, -abs(spread.estimate) / spread.error)))
