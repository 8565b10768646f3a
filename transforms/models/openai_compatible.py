"""Models behind a chat-completions endpoint, as many local servers have one.

Asked with `requests` in threads, since that is at hand and knows proxies; a local model is
slower than any of it.
"""

import asyncio
import base64
import concurrent.futures
import json
import threading
from collections.abc import Sequence
from typing import Any

import requests
import urllib3

from schemas.models import ModelPolicy, ModelReply, ModelRequest
from transforms.models.keys import find_key
from transforms.models.protocol import RefusedRequestError, TryLaterError
from transforms.models.replying import (
    count,
    failure_of,
    media_type,
    one_line,
    outcome_of,
    without_key,
)

NAME = "openai_compatible"
_BLOCKED = "content_filter"
_TRUNCATED = "length"
_WHOLE = frozenset({"stop", ""})
_RENAMED = {"max_output_tokens": "max_tokens"}
_CONNECT_TIMEOUT_S = 10.0


class ChatProvider:
    """Asks `POST {base_url}/chat/completions`; a `Provider`.

    `base_url` is what comes before, such as `http://127.0.0.1:8080/v1`. The key is optional.
    """

    name = NAME

    def __init__(self, policy: ModelPolicy) -> None:
        """Makes the threads that will ask.

        Raises:
            RefusedRequestError: If the policy names no address, or a key that is not there.
        """
        if policy.base_url is None:
            raise RefusedRequestError(
                f"the provider {NAME} needs a base_url, such as http://127.0.0.1:8080/v1"
            )
        self._url = f"{policy.base_url.rstrip('/')}/chat/completions"
        # Only a key that is named goes to an address of anybody's choice: the usual one
        # belongs to another company, as long as the manifest does not say so.
        self._key = find_key(policy.key_env, ()) if policy.key_env else None
        self._timeout_s = policy.timeout_s
        self._threads = concurrent.futures.ThreadPoolExecutor(
            policy.limits.concurrency, thread_name_prefix="asking"
        )
        self._local = threading.local()
        self._sessions: list[requests.Session] = []

    async def ask(self, request: ModelRequest, images: Sequence[bytes] = ()) -> ModelReply:
        body = json.dumps(_body(request, images)).encode()
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, self._post, body)

    async def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
        for session in self._sessions:
            session.close()

    def _post(self, body: bytes) -> ModelReply:
        # Raised outside of `except`: an error of requests holds the request and its headers.
        problem: Exception
        try:
            response = self._session().post(
                self._url,
                data=body,
                headers={"Content-Type": "application/json"},
                timeout=(_CONNECT_TIMEOUT_S, self._timeout_s),
                allow_redirects=False,
            )
            if response.status_code == requests.codes.ok:
                return without_key(read_completion(response.json()), self._hide)
            problem = self._refusal(response)
        except requests.exceptions.InvalidURL as error:
            problem = RefusedRequestError(f"the base_url cannot be asked: {self._said(error)}")
        except (requests.RequestException, ValueError, OSError) as error:
            what = f"no reply to read: {type(error).__name__}: {self._said(error)}"
            problem = TryLaterError(what[:300], perhaps_paid=_was_sent(error))
        raise problem

    def _session(self) -> requests.Session:
        """Returns the session of this thread: they are not made to be shared."""
        session: requests.Session | None = getattr(self._local, "session", None)
        if session is None:
            session = self._local.session = requests.Session()
            session.auth = self._sign
            self._sessions.append(session)
        return session

    def _sign(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        # Also without a key: else requests takes one out of ~/.netrc.
        if self._key is not None:
            request.headers["Authorization"] = f"Bearer {self._key.reveal()}"
        return request

    def _refusal(self, response: requests.Response) -> Exception:
        try:
            body = response.json()
        except ValueError:
            body = None
        message = body.get("error", body) if isinstance(body, dict) else response.text
        if isinstance(message, dict):
            message = message.get("message", "")
        return failure_of(response.status_code, body, response.headers, self._said(message))

    def _said(self, said: object) -> str:
        return self._hide(one_line(said))

    def _hide(self, text: str) -> str:
        return self._key.hidden_in(text) if self._key is not None else text

    def __repr__(self) -> str:
        return "ChatProvider(…)"


def read_completion(body: Any) -> ModelReply:
    """Returns what the body of a reply comes to.

    Raises:
        TryLaterError: If it is no chat completion.
    """
    choices = body.get("choices") if isinstance(body, dict) else None
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, dict):
        raise TryLaterError("the service sent JSON that is no chat completion", perhaps_paid=True)
    message = choice.get("message")
    said = message if isinstance(message, dict) else {}
    content = said.get("content")
    text = content if isinstance(content, str) else ""
    reason = f"{choice.get('finish_reason') or ''}"
    usage = body.get("usage") if isinstance(body.get("usage"), dict) else {}
    return ModelReply(
        outcome=outcome_of(
            text,
            blocked=reason == _BLOCKED or bool(said.get("refusal")),
            truncated=reason == _TRUNCATED,
            whole=reason in _WHOLE,
        ),
        text=text,
        finish_reason=reason,
        prompt_tokens=count(usage.get("prompt_tokens")),
        output_tokens=count(usage.get("completion_tokens")),
        model_version=f"{body.get('model') or ''}",
    )


def _was_sent(error: Exception) -> bool:
    """Returns whether a call that failed may have reached the service."""
    if isinstance(error, requests.ConnectTimeout | requests.exceptions.ProxyError):
        return False
    reason = getattr(error.args[0] if error.args else None, "reason", None)
    return not isinstance(reason, urllib3.exceptions.NewConnectionError)


def _body(request: ModelRequest, images: Sequence[bytes]) -> dict[str, Any]:
    content: Any = request.prompt
    if images:
        content = [{"type": "image_url", "image_url": {"url": _data_url(i)}} for i in images]
        content.append({"type": "text", "text": request.prompt})
    body: dict[str, Any] = {
        "model": request.model,
        "messages": [{"role": "user", "content": content}],
        "stream": False,
    }
    body |= {_RENAMED.get(name, name): value for name, value in request.parameters}
    if request.response_schema:
        schema = {"name": "reply", "schema": json.loads(request.response_schema)}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    return body


def _data_url(image: bytes) -> str:
    return f"data:{media_type(image)};base64,{base64.b64encode(image).decode()}"
