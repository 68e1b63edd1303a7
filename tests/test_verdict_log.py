from pathlib import Path

import pytest

from calibrate.verdict_log import Key, VerdictLog, content_hash
from judge.verdict import Verdict
from sim import InputError


def verdict(outcome: str, judge: str = "j1") -> Verdict:
    return Verdict(scene="coin_toss", status="scored", outcome=outcome, confidence=0.5, judge=judge)


def test_remembers_verdicts_by_bytes_scene_and_judge(tmp_path: Path) -> None:
    log = VerdictLog(tmp_path / "new" / "log.jsonl")
    log.append("aa", verdict("heads"))
    log.append("aa", verdict("tails", judge="j2"))
    again = VerdictLog(log.path).known
    assert again == {
        Key("aa", "coin_toss", "j1"): verdict("heads"),
        Key("aa", "coin_toss", "j2"): verdict("tails", "j2"),
    }


def test_a_torn_last_line_is_skipped_and_does_not_spoil_the_next(tmp_path: Path) -> None:
    log = VerdictLog(tmp_path / "log.jsonl")
    log.append("aa", verdict("heads"))
    log.append("bb", verdict("tails"))
    whole = log.path.read_bytes()
    for cut in range(1, 40):
        log.path.write_bytes(whole[:-cut])
        torn = VerdictLog(log.path)
        assert (Key("aa", "coin_toss", "j1") in torn.known) and len(torn.known) == (2 if cut == 1 else 1)
        torn.append("cc", verdict("heads"))
        assert Key("cc", "coin_toss", "j1") in VerdictLog(log.path).known


def test_lines_of_another_kind_are_skipped(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(
        '{"format": 99, "sha256": "aa", "verdict": {}}\n[1]\nnull\n{"format": 1, "verdict": {"scene": 1}}\n'
    )
    assert VerdictLog(path).known == {}


def test_a_log_that_cannot_be_written_is_found_out_at_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written .* choose another --out"):
        VerdictLog(tmp_path / "file" / "log.jsonl")


def test_hash_is_that_of_the_bytes(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"abc")
    # sha256sum of "abc", FIPS 180-2 appendix B.1
    assert content_hash(tmp_path / "a") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
