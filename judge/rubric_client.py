"""How is one question put to an OpenAI-compatible endpoint, patiently, at a stated rate, and never twice?

The standard library's urllib sends it: one POST of JSON needs no further package. Redirects are refused, because the
key would follow them to another host.
"""

from __future__ import annotations

import email.message
import http.client
import json
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

from sim import InputError
from sim.clip import whole_file

LARGEST_REPLY = 1 << 20
_PASSING = (408, 409, 425, 429, 500, 502, 503, 504, 529)
"""Status codes after which the same question may succeed."""
_LONGEST_WAIT_S = 60.0
_HERE = ("localhost", "127.0.0.1", "::1")


class CallFailed(Exception):
    """A question that got no usable answer; becomes a judge error, never a label."""

    def __init__(self, code: str, line: str) -> None:
        """Keep PAWBench's failure code (`rate_limited`, `timeout`, ...) and one line for people."""
        self.code = code
        super().__init__(f"{code}: {line}")


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: http.client.HTTPMessage,
        newurl: str,
    ) -> None:
        """Follow none."""


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """Where questions go, and how patiently."""

    url: str
    """Base URL; `/chat/completions` is put behind it."""
    model: str
    key: str | None = field(default=None, repr=False)
    timeout_s: float = 120.0
    attempts: int = 3
    per_minute: float | None = None
    """Most questions a minute; None for no limit of ours."""
    cache: Path | None = None
    """Folder of answers, keyed by the question's content; None keeps none."""

    def __post_init__(self) -> None:
        """Refuse addresses that no question, or no key, may be sent to."""
        parts = urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InputError(f"the endpoint must be an address such as https://host/v1, got {self.url!r}")
        if parts.username or parts.password or parts.query:
            raise InputError("the endpoint's address may hold no password and no query; name the key with --key-env")
        if self.key is not None and parts.scheme == "http" and parts.hostname not in _HERE:
            raise InputError(f"the key would travel unencrypted to {parts.hostname}; use https://")
        if not self.model:
            raise InputError("the endpoint needs the name of a model; give --model")
        if self.attempts < 1 or self.timeout_s <= 0 or (self.per_minute is not None and self.per_minute <= 0):
            raise ValueError("attempts, timeout_s and per_minute must be positive")


