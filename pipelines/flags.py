"""The flags and helps of the commands that lead to a build. Standard library only.

So `--help` answers at once. Commands on finished builds are in `pipelines.finished_flags`.
"""

import argparse
from typing import NoReturn

from pipelines import commands as run
from pipelines.command_line import Commands, Parser, add_command, positive
from pipelines.finished_flags import add_finished_commands

_DESCRIPTION = """\
Builds screen-understanding data sets: screenshots, view hierarchies and human
annotations in, checked Parquet shards with a loadable README out."""

_EPILOG = """\
examples:
  screenset demo
  screenset fetch rico rico_ui_details screenqa_answers --data ~/rico
  screenset plan screenqa --data ~/rico
  screenset build screenqa --data ~/rico --out ~/datasets/screenqa"""

_PLAN_EXAMPLE = """\
example:
  screenset plan screenqa --data ~/rico
      says which sources are there, how much is in them and how many shards would
      come out; it writes nothing."""

_FETCH_EXAMPLE = """\
What comes is checked: length, digest (the manifest's, or the one noted when it first came,
in ROOT/fetched.json), and whether it is what it should be. Archives are unpacked in one pass.
Stopped half-way, the same command goes on.

examples:
  screenset fetch --list
      says what there is to fetch, how large it is and under which licence.
  screenset fetch rico rico_ui_details --data ~/rico
      brings RICO's screens (6 GB) and the table of their apps.
  screenset fetch rico --data ~/rico --from rico=/mnt/archives/unique_uis.tar.gz
      takes an archive that is here already."""

_BUILD_EXAMPLE = """\
example:
  screenset build screenqa --data ~/rico --out ~/datasets/screenqa --limit 200
      builds the first 200 screens; without --limit, all of them. Stopped half-way,
      the same command goes on from the finished shards."""

_DEMO_EXAMPLE = """\
example:
  screenset demo --out /tmp/demo
      draws a small sample in the real formats, builds it, and shows what came out;
      needs no network and no data."""


_TASKS_EXAMPLE = """\
One process holds all events in memory (about 1 kB each: fine for some hundred
thousand) and opens one picture at a time. What is handed out is what is lacking today:
import what was done before you ask for more. Who gets which file is printed, not stored.

example:
  screenset tasks answer screenqa --data ~/rico --out tasks/answer \\
      --annotators people.txt --salt-file salt.txt
      writes answer_A.json, answer_B.json, answer_C.json and answer.xml: a Label Studio
      project each, set up with the XML."""

_IMPORT_EXAMPLE = """\
An export is the JSON of a project's snapshot, with annotations__completed_by and drafts
expanded. Other exports are refused with what to export instead. Exports of one campaign
need the same salt and the same --instance, today and later.

example:
  screenset import answer_A.json answer_B.json --out events/answer.jsonl \\
      --salt-file salt.txt
      writes the events, and events/answer.rejects.jsonl with what was left out and why."""

_CACHE_EXAMPLE = """\
examples:
  screenset cache stats ~/rico/replies
  screenset cache show ~/rico/replies "What is the gender?"
  screenset cache prune ~/rico/replies --outcome truncated --dry-run"""

_SALT_IS_SECRET = (
    "the salt is a secret and no flag takes it: name its environment variable with "
    "--salt-env, or its file with --salt-file"
)


def make_parser() -> argparse.ArgumentParser:
    """Returns the parser of the whole command line."""
    # Abbreviated flags are refused: `--out` must never be taken for something longer.
    parser = Parser(
        prog="screenset",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="store_true", help="print the version and exit")
    parser.set_defaults(
        run=run.say_help,
        parser=parser,
        stopped="the same command, without --fresh, goes on from here",
    )
    commands = parser.add_subparsers(metavar="COMMAND", title="commands", parser_class=Parser)
    _add_fetch(commands)
    _add_plan(commands)
    _add_build(commands)
    _add_demo(commands)
    _add_tasks(commands)
    _add_import(commands)
    add_finished_commands(commands)
    _add_cache(commands)
    return parser


