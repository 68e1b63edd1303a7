from calibrate.null_warning import null_warning, with_null_warning

UNEVEN = {"heads": {"heads": 60, "out_of_domain": 8, "not_settled": 2}, "tails": {"tails": 69, "heads": 1}}


def test_warns_where_one_outcome_is_oftener_null() -> None:
    line = null_warning(UNEVEN | {"no_motion": {"no_motion": 9}}, ("heads", "tails"), about="the card", seed=0)
    assert line.startswith("heads in 10 of 70 clips, tails in 0 of 70: outcomes are not equally often read as null")
    # scipy.stats.fisher_exact([[60, 10], [70, 0]]).pvalue -> 0.00133
    assert line.endswith("(the card; p = 0.0014)") or line.endswith("(the card; p = 0.0013)") or "p = 0.001" in line


def test_says_nothing_where_the_rates_are_alike_or_unknown() -> None:
    even = {"heads": {"heads": 60, "object_lost": 2}, "tails": {"tails": 60, "not_settled": 3}}
    assert null_warning(even, ("heads", "tails"), about="", seed=0) is None
    assert null_warning({}, ("heads", "tails"), about="", seed=0) is None


def test_every_model_of_the_scene_gets_the_warning_and_no_other(made_references) -> None:
    from calibrate.cell import measure
    from calibrate.clip_row import ClipRow

    def cell(model: str, token: str, outcome: str):
        row = ClipRow(model=model, scene=token, file="1", status="scored", outcome=outcome)
        return measure(model, token, [row], made_references[token], seed=0)

    cells = [cell("a", "coin_toss", "heads"), cell("b", "coin_toss", "tails"), cell("a", "die_roll", "face_1")]
    found = with_null_warning(cells, {"coin_toss": (UNEVEN, "these")}, seed=0)
    assert [one.null_warning is None for one in found] == [False, False, True]
    assert all(one.null_warning is None for one in with_null_warning(cells, {}, seed=0))
