"""Verdicts that published benchmarks keep are scored without a judge; a table that is wrong is refused in a line."""

import json
from pathlib import Path

import pytest

from calibrate.layouts.verdict_tables import find_tables, holds_only_tables, read_tables
from sim import InputError

OUTCOMES = Path(__file__).resolve().parents[2] / "shared" / "data" / "calibench_outcomes.json"


def bins(folder: Path, name: str, value: object) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


def row(k: int, state: str = "outcome", label: str | None = "heads", **more: object) -> dict[str, object]:
    about = {"scene_id": "A-01", "model_or_lane": "wan", "repeat_index": k, "observation": state}
    return {**about, "outcome_label": label, **more}


def table(folder: Path, *rows: object, name: str = "rows.jsonl") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(r if isinstance(r, str) else json.dumps(r) for r in rows))
    return path


SAID = [1, None, 6, 3]


@pytest.mark.parametrize("wrapped", [None, "bins", "outcomes"])
@pytest.mark.parametrize("value", [SAID, dict(enumerate(SAID)), {"0": "1", "1": "null", "2": 6, "3": "face_3"}])
def test_bins_as_a_list_or_by_seed(tmp_path: Path, value: object, wrapped: str | None) -> None:
    path = bins(tmp_path, "dice_wan_bins.json", value if wrapped is None else {wrapped: value, "votes": [1]})
    rows, unmatched, digest = read_tables(path)
    assert [(r.model, r.scene, r.seed, r.outcome, r.status) for r in rows] == [
        ("wan", "die_roll", 0, "face_1", "scored"),
        ("wan", "die_roll", 1, None, "null"),
        ("wan", "die_roll", 2, "face_6", "scored"),
        ("wan", "die_roll", 3, "face_3", "scored"),
    ]
    assert not unmatched and {r.judge for r in rows} == {digest} and digest.startswith("tables:")


@pytest.mark.parametrize(
    ("name", "model", "scene"),
    [
        ("galton_board_real_veo31_bins.json", "veo31", "galton_board"),
        ("wan_dice_bins.json", "wan", "die_roll"),
        ("analysis/dice/cosmos3_super_bins.json", "cosmos3_super", "die_roll"),
        ("runway45/roulette_bins.json", "runway45", "roulette"),
        ("five_seconds/dice_wan_bins.json", "five_seconds/wan", "die_roll"),
    ],
)
def test_bins_say_their_scene_and_model_by_name_or_folder(tmp_path: Path, name: str, model: str, scene: str) -> None:
    bins(tmp_path, name, [1])
    rows, _, _ = read_tables(tmp_path)
    assert [(r.model, r.scene) for r in rows] == [(model, scene)]


