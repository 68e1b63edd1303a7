"""The report's labels in a real browser, by keyboard alone, and back into the record."""

import csv
import os
import time
from pathlib import Path

import numpy as np
import pytest

from calibrate.audit import audit_order
from calibrate.record import Record
from calibrate.relabel import relabel
from calibrate.report import write_report
from calibrate.score import score_study
from sim.clip import write_clip
from tests.browser import CHROMIUM, Browser

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium; apt-get install -y chromium")
ODD = 'a "quoted", <b> & name'


@pytest.fixture
def page(tmp_path: Path, named_judge, made_references) -> Path:
    from judge.verdict import Verdict

    class ByName(named_judge):
        def verdicts(self, files, token):
            for file in files:
                outcome = "heads" if int(file.stem) % 2 else "tails"
                sure = 0.5 + 0.1 * int(file.stem)
                yield Verdict(scene=token, status="scored", outcome=outcome, confidence=sure, judge=self.digest)

    folder = tmp_path / "study" / ODD / "coin_toss"
    folder.mkdir(parents=True)
    for k in range(4):
        write_clip(folder / f"{k}.mp4", np.full((16, 120, 160, 3), 60 * k, np.uint8), fps=16)
    score_study(tmp_path / "study", ByName(), out=tmp_path / "r.json", references=made_references)
    return write_report(tmp_path / "r.json")


def saved(folder: Path) -> list[dict[str, str]]:
    end = time.monotonic() + 30
    while not (folder / "labels.csv").exists() and time.monotonic() < end:
        time.sleep(0.05)
    with (folder / "labels.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_labels_are_given_and_saved_by_keyboard_and_come_back(page: Path, tmp_path: Path) -> None:
    record = Record.read(tmp_path / "r.json")
    order = audit_order(record.clips, seed=record.seed)
    downloads = tmp_path / "downloads"
    downloads.mkdir()
    with Browser(downloads) as browser:
        browser.open(page)
        assert browser.value("document.getElementById('labels').hidden") is False
        for _ in range(200):
            browser.press("Tab")
            if browser.value("(document.activeElement.dataset || {}).list") == "audit":
                break
        assert browser.value("document.activeElement.dataset.file") == order[0].file
        browser.press("t", text="t")  # a select takes the first option that begins so
        assert browser.value("document.activeElement.value") == "outcome:tails"
        for _ in range(200):
            browser.press("Tab")
            if browser.value("document.activeElement.id") == "save-labels":
                break
        assert browser.value("document.getElementById('label-count').textContent") == "1"
        browser.press("Enter", text="\r")
        rows = saved(downloads)
        assert not [line for line in browser.log if "error" in line.lower()], browser.log
        if folder := os.environ.get("QUINCUNX_SCREENSHOTS"):
            browser.value("document.getElementById('audit').scrollIntoView()")
            time.sleep(1)
            Path(folder, "labels.png").write_bytes(browser.picture())
    expected = {"model": ODD, "scene": "coin_toss", "file": order[0].file, "outcome": "tails", "reason": ""}
    assert rows == [expected | {"list": "audit"}]
    done = relabel(tmp_path / "r.json", downloads / "labels.csv", out=tmp_path / "new.json")
    assert done.n_labels == 1 and done.n_changed == (order[0].outcome != "tails")
    assert done.record.people["audit"]["n"] == 1


def test_one_clip_has_one_label_and_nulls_keep_their_reason(page: Path, tmp_path: Path) -> None:
    downloads = tmp_path / "downloads"
    downloads.mkdir()
    choose = """(list, value) => { const box = [...document.querySelectorAll('select.label')].find(
        (one) => one.dataset.list === list && one.dataset.file.endsWith('/2.mp4'));
        box.value = value; box.dispatchEvent(new Event('change')); }"""
    with Browser(downloads) as browser:
        browser.open(page)
        for given in ("'doubtful', 'outcome:heads'", "'audit', 'null:not_settled'"):
            browser.value(f"({choose})({given})")
        browser.value("document.getElementById('save-labels').click()")
        rows = saved(downloads)
    assert [(row["outcome"], row["reason"], row["list"]) for row in rows] == [("", "not_settled", "audit")]


def test_a_script_that_is_not_ours_does_not_run_and_a_page_without_width_has_no_overflow(page: Path, tmp_path) -> None:
    text = page.read_text(encoding="utf-8")
    page.write_text(text.replace("<body>", "<body><script>window.foreign = 1</script>"), encoding="utf-8")
    with Browser(tmp_path, size_px=(480, 800)) as browser:
        browser.open(page)
        assert browser.value("window.foreign") is None and browser.value("boxes.length") == 8
        assert browser.value("document.documentElement.scrollWidth <= window.innerWidth")
