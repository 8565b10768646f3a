"""`screenset publish`: a finished build to the Hub, as one commit and one tag, and back.

The way of a publication: what goes is gathered and held against `BUILD.json`
(`contents`); all that could stand in its way is looked at (`preflight`, `plan`); contents are
sent ahead and named by one commit (`sending`); the commit's digests are compared, its rows
loaded and compared (`loading_back`); only then is the version tagged, and made public if that
was asked for. A dry run ends before the sending, having only read.
"""

import dataclasses
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from pipelines.errors import BuildError
from pipelines.finished_builds import FinishedBuild, open_build
from pipelines.publishing.card_there import card_there_findings
from pipelines.publishing.contents import Contents, gather
from pipelines.publishing.endpoint import hub_address, without_userinfo
from pipelines.publishing.findings import Finding, Mark, is_ready, note, wrong
from pipelines.publishing.hub_errors import HubError
from pipelines.publishing.loading_back import digest_problems, load_back, space_problem
from pipelines.publishing.plan import Look, Plan, Sent, make_plan, plan_findings
from pipelines.publishing.preflight import (
    account_findings,
    loader_problem,
    local_findings,
    name_findings,
    visibility_finding,
)
from pipelines.publishing.reaching import Reaching
from pipelines.publishing.remote import Remote
from pipelines.publishing.telling import report_text
from pipelines.publishing.tokens import FoundToken, find_token
from pipelines.terminal import safe
from schemas.builds import CARD

if TYPE_CHECKING:
    from pipelines.publishing.hub import Hub


@dataclasses.dataclass(frozen=True, slots=True)
class PublishOptions:
    """How to publish.

    `dry_run` only looks; `offline` does not even ask the Hub (a dry run only). `public` makes
    the repository public at the end; without it, a new one is private and another stays as it
    is. `token_env` names the variable with the token, `branch` what is moved. `with_rejects`
    sends `rejects/` too, `replace_card` replaces a card that was written or edited on the Hub,
    `load_back` loads all rows back before the tag is set.
    """

    dry_run: bool = False
    public: bool = False
    token_env: str | None = None
    branch: str = "main"
    with_rejects: bool = False
    replace_card: bool = False
    load_back: bool = True
    offline: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class Published:
    """What came of it: the checklist, the plan, and what was done of it.

    `looked` is whether the Hub was looked at; if not, the plan is as if nothing lay there.
    `has_token` is whether a token was found. `sent` is None where nothing was: in a dry run,
    or because something stands in the way.
    """

    build: FinishedBuild
    repo: str
    address: str
    options: PublishOptions
    findings: tuple[Finding, ...]
    looked: bool
    has_token: bool
    plan: Plan
    sent: Sent | None = None
    loaded_back: bool = False
    made_public: bool = False

    @property
    def exit_code(self) -> int:
        """0, or 1 if something stands in the way."""
        return 0 if is_ready(self.findings) else 1


@dataclasses.dataclass(frozen=True, slots=True)
class _Asked:
    """What a publication is asked for, and what it works with."""

    build: FinishedBuild
    contents: Contents
    repo: str
    tag: str
    token: FoundToken
    options: PublishOptions


@dataclasses.dataclass(frozen=True, slots=True)
class _Seen:
    """What was seen of the Hub; `hub` is None if it was not looked at."""

    findings: tuple[Finding, ...]
    hub: "Hub | None" = None
    remote: Remote | None = None
    plan: Plan | None = None


def publish(folder: str, repo: str, options: PublishOptions) -> Published:
    """Publishes a finished build, or says what would be done.

    Args:
        folder: The build's folder.
        repo: `ORG/NAME`.
        options: How.

    Returns:
        The checklist, and what was done. Where something stands in the way nothing was.

    Raises:
        UserError: If `folder` is no finished build, or the environment names a Hub or a proxy
            that cannot be used.
        BuildError: If the Hub refuses what was well prepared, is busy for too long, or does
            not give back what was sent.
    """
    endpoint = hub_address()
    if not options.offline:
        _prepare(options)
    build = open_build(folder)
    tag = f"v{build.version}"
    # A dry run must be quick where there is no network; the digests are taken meanwhile.
    reaching = Reaching(endpoint) if options.dry_run and not options.offline else None
    token = find_token(options.token_env, stored=not options.offline)
    contents = gather(build, with_rejects=options.with_rejects)
    asked = _Asked(build, contents, repo, tag, token, options)
    names = name_findings(repo, options.branch, tag)
    local = [*local_findings(build, contents, token), *_loading_findings(asked)]
    seen = _Seen(()) if names else _look_around(asked, reaching)
    done = Published(
        build,
        repo,
        without_userinfo(f"{endpoint}/datasets/{repo}"),
        options,
        (*names, *local, *seen.findings),
        looked=seen.plan is not None,
        has_token=token.key is not None,
        plan=seen.plan or make_plan(contents, None, tag),
    )
    if options.dry_run or not is_ready(done.findings) or seen.hub is None:
        return done
    return _carry_out(asked, seen.hub, seen.remote, done)


