"""What must hold before anything is sent: all of it looked at, all problems said at once."""

import importlib.util
import os
import re
from collections import Counter

from pipelines.cards.card import lacking_in
from pipelines.cards.in_step import card_problems, read_front_matter
from pipelines.checking.check import read_check
from pipelines.errors import UserError
from pipelines.finished_builds import FinishedBuild
from pipelines.publishing.contents import Contents, LocalFile, contents_text, staying_text
from pipelines.publishing.findings import Finding, good, note, wrong
from pipelines.publishing.plan import some
from pipelines.publishing.remote import Account, Remote
from pipelines.publishing.secret_scanning import known_secrets, secrets_in
from pipelines.publishing.tokens import FoundToken
from pipelines.terminal import counted, size
from schemas.builds import CARD, CHECK_PAGE, CROISSANT
from schemas.checks import CheckOutcome
from schemas.columns import IMAGE, arrow_schema
from schemas.manifest import SplitBy
from schemas.splits import SPLITS

# https://huggingface.co/docs/hub/repositories-recommendations and storage-limits.
_LARGEST_FILE = 50 * 10**9
_LARGE_FILE = 5 * 10**9
_MOST_IN_FOLDER = 10_000
_MOST_FILES = 100_000

_REPO_NAME = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9._-]*[A-Za-z0-9_])?")
_LONGEST_REPO = 96
_TAG_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}")


def repo_problem(repo: str) -> str:
    """Returns what is wrong with the name of a repository; empty if nothing is.

    The rules are those of huggingface_hub's `validate_repo_id`, and the owner must be said.
    """
    parts = repo.split("/")
    rules = "of letters, digits, -, _ and ., without -- or .. and no sign but _ at the ends"
    if len(parts) != 2 or not all(_REPO_NAME.fullmatch(part) for part in parts):
        return f"{repo!r} is not ORG/NAME, each {rules}"
    if len(repo) > _LONGEST_REPO or "--" in repo or ".." in repo or repo.endswith(".git"):
        return f"{repo!r} is no name for a repository: {rules}, {_LONGEST_REPO} signs at most"
    return ""


def name_findings(repo: str, branch: str, tag: str) -> list[Finding]:
    """Returns what is wrong with the names of repository, branch and tag."""
    problem = repo_problem(repo)
    found = [wrong("repository", problem)] if problem else []
    found += [
        wrong(kind, f"{name!r} is no name that is safe to use: letters, digits, -, _ and .")
        for kind, name in (("branch", branch), ("tag", tag))
        if not _TAG_NAME.fullmatch(name) or ".." in name
    ]
    return found


def local_findings(build: FinishedBuild, contents: Contents, token: FoundToken) -> list[Finding]:
    """Returns what can be said of a build without asking anybody else.

    Args:
        build: The finished build.
        contents: What of it goes.
        token: Its value must be in no file.
    """
    rows = sum(shard.rows for shard in build.shards)
    shards = counted(len(build.shards), "shard")
    found = [
        good("build", f"finished: {shards}, {counted(rows, 'row')}")
        if rows
        else wrong("build", "it has no rows"),
        *_limit_finding(build),
        *_empty_finding(build),
        *_wish_finding(build),
        *[wrong("bytes", problem) for problem in contents.problems],
    ]
    if not contents.problems:
        found.append(good("bytes", f"as they were built: {contents_text(contents)}"))
        # What is read from changed shards would only repeat that they have changed.
        found += [_check_finding(build), *_card_findings(build)]
    found += [
        _licence_finding(build),
        *_size_findings(contents),
        *_secret_findings(contents, token),
    ]
    if contents.staying:
        found.append(note("staying", f"not sent: {staying_text(contents.staying)}"))
    return found


def account_findings(account: Account, repo: str, place: str) -> list[Finding]:
    """Returns whether a token may write into a repository.

    Args:
        account: Whose token it is.
        repo: `ORG/NAME`.
        place: Where the token was found.
    """
    owner = repo.partition("/")[0]
    may = account.writes_into(repo)
    whose = f"the token of {place} is {account.name}'s"
    if not account.name:
        whose = f"the Hub did not tell whose the token of {place} is"
    if may is None:
        return [note("token", f"{whose}; what it may is not said, and shows when it is used")]
    if may:
        return [good("token", f"{whose}, and may write into {owner}")]
    if account.role == "read":
        return [wrong("token", f"{whose}, and may only read; make one that may write")]
    return [wrong("token", f"{whose}, and may not write into {owner}")]


def visibility_finding(remote: Remote | None, public: bool) -> Finding:
    """Says who will see the data set; nothing is made public that was not asked for."""
    if remote is None:
        new = "a new repository, private until all is there"
        return note("visibility", f"{new}, then public" if public else "a new, private repository")
    if not remote.private:
        return note("visibility", "public already: all see what is sent as soon as it is there")
    if public:
        return note("visibility", "private now, and made public at the end, as you asked")
    return good("visibility", "private, and stays so")


def loader_problem() -> str:
    """Returns why nothing can be loaded back here; empty if it can."""
    if importlib.util.find_spec("datasets") is None:
        return "the package datasets is not installed, so nothing can be loaded back"
    return ""


