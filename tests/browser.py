"""A page in headless Chromium, steered over its debugging pipe; needs nothing but the browser itself."""

import base64
import json
import os
import shutil
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Any

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
_PATIENCE_S = 90


class Browser:
    """One tab that loads files from disk and saves what it is given into `downloads`."""

    def __init__(self, downloads: Path, *, size_px: tuple[int, int] = (1200, 900)) -> None:
        to_read, to_write = os.pipe()
        from_read, from_write = os.pipe()
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--remote-debugging-pipe"]
        flags += [f"--window-size={size_px[0]},{size_px[1]}", f"--user-data-dir={downloads}/profile"]
        line = f'exec "$0" "$@" 3<&{to_read} 4>&{from_write}'
        command = ["bash", "-c", line, str(CHROMIUM), *flags]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self._process = subprocess.Popen(command, pass_fds=(to_read, from_write), **quiet)
        os.close(to_read)
        os.close(from_write)
        self._write, self._read, self._left, self._n = to_write, from_read, b"", 0
        os.set_blocking(from_read, False)
        self._session: str | None = None
        self.log: list[str] = []
        target = self("Target.createTarget", url="about:blank")["targetId"]
        self._session = self("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self("Page.enable")
        self("Log.enable")
        self("Runtime.enable")
        self("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(downloads))

    def __enter__(self) -> "Browser":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._write)
        os.close(self._read)

    def __call__(self, method: str, **params: Any) -> dict[str, Any]:
        """The answer to one command."""
        self._n += 1
        message: dict[str, Any] = {"id": self._n, "method": method, "params": params}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + _PATIENCE_S
        while time.monotonic() < end:
            for said in self._messages():
                if said.get("id") == self._n:
                    if "error" in said:
                        raise RuntimeError(f"{method}: {said['error']}")
                    return said["result"]
            time.sleep(0.01)
        raise TimeoutError(method)

    def _messages(self) -> list[dict[str, Any]]:
        try:
            self._left += os.read(self._read, 1 << 20)
        except BlockingIOError:
            return []
        *whole, self._left = self._left.split(b"\0")
        found = [json.loads(one) for one in whole]
        for said in found:
            if said.get("method") in ("Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled"):
                self.log.append(json.dumps(said["params"]))
        return found

    def open(self, page: Path) -> None:
        """Load a file and wait until it is there."""
        self("Page.navigate", url=page.as_uri())
        end = time.monotonic() + _PATIENCE_S
        while self.value("document.readyState") != "complete" or self.value("location.href") == "about:blank":
            if time.monotonic() > end:
                raise TimeoutError(str(page))
            time.sleep(0.05)

    def value(self, expression: str) -> Any:
        """What an expression of JavaScript gives."""
        return self("Runtime.evaluate", expression=expression, returnByValue=True)["result"].get("value")

    def press(self, key: str, *, text: str = "") -> None:
        """Press and let go one key."""
        codes = {"Tab": 9, "Enter": 13, "ArrowDown": 40}
        what = {"key": key, "windowsVirtualKeyCode": codes.get(key, ord(key[0].upper()))}
        what |= {"text": text} if text else {}
        self("Input.dispatchKeyEvent", type="keyDown", **what)
        self("Input.dispatchKeyEvent", type="keyUp", **what)

    def picture(self) -> bytes:
        """PNG of what is seen."""
        return base64.b64decode(self("Page.captureScreenshot")["data"])
