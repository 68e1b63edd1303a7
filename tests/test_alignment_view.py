from calibrate.alignment import Alignment
from calibrate.alignment_view import MOVES, lines, row, sentence


def pair(**more: object) -> Alignment:
    given = {"model": "<b>m</b>", "scene": "y_fork", "variant": "offset", "causal": True, "outcomes": ("left",)}
    given |= {"n": (24, 24), "change": 0.2, "change_interval": (-0.08, 0.47), "change_expected": None}
    given |= {"reference_change": 0.4, "reference_range": (0.38, 0.42), "response": 0.5, "margin": 0.1}
    given |= {"response_interval": (-0.2, 1.175), "p_aligned": 0.1, "p_off": 0.2, "p_aligned_holm": 0.2}
    return Alignment(**{**given, "p_off_holm": 0.4, "finding": "cannot_tell", **more})


def test_a_causal_pair_is_told_in_one_sentence() -> None:
    assert sentence(pair()) == (
        "Cannot tell: physics changes left by +0.40 (within +0.38 to +0.42), the model by +0.20 "
        "(95 % CI −0.08 to 0.47); p = 0.20 for no change that way, p = 0.40 for that of physics (Holm)."
    )


def test_rows_hold_the_response_and_the_finding_in_words() -> None:
    (line,) = lines((pair(finding="does_not_follow"),))
    assert line["response"] == "0.50 (−0.20 to 1.18)" and line["tone"] == "miscalibrated"
    assert line["finding"] == MOVES["does_not_follow"]
    assert row(pair())[3:6] == ("+0.400", "+0.200", "-0.080 to +0.470")
    still = pair(causal=False, change_expected=0.1, response=None, response_interval=None)
    assert lines((still,))[0]["response"] == "–" and row(still)[4] == "0.200"