def _check_finding(build: FinishedBuild) -> Finding:
    again = f"run `screenset check {build.folder}`"
    try:
        report = read_check(build)
    except UserError as error:
        return wrong("check", f"{error}; {again}")
    if report is None or report.build_sha256 != build.digest:
        return wrong("check", f"there is no check of this very build; {again}")
    if not report.passed:
        failed = (CheckOutcome.FAILED, CheckOutcome.ERRORED)
        rules = some(result.rule for result in report.results if result.outcome in failed)
        page = build.path(CHECK_PAGE)
        return wrong("check", f"it did not pass: {rules or 'nothing was looked at'}; see {page}")
    has_pictures = any(IMAGE in arrow_schema(row).types for row in build.row_types.values())
    if has_pictures and not report.images_decoded:
        return wrong("check", f"its pictures were not decoded; {again} without --no-images")
    passed = sum(result.outcome is CheckOutcome.PASSED for result in report.results)
    pictures = "every picture decoded" if has_pictures else "it has no pictures"
    return good("check", f"passed: {counted(passed, 'rule')}, {pictures}")


def _card_findings(build: FinishedBuild) -> list[Finding]:
    again = f"run `screenset card {build.folder}`"
    missing = [name for name in (CARD, CROISSANT) if not os.path.exists(build.path(name))]
    if missing:
        return [wrong("card", f"there is no {' and no '.join(missing)}; {again}")]
    try:
        problems = card_problems(build)
    except UserError as error:
        problems = [str(error)]
    found = [wrong("card", f"{problem}; {again}") for problem in problems]
    return found or [good("card", f"{CARD} and {CROISSANT} are in step with the shards")]


def _licence_finding(build: FinishedBuild) -> Finding:
    """Says the licence that the card states, which is where people and the Hub look for it."""
    # That a card cannot be read is said by those who look at the card.
    front = read_front_matter(build.path(CARD))
    stated = front.get("license") if isinstance(front, dict) else None
    if stated == "other":
        return note(
            "licence",
            "the card states other, and lists those of the sources; where one licence holds for "
            "the whole, say `card: {licence: …}` in the manifest",
        )
    if isinstance(stated, str) and stated:
        return good("licence", f"the card states {stated}")
    return wrong(
        "licence",
        "the card states no licence; say `card: {licence: …}` in the manifest, build, and "
        f"run `screenset card {build.folder}`",
    )


def _limit_finding(build: FinishedBuild) -> list[Finding]:
    limit = build.summary.get("limit")
    if not limit:
        return []
    return [note("build", f"it is a part only: built with --limit {limit}")]


def _empty_finding(build: FinishedBuild) -> list[Finding]:
    """Says which splits are empty though the manifest gives them a share."""
    policy = build.summary["splits"]
    filled = {shard.split for shard in build.shards}
    shares = zip(SPLITS, policy["shares"], strict=True)
    empty = [split for split, share in shares if share and split not in filled]
    if policy["by"] == SplitBy.OFFICIAL or not empty:
        return []
    return [note("build", f"{' and '.join(empty)} {'is' if len(empty) == 1 else 'are'} empty")]


def _wish_finding(build: FinishedBuild) -> list[Finding]:
    """Says what only its makers could have told of the data set, and have not."""
    wishes = lacking_in(build.summary["card"])
    return [note("card", f"the manifest does not say {', '.join(wishes)}")] if wishes else []


def _size_findings(contents: Contents) -> list[Finding]:
    """Holds files against the Hub's limits."""
    if not contents.files:
        return []
    found = [
        wrong("limits", f"{file.path} has {size(file.size_bytes)}; the Hub takes 50 GB a file")
        for file in contents.files
        if file.size_bytes > _LARGEST_FILE
    ]
    folders = Counter(file.path.rpartition("/")[0] for file in contents.files)
    fullest, most = folders.most_common(1)[0]
    if most > _MOST_IN_FOLDER:
        said = f"{fullest or 'the top'} has {most:,} files; the Hub takes 10,000 a folder"
        found.append(wrong("limits", said))
    if len(contents.files) > _MOST_FILES:
        said = f"{len(contents.files):,} files; the Hub takes 100,000 a repository"
        found.append(wrong("limits", said))
    if found:
        return found
    largest = max(contents.files, key=lambda file: file.size_bytes)
    return [_largest_finding(largest, most)]


def _largest_finding(largest: LocalFile, most: int) -> Finding:
    if largest.size_bytes > _LARGE_FILE:
        said = f"{largest.path} has {size(largest.size_bytes)}; the Hub advises 5 GB a file"
        return note("limits", said)
    said = f"largest file {size(largest.size_bytes)} of 50 GB"
    return good("limits", f"{said}, fullest folder {most:,} of 10,000 files")


def _secret_findings(contents: Contents, token: FoundToken) -> list[Finding]:
    known = known_secrets()
    if token.key:
        known["the Hub's token"] = token.key.reveal()
    places = secrets_in(contents.texts, known)
    if not places:
        said = counted(len(contents.texts), "text file")
        return [good("secrets", f"no key and no token in {said}")]
    return [wrong("secrets", place) for place in places]
