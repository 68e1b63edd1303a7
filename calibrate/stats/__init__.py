"""Counts against a reference: distances, what chance alone gives, tests and intervals. Knows no scene and no video.

- How far, and how far would chance be: `total_variation`, `expected_total_variation`, `excess`
- How far, for outcomes in a row: `wasserstein`
- How sure: `tv_test`, `multinomial_test` (p-values); `holm` (claims about many cells), `benjamini_hochberg` (screening)
- Within a margin of the reference: `equivalence_test`
- How many clips a finding takes, and what so many would find: `calibrate.stats.power`, `calibrate.stats.interval_width`
- Between which limits: `tv_interval`; `clopper_pearson`, `wilson` (one share), `goodman` (all shares at once)
- Which outcomes are missing by chance, and what was never shown: `calibrate.stats.never_shown`
- At every number of clips at once: `calibrate.stats.dirichlet_e_value`, `calibrate.stats.confidence_sequence`
- What could the missing clips change: `share_bounds`, `tv_bounds`, `hull_tv_bounds`
- Two samples against each other: `calibrate.stats.two_shares`, `calibrate.stats.two_samples`
- Two models against each other: `calibrate.stats.difference_interval`, `efron_stein`, `excess_spread`
- How far two judges agree: `cohen_kappa`, `stratified_kappa`
- The reference, exact or itself a sample: `Baseline`
- A reference that is a set: `Hull`, with `nearest`, `hull_score` and `hull_interval`
"""

from .baseline import Baseline as Baseline
from .benjamini_hochberg import benjamini_hochberg as benjamini_hochberg
from .clopper_pearson import Interval as Interval
from .clopper_pearson import clopper_pearson as clopper_pearson
from .equivalence_test import EquivalenceTest as EquivalenceTest
from .equivalence_test import equivalence_test as equivalence_test
from .goodman import goodman as goodman
from .holm import holm as holm
from .hull import Hull as Hull
from .hull import HullScore as HullScore
from .hull import hull_interval as hull_interval
from .hull import hull_score as hull_score
from .hull import nearest as nearest
from .kappa import Kappa as Kappa
from .kappa import StratifiedKappa as StratifiedKappa
from .kappa import cohen_kappa as cohen_kappa
from .kappa import stratified_kappa as stratified_kappa
from .missing_bounds import Bounds as Bounds
from .missing_bounds import hull_tv_bounds as hull_tv_bounds
from .missing_bounds import share_bounds as share_bounds
from .missing_bounds import tv_bounds as tv_bounds
from .multinomial_test import MultinomialTest as MultinomialTest
from .multinomial_test import multinomial_test as multinomial_test
from .total_variation import excess as excess
from .total_variation import expected_total_variation as expected_total_variation
from .total_variation import total_variation as total_variation
from .tv_interval import tv_interval as tv_interval
from .tv_test import TvTest as TvTest
from .tv_test import tv_test as tv_test
from .wasserstein import wasserstein as wasserstein
from .wilson import wilson as wilson
