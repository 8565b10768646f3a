"""What the prefilter came to over a whole build, and where its sources disagree."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from schemas.builds import PrefilterEntry
from schemas.readings import LanguageVerdict, SyncVerdict

_EXAMPLES = 50


def prefilter_report(entries: Sequence[PrefilterEntry]) -> dict[str, Any]:
    """Returns counts and disagreements as plain values for `BUILD.json`.

    A disagreement needs two verdicts that are both determined. Its rate is given beside the
    number of screens that have both, since few are rated.
    """
    rated = [entry for entry in entries if entry.rated_non_english]
    return {
        "screens": len(entries),
        "language": _counts(entry.language for entry in entries),
        "app_language": _app_counts(entries),
        "hierarchy_sync": _counts(entry.hierarchy_sync for entry in entries),
        "rated": len(rated),
        "disagreements": {
            "raters_and_language": _disagreements(rated, _rated_language, _language),
            "raters_and_hierarchy_sync": _disagreements(rated, _rated_sync, _sync),
            "app_and_screen_language": _disagreements(entries, _app_language, _screen_language),
        },
        "personal_data": {
            "emails": sum(int(entry.emails) for entry in entries),
            "screens_with_emails": sum(entry.emails != "0" for entry in entries),
            "phones": sum(int(entry.phones) for entry in entries),
            "screens_with_phones": sum(entry.phones != "0" for entry in entries),
        },
    }


_Verdict = Callable[[PrefilterEntry], str]


def _disagreements(
    entries: Iterable[PrefilterEntry], one: _Verdict, other: _Verdict
) -> dict[str, Any]:
    """Returns how often two verdicts that are both given differ, and where."""
    both = [entry for entry in entries if one(entry) and other(entry)]
    differing = [entry for entry in both if one(entry) != other(entry)]
    return {
        "compared": len(both),
        "differing": len(differing),
        "kinds": _counts(f"{one(entry)} / {other(entry)}" for entry in differing),
        "examples": [entry.screen_id for entry in differing[:_EXAMPLES]],
    }


def _rated_language(entry: PrefilterEntry) -> str:
    return {"yes": LanguageVerdict.NOT_ENGLISH, "no": LanguageVerdict.ENGLISH}.get(
        entry.rated_non_english, ""
    )


def _rated_sync(entry: PrefilterEntry) -> str:
    return {"yes": SyncVerdict.OUT_OF_SYNC, "no": SyncVerdict.IN_SYNC}.get(
        entry.rated_out_of_sync, ""
    )


def _language(entry: PrefilterEntry) -> str:
    return _determined(entry.language)


def _app_language(entry: PrefilterEntry) -> str:
    return _determined(entry.app_language)


def _screen_language(entry: PrefilterEntry) -> str:
    return _determined(entry.screen_language)


def _sync(entry: PrefilterEntry) -> str:
    return _determined(entry.hierarchy_sync)


def _determined(verdict: str) -> str:
    return "" if verdict in (LanguageVerdict.UNDETERMINED, SyncVerdict.NOT_APPLICABLE) else verdict


def _app_counts(entries: Iterable[PrefilterEntry]) -> dict[str, int]:
    """Returns how many apps there are of each verdict; that of a lone screen is its own."""
    by_app = {
        entry.app: entry.app_language or entry.screen_language for entry in entries if entry.app
    }
    return _counts(by_app.values())


def _counts(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(value for value in values if value).items()))
