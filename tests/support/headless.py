"""A headless Chromium, driven by its DevTools protocol: pages opened as a visitor opens them.

Debian's `chromium` is enough; `SCREENSET_CHROMIUM` names another. Nothing is downloaded.
"""

import base64
import contextlib
import dataclasses
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import urllib.request
from collections.abc import Iterator
from typing import Any

from websockets.sync.client import ClientConnection, connect

_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
_REFUSING_PROXY = "127.0.0.1:9"
"""Nothing listens on the discard port, so whatever a page asked for would fail loudly."""


def find_chromium() -> str | None:
    """Returns the path of a Chromium; None if there is none."""
    named = os.environ.get("SCREENSET_CHROMIUM")
    return named or next((path for name in _NAMES if (path := shutil.which(name))), None)


def must_have_chromium() -> bool:
    """Whether tests must fail, not be skipped, where no Chromium is found."""
    return bool(os.environ.get("SCREENSET_REQUIRE_CHROMIUM"))


@dataclasses.dataclass
class Seen:
    """What a page did: requests that it made, what it wrote or violated, dialogs it opened."""

    requests: list[str] = dataclasses.field(default_factory=list)
    complaints: list[str] = dataclasses.field(default_factory=list)
    dialogs: list[str] = dataclasses.field(default_factory=list)


class Page:
    """One tab. `seen` fills up with every message that is waited for."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._last = 0
        self.seen = Seen()
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Calls a method of the protocol and returns its result."""
        self._last += 1
        self._socket.send(json.dumps({"id": self._last, "method": method, "params": parameters}))
        while True:
            message = self._next()
            if message.get("id") == self._last:
                assert "error" not in message, f"{method}: {message['error']}"
                return message["result"]

    def open(self, path: pathlib.Path) -> None:
        """Opens a file and waits until it is loaded."""
        self.seen = Seen()
        self.call("Page.navigate", url=path.resolve().as_uri())
        while self._next().get("method") != "Page.loadEventFired":
            pass

    def run(self, expression: str) -> Any:
        """Returns the value of a JavaScript expression, awaited."""
        told = self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in told, told["exceptionDetails"]
        return told["result"].get("value")

    def settle(self) -> None:
        """Waits until what was changed is laid out and drawn."""
        self.run("new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)))")

    def press(self, key: str) -> None:
        """Presses a key, as a person does."""
        code = {"Escape": 27, "Tab": 9, "ArrowDown": 40, "ArrowUp": 38, "Enter": 13, " ": 32}
        down = {"key": key, "windowsVirtualKeyCode": code.get(key, ord(key[0].upper()))}
        if len(key) == 1:
            down["text"] = key
        self.call("Input.dispatchKeyEvent", type="keyDown", **down)
        self.call("Input.dispatchKeyEvent", type="keyUp", **down)

    def type(self, text: str) -> None:
        """Types a text into what has the focus."""
        self.call("Input.insertText", text=text)

    def show_as(
        self, *, width: int, height: int, scheme: str = "light", script: bool = True
    ) -> None:
        """Sets the window's size in CSS pixels, the colours that the system asks for, scripts."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 500,
        )
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", features=features)
        self.call("Emulation.setScriptExecutionDisabled", value=not script)

    def screenshot(self, path: pathlib.Path, *, whole: bool = False) -> pathlib.Path:
        """Writes what the window shows, or the whole page, as PNG."""
        told = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(base64.b64decode(told["data"]))
        return path

    def _next(self) -> dict[str, Any]:
        message: dict[str, Any] = json.loads(self._socket.recv())
        self._note(message.get("method", ""), message.get("params", {}))
        return message

    def _note(self, method: str, said: dict[str, Any]) -> None:
        if method == "Network.requestWillBeSent":
            self.seen.requests.append(said["request"]["url"])
        elif method == "Log.entryAdded":
            self.seen.complaints.append(said["entry"]["text"])
        elif method == "Runtime.consoleAPICalled":
            self.seen.complaints.append(str(said["args"]))
        elif method == "Runtime.exceptionThrown":
            self.seen.complaints.append(str(said["exceptionDetails"]))
        elif method == "Page.javascriptDialogOpening":
            self.seen.dialogs.append(said["message"])
            self._last += 1
            answer = {"id": self._last, "method": "Page.handleJavaScriptDialog"}
            self._socket.send(json.dumps({**answer, "params": {"accept": True}}))


@contextlib.contextmanager
def chromium(path: str) -> Iterator[Page]:
    """Gives a tab of a Chromium of its own, with a new profile, that reaches no network."""
    with tempfile.TemporaryDirectory(prefix="screenset-chromium-") as profile:
        process = subprocess.Popen(
            [
                path,
                "--headless=new",
                "--no-sandbox",  # Tests may run as root, where it cannot start.
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--hide-scrollbars",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--force-color-profile=srgb",
                f"--proxy-server={_REFUSING_PROXY}",
                "--remote-debugging-port=0",
                f"--user-data-dir={profile}",
                "about:blank",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            with connect(_first_tab(_port(process)), max_size=None, proxy=None) as socket:
                yield Page(socket)
        finally:
            process.kill()
            process.communicate()


def _port(process: "subprocess.Popen[str]") -> int:
    """Returns the port on loopback that a browser says it listens on."""
    assert process.stderr is not None
    for line in process.stderr:
        _, found, address = line.partition("DevTools listening on ws://")
        if found:
            return int(address.partition("/")[0].rpartition(":")[2])
    raise AssertionError(f"Chromium ended with {process.wait()}")


def _first_tab(port: int) -> str:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(f"http://127.0.0.1:{port}/json/list") as reply:
        tabs = json.load(reply)
    return next(tab["webSocketDebuggerUrl"] for tab in tabs if tab["type"] == "page")
