"""Gemini through google-genai, 2.34 or 3: with a key, through Vertex, or at any address.

The library's own retries stay off: they know neither `RetryInfo` nor `Retry-After`. It is
handed an HTTP client made here, for else it takes aiohttp where that happens to be
installed, which retries unasked and fails with other exceptions.
"""

import importlib
import json
import warnings
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

from schemas.models import ModelPolicy, ModelReply, ModelRequest
from transforms.models.gemini_replies import KEY_FIELD, read_job, read_response, word
from transforms.models.keys import Key, find_key
from transforms.models.protocol import AskingStoppedError, RefusedRequestError, TryLaterError
from transforms.models.replying import failure_of, media_type, one_line, without_key

if TYPE_CHECKING:
    from google import genai

NAME = "gemini"
USUAL_KEYS = ("GEMINI_API_KEY", "GOOGLE_API_KEY")
_API_VERSION = "v1beta"
_VERTEX_API_VERSION = "v1beta1"
_THINKING = frozenset({"thinking_budget", "thinking_level"})
_NOT_FOUND = 404
_JOB_DONE = frozenset({"JOB_STATE_SUCCEEDED", "JOB_STATE_PARTIALLY_SUCCEEDED"})
_JOB_LOST = frozenset({"JOB_STATE_FAILED", "JOB_STATE_CANCELLED", "JOB_STATE_EXPIRED"})


