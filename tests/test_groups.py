from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from calibrate.stats.groups import letters

NAMES = "pqrstu"
PAIRS = [frozenset(pair) for pair in combinations(NAMES, 2)]


@given(st.sets(st.sampled_from(PAIRS)))
def test_two_share_a_letter_exactly_if_they_are_not_told_apart(apart: set) -> None:
    found = letters(NAMES, apart)
    assert all(found[name] for name in NAMES)
    for a, b in combinations(NAMES, 2):
        assert bool(set(found[a]) & set(found[b])) == (frozenset((a, b)) not in apart)


def test_no_letter_is_more_than_is_needed_and_the_first_names_come_first() -> None:
    assert letters(NAMES, []) == dict.fromkeys(NAMES, "a")
    assert letters("pqr", [frozenset(p) for p in ("pq", "pr", "qr")]) == {"p": "a", "q": "b", "r": "c"}
    # Piepho 2004: of four in a row of which only neighbours are alike, neighbours share a letter
    apart = [frozenset(p) for p in ("pr", "ps", "qs")]
    assert letters("pqrs", apart) == {"p": "a", "q": "ab", "r": "bc", "s": "c"}