def _prepare(options: PublishOptions) -> None:
    """Has whatever talks to the Hub from now on keep to our limits, the token's store first."""
    from pipelines.publishing.client import PATIENT, QUICK, set_up_client

    set_up_client(QUICK if options.dry_run else PATIENT)


def published_text(published: Published) -> str:
    """Returns what a publication, or its dry run, tells the person who asked for it."""
    plan = published.plan
    return report_text(
        title=f"{published.build.name} {published.build.version} → {published.address}",
        findings=published.findings,
        plan=plan,
        ends=_end_text(published),
    )


def _look_around(asked: _Asked, reaching: Reaching | None) -> _Seen:
    """Looks at the Hub's side; in a dry run, what cannot be looked at is only noted."""
    options = asked.options
    if options.offline:
        return _Seen(tuple(_offline_findings(asked)))
    blocked = wrong if not options.dry_run else note
    from huggingface_hub import constants

    from pipelines.publishing.hub import Hub

    if constants.is_offline_mode():
        return _Seen((blocked("hub", "not looked at: HF_HUB_OFFLINE forbids the network"),))
    if reaching is not None and not reaching.succeeds():
        host = without_userinfo(constants.ENDPOINT)
        return _Seen((note("hub", f"not looked at: {host} cannot be reached from here"),))
    hub = Hub(asked.repo, asked.token.key, _say, quick=options.dry_run)
    tokens = _token_findings(asked, hub)
    if not is_ready(tuple(tokens)) and asked.token.key is not None:
        return _Seen(tuple(tokens), hub)
    try:
        remote = hub.look(options.branch, asked.tag)
    except HubError as error:
        return _Seen((*tokens, blocked("repository", f"could not be looked at: {error}")), hub)
    plan = make_plan(asked.contents, remote, asked.tag)
    found = _findings_of(asked, remote, plan)
    found += [visibility_finding(remote, options.public), *_refused_card(asked, hub, plan)]
    return _Seen((*tokens, *found), hub, remote, plan)


def _findings_of(asked: _Asked, remote: Remote | None, plan: Plan) -> list[Finding]:
    """Returns what is to be said of a plan, and of the words of others that it would touch."""
    found = plan_findings(asked.build, asked.contents, remote, plan)
    if remote is not None:
        replaces = asked.options.replace_card
        found += card_there_findings(asked.contents, remote, plan, replace_card=replaces)
    return found


def _offline_findings(asked: _Asked) -> list[Finding]:
    token = asked.token
    said = f"{token.place} holds one, which was not tried" if token.key else token.problem
    return [
        note("token", said),
        note("visibility", "a new repository would be private"),
        note("hub", "not looked at: this was to stay offline"),
    ]


def _token_findings(asked: _Asked, hub: "Hub") -> list[Finding]:
    token, is_dry = asked.token, asked.options.dry_run
    if token.key is None:
        is_missing = is_dry and not asked.options.token_env
        return [note("token", token.problem) if is_missing else wrong("token", token.problem)]
    try:
        return account_findings(hub.account(), asked.repo, token.place)
    except HubError as error:
        if error.status == 401:
            said = f"the Hub does not accept the token of {token.place}"
            return [wrong("token", f"{said}: it is wrong, expired or revoked")]
        found = note if is_dry else wrong
        return [found("token", f"could not be tried: {error}")]


def _loading_findings(asked: _Asked) -> list[Finding]:
    """Says if nothing could be loaded back here; a dry run alone does not need to."""
    if not asked.options.load_back:
        return [note("loading", "nothing is loaded back; only digests are compared")]
    problem = loader_problem() or space_problem(asked.contents)
    if not problem:
        return []
    return [note("loading", problem) if asked.options.dry_run else wrong("loading", problem)]


def _refused_card(asked: _Asked, hub: "Hub", plan: Plan) -> list[Finding]:
    """Has the Hub look at the card before anything large is sent; not in a dry run: it sends."""
    cards = [file for file in plan.sent if file.path == CARD]
    if asked.options.dry_run or not cards or asked.token.key is None:
        return []
    with open(cards[0].source, encoding="utf-8", errors="replace") as file:
        problems = hub.validate_card(file.read())
    return [wrong("card", f"the Hub refuses the {CARD}: {problem}") for problem in problems]


