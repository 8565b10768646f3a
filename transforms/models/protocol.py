"""What a provider of a model is, how it fails, and how one is made.

To plug in another one takes a class and its dotted path in the manifest (CONTRIBUTING,
"Another provider").
"""

import importlib
import urllib.parse
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, runtime_checkable

from schemas.models import ModelPolicy, ModelReply, ModelRequest

BUILT_IN = {
    "gemini": "transforms.models.gemini:GeminiProvider",
    "openai_compatible": "transforms.models.openai_compatible:ChatProvider",
}


class Provider(Protocol):
    """Asks one service for replies. Each worker process has its own, on one event loop."""

    @property
    def name(self) -> str:
        """What rows and stored requests call it."""

    async def ask(self, request: ModelRequest, images: Sequence[bytes] = ()) -> ModelReply:
        """Asks once. What is only this question's trouble is an outcome of the reply.

        Args:
            request: What to ask.
            images: The pictures whose digests the request has.

        Raises:
            TryLaterError: If the same call may succeed later.
            QuotaGoneError: If no call will succeed for hours.
            RefusedRequestError: If no call will succeed until somebody mends something.
        """

    async def close(self) -> None:
        """Ends all connections."""


@runtime_checkable
class BatchProvider(Protocol):
    """A provider that can be handed many questions, to be answered in its own time."""

    batch_size: int
    """How many questions to hand over at most in one batch."""

    async def begin_batch(self, requests: Sequence[ModelRequest]) -> str:
        """Hands over questions; returns the name under which the service keeps them.

        Raises:
            TryLaterError: Like `Provider.ask`; so do the other two.
        """

    async def read_batch(self, name: str, keys: frozenset[str]) -> Mapping[str, ModelReply] | None:
        """Returns the replies that came, by the key of their request; None while at work.

        A reply that does not say which question it answers is left out.

        Raises:
            RefusedRequestError: If the replies contradict themselves; or like `ask`.
        """


class TryLaterError(Exception):
    """The same call may succeed later."""

    def __init__(
        self,
        what: str,
        delay_s: float | None = None,
        crowded: bool = False,
        perhaps_paid: bool = False,
    ) -> None:
        """Makes the error.

        Args:
            what: What went wrong, for a person.
            delay_s: For how many seconds the server wants no call, None if it does not say.
            crowded: Whether the calls came too fast, as against a fault of service or net.
            perhaps_paid: Whether the call was sent and not refused, so that it may have to
                be paid for although nothing came of it.
        """
        super().__init__(what, delay_s, crowded, perhaps_paid)
        self.what = what
        self.delay_s = delay_s
        self.crowded = crowded
        self.perhaps_paid = perhaps_paid

    def __str__(self) -> str:
        return self.what


class AskingStoppedError(Exception):
    """No question will be answered; the message is for the user.

    Whatever was paid for is stored, and running the same command again asks for the rest.
    """


class QuotaGoneError(AskingStoppedError):
    """What a service gives in a day, or altogether, is used up."""


class RefusedRequestError(AskingStoppedError):
    """A key, a model's name, an address or a parameter is wrong."""

    def __init__(self, what: str, perhaps_only_this: bool = False) -> None:
        """Makes the error.

        Args:
            what: A sentence for the user.
            perhaps_only_this: Whether other questions may fare better, as with a prompt
                that is too long. Once one did, this question alone fails.
        """
        super().__init__(what, perhaps_only_this)
        self.what = what
        self.perhaps_only_this = perhaps_only_this

    def __str__(self) -> str:
        return self.what


class StoreFailedError(AskingStoppedError):
    """The store of replies cannot be read or written."""


class ServiceDownError(AskingStoppedError):
    """One question after the other stays without a reply."""


def make_provider(policy: ModelPolicy) -> Provider:
    """Returns a new provider, by its name in `BUILT_IN` or its dotted path.

    Raises:
        RefusedRequestError: If there is none, or it cannot be made as the policy asks.
    """
    path = BUILT_IN.get(policy.provider, policy.provider)
    module, colon, name = path.partition(":")
    if not colon:
        known = ", ".join(BUILT_IN)
        raise RefusedRequestError(
            f"there is no provider {policy.provider!r}: it is one of {known}, or the path "
            "package.module:name of what makes one"
        )
    _check_address(policy.base_url)
    try:
        make: Callable[[ModelPolicy], Provider] = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise RefusedRequestError(
            f"the provider {policy.provider} cannot be loaded: {error}"
        ) from None
    return make(policy)


def _check_address(url: str | None) -> None:
    """Refuses addresses that hold a password, since addresses are shown and stored."""
    if url is None:
        return
    try:
        parts = urllib.parse.urlsplit(url)
        wrong = parts.scheme not in ("http", "https") or not parts.hostname
        secret = parts.username is not None or bool(parts.query)
    except ValueError:
        wrong, secret = True, False
    if wrong:
        raise RefusedRequestError("the base_url of a model is no http:// or https:// address")
    if secret:
        raise RefusedRequestError(
            "the base_url of a model holds a user name or a query: put keys into the "
            "environment, and name the variable with key_env"
        )