class GeminiProvider:
    """Asks Gemini; a `Provider` and a `BatchProvider`."""

    name = NAME
    batch_size = 100
    """Results of a thousand could not be fetched within the service's own limit of time."""

    def __init__(self, policy: ModelPolicy) -> None:
        """Makes the client.

        Raises:
            RefusedRequestError: If there is no key and no Vertex project, or the library
                does not accept the policy.
        """
        from google import genai
        from google.auth.exceptions import GoogleAuthError
        from google.genai import errors, types

        # Reasons to finish that the library does not know yet are no news for a terminal.
        # Not around calls alone: filters are the process's, and calls overlap.
        warnings.filterwarnings(
            "ignore", r"(?s).* is not a valid \w+", UserWarning, r"google\.genai\._common"
        )
        self._types = types
        self._http = _http_library()
        self._key = None if policy.vertex_project else _require_key(policy)
        # What a call may raise. TypeError is what the library does with a number for a body.
        self._failures = (
            errors.APIError,
            self._http.HTTPError,
            self._http.InvalidURL,
            GoogleAuthError,
            OSError,
            ValueError,
            TypeError,
        )
        # Without redirects: they would carry the key's header to another host.
        self._connections = self._http.AsyncClient(
            follow_redirects=False,
            limits=self._http.Limits(max_connections=None, max_keepalive_connections=None),
        )
        problem = None
        try:
            self._client = self._make_client(genai, policy)
        except self._failures as error:
            problem = RefusedRequestError(f"google-genai does not start: {self._said(error)}")
        if problem is not None:
            raise problem

    async def ask(self, request: ModelRequest, images: Sequence[bytes] = ()) -> ModelReply:
        # Errors are raised outside of `except`: those of the library hold requests, whose
        # headers hold the key, and would hang on to ours as their context.
        problem: Exception
        try:
            response = await self._client.aio.models.generate_content(
                model=request.model,
                contents=self._contents(request, images),
                config=self._config(request),
            )
            return without_key(read_response(response), self._hide)
        except AskingStoppedError as error:
            problem = error
        except self._failures as error:
            problem = self._meaning(error)
        raise problem

    async def begin_batch(self, requests: Sequence[ModelRequest]) -> str:
        problem: Exception
        try:
            job = await self._client.aio.batches.create(
                model=requests[0].model,
                src=[
                    self._types.InlinedRequest(
                        contents=self._contents(request, ()),
                        config=self._config(request),
                        metadata={KEY_FIELD: request.key},
                    )
                    for request in requests
                ],
            )
            return str(job.name)
        except AskingStoppedError as error:
            problem = error
        except self._failures as error:
            problem = self._meaning(error)
        raise problem

    async def read_batch(self, name: str, keys: frozenset[str]) -> Mapping[str, ModelReply] | None:
        problem: Exception
        try:
            job = await self._client.aio.batches.get(name=name)
            state = word(job.state)
            if state in _JOB_LOST:
                return {}
            if state not in _JOB_DONE:
                return None
            replies = read_job(job, keys)
            return {key: without_key(reply, self._hide) for key, reply in replies.items()}
        except AskingStoppedError as error:
            problem = error
        except self._failures as error:
            if getattr(error, "code", None) == _NOT_FOUND:
                return {}
            problem = self._meaning(error)
        raise problem

    async def close(self) -> None:
        await self._client.aio.aclose()
        self._client.close()
        await self._connections.aclose()

    def _make_client(self, genai: ModuleType, policy: ModelPolicy) -> "genai.Client":
        vertex = policy.vertex_project is not None
        options = self._types.HttpOptions(
            base_url=policy.base_url,
            api_version=_VERTEX_API_VERSION if vertex else _API_VERSION,
            timeout=int(policy.timeout_s * 1000),
            httpx_async_client=self._connections,
        )
        if vertex:
            return genai.Client(
                vertexai=True,
                project=policy.vertex_project,
                location=policy.vertex_location or "global",
                http_options=options,
            )
        assert self._key is not None
        return genai.Client(vertexai=False, api_key=self._key.reveal(), http_options=options)

    def _contents(self, request: ModelRequest, images: Sequence[bytes]) -> Any:
        parts = [self._types.Part.from_bytes(data=i, mime_type=media_type(i)) for i in images]
        parts.append(self._types.Part(text=request.prompt))
        return [self._types.Content(role="user", parts=parts)]

    def _config(self, request: ModelRequest) -> Any:
        options: dict[str, Any] = dict(request.parameters)
        thinking = {name: options.pop(name) for name in _THINKING & options.keys()}
        if thinking:
            options["thinking_config"] = thinking
        if request.response_schema:
            options["response_mime_type"] = "application/json"
            options["response_json_schema"] = json.loads(request.response_schema)
        try:
            return self._types.GenerateContentConfig(**options)
        except ValueError as error:
            names = ", ".join(sorted(options))
            raise RefusedRequestError(
                f"google-genai knows not all of these parameters, or not their values: {names}"
            ) from error

    def _meaning(self, error: Exception) -> Exception:
        """Returns our error for one of the library, of the net, or of its HTTP client."""
        said = self._said(error)
        status = getattr(error, "code", None)
        if isinstance(status, int):
            response = getattr(error, "response", None)
            message = self._said(getattr(error, "message", None) or said)
            body = getattr(error, "details", None)
            return failure_of(status, body, dict(getattr(response, "headers", {})), message)
        if isinstance(error, self._http.InvalidURL | self._http.UnsupportedProtocol):
            return RefusedRequestError(f"the base_url of the model cannot be asked: {said}")
        if type(error).__module__.startswith("google.auth") and not getattr(
            error, "retryable", False
        ):
            return RefusedRequestError(f"Google does not accept who asks: {said}")
        what = f"no reply to read: {type(error).__name__}: {said}"[:300]
        return TryLaterError(what, perhaps_paid=self._was_sent(error))

    def _was_sent(self, error: Exception) -> bool:
        """Returns whether a call that failed may have reached the service."""
        http = self._http
        unsent = (http.ConnectError, http.ConnectTimeout, http.PoolTimeout, http.ProxyError)
        return not isinstance(error, unsent) and not type(error).__module__.startswith(
            "google.auth"
        )

    def _said(self, said: object) -> str:
        return self._hide(one_line(said))

    def _hide(self, text: str) -> str:
        return self._key.hidden_in(text) if self._key is not None else text

    def __repr__(self) -> str:
        return "GeminiProvider(…)"


def _require_key(policy: ModelPolicy) -> Key:
    key = find_key(policy.key_env, USUAL_KEYS)
    if key is None:
        raise RefusedRequestError(
            f"no key for Gemini: set {USUAL_KEYS[0]} in the environment, or key_env in the "
            "manifest to the variable that holds it, or vertex_project to ask through Vertex"
        )
    return key


def _http_library() -> Any:
    """Returns the HTTP library that google-genai came with: httpx2 since 3, httpx before."""
    for name in ("httpx2", "httpx"):
        try:
            return importlib.import_module(name)
        except ImportError:
            continue
    raise RefusedRequestError("google-genai is installed without httpx2 or httpx")
