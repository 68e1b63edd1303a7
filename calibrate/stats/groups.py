"""Which things cannot be told apart, if some pairs of them can?"""

from __future__ import annotations

from collections.abc import Collection, Sequence

_ALPHABET = "abcdefghijklmnopqrstuvwxyz"


def letters(names: Sequence[str], apart: Collection[frozenset[str]]) -> dict[str, str]:
    """Name -> letters, so that two names share a letter exactly if they are not told apart (compact letter display).

    A letter is a largest set of which no two are told apart; the first letters go to the sets with the first names.

    Args:
        names: In the order in which letters are given out.
        apart: Pairs that are told apart.

    References:
        Piepho 2004, Journal of Computational and Graphical Statistics 13, 456; the sets by Bron and Kerbosch 1973,
        Communications of the ACM 16, 575, algorithm 457.

    >>> letters(["x", "y", "z"], [frozenset("xz")])
    {'x': 'a', 'y': 'ab', 'z': 'b'}
    """
    alike = {a: {b for b in names if b != a and frozenset((a, b)) not in apart} for a in names}
    sets: list[set[str]] = []

    def grow(chosen: set[str], open_: set[str], done: set[str]) -> None:
        if not open_ and not done:
            sets.append(chosen)
        for name in [each for each in names if each in open_]:
            grow(chosen | {name}, open_ & alike[name], done & alike[name])
            open_, done = open_ - {name}, done | {name}

    grow(set(), set(names), set())
    place = {name: i for i, name in enumerate(names)}
    ranked = sorted(sets, key=lambda each: sorted(place[name] for name in each))
    return {name: "".join(_letter(i) for i, each in enumerate(ranked) if name in each) for name in names}


def _letter(i: int) -> str:
    return _ALPHABET[i % 26] + (str(i // 26) if i >= 26 else "")
