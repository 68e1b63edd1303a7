"""The rubric judge against a real HTTP server: what it asks, what it believes, and what it never turns into a label."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import scenes
from judge.rubric import Asking, RubricJudge, frame_times, rubric
from judge.rubric_client import Client, Endpoint
from judge.rubric_reply import Vote, majority, parse, verdict_of_row
from sim import InputError
from sim.clip import write_clip
from tests.rubric_server import COIN, FIRST, Server, reply, serving


@pytest.fixture
def server() -> Iterator[Server]:
    """A server on this machine."""
    with serving() as made:
        yield made


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One second of noise."""
    path = tmp_path_factory.mktemp("clips") / "0.mp4"
    write_clip(path, np.random.default_rng(0).integers(0, 255, (12, 48, 64, 3), dtype=np.uint8), fps=12)
    return path


def judge_of(server: Server, *, votes: int = 1, slept: list[float] | None = None, **settings: Any) -> RubricJudge:
    sleeps: list[float] = [] if slept is None else slept
    endpoint = Endpoint(url=server.url, model="seer", **settings)
    client = Client(endpoint, sleep=sleeps.append)
    pictures = scenes.source_image
    return RubricJudge(client, {"coin_toss": COIN}, pictures, asking=Asking(votes=votes))


def test_asks_with_rubric_source_picture_and_tagged_frames(server: Server, clip: Path) -> None:
    (verdict,) = judge_of(server, key="secret").verdicts([clip], "coin_toss")
    assert (verdict.status, verdict.outcome) == ("scored", FIRST)
    path, headers, body = server.seen[0]
    assert path == "/v1/chat/completions" and headers["Authorization"] == "Bearer secret" and body["model"] == "seer"
    parts = body["messages"][0]["content"]
    texts = [part["text"] for part in parts if part["type"] == "text"]
    assert texts[0] == rubric(COIN) and all(label in texts[0] for label in (*COIN.outcomes, *COIN.null_rules))
    assert texts[1:] == [
        "Source picture",
        "initial frame at 0.00 s",
        "action frame at 0.50 s",
        "terminal frame at 0.92 s",
    ]
    assert sum(part["type"] == "image_url" for part in parts) == 4


def test_frames_are_two_a_second_and_the_last() -> None:
    assert frame_times(1.2).tolist() == [0.0, 0.5, 1.0, 1.2]
    assert frame_times(1.0).tolist() == [0.0, 0.5, 1.0]


def test_votes_are_counted_and_the_cost_is_kept(server: Server, clip: Path) -> None:
    server.script = lambda k: reply(FIRST if k < 2 else None)
    (verdict,) = judge_of(server, votes=3).verdicts([clip], "coin_toss")
    assert verdict.outcome == FIRST
    assert verdict.detail == f"votes: 2 {FIRST}, 1 null; 300 + 30 tokens, 0.003000 dollars"


