import json
from pathlib import Path

import pytest

from calibrate.audit import agreement_with_people, as_judged, audit_order, audited, error_tables
from calibrate.record import Record
from calibrate.relabel import relabel
from calibrate.report import write_report
from calibrate.score import score_study
from sim import InputError

HEADER = "model,scene,file,outcome,reason,list\n"


@pytest.fixture
def scored(tmp_path: Path, named_judge, made_references) -> Path:
    folder = tmp_path / "study" / "m" / "coin_toss"
    folder.mkdir(parents=True)
    for k in range(80):
        (folder / f"{k}.mp4").write_text(f"heads|{k}" if k % 4 else f"null:not_settled|{k}")
    (folder / "bad.mp4").write_text("unreadable:damaged")
    figures = {"n": 40, "right": 40, "false_null": 0, "missed_null": 0, "wrong_label": 0}
    figures["confusion"] = {"heads": {"heads": 20}, "tails": {"tails": 20}}
    card = {"scenes": {"coin_toss": figures}}
    score_study(tmp_path / "study", named_judge(), out=tmp_path / "r.json", references=made_references, card=card)
    return tmp_path / "r.json"


def write(path: Path, rows: list[tuple[str, str, str, str]]) -> Path:
    path.write_text(HEADER + "".join(f"m,coin_toss,{file},{o},{r},{name}\n" for file, o, r, name in rows))
    return path


def test_labels_correct_their_clips_and_only_the_audit_tells_how_the_judge_errs(scored, tmp_path, monkeypatch) -> None:
    record = Record.read(scored)
    order = audit_order(record.clips, seed=record.seed)
    assert len(order) == 80  # the damaged file has no verdict
    labels = [(row.file, "tails" if k < 5 else "heads", "", "audit") for k, row in enumerate(order[:55])]
    labels += [(order[60].file, "", "object_lost", "doubtful"), (order[70].file, "tails", "", "audit")]
    done = relabel(scored, write(tmp_path / "labels.csv", labels), out=tmp_path / "new.json")
    assert (done.n_labels, done.n_unused) == (57, 1)
    new = Record.read(tmp_path / "new.json")
    by_file = {row.file: row for row in new.clips}
    assert all(by_file[file].outcome == (outcome or None) for file, outcome, _, _ in labels)
    assert by_file[order[60].file].reason == "object_lost"
    assert [as_judged(row) for row in new.clips] == list(record.clips)
    cell = new.cells[0]
    assert cell.counts["tails"] == 6 and cell.requested == 81
    assert len(audited(new.clips, seed=new.seed)) == 55
    found = new.people["audit"]
    nulls = sum(row.status == "null" for row in order[:55])
    first = [row.status == "null" for row in order[:5]]
    assert found["n"] == 55 and found["false_null"] == nulls and found["missed_null"] == 0
    assert found["wrong_label"] == 5 - sum(first) and found["right"] == 55 - nulls - found["wrong_label"]
    assert new.people["doubtful"]["n"] == 1
    table, about = error_tables(new.judge["card"], new.clips, seed=new.seed)["coin_toss"]
    assert about == "55 clips of coin_toss in this record's random audit"
    assert sum(table["tails"].values()) == 5 and "object_lost" not in table
    assert cell.corrected.confusion_from == about and "simulated" in record.cells[0].corrected.confusion_from
    heads = new.cells[0].prediction_powered["heads"]
    # by hand: what the judge said of the other 25 clips, shifted by labels less verdicts on the 55
    rest = sum(row.status == "scored" for row in order[55:]) / 25
    theta_heads, theta_tails = rest + (50 - (55 - nulls)) / 55, 5 / 55
    assert heads["share"] == pytest.approx(min(1, theta_heads / (theta_heads + theta_tails)))
    assert 0 < heads["low"] < heads["share"] <= heads["high"] <= 1 and not record.cells[0].prediction_powered
    monkeypatch.setattr("calibrate.report.MOST_PER_CELL", 100)
    text = write_report(tmp_path / "new.json").read_text(encoding="utf-8")
    assert "Against people" in text and "the audit below tests" in text and "by people; the judge said" in text
    assert "prediction-powered" in text