def _carry_out(asked: _Asked, hub: "Hub", remote: Remote | None, done: Published) -> Published:
    """Does what was planned, step by step; whatever ends it, the same command goes on."""
    from pipelines.publishing.sending import send

    options = asked.options
    state = "nothing of it is to be seen on the Hub, and what was sent is not sent again"
    try:
        if remote is None:
            hub.create()
        sent = send(
            hub,
            asked.contents,
            _looker(asked, hub),
            branch=options.branch,
            message=f"{asked.build.name} {asked.build.version}",
        )
        state = f"all is there as commit {sent.commit[:12]}, but not held against the build yet"
        loaded = _confirm(asked, hub, sent)
        if sent.plan.sets_tag:
            hub.tag(asked.tag, sent.commit)
        state = f"all is there and tagged {asked.tag}"
        makes_public = options.public and (remote is None or remote.private)
        if makes_public:
            hub.make_public()
    except KeyboardInterrupt:
        _say(f"stopped: {state}; the same command goes on from there")
        raise
    return dataclasses.replace(
        done, plan=sent.plan, sent=sent, loaded_back=loaded, made_public=makes_public
    )


def _looker(asked: _Asked, hub: "Hub") -> Callable[[], Look]:
    """Returns what looks at the repository anew, and holds it against the same rules again."""

    def look() -> Look:
        options = asked.options
        remote = hub.look(options.branch, asked.tag)
        if remote is None:
            raise BuildError(f"{asked.repo} is not there any more")
        plan = make_plan(asked.contents, remote, asked.tag)
        found = _findings_of(asked, remote, plan)
        problems = [f"{f.subject}: {safe(f.text)}" for f in found if f.mark is Mark.WRONG]
        if problems:
            raise BuildError("\n".join(problems))
        return Look(remote, plan)

    return look


def _confirm(asked: _Asked, hub: "Hub", sent: Sent) -> bool:
    """Compares what the commit holds with what was to go; says if rows were loaded back too."""
    if not (sent.is_new or sent.plan.sets_tag):
        return False
    problems = digest_problems(asked.contents, hub.files(sent.commit))
    if problems:
        raise BuildError("\n".join(f"{asked.repo}: {problem}" for problem in problems))
    if not asked.options.load_back or asked.token.key is None:
        return False
    _say("loading it back, and comparing every row …")
    load_back(asked.build.folder, asked.repo, sent.commit, asked.token.key)
    return True


def _end_text(published: Published) -> str:
    """Returns the last lines: what was done, or would be, or why nothing was."""
    count = sum(finding.mark is Mark.WRONG for finding in published.findings)
    if count:
        verb = "stands" if count == 1 else "stand"
        return f"{count} of these lines {verb} in the way (✗); nothing was sent"
    if published.sent is None:
        return _would_text(published)
    return _did_text(published, published.sent)


def _would_text(published: Published) -> str:
    plan, options = published.plan, published.options
    if not (plan.commits or plan.sets_tag):
        return "nothing is to be done: all of it is there"
    steps = ["make one commit on " + options.branch] if plan.commits else []
    steps += ["load all rows back and compare them"] if options.load_back else []
    steps += [f"set the tag {plan.tag}"] if plan.sets_tag else []
    steps += ["make it public"] if options.public else []
    unseen = "" if published.looked else " (the Hub was not looked at: as if nothing lay there)"
    lines = [f"to be done: {', then '.join(steps)}{unseen}"]
    if not published.has_token:
        lines.append("a real run needs a token first")
    return "\n".join([*lines, "this was a dry run: nothing was sent"])


def _did_text(published: Published, sent: Sent) -> str:
    plan, lines = sent.plan, []
    if sent.is_new:
        lines.append(f"commit {sent.commit[:12]} on {published.options.branch}")
    elif not plan.sets_tag:
        lines.append("nothing was to be done: all of it is there")
    if published.loaded_back:
        lines.append("loaded back: every row and every feature is as it was built")
    if plan.sets_tag:
        lines.append(f"tagged {plan.tag}")
    if published.made_public:
        lines.append("made public")
    name = published.build.name
    lines.append(
        f'load it: datasets.load_dataset("{published.repo}", "{name}", revision="{plan.tag}")'
    )
    return "\n".join(lines)


def _say(line: str) -> None:
    """Shows a line to whoever waits, beside the progress and not in the result."""
    sys.stderr.write(f"screenset: {safe(line)}\n")
    sys.stderr.flush()
