"""What Gemini's replies come to, one by one and in batches."""

from typing import Any

from schemas.models import ModelReply
from transforms.models.protocol import RefusedRequestError, TryLaterError
from transforms.models.replying import count, one_line, outcome_of

KEY_FIELD = "screenset_key"
"""What the key of a request is called in the metadata that a batch echoes."""

_BLOCKED = frozenset(
    {
        "SAFETY",
        "RECITATION",
        "LANGUAGE",
        "BLOCKLIST",
        "PROHIBITED_CONTENT",
        "SPII",
        "MODEL_ARMOR",
        "ESCALATION",
        "IMAGE_SAFETY",
        "IMAGE_PROHIBITED_CONTENT",
        "IMAGE_RECITATION",
    }
)
_TRUNCATED = frozenset({"MAX_TOKENS", "CONTINUATION"})
_WHOLE = frozenset({"STOP", "FINISH_REASON_UNSPECIFIED", ""})


def read_response(response: Any) -> ModelReply:
    """Returns what a response of the library comes to.

    Raises:
        TryLaterError: If it is none: a proxy's page, say, that happens to be JSON.
    """
    usage = response.usage_metadata
    feedback = response.prompt_feedback
    candidate = next(iter(response.candidates or ()), None)
    if candidate is None and feedback is None and usage is None:
        raise TryLaterError("the service sent JSON that is no reply of a model", perhaps_paid=True)
    text = _text_of(candidate)
    if candidate is None:
        reason = word(getattr(feedback, "block_reason", None))
        blocked = bool(reason)
    else:
        reason = word(candidate.finish_reason)
        blocked = reason in _BLOCKED
    return ModelReply(
        outcome=outcome_of(
            text, blocked=blocked, truncated=reason in _TRUNCATED, whole=reason in _WHOLE
        ),
        text=text,
        finish_reason=reason,
        prompt_tokens=count(getattr(usage, "prompt_token_count", None)),
        # Thoughts are paid for like words.
        output_tokens=count(getattr(usage, "candidates_token_count", None))
        + count(getattr(usage, "thoughts_token_count", None)),
        model_version=response.model_version or "",
    )


def _text_of(candidate: Any) -> str:
    """Returns the words of a reply, without the thoughts that some models show."""
    content = getattr(candidate, "content", None)
    parts = getattr(content, "parts", None) or ()
    return "".join(part.text for part in parts if part.text and not part.thought)


def read_job(job: Any, keys: frozenset[str]) -> dict[str, ModelReply]:
    """Returns the replies of a finished batch by the key that each brings back itself.

    Never by position: the service does not keep the order (python-genai#1909).

    Raises:
        RefusedRequestError: If a reply answers a question that was not in the batch, or
            two answer the same one.
    """
    replies: dict[str, ModelReply] = {}
    for item in getattr(job.dest, "inlined_responses", None) or ():
        key = (item.metadata or {}).get(KEY_FIELD)
        if key is None or item.response is None:
            continue  # Nobody knows whose it is, or it failed: that question is asked singly.
        if key not in keys or key in replies:
            raise RefusedRequestError(
                f"the batch {one_line(job.name)} mixes up its replies (key {one_line(key)[:12]}…): "
                "none of it is "
                "used. Ask without batch"
            )
        try:
            replies[key] = read_response(item.response)
        except TryLaterError:
            continue
    return replies


def word(value: Any) -> str:
    """Returns the name of a member of an enumeration, empty for None."""
    return str(getattr(value, "value", value) or "")