@pytest.mark.parametrize(
    ("votes", "outcome", "reason"),
    [
        (("a", "a", "b"), "a", None),
        (("a", "b"), None, "out_of_domain"),
        (("a", None), None, "covered"),
        ((None, None, "a"), None, "covered"),
        (("a", "b", None), None, "covered"),
    ],
)
def test_ties_are_null(votes: tuple[str | None, ...], outcome: str | None, reason: str | None) -> None:
    assert majority([Vote(v, None if v else "covered") for v in votes]) == Vote(outcome, reason)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("heads", "not JSON alone"),
        (f"Sure: {reply(FIRST)}", "not JSON alone"),
        ("[" * 100_000, "not JSON alone"),
        (reply(FIRST, extra=1), "exactly the fields"),
        (reply(FIRST.upper()), "among"),
        (reply(f"{COIN.outcomes[0]} {COIN.outcomes[1]}"), "among"),
        (reply(FIRST, scene_id="die_roll"), "is of scene"),
        (reply(FIRST, outcome_readable="true"), "true or false"),
        (reply(FIRST, outcome_readable=False), "readable outcome"),
        (reply(FIRST, outcome_in_schema="NOT_READABLE"), "no label"),
        (reply(FIRST, outcome_in_schema="MAYBE"), "must be IN_SCHEMA"),
        (reply(FIRST, failure_axes="none"), "list of strings"),
        (reply(None, outcome_readable=True), "must say so"),
    ],
)
def test_a_reply_that_is_not_exactly_right_is_no_vote(server: Server, clip: Path, text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse(text, "coin_toss", COIN.outcomes)
    server.script = lambda k: text
    (verdict,) = judge_of(server, attempts=2).verdicts([clip], "coin_toss")
    assert verdict.status == "judge_error" and len(server.seen) == 2
    assert (verdict.detail or "").startswith("malformed_outcome_readout")


def test_out_of_schema_is_null() -> None:
    out = reply(None, outcome_readable=True, outcome_in_schema="OUT_OF_SCHEMA", failure_axes=[])
    assert parse(out, "coin_toss", COIN.outcomes) == Vote(None, "out_of_domain")


def test_a_passing_failure_is_tried_again_after_the_wait_the_server_asks_for(server: Server, clip: Path) -> None:
    slept: list[float] = []
    server.script = lambda k: (429, {"Retry-After": "7"}) if k == 0 else (503, {}) if k == 1 else reply(FIRST)
    (verdict,) = judge_of(server, slept=slept).verdicts([clip], "coin_toss")
    assert verdict.outcome == FIRST and slept == [7.0, 2.0]


@pytest.mark.parametrize(
    ("status", "code", "n_calls"), [(429, "rate_limited", 3), (500, "server_error", 3), (401, "client_error", 1)]
)
def test_a_failed_call_is_a_judge_error_without_the_key(
    server: Server, clip: Path, status: int, code: str, n_calls: int
) -> None:
    server.script = lambda k: (status, {})
    (verdict,) = judge_of(server, votes=3, key="secret").verdicts([clip], "coin_toss")
    assert verdict.status == "judge_error" and (verdict.detail or "").startswith(code)
    assert "secret" not in str(verdict) and len(server.seen) == n_calls


def test_one_failed_vote_of_three_is_a_judge_error(server: Server, clip: Path) -> None:
    server.script = lambda k: reply(FIRST) if k < 2 else (400, {})
    (verdict,) = judge_of(server, votes=3).verdicts([clip], "coin_toss")
    assert verdict.status == "judge_error"


def test_a_redirect_is_not_followed(server: Server, clip: Path) -> None:
    server.script = lambda k: (307, {"Location": server.url + "/elsewhere"})
    (verdict,) = judge_of(server, key="secret").verdicts([clip], "coin_toss")
    assert verdict.status == "judge_error" and len(server.seen) == 1


def test_no_server_is_a_judge_error(server: Server, clip: Path) -> None:
    endpoint = Endpoint(url="http://127.0.0.1:9/v1", model="seer", attempts=1)
    judge = RubricJudge(Client(endpoint), {"coin_toss": COIN}, lambda token: None)
    (verdict,) = judge.verdicts([clip], "coin_toss")
    assert verdict.status == "judge_error" and (verdict.detail or "").startswith("network_error")


def test_what_was_answered_is_not_asked_again_and_the_key_is_not_kept(
    server: Server, clip: Path, tmp_path: Path
) -> None:
    cache = tmp_path / "cache"
    first = list(judge_of(server, votes=2, cache=cache, key="secret").verdicts([clip], "coin_toss"))
    copy = tmp_path / "renamed.mp4"
    copy.write_bytes(clip.read_bytes())
    again = list(judge_of(server, votes=2, cache=cache).verdicts([copy], "coin_toss"))
    assert first == again and len(server.seen) == 2
    kept = sorted(cache.iterdir())
    assert len(kept) == 2 and not any("secret" in path.read_text() for path in kept)
    kept[0].write_text('{"content": ')
    list(judge_of(server, votes=2, cache=cache).verdicts([copy], "coin_toss"))
    assert len(server.seen) == 3


def test_questions_keep_to_the_rate(server: Server, clip: Path) -> None:
    slept: list[float] = []
    list(judge_of(server, votes=3, per_minute=6, slept=slept).verdicts([clip], "coin_toss"))
    assert [round(s) for s in slept] == [10, 20]


def test_an_unreadable_file_is_not_sent(server: Server, tmp_path: Path) -> None:
    (tmp_path / "0.mp4").touch()
    (verdict,) = judge_of(server).verdicts([tmp_path / "0.mp4"], "coin_toss")
    assert verdict.reason == "empty_file" and not server.seen


def test_the_digest_names_model_votes_and_endpoint() -> None:
    def digest(host: str, model: str, votes: int) -> str:
        client = Client(Endpoint(url=f"https://{host}/v1", model=model))
        return RubricJudge(client, {"coin_toss": COIN}, lambda t: None, asking=Asking(votes=votes)).digest

    digests = {digest(*facts) for facts in (("u", "m", 1), ("v", "m", 1), ("u", "n", 1), ("u", "m", 3))}
    assert len(digests) == 4


def test_an_unknown_scene_is_refused(server: Server, clip: Path) -> None:
    with pytest.raises(InputError, match="knows no scene"):
        next(judge_of(server).verdicts([clip], "die_roll"))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"url": "ftp://host"}, "must be an address"),
        ({"url": "https://me:pw@host/v1"}, "no password"),
        ({"url": "http://example.org/v1", "key": "k"}, "unencrypted"),
        ({"url": "https://host/v1", "model": ""}, "name of a model"),
    ],
)
def test_endpoints_that_nothing_may_be_sent_to(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Endpoint(**{"model": "m", **settings})


def test_numbers_that_cannot_be_asked_with() -> None:
    with pytest.raises(ValueError, match="must be positive"):
        Endpoint(url="https://host/v1", model="m", attempts=0)
    with pytest.raises(ValueError, match="at least 1"):
        Asking(votes=0)
    with pytest.raises(ValueError, match="must not be empty"):
        majority([])


@pytest.mark.parametrize(
    ("row", "status", "reason"),
    [
        ({"observation": "outcome", "outcome_label": FIRST}, "scored", None),
        ({"observation": "outcome", "outcome_label": "edge of the table"}, "judge_error", None),
        ({"observation": "null_observation"}, "null", "out_of_domain"),
        ({"observation": "null_observation", "outcome_readout": {"failure_axes": ["x", "covered"]}}, "null", "covered"),
        ({"observation": "infrastructure_failure", "failure_code": "timeout"}, "judge_error", None),
        ({"observation": "infrastructure_failure", "outcome_label": FIRST}, "judge_error", None),
        ({}, "judge_error", None),
    ],
)
def test_rows_of_pawbench(row: dict[str, Any], status: str, reason: str | None) -> None:
    verdict = verdict_of_row(row, "coin_toss", COIN.outcomes, judge="d")
    assert (verdict.status, verdict.reason) == (status, reason)
