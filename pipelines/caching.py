"""`screenset cache`: what replies of models are stored, one of them whole, and clearing out."""

import datetime
import json

from pipelines.errors import UserError
from pipelines.terminal import safe, size, table
from schemas.models import ReplyOutcome
from transforms.models.cache import ReplyCache, StoredReply
from transforms.models.cache_tending import CacheStats, find_stored, prune, read_stats

_MOST_SHOWN = 20


def stats_text(place: str) -> str:
    """Returns what a store of replies holds, a line a model and version of a prompt."""
    return _stats_text(read_stats(ReplyCache(place)))


def show_text(place: str, wanted: str) -> str:
    """Returns the stored replies that a key or a text finds, request and reply whole.

    Raises:
        UserError: If nothing is found.
    """
    found: list[str] = []
    more = 0
    for stored in find_stored(ReplyCache(place), wanted):
        if len(found) < _MOST_SHOWN:
            found.append(_shown(stored))
        else:
            more += 1
    if not found:
        raise UserError(f"{place} holds no reply with {wanted!r} for a key or in a text")
    rest = [f"… and {more:,} more"] if more else []
    return "\n\n".join([*found, *rest])


def prune_text(
    place: str,
    *,
    days: int | None,
    provider: str | None,
    model: str | None,
    prompt_version: str | None,
    outcome: str | None,
    dry_run: bool,
) -> str:
    """Removes replies that meet all conditions, and returns what went.

    Raises:
        UserError: If no condition is given.
    """
    before = None
    if days is not None:
        before = datetime.datetime.now(datetime.UTC) - datetime.timedelta(days=days)
    try:
        pruned = prune(
            ReplyCache(place),
            before=before,
            provider=provider,
            model=model,
            prompt_version=prompt_version,
            outcome=ReplyOutcome(outcome) if outcome else None,
            dry_run=dry_run,
        )
    except ValueError as error:
        raise UserError(str(error)) from error
    verb = "would go" if dry_run else "removed"
    damaged = f", {pruned.damaged:,} damaged files among them" if pruned.damaged else ""
    return f"{pruned.replies:,} replies ({size(pruned.size_bytes)}) {verb}{damaged}"


def _stats_text(stats: CacheStats) -> str:
    if not stats.replies and not stats.damaged:
        return "no replies are stored there"
    rows = [
        (
            safe(shelf.provider),
            safe(shelf.model),
            safe(shelf.prompt_version),
            sum(found.outcomes.values()),
            ", ".join(f"{outcome} {count:,}" for outcome, count in sorted(found.outcomes.items())),
            found.prompt_tokens,
            found.output_tokens,
            f"{found.oldest:%Y-%m-%d}",
            f"{found.newest:%Y-%m-%d}",
        )
        for shelf, found in stats.shelves.items()
    ]
    header = (
        "provider",
        "model",
        "prompt",
        "replies",
        "outcomes",
        "tokens in",
        "out",
        "from",
        "to",
    )
    damaged = f", {stats.damaged:,} damaged files" if stats.damaged else ""
    total = f"{stats.replies:,} replies, {size(stats.size_bytes)}{damaged}"
    return f"{table(header, rows, '<<<><>><<')}\n\n{total}"


def _shown(stored: StoredReply) -> str:
    request = stored.request
    parameters = json.dumps(dict(request.parameters), sort_keys=True)
    asked = f"{request.provider} {request.model}, prompt {request.prompt_version}, {parameters}"
    reason = stored.reply.finish_reason or "no reason given"
    lines = [
        f"key:      {stored.key}",
        f"stored:   {stored.stored_at:%Y-%m-%d %H:%M} UTC",
        f"asked:    {_line(asked)}, attempt {request.attempt + 1}",
        f"outcome:  {stored.reply.outcome} ({_line(reason)}), "
        f"{stored.reply.prompt_tokens:,} tokens in, {stored.reply.output_tokens:,} out",
        "prompt:",
        *(f"  {safe(line)}" for line in request.prompt.splitlines()),
        "reply:",
        *(f"  {safe(line)}" for line in stored.reply.text.splitlines()),
    ]
    return "\n".join(lines)


def _line(text: str) -> str:
    return safe(" ".join(text.split()))
