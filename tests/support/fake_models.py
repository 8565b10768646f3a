"""A scripted model service on the loopback: Gemini's interface and chat completions.

`python fake_models.py LOG` serves in a process of its own, for tests that kill others: it
prints its address and appends a line to LOG for every call.
"""

import http.server
import json
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

Play = Callable[["Handler"], None]


class Handler(http.server.BaseHTTPRequestHandler):
    """Plays the next answer of the script, else echoes the prompt."""

    protocol_version = "HTTP/1.1"
    # Without these, each answer waits 40 ms for a delayed acknowledgement.
    wbufsize = 1 << 16
    disable_nagle_algorithm = True
    server: "FakeModels"
    prompt = ""

    def log_message(self, *_: object) -> None:
        """Says nothing."""

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        body = json.loads(raw) if raw else None
        self.prompt = prompt_of(body)
        play = self.server.note(self.path, dict(self.headers), body, self.prompt)
        if self.server.latency_s:
            time.sleep(self.server.latency_s)
        if play is not None:
            play(self)
        elif self.path.endswith(":batchGenerateContent"):
            self.reply(200, self.server.begin_batch(body))
        elif self.path.endswith("/chat/completions"):
            self.reply(200, chat(self.server.say(self.prompt)))
        else:
            self.reply(200, said(self.server.say(self.prompt)))

    def do_GET(self) -> None:
        play = self.server.note(self.path, dict(self.headers), None, "")
        if play is not None:
            play(self)
        else:
            self.reply(200, self.server.batches[self.path.rpartition("/")[2]])

    def reply(self, status: int, body: Any, **headers: str) -> None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(data)


class FakeModels(http.server.ThreadingHTTPServer):
    """The service.

    `script` holds plays for the next calls, in order; `always` has plays by a part of the
    prompt, for every call. `calls` are all that came: moment, path, headers, body, prompt.
    """

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, latency_s: float = 0.0, log: str | None = None) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.latency_s = latency_s
        self.script: list[Play | None] = []
        self.always: dict[str, Play] = {}
        self.calls: list[tuple[float, str, dict[str, str], Any, str]] = []
        self.say: Callable[[str], str] = lambda prompt: f"re: {prompt}"
        self.batches: dict[str, Any] = {}
        self.spoil: Callable[[list[dict[str, Any]]], list[dict[str, Any]]] = shuffled
        self._log = log
        self._lock = threading.Lock()

    def handle_error(self, *_: object) -> None:
        """Says nothing when a client that was killed hangs up."""

    def note(self, path: str, headers: dict[str, str], body: Any, prompt: str) -> Play | None:
        with self._lock:
            self.calls.append((time.time(), path, headers, body, prompt))
            if self._log:
                with open(self._log, "a") as file:
                    file.write(json.dumps([path, prompt]) + "\n")
            play = self.script.pop(0) if self.script else None
        return play or next((p for part, p in self.always.items() if part in prompt), None)

    def prompts(self) -> list[str]:
        return [prompt for _, path, _, _, prompt in self.calls if "batch" not in path]

    def begin_batch(self, body: Any) -> Any:
        """Takes a batch, finished at once; `spoil` decides what becomes of its replies."""
        requests = body["batch"]["inputConfig"]["requests"]["requests"]
        replies = [
            {"metadata": r["metadata"], "response": said(self.say(prompt_of(r["request"])))}
            for r in requests
        ]
        name = f"b{len(self.batches)}"
        self.batches[name] = {
            "name": f"batches/{name}",
            "metadata": {
                "state": "BATCH_STATE_SUCCEEDED",
                "output": {"inlinedResponses": {"inlinedResponses": self.spoil(replies)}},
            },
            "done": True,
        }
        return {"name": f"batches/{name}", "metadata": {"state": "BATCH_STATE_PENDING"}}

    def __enter__(self) -> "FakeModels":
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()


def prompt_of(body: Any) -> str:
    """Returns the text of a request, whichever interface it is made for."""
    if not isinstance(body, dict):
        return ""
    if "contents" in body:
        return "".join(p.get("text", "") for c in body["contents"] for p in c["parts"])
    content = body.get("messages", [{}])[-1].get("content", "")
    if isinstance(content, list):
        return "".join(part.get("text", "") for part in content)
    return content


def said(text: str | None, finish: str = "STOP", **more: Any) -> dict[str, Any]:
    """Returns a reply of Gemini; without any part if the text is None."""
    content: dict[str, Any] = {"role": "model"}
    if text is not None:
        content["parts"] = [{"text": text}]
    return {
        "candidates": [{"content": content, "finishReason": finish, "index": 0}],
        "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 5},
        "modelVersion": "gemini-fake-001",
        **more,
    }


def chat(text: str | None, finish: str = "stop", **message: Any) -> dict[str, Any]:
    """Returns a chat completion."""
    return {
        "model": "local-fake",
        "choices": [{"message": {"content": text, **message}, "finish_reason": finish}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5},
    }


def plays(status: int, body: Any, **headers: str) -> Play:
    return lambda handler: handler.reply(status, body, **headers)


def refusal(
    status: int, message: str = "no", details: list[Any] | None = None, **headers: str
) -> Play:
    names = {429: "RESOURCE_EXHAUSTED", 400: "INVALID_ARGUMENT", 503: "UNAVAILABLE"}
    error = {"code": status, "message": message, "status": names.get(status, "UNKNOWN")}
    return plays(status, {"error": {**error, "details": details or []}}, **headers)


def wait_for(delay: str) -> dict[str, str]:
    return {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay}


def quota(quota_id: str, value: str = "250") -> dict[str, Any]:
    return {
        "@type": "type.googleapis.com/google.rpc.QuotaFailure",
        "violations": [{"quotaId": quota_id, "quotaValue": value}],
    }


def reset(handler: Handler) -> None:
    """Breaks the connection off as a crashed service does."""
    handler.close_connection = True
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.wfile.close()
    handler.rfile.close()
    handler.connection.close()


def shuffled(replies: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return replies[1::2] + replies[::2][::-1]


if __name__ == "__main__":
    with FakeModels(float(sys.argv[2]) if len(sys.argv) > 2 else 0.0, log=sys.argv[1]) as service:
        print(service.url, flush=True)
        threading.Event().wait()