def _add_fetch(commands: Commands) -> None:
    parser = add_command(commands, "fetch", "download and verify sources", _FETCH_EXAMPLE)
    parser.add_argument(
        "sources",
        nargs="*",
        metavar="SOURCE",
        help="names of sources (default: all that the manifest says how to fetch)",
    )
    _add_place_flags(parser)
    parser.add_argument(
        "--mirror",
        metavar="DIR|URL",
        help="folder or address where copies are looked for first, as HOST/PATH, PATH or NAME; "
        "checked like everything else",
    )
    parser.add_argument(
        "--from",
        dest="from_",
        action="append",
        default=[],
        metavar="NAME=PATH",
        help="a file or folder that stands for one source's downloads; may be given again",
    )
    parser.add_argument(
        "--accept-changed",
        action="append",
        default=[],
        metavar="NAME",
        help="ask for this source again and take what it has become",
    )
    parser.add_argument(
        "--verify",
        action="store_true",
        help="read again what is there, instead of only looking at its size",
    )
    parser.add_argument(
        "--keep-archives",
        action="store_true",
        help="keep archives in ROOT/archives, which can serve as a mirror",
    )
    parser.add_argument(
        "--refresh",
        action="store_true",
        help="ask the App Store again what it has answered before",
    )
    parser.add_argument(
        "--list", action="store_true", help="say what would be fetched, and fetch nothing"
    )
    parser.set_defaults(run=run.fetch)


def _add_plan(commands: Commands) -> None:
    parser = add_command(
        commands, "plan", "say what a build would do, without doing it", _PLAN_EXAMPLE
    )
    _add_request_flags(parser)
    parser.set_defaults(run=run.plan)


def _add_build(commands: Commands) -> None:
    parser = add_command(commands, "build", "build a data set into a folder", _BUILD_EXAMPLE)
    _add_request_flags(parser)
    parser.add_argument("--out", required=True, metavar="DIR", help="the folder to make")
    _add_engine_flags(parser)
    parser.set_defaults(run=run.build)


def _add_demo(commands: Commands) -> None:
    parser = add_command(
        commands, "demo", "draw a small sample and build it, offline", _DEMO_EXAMPLE
    )
    parser.add_argument(
        "--out", default="screenset-demo", metavar="DIR", help="where to (default: %(default)s)"
    )
    parser.add_argument(
        "--workers", type=positive, default=1, metavar="N", help="worker processes (default: 1)"
    )
    parser.add_argument(
        "--fresh", action="store_true", help="begin anew if an unfinished demo was left"
    )
    parser.set_defaults(run=run.demo)


def _add_tasks(commands: Commands) -> None:
    parser = add_command(
        commands,
        "tasks",
        "write what a pass has still to do, as Label Studio tasks",
        _TASKS_EXAMPLE,
    )
    parser.add_argument(
        "pass_",
        metavar="PASS",
        help="prefilter, question_1, question_2, question_3_na, answer, element, element_review, "
        "screen_review or verify_short_answers",
    )
    _add_request_flags(parser)
    parser.add_argument("--out", required=True, metavar="DIR", help="the folder to make")
    parser.add_argument(
        "--annotators",
        action="append",
        default=[],
        metavar="FILE|NAME,…",
        help="who works: a file with a Label Studio user name or pseudonym a line, or names with "
        "commas; each task then goes to the one of them who has least and may do it "
        "(default: left to the projects)",
    )
    parser.add_argument(
        "--by-annotator", action="store_true", help="a file, and so a project, for each of them"
    )
    parser.add_argument(
        "--built", metavar="DIR", help="of verify_short_answers: the finished build to draw from"
    )
    parser.add_argument(
        "--per-stratum",
        type=positive,
        metavar="N",
        help="of verify_short_answers: questions of each kind of answer (default: the manifest's "
        "short_answers.verified_per_stratum)",
    )
    parser.add_argument(
        "--image-url",
        default="/data/local-files/?d=",
        metavar="PREFIX",
        help="what a picture's address begins with, before its path below --data "
        "(default: %(default)s, Label Studio's local files)",
    )
    _add_salt_flags(parser, "needed if --annotators holds user names")
    parser.set_defaults(run=run.tasks)


