from pathlib import Path

from calibrate.audit import audit_order
from calibrate.record import Record
from calibrate.report_view import doubtful_first
from calibrate.score import score_study


def study(root: Path) -> Path:
    """25 clips of which 5 are one file, and a copy of that file of another model."""
    for model, numbers in {"m": range(25), "other": range(1)}.items():
        (root / model / "coin_toss").mkdir(parents=True)
        for k in numbers:
            text = "heads|same" if k < 5 else f"{'heads' if k % 2 else 'tails'}|{k}"
            (root / model / f"coin_toss/{k:02}.mp4").write_bytes(text.encode())
    return root


def test_g01_copies_are_named_and_worth_one_clip(tmp_path: Path, named_judge, made_references) -> None:
    record = score_study(study(tmp_path / "s"), named_judge(), out=tmp_path / "r.json", references=made_references)
    cell = record.cells[0]
    assert (cell.scored, cell.n_distinct) == (25, 21) and cell.n_independent == 25**2 / (20 + 5**2)
    (warning,) = record.warnings
    assert warning.startswith("6 clips are the same file") and "--drop-copies" in warning
    assert record.cells[1].n_independent is None  # another model's clips are its own


def test_g01_copies_can_be_left_out_and_stay_in_the_sum(tmp_path: Path, named_judge, made_references) -> None:
    out, how = tmp_path / "r.json", {"references": made_references}
    record = score_study(study(tmp_path / "s"), named_judge(), out=out, drop_copies=True, **how)
    cell, other = record.cells
    assert (cell.requested, cell.scored, cell.missing, dict(cell.missing_reasons)) == (25, 21, 4, {"copy": 4})
    assert (cell.n_distinct, cell.n_independent, other.scored) == (21, None, 1)
    assert sum(cell.counts.values()) == 21 and cell.counts["heads"] == 1 + 10
    assert "4 of them left out as missing" in record.warnings[0]
    assert Record.read(out).clips == record.clips
    left = [row for row in record.clips if row.reason == "copy"]
    assert not set(map(id, left)) & set(map(id, [*audit_order(record.clips, seed=0), *doubtful_first(record.clips)]))


def test_one_cells_copies_of_another_cells_file_are_told_without_a_cure(tmp_path, named_judge, made_references) -> None:
    for model in "ab":
        (tmp_path / f"s/{model}/coin_toss").mkdir(parents=True)
        (tmp_path / f"s/{model}/coin_toss/1.mp4").write_bytes(b"heads")
    record = score_study(tmp_path / "s", named_judge(), out=tmp_path / "r.json", references=made_references)
    (warning,) = record.warnings
    assert warning == "2 clips are the same file, byte for byte: a/coin_toss/1.mp4, b/coin_toss/1.mp4"
