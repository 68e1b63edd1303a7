from pathlib import Path

import pytest

from calibrate.score import score_verdicts
from cli.scoring import without_row


@pytest.mark.parametrize(
    ("folder", "words"), [("study", "; 1 of 2 clips of study have no row"), ("none", "; none is not a folder; give ")]
)
def test_a_folder_beside_a_table_is_told_how_many_of_its_clips_have_no_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made_references: dict, folder: str, words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("study/m/coin_toss").mkdir(parents=True)
    for k in range(2):
        Path(f"study/m/coin_toss/{k}.mp4").write_text("clip")
    Path("v.csv").write_text("model,scene,file,outcome,reason\nm,coin_toss,0.mp4,heads,\n")
    record = score_verdicts("v.csv", out="r.json", references=made_references)
    line = without_row(record, Path(folder), Path("v.csv"))
    assert line.startswith("note: every verdict is from v.csv, no clip is judged" + words)