def _add_import(commands: Commands) -> None:
    parser = add_command(
        commands, "import", "turn Label Studio exports into annotation events", _IMPORT_EXAMPLE
    )
    parser.add_argument("exports", nargs="+", metavar="EXPORT", help="a snapshot export in JSON")
    parser.add_argument(
        "--out", required=True, metavar="EVENTS.jsonl", help="the file of events to make"
    )
    _add_salt_flags(parser, "needed", required=True)
    parser.add_argument(
        "--user-map",
        metavar="FILE",
        help="who the users are, for exports that give ids only: the JSON that GET /api/users "
        "gives, or CSV with id and email",
    )
    parser.add_argument(
        "--pass", dest="pass_", metavar="PASS", help="of which pass, if the tasks do not say"
    )
    parser.add_argument(
        "--instance",
        default="main",
        metavar="NAME",
        help="name of the Label Studio installation, part of all event ids (default: %(default)s)",
    )
    parser.add_argument(
        "--sizes",
        metavar="FILE",
        help="sizes of the pictures as displayed, if the tasks do not tell: CSV with screen_id, "
        "width and height",
    )
    parser.add_argument("--fresh", action="store_true", help="replace files that are there")
    parser.set_defaults(run=run.import_events)


def _add_salt_flags(parser: argparse.ArgumentParser, when: str, *, required: bool = False) -> None:
    salt = parser.add_mutually_exclusive_group(required=required)
    salt.add_argument(
        "--salt-env",
        metavar="NAME",
        help=f"environment variable that holds the secret that pseudonyms are made with; {when}",
    )
    salt.add_argument("--salt-file", metavar="FILE", help="or the file that holds it")
    # Without this, the complaint about an unknown flag would print the secret.
    salt.add_argument("--salt", action=_RefuseSalt, nargs="?", help=argparse.SUPPRESS)


class _RefuseSalt(argparse.Action):
    """Refuses a secret on the command line, where any user of the machine can read it."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        """Ends the command without repeating what was typed."""
        parser.error(_SALT_IS_SECRET)


def _add_request_flags(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("dataset", help="name of a data set of the manifest")
    _add_place_flags(parser)
    parser.add_argument(
        "--source",
        action="append",
        default=[],
        metavar="NAME=PATH",
        help="where one source lies instead; may be given again",
    )
    parser.add_argument(
        "--limit",
        type=positive,
        metavar="N",
        help="only the first N screens (by id)",
    )
    parser.add_argument(
        "--cache",
        metavar="DIR|gs://…",
        help="where replies of models are stored (default: ROOT/replies); a stored reply is never "
        "paid for again",
    )


def _add_cache(commands: Commands) -> None:
    parser = add_command(
        commands,
        "cache",
        "look into the stored replies of models, or clear them out",
        _CACHE_EXAMPLE,
    )
    actions = parser.add_subparsers(metavar="ACTION", required=True, parser_class=Parser)
    stats = add_command(actions, "stats", "say what is stored, by model and prompt", _CACHE_EXAMPLE)
    show = add_command(actions, "show", "show replies by their key or a text", _CACHE_EXAMPLE)
    pruning = add_command(
        actions, "prune", "remove replies that meet all conditions", _CACHE_EXAMPLE
    )
    for action, fn in (
        (stats, run.cache_stats),
        (show, run.cache_show),
        (pruning, run.cache_prune),
    ):
        action.add_argument("place", metavar="CACHE", help="folder or gs:// address of the replies")
        action.set_defaults(run=fn)
    show.add_argument("wanted", metavar="KEY|TEXT", help="a key, its beginning, or part of a text")
    pruning.add_argument("--older-than", type=positive, metavar="DAYS", help="stored before then")
    pruning.add_argument("--provider", metavar="NAME", help="of this provider")
    pruning.add_argument("--model", metavar="NAME", help="of this model")
    pruning.add_argument("--prompt-version", metavar="NAME", help="to this version of a prompt")
    pruning.add_argument(
        "--outcome",
        choices=("answered", "blocked", "truncated", "empty", "unavailable"),
        help="that came to this",
    )
    pruning.add_argument("--dry-run", action="store_true", help="only say what would go")


def _add_place_flags(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--manifest",
        default="data_manifest.yaml",
        metavar="FILE",
        help="what to build from what (default: %(default)s)",
    )
    parser.add_argument(
        "--data",
        default=".",
        metavar="ROOT",
        help="folder that the manifest's paths are relative to (default: here)",
    )


def _add_engine_flags(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--workers",
        type=positive,
        metavar="N",
        help="worker processes (default: by input size, up to one a core)",
    )
    parser.add_argument(
        "--runner", default="local", metavar="NAME", help="engine: local (default: %(default)s)"
    )
    parser.add_argument(
        "--fresh",
        action="store_true",
        help="replace a finished build, or begin an unfinished one anew",
    )
