import json
from pathlib import Path

import pytest

import scenes
from calibrate.leaderboard import leaderboard
from calibrate.model_difference import Side, compare
from calibrate.prompts import own_hash, prompt_hash, prompts_told
from calibrate.record import Record
from calibrate.report import write_report
from calibrate.score import score_study
from calibrate.validate import validate

OWN = scenes.load("coin_toss").prompt
LONGER = f"{OWN} Cinematic, <b>photorealistic</b>."


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """Model `plain` with the scene's own prompts, `longer` with one that was rewritten, a clip of each without."""
    rows = []
    for model, prompt in {"plain": f" {OWN}\n", "longer": LONGER}.items():
        (tmp_path / f"s/{model}/coin_toss").mkdir(parents=True)
        for k in range(4):
            file = f"{model}/coin_toss/{k}.mp4"
            (tmp_path / "s" / file).write_bytes(f"{'heads' if k % 2 else 'tails'}|{file}".encode())
            rows.append({"file": file, "model": model, "scene": "coin_toss"} | ({"prompt": prompt} if k else {}))
    (tmp_path / "s/metadata.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return tmp_path / "s"


def test_g04_the_prompts_hash_is_recorded_and_compared(study: Path, tmp_path, named_judge, made_references) -> None:
    (study / "longer/study.toml").write_text('[study]\nprompt_variant = "extended"\nsteps = 50\n')
    (study / "plain/study.toml").write_text('[study]\nprompt_variant = "plain"\n')
    out = tmp_path / "r.json"
    score_study(study, named_judge(), out=out, references=made_references)
    record = Record.read(out)
    hashes = {(row.model, row.prompt) for row in record.clips}
    own, other = prompt_hash(OWN), prompt_hash(LONGER)
    assert hashes == {("plain", own), ("plain", None), ("longer", other), ("longer", None)} and own != other
    assert own == own_hash("coin_toss")
    board = leaderboard([record])
    found = compare(Side(record=record, model="plain"), Side(record=record, model="longer"))
    for warnings in (board.warnings, found.warnings):
        assert "the manifests give the models different prompts on coin_toss" in warnings
        assert any("'extended'" in line and "'plain'" in line for line in warnings)
    page = write_report(out).read_text(encoding="utf-8")
    for text in ("the scene&#39;s own (3 clips), not recorded (1 clips)", f"others (3 clips, hash {other})"):
        assert text in page
    made = page.split('id="made"')[1].split("</section>")[0]
    assert "extended" in made and "50" in made and "not recorded" in made


def test_models_with_the_same_prompts_are_not_warned_of(study: Path, tmp_path, named_judge, made_references) -> None:
    text = (study / "metadata.jsonl").read_text()
    (study / "metadata.jsonl").write_text(text.replace(json.dumps(LONGER), json.dumps(OWN)))
    record = score_study(study, named_judge(), out=tmp_path / "r.json", references=made_references)
    assert not [line for line in leaderboard([record]).warnings if "prompt" in line]


def test_g04_validate_names_prompts_that_are_untold(study: Path) -> None:
    told = [finding.told for finding in validate(study).findings if finding.kind == "other_prompt"]
    assert told == [
        "longer: 3 of 3 prompts are not the scene's own: longer/coin_toss/1.mp4, longer/coin_toss/2.mp4, "
        "longer/coin_toss/3.mp4; say in prompt_variant of study.toml what changed them; with both kinds they are two "
        "models"
    ]
    (study / "longer/study.toml").write_text('[study]\nprompt_variant = "extended"\n')
    assert not [finding for finding in validate(study).findings if finding.kind == "other_prompt"]


def test_prompts_are_told_in_words(study: Path, tmp_path, named_judge, made_references) -> None:
    record = score_study(study, named_judge(), out=tmp_path / "r.json", references=made_references)
    assert prompts_told([row for row in record.clips if row.prompt is None]) == "not recorded"
    assert prompt_hash("  ") is None and prompt_hash(f" {OWN} ") == prompt_hash(OWN)
