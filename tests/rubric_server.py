"""An OpenAI-compatible endpoint on this machine that answers as a test tells it to."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import scenes

COIN = scenes.load("coin_toss")
FIRST = COIN.outcomes[0]


def reply(label: str | None, **changes: Any) -> str:
    """A reply in PAWBench's format."""
    said = {
        "scene_id": "coin_toss",
        "outcome_readable": label is not None,
        "outcome_in_schema": "NOT_READABLE" if label is None else "IN_SCHEMA",
        "outcome_label": label,
        "observed_result": "seen",
        "failure_axes": ["covered"] if label is None else [],
    }
    return json.dumps({**said, **changes})


class Server:
    """Answers with what `script` gives for the k-th request: a text, or (status, headers)."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        self.script: Callable[[int], str | tuple[int, dict[str, str]]] = lambda k: reply(FIRST)
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                server.seen.append((self.path, dict(self.headers), body))
                answer = server.script(len(server.seen) - 1)
                if isinstance(answer, tuple):
                    self.send_response(answer[0])
                    for name, value in answer[1].items():
                        self.send_header(name, value)
                    data = f"refused {self.headers.get('Authorization')}".encode()
                else:
                    self.send_response(200)
                    usage = {"prompt_tokens": 100, "completion_tokens": 10, "cost": 0.001}
                    whole = {"choices": [{"message": {"content": answer}}], "usage": usage}
                    data = json.dumps(whole).encode()
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}/v1"


@contextmanager
def serving() -> Iterator[Server]:
    """A server for as long as the block lasts."""
    server = Server()
    thread = threading.Thread(target=server.http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.http.shutdown()
        server.http.server_close()
        thread.join()