def test_fewer_than_fifty_audited_clips_leave_the_card_in_force(scored: Path, tmp_path: Path) -> None:
    record = Record.read(scored)
    order = audit_order(record.clips, seed=record.seed)
    labels = write(tmp_path / "labels.csv", [(row.file, "heads", "", "audit") for row in order[:49]])
    new = relabel(scored, labels, out=tmp_path / "new.json").record
    assert "on the judge's card" in error_tables(new.judge["card"], new.clips, seed=new.seed)["coin_toss"][1]
    # the correction is of what the judge said of all clips, not of a mixture with labels
    assert new.cells[0].corrected == record.cells[0].corrected
    again = write(tmp_path / "more.csv", [(row.file, "tails", "", "audit") for row in order[48:50]])
    new = relabel(tmp_path / "new.json", again, out=tmp_path / "newer.json").record
    assert new.people["audit"]["n"] == 50 and new.cells[0].counts["tails"] == 2
    assert [as_judged(row) for row in new.clips] == list(record.clips)


def test_the_order_is_random_fixed_by_the_seed_and_not_by_the_labels(scored: Path, tmp_path: Path) -> None:
    record = Record.read(scored)
    first = [row.file for row in audit_order(record.clips, seed=0)]
    assert sorted(first) != first and first != [row.file for row in audit_order(record.clips, seed=1)]
    labels = write(tmp_path / "labels.csv", [(first[3], "", "damaged", "audit")])
    new = relabel(scored, labels, out=tmp_path / "new.json").record
    assert [row.file for row in audit_order(new.clips, seed=0)] == first
    assert agreement_with_people(new.clips, seed=0) == {}  # the first three have no label


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ("m,coin_toss,none.mp4,heads,,audit\n", "the record has no clip called m / coin_toss / none.mp4"),
        ("m,coin_toss,m/coin_toss/1.mp4,edge,,audit\n", "'edge' is no outcome; they are heads, tails"),
        ("m,coin_toss,m/coin_toss/1.mp4,,lazy,audit\n", "'lazy' is no null reason; they are no_motion"),
        ("m,coin_toss,m/coin_toss/1.mp4,,,audit\n", "must give an outcome or a reason"),
        ("m,coin_toss,m/coin_toss/1.mp4,heads,,sure\n", "has the list 'sure'; it is audit or doubtful"),
        ("m,coin_toss,m/coin_toss/1.mp4,heads,,audit\n" * 2, "line 3 gives m / coin_toss / .* again"),
    ],
)
def test_a_label_that_fits_no_clip_is_refused_in_one_line(scored: Path, tmp_path: Path, rows: str, why: str) -> None:
    (tmp_path / "labels.csv").write_text(HEADER + rows)
    with pytest.raises(InputError, match=why):
        relabel(scored, tmp_path / "labels.csv", out=tmp_path / "new.json")
    assert not (tmp_path / "new.json").exists()


def test_an_edited_label_is_refused(scored: Path, tmp_path: Path) -> None:
    labels = write(tmp_path / "labels.csv", [("m/coin_toss/1.mp4", "heads", "", "audit")])
    relabel(scored, labels, out=tmp_path / "new.json")
    data = json.loads((tmp_path / "new.json").read_text())
    row = next(clip for clip in data["clips"] if clip["label"])
    row["judged"] = None
    with pytest.raises(InputError, match="has half a label"):
        Record.from_json(data)
    row["judged"] = {"status": "odd"}
    with pytest.raises(InputError, match="odd verdict of the judge"):
        Record.from_json(data)


def test_the_command_says_what_the_labels_did(scored: Path, tmp_path: Path, quincunx) -> None:
    labels = write(tmp_path / "labels.csv", [("m/coin_toss/1.mp4", "tails", "", "doubtful")])
    code, out, err = quincunx("relabel", scored, labels, "--out", tmp_path / "new.json", "--json")
    assert code == 0 and json.loads(out)["changed"] == 1 and json.loads(out)["people"]["doubtful"]["wrong_label"] == 1
    assert "1 labels, 1 verdicts changed" in err
    code, _, err = quincunx("relabel", scored, labels, "--out", scored)
    assert code == 1 and "is what is read, and would be overwritten" in err
