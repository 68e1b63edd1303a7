import base64
import hashlib
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import scenes
from calibrate.report import IMAGE_BUDGET_BYTES, SCRIPT, write_report
from calibrate.score import score_study, score_verdicts
from calibrate.study_clip import scene_tokens
from sim import InputError
from sim.clip import write_clip
from tests.conftest import made_reference

NASTY = "</script><img src=x onerror=1>"


class Page(HTMLParser):
    """Collects tags, attributes and text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags, self.attributes, self.words, self.open = [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list) -> None:
        self.tags.append(tag)
        self.attributes.append((tag, dict(attrs)))
        if tag not in ("meta", "img", "br", "line", "rect", "path"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list) -> None:
        self.tags.append(tag)
        self.attributes.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


@pytest.fixture
def table(tmp_path: Path, made_references: dict) -> Path:
    rows = [f'"{NASTY}",coin_toss,"a&amp;{k}.mp4",heads,' for k in range(24)]
    rows += [f"plain,coin_toss,{k},{'heads' if k % 2 else 'tails'}," for k in range(24)]
    rows += [f"plain,die_roll,{k},,not_settled" for k in range(4)] + [
        "plain,galton_board,1,bin_1,",
        "plain,dice,1,face_1,",
    ]
    (tmp_path / "v.csv").write_text("model,scene,file,outcome,reason\n" + "\n".join(rows))
    score_verdicts(tmp_path / "v.csv", out=tmp_path / "r.json", references=made_references)
    return tmp_path / "r.json"


def test_page_is_well_formed_and_needs_nothing_from_outside(table: Path) -> None:
    text = write_report(table, table.parent / "report.html").read_text(encoding="utf-8")
    page = Page(text)
    assert page.open == []
    assert page.tags.count("script") == 1 and "link" not in page.tags and "iframe" not in page.tags
    script = text.partition("<script>")[2].partition("</script>")[0]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-{digest}'"
    assert script == SCRIPT and policy in text
    assert not re.search(r"fetch|XMLHttp|WebSocket|sendBeacon|import\b", script)
    for tag, attributes in page.attributes:
        assert not [name for name in attributes if name.startswith("on")], tag
        for name in ("src", "href"):
            assert attributes.get(name, "#").startswith(("#", "data:", "study/"))
    assert not re.search(r"url\(|@import", text)


def test_a_models_name_stays_text(table: Path) -> None:
    """O06: scripts and entities in names."""
    text = write_report(table, table.parent / "report.html").read_text(encoding="utf-8")
    assert NASTY not in text
    assert NASTY in "".join(Page(text).words)
    assert "a&amp;amp;0.mp4" in text


def test_page_says_what_was_found_and_what_is_missing(table: Path) -> None:
    words = " ".join(" ".join(Page(write_report(table, table.parent / "report.html").read_text()).words).split())
    for text in (
        "49 of 53 clips were scored",
        "Of 3 tested cells 2 are miscalibrated (Holm, 5 % over all of them)",
        "Nothing can be said: none of 4 clips was scored",
        "Cannot tell at n = 24",
        "no scene is called 'dice'",
        "Outcomes that the reference never gave: 1 bin_1",
        "mujoco 3.17.0",
        "No card of measured errors is attached",
        "95 % Clopper–Pearson",
    ):
        assert text in words


def test_page_says_which_reference_is_a_set_and_why_the_others_are_points(tmp_path, made_references, made_set) -> None:
    rows = [f"m,coin_toss,{k},{'heads' if k else 'tails'}," for k in range(24)] + ["m,die_roll,1,face_1,"]
    (tmp_path / "v.csv").write_text("model,scene,file,outcome,reason\n" + "\n".join(rows))
    score_verdicts(tmp_path / "v.csv", out=tmp_path / "r.json", references={**made_references, "coin_toss": made_set})
    text = write_report(tmp_path / "r.json").read_text(encoding="utf-8")
    page = Page(text)
    words = " ".join(" ".join(page.words).split())
    for said in (
        "coin_toss reference: a set",
        "die_roll reference: a point",
        "from its nearest point",
        "a set: every mixture of its 64 draws of the unknown constants",
        "every mixture of its 64 draws of the unknown constants; heads 0.308–0.692, tails 0.308–0.692",
        "one point: its counts are not kept by draw of the unknown constants",
        "0.458, from all draws together",
    ):
        assert said in words
    assert sum(a.get("class") == "set" for tag, a in page.attributes if tag == "path") == 2


def test_every_field_of_the_table_leads_to_its_cell(table: Path) -> None:
    page = Page(write_report(table, table.parent / "report.html").read_text())
    targets = {attributes["id"] for _, attributes in page.attributes if "id" in attributes}
    links = [a["href"][1:] for tag, a in page.attributes if tag == "a"]
    assert len(links) == 4 and set(links) <= targets


def test_same_record_same_page(table: Path) -> None:
    pages = [write_report(table, table.parent / f"{k}.html").read_bytes() for k in range(2)]
    assert pages[0] == pages[1]


def test_thumbnails_show_the_last_frame_and_gone_clips_stay_listed(tmp_path, named_judge, made_references) -> None:
    class AlwaysHeads(named_judge):
        def verdicts(self, files, token):
            from judge.verdict import Verdict

            for _ in files:
                yield Verdict(scene=token, status="scored", outcome="heads", confidence=0.7, judge=self.digest)

    folder = tmp_path / "study" / "m" / "coin_toss"
    folder.mkdir(parents=True)
    frames = np.zeros((16, 120, 160, 3), np.uint8)
    frames[-4:] = (200, 40, 40)
    for k in range(2):
        write_clip(folder / f"{k}.mp4", np.roll(frames, k, axis=2), fps=16)
    score_study(tmp_path / "study", AlwaysHeads(), out=tmp_path / "out" / "r.json", references=made_references)
    (folder / "1.mp4").unlink()
    page = Page(write_report(tmp_path / "out" / "r.json", tmp_path / "report.html").read_text())
    pictures = [a for tag, a in page.attributes if tag == "img"]
    assert [a["alt"] for a in pictures] == ["Last frame of m/coin_toss/0.mp4"] * 2  # of its cell and of the audit
    links = [a["href"] for tag, a in page.attributes if tag == "a" and not a["href"].startswith("#")]
    assert sorted(links) == ["study/m/coin_toss/0.mp4"] * 2 + ["study/m/coin_toss/1.mp4"] * 2
    data = base64.b64decode(pictures[0]["src"].partition(",")[2])
    import cv2

    picture = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    assert picture.shape[:2] == (96, 128)
    np.testing.assert_allclose(picture.mean(axis=(0, 1)), (40, 40, 200), atol=12)
    assert "no picture" in " ".join(page.words) and "70 % sure" in " ".join(page.words)


def test_a_huge_study_stays_under_ten_megabytes(tmp_path: Path, made_references, monkeypatch) -> None:
    monkeypatch.setattr("calibrate.report._last_frame", lambda path: b"x" * 9_000)
    lines = [f"model {m},coin_toss,{m}-{k},heads," for m in range(40) for k in range(60)]
    (tmp_path / "v.csv").write_text("model,scene,file,outcome,reason\n" + "\n".join(lines))
    score_verdicts(tmp_path / "v.csv", out=tmp_path / "r.json", references=made_references)
    monkeypatch.setattr("pathlib.Path.is_dir", lambda self: True)
    page = write_report(tmp_path / "r.json", tmp_path / "report.html")
    assert IMAGE_BUDGET_BYTES < page.stat().st_size < 10_000_000
    monkeypatch.setattr("calibrate.report.IMAGE_BUDGET_BYTES", 9_000_000)
    page = write_report(tmp_path / "r.json", tmp_path / "report.html")
    assert page.stat().st_size < 1_000_000 and "60 clips are in the record" in page.read_text()


def test_twelve_scenes_of_four_models_with_25_clips_each_fit_with_every_picture(tmp_path, monkeypatch) -> None:
    tokens = scene_tokens()[:12]
    assert len(tokens) == 12
    picture = np.random.default_rng(0).bytes(4_500)  # real ones of the demo take 2 to 5 kB
    monkeypatch.setattr("calibrate.report._last_frame", lambda path: picture)
    references, lines = {}, []
    for token in tokens:
        outcomes = scenes.parse_token(token)[0].outcomes
        references[token] = made_reference(token, [5040 // len(outcomes)] * len(outcomes))
        lines += [f"model {m},{token},{m}/{token}/{k},{outcomes[k % 2]}," for m in range(4) for k in range(25)]
    (tmp_path / "v.csv").write_text("model,scene,file,outcome,reason\n" + "\n".join(lines))
    score_verdicts(tmp_path / "v.csv", out=tmp_path / "r.json", references=references)
    monkeypatch.setattr("pathlib.Path.is_dir", lambda self: True)
    text = write_report(tmp_path / "r.json").read_text(encoding="utf-8")
    n_pictures = text.count('src="data:image/jpeg')
    assert len(text.encode()) < 10_000_000 and n_pictures == 48 * 24 + 60


def test_says_what_cannot_be_read_or_written(table: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        write_report(table.parent / "none.json", table.parent / "report.html")
    with pytest.raises(InputError, match="cannot be written .*; choose another file"):
        write_report(table, table / "report.html")


def test_a_record_is_not_overwritten_by_its_page_and_an_empty_name_is_refused(table: Path) -> None:
    with pytest.raises(InputError, match="r.json is what is read, and would be overwritten; choose another file"):
        write_report(table, table)
    with pytest.raises(InputError, match="cannot be read"):
        write_report("")
    assert write_report(table) == table.with_suffix(".html")


def test_control_characters_of_names_are_left_out(tmp_path: Path, made_references: dict) -> None:
    (tmp_path / "v.csv").write_text("model,scene,file,outcome,reason\n\x1b[31mre\u202ed,coin_toss,a\x07.mp4,heads,\n")
    score_verdicts(tmp_path / "v.csv", out=tmp_path / "r.json", references=made_references)
    text = write_report(tmp_path / "r.json").read_text(encoding="utf-8")
    assert "[31mred" in text and "a.mp4" in text and not set("\x1b\x07\u202e") & set(text)


def test_a_study_that_no_folder_can_be_called_gives_a_page_without_pictures(table: Path) -> None:
    text = table.read_text(encoding="utf-8").replace('"study": "v.csv"', f'"study": "{"x" * 5_000}"')
    table.write_text(text, encoding="utf-8")
    assert "xxxxx" in text and "data:image" not in write_report(table).read_text(encoding="utf-8")
