from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy import stats as reference

from calibrate.clip_row import ClipRow
from calibrate.same_outcomes import N_DRAWS, same_outcomes

OUTCOMES = {"coin_toss": ("heads", "tails"), "y_fork": ("left", "right")}


def rows(said: str, *, seeds=None, token: str = "coin_toss") -> list[ClipRow]:
    """A row for each letter: h and t are outcomes, anything else is a null."""
    both = dict(zip("ht", OUTCOMES[token], strict=True))
    seeds = seeds if seeds is not None else [None] * len(said)
    return [
        ClipRow(
            model="m", scene=token, file=str(k), status="scored" if c in both else "null", outcome=both.get(c), seed=s
        )
        for k, (c, s) in enumerate(zip(said, seeds, strict=True))
    ]


def test_without_seeds_it_is_fishers_exact_test() -> None:
    found = same_outcomes({"coin_toss": (rows("h" * 9 + "t"), rows("hhh" + "t" * 7))}, OUTCOMES, seed=0)
    # equal sizes: the hypergeometric law is symmetric, so both tails are what Fisher's test takes
    exact = reference.fisher_exact([[9, 1], [3, 7]]).pvalue
    error = 4 * np.sqrt(exact / N_DRAWS)
    assert found.p["coin_toss"] == pytest.approx(exact, abs=error) == found.p_all and found.n_pairs["coin_toss"] == 0


def test_pairs_are_swapped_as_in_mcnemars_test() -> None:
    a, b, seeds = "hhhhhhhhth", "hhttttttth", list(range(10))
    found = same_outcomes({"coin_toss": (rows(a, seeds=seeds), rows(b, seeds=seeds))}, OUTCOMES, seed=0)
    exact = reference.binomtest(6, 6).pvalue  # six pairs differ, all in one direction
    assert found.n_pairs["coin_toss"] == 10
    assert found.p["coin_toss"] == pytest.approx(exact, abs=4 * np.sqrt(exact / N_DRAWS))


def test_one_seed_is_swapped_on_all_scenes_together() -> None:
    seeds = [1, 2, 3]
    both = {token: (rows("hhh", seeds=seeds, token=token), rows("tth", seeds=seeds, token=token)) for token in OUTCOMES}
    found = same_outcomes(both, OUTCOMES, seed=0)
    # by listing: of the swaps of seeds 1 and 2, half leave the gap of 2/3, whatever the scenes; independent: a quarter
    gaps = [abs(sum(1 - 2 * s for s in swap)) for swap in product((0, 1), repeat=2)]
    exact = sum(gap >= 2 for gap in gaps) / len(gaps)
    assert found.p_all == pytest.approx(exact, abs=0.02) == pytest.approx(found.p["y_fork"], abs=0.03)


def test_nulls_and_repeated_seeds_make_no_pair() -> None:
    a, b = rows("hhxt", seeds=[1, 1, 2, 3]), rows("ttht", seeds=[1, 4, 2, 3])
    assert same_outcomes({"coin_toss": (a, b)}, OUTCOMES, seed=0).n_pairs == {"coin_toss": 1}
    nothing = same_outcomes({}, {}, seed=0)
    assert nothing.p_all is None and nothing.p == {}


def test_level_with_pairs_that_hang_together() -> None:
    rng, low, trials = np.random.default_rng(2), 0, 120
    for _ in range(trials):
        u = rng.random(12)
        same = rng.random(12) < 0.5  # half of the pairs show the same, the others are independent
        v = np.where(same, u, rng.random(12))
        a, b = ("".join("h" if x < 0.7 else "t" for x in side) for side in (u, v))
        sides = rows(a, seeds=range(12)), rows(b, seeds=range(12))
        low += same_outcomes({"coin_toss": sides}, OUTCOMES, seed=1).p["coin_toss"] <= 0.05
    assert low <= reference.binom(trials, 0.05).ppf(0.999)


def test_level_where_clips_of_one_group_show_the_same() -> None:
    rng, low, trials = np.random.default_rng(6), 0, 120
    for _ in range(trials):
        sides = []
        for side in "AB":
            shown = rng.choice(list("ht"), size=6).repeat(4)
            sides.append([replace(row, group=f"{side}{k // 4}") for k, row in enumerate(rows("".join(shown)))])
        low += same_outcomes({"coin_toss": (sides[0], sides[1])}, OUTCOMES, seed=1).p["coin_toss"] <= 0.05
    assert low <= reference.binom(trials, 0.05).ppf(0.999)
    # 6 groups of heads against 6 of tails: 2 of the 924 ways to deal 12 groups out are so far apart
    far = [[replace(r, group=f"{c}{k // 4}") for k, r in enumerate(rows(c * 24))] for c in "ht"]
    found = same_outcomes({"coin_toss": (far[0], far[1])}, OUTCOMES, seed=1)
    assert found.p["coin_toss"] == pytest.approx(2 / 924, abs=0.0015) and found.n_pairs == {"coin_toss": 0}