def test_bins_of_a_scene_that_is_not_here_are_listed(tmp_path: Path) -> None:
    for name in ("lottery_wan", "galton_board_wan", "galton_board_real_wan"):
        bins(tmp_path, f"{name}_bins.json", [1, 2])
    rows, unmatched, _ = read_tables(tmp_path)
    assert [r.file for r in rows] == ["galton_board_real/0", "galton_board_real/1"]
    assert [(u.file, u.why.split(";")[0]) for u in unmatched] == [
        (
            "galton_board_wan_bins.json",
            "galton_board_real and galton_board are both galton_board here, and galton_board_real is scored",
        ),
        ("lottery_wan_bins.json", "CaliBench's lottery has no scene here"),
    ]


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("dice_wan_bins.json", "{torn", "is no JSON"),
        ("dice_wan_bins.json", "[NaN]", "is no JSON .NaN is no finite number"),
        ("dice_wan_bins.json", [], "must hold a list of outcomes, or an object seed -> outcome, with at least one"),
        ("dice_wan_bins.json", 3, "must hold a list of outcomes"),
        ("dice_wan_bins.json", [7], "dice seed 0 has the outcome '7'; it must be from 1 to 6, or null"),
        ("dice_wan_bins.json", [0], "has the outcome '0'"),
        ("dice_wan_bins.json", [True], "has the outcome 'True'"),
        ("dice_wan_bins.json", [1.5], "has the outcome '1.5'"),
        ("dice_wan_bins.json", {"0": "heads"}, "has the outcome 'heads'"),
        ("coin_wan_bins.json", [1], "names no scene of CaliBench; call it <scene>_<model>_bins.json"),
    ],
)
def test_bins_that_are_wrong(tmp_path: Path, name: str, value: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_tables(bins(tmp_path, name, value))


def test_two_files_of_one_cell_and_two_kinds_of_tables_are_refused(tmp_path: Path) -> None:
    bins(tmp_path, "dice_wan_bins.json", [1])
    bins(tmp_path, "wan/dice_bins.json", [1])
    with pytest.raises(InputError, match="are both of wan and dice; remove one"):
        read_tables(tmp_path)
    table(tmp_path, row(0))
    with pytest.raises(InputError, match="of CaliBench and rows.jsonl of PAWBench; give one of them alone"):
        read_tables(tmp_path)
    with pytest.raises(InputError, match="holds no verdicts: neither .* nor rows.jsonl; give a CSV"):
        read_tables(bins(tmp_path, "empty/x.txt", "").parent)


def test_rows_keep_every_state_apart(tmp_path: Path) -> None:
    fault = "infrastructure_failure"
    path = table(
        tmp_path,
        row(0),
        row(1, "null_observation", None),
        row(2, fault, None, failure_code="undecodable_video"),
        row(3, fault, None, failure_code="missing_video"),
        row(4, fault, None, failure_code="generation_refused"),
        row(5, fault, None, failure_code="rate_limited"),
        row(6, fault, None, failure_code="generation_timeout"),
        {**row(0), "scene_id": "A-07", "outcome_label": "left_path"},
        {**row(0), "scene_id": "A25", "outcome_label": "falls_right"},
        {**row(0), "scene_id": "BM-01"},
    )
    rows, unmatched, _ = read_tables(path)
    assert [(r.scene, r.status, r.outcome, r.reason, r.file) for r in rows] == [
        ("coin_toss", "scored", "heads", None, "A-01/r000"),
        ("coin_toss", "null", None, None, "A-01/r001"),
        ("coin_toss", "unreadable", None, "damaged", "A-01/r002"),
        ("coin_toss", "missing", None, "no_file", None),
        ("coin_toss", "refused", None, None, None),
        ("coin_toss", "judge_error", None, None, "A-01/r005"),
        ("coin_toss", "missing", None, "failed", None),
        ("y_fork", "scored", "left", None, "A-07/r000"),
        ("pencil_fall@leaning_left", "scored", "falls_right", None, "A25/r000"),
    ]
    assert [(u.file, u.why) for u in unmatched] == [("wan/BM-01/r000", "PAWBench's BM-01 has no scene here")]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (["{torn"], "line 1 is not JSON"),
        (["[1]"], "line 1 must be an object"),
        ([row(0), row(0, "null_observation", None)], "line 2 gives wan / A-01 / 0 again"),
        ([row(0, label="edge")], "line 1: 'edge' is no outcome of coin_toss; they are heads, tails"),
        ([row(0, label=None)], "'None' is no outcome of coin_toss"),
        ([row(0, "blocked")], "observation must be one of outcome, null_observation, infrastructure_failure, got 'bl"),
        ([{"scene_id": "A-01"}], "must give model_or_lane, scene_id and a whole repeat_index"),
        ([{**row(0), "repeat_index": 1.5}], "a whole repeat_index"),
    ],
)
def test_rows_that_are_wrong(tmp_path: Path, rows: list, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_tables(table(tmp_path, *rows))


def test_tables_behind_links_that_lead_outside_are_listed_and_not_read(tmp_path: Path) -> None:
    bins(tmp_path, "outside.json", [1])
    bins(tmp_path, "study/dice_wan_bins.json", [2])
    (tmp_path / "study/ball_wan_bins.json").symlink_to(tmp_path / "outside.json")
    rows, unmatched, _ = read_tables(tmp_path / "study")
    assert [r.scene for r in rows] == ["die_roll"]
    assert [(u.file, u.why) for u in unmatched] == [("ball_wan_bins.json", "a link that leads outside the folder")]
    assert find_tables(tmp_path / "study")[0] == ["dice_wan_bins.json"]


def test_a_folder_of_verdicts_is_scored_and_validated_without_a_judge(quincunx, tmp_path: Path) -> None:
    table(tmp_path / "study", *(row(k, label="heads" if k % 2 else "tails") for k in range(12)))
    assert holds_only_tables(tmp_path / "study")
    code, out, err = quincunx("score", tmp_path / "study", "--out", tmp_path / "r.json", "--json")
    (cell,) = json.loads(out)["cells"]
    assert (code, cell["scene"], cell["counts"]) == (0, "coin_toss", {"heads": 6, "tails": 6})
    assert "holds verdicts and no clips; they are scored as they are" in err
    code, out, _ = quincunx("validate", tmp_path / "study", "--json")
    said = json.loads(out)
    assert (code, said["verdicts"]) == (0, [{"model": "wan", "scene": "coin_toss", "n": 12}])
    assert [f["kind"] for f in said["findings"]] == ["verdicts"]
    code, out, err = quincunx("validate", bins(tmp_path, "bad/dice_wan_bins.json", [9]).parent)
    assert (code, out) == (1, "") and "must be from 1 to 6, or null" in err and err.count("\n") == 1


@pytest.mark.skipif(not OUTCOMES.is_file(), reason=f"{OUTCOMES} is not there")
def test_the_committed_outcomes_come_back_cell_by_cell(tmp_path: Path) -> None:
    main = json.loads(OUTCOMES.read_text())["main"]
    for scene, by_model in main.items():
        for model, said in by_model.items():
            bins(tmp_path, f"{scene}_{model}_bins.json", said)
    rows, unmatched, _ = read_tables(tmp_path)
    ours = {"dice": "die_roll", "galton_board_real": "galton_board", "ball": "y_fork", "roulette": "roulette"}
    for scene, token in ours.items():
        for model, said in main[scene].items():
            got = [r for r in rows if (r.model, r.scene) == (model, token)]
            assert [r.seed for r in got] == list(range(32))
            assert [r.outcome is None for r in got] == [s is None for s in said]
    assert len(rows) == 4 * 6 * 32 and len(unmatched) == 5 * 6