class Client:
    """Asks one endpoint; safe to use from several threads."""

    def __init__(self, endpoint: Endpoint, *, sleep: Callable[[float], None] = time.sleep) -> None:
        """Nothing is sent before the first question."""
        self.endpoint, self._sleep = endpoint, sleep
        self._opener = urllib.request.build_opener(_NoRedirect)
        self._lock, self._next_s = threading.Lock(), 0.0

    def ask(self, body: Mapping[str, Any], accepts: Callable[[str], object], *, vote: int) -> Mapping[str, Any]:
        """`content` of the answer and its `usage`.

        Args:
            body: The request.
            accepts: Called with the content; a ValueError makes it an answer that cannot be used.
            vote: Which repetition of the question this is; part of the cache's key.

        Raises:
            CallFailed: No attempt got an answer that can be used.
        """
        data = json.dumps(body, sort_keys=True).encode()
        key = blake2b(f"{self.endpoint.url}\n{vote}\n".encode() + data, digest_size=16).hexdigest()
        known = self._cached(key)
        if known is not None:
            return known
        for attempt in range(self.endpoint.attempts):
            try:
                answer = _content(self._post(data))
                accepts(answer["content"])
            except _Passing as fault:
                failure, wait_s = fault.failure, fault.wait_s if fault.wait_s is not None else 2.0**attempt
            except ValueError as fault:
                failure, wait_s = CallFailed("malformed_outcome_readout", str(fault)[:150]), 0.0
            else:
                self._keep(key, answer)
                return answer
            if attempt + 1 < self.endpoint.attempts:
                self._sleep(min(wait_s, _LONGEST_WAIT_S))
        raise failure

    def _post(self, data: bytes) -> bytes:
        self._wait_for_turn()
        headers = {"Content-Type": "application/json", "User-Agent": "quincunx"}
        if self.endpoint.key is not None:
            headers["Authorization"] = f"Bearer {self.endpoint.key}"
        address = f"{self.endpoint.url.rstrip('/')}/chat/completions"
        request = urllib.request.Request(address, data=data, headers=headers, method="POST")
        try:
            with self._opener.open(request, timeout=self.endpoint.timeout_s) as reply:
                found: bytes = reply.read(LARGEST_REPLY + 1)
        except urllib.error.HTTPError as fault:
            with fault:
                raise self._refusal(fault) from None
        except TimeoutError as fault:
            raise _Passing(CallFailed("timeout", f"no answer in {self.endpoint.timeout_s:g} s")) from fault
        except (urllib.error.URLError, OSError, http.client.HTTPException) as fault:
            late = isinstance(getattr(fault, "reason", None), TimeoutError)
            raise _Passing(CallFailed("timeout" if late else "network_error", self._safe(str(fault)))) from fault
        if len(found) > LARGEST_REPLY:
            raise CallFailed("response_too_large", f"more than {LARGEST_REPLY} bytes")
        return found

    def _refusal(self, fault: urllib.error.HTTPError) -> Exception:
        line = self._safe(f"HTTP {fault.code} {fault.read(300).decode('utf-8', 'replace')}")
        if fault.code not in _PASSING:
            return CallFailed("client_error" if 300 <= fault.code < 500 else "server_error", line)
        code = "rate_limited" if fault.code == 429 else "server_error"
        return _Passing(CallFailed(code, line), _retry_after_s(fault.headers))

    def _safe(self, text: str) -> str:
        """One line in which the key never stands."""
        line = " ".join(text.split())
        return (line if not self.endpoint.key else line.replace(self.endpoint.key, "(key)"))[:150]

    def _wait_for_turn(self) -> None:
        if self.endpoint.per_minute is None:
            return
        with self._lock:
            now = time.monotonic()
            turn = max(now, self._next_s)
            self._next_s = turn + 60 / self.endpoint.per_minute
        if turn > now:
            self._sleep(turn - now)

    def _cached(self, key: str) -> Mapping[str, Any] | None:
        if self.endpoint.cache is None:
            return None
        try:
            found = json.loads((self.endpoint.cache / f"{key}.json").read_text(encoding="utf-8"))
            return found if isinstance(found["content"], str) and isinstance(found["usage"], dict) else None
        except (OSError, ValueError, KeyError, TypeError):
            return None  # not asked yet, or torn: ask again

    def _keep(self, key: str, answer: Mapping[str, Any]) -> None:
        if self.endpoint.cache is None:
            return
        self.endpoint.cache.mkdir(parents=True, exist_ok=True)
        with whole_file(self.endpoint.cache / f"{key}.json") as part:
            Path(part).write_text(json.dumps(answer), encoding="utf-8")


class _Passing(Exception):
    """A failure that another attempt may mend."""

    def __init__(self, failure: CallFailed, wait_s: float | None = None) -> None:
        """Keep what to raise in the end, and how long the server asks us to wait."""
        self.failure, self.wait_s = failure, wait_s


def _retry_after_s(headers: email.message.Message) -> float | None:
    try:
        return max(0.0, float(headers.get("Retry-After", "")))
    except ValueError:
        return None


def _content(reply: bytes) -> Mapping[str, Any]:
    """What the first choice of a chat completion says.

    Raises:
        ValueError: It is none.
    """
    try:
        whole = json.loads(reply)
        content, usage = whole["choices"][0]["message"]["content"], whole.get("usage") or {}
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as fault:
        raise ValueError("the endpoint's reply is no chat completion") from fault
    if not isinstance(content, str) or not isinstance(usage, dict):
        raise ValueError("the endpoint's reply holds no text")
    return {"content": content, "usage": usage}
