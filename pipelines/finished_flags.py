"""The flags and helps of the commands on finished builds. Standard library only."""

import argparse

from pipelines import finished_commands as run
from pipelines.command_line import Commands, add_command, positive

_CHECK_EXAMPLE = """\
Exit code 0: everything holds; 1: something does not, or could not be checked. What was found
is in DIR/check.json, and to read in DIR/check.html.

example:
  screenset check ~/datasets/screenqa
      holds shards, columns, rows, pictures, splits and books against what they must be;
      --no-images leaves the pictures undecoded, which is quick, and not enough to publish."""

_REPORT_EXAMPLE = """\
example:
  screenset report ~/datasets/screenqa
      writes DIR/report.html: one file that opens from disk and asks no network for anything."""

_CARD_EXAMPLE = """\
example:
  screenset card ~/datasets/screenqa
      writes DIR/README.md and DIR/croissant.json anew. What you wrote between the markers
      `<!-- by hand: … -->` and `<!-- end by hand -->` stays."""

_PUBLISH_EXAMPLE = """\
Exit code 0: published, or ready to be; 1: something stands in the way, or the Hub refused.
The token is taken from HF_TOKEN (or the variable that --token-env names), or from where
`hf auth login` left it; it is never a flag, and never shown.

examples:
  screenset publish ~/datasets/screenqa --repo my-org/screenqa --dry-run
      says what would go, file by file, and what speaks against it; sends nothing.
  screenset publish ~/datasets/screenqa --repo my-org/screenqa
      sends what is new in one change, tags it with the version, and loads it back."""

_DIFF_EXAMPLE = """\
Exit code 0: the same columns, rows and splits; 1: others; 2: they cannot be compared.

examples:
  screenset diff ~/datasets/screenqa-1.0.0 ~/datasets/screenqa-1.1.0
  screenset diff hf://datasets/my-org/screenqa@v1.0.0 ~/datasets/screenqa --json changes.json"""

_EXPORT_EXAMPLE = """\
examples:
  screenset export ~/datasets/screenqa --out released
      writes ScreenQA's released layout: answers_and_bboxes/<split>.json, and
      short_answers/<split>.json if there are any. It can be built again, as ScreenQA's files.
  screenset export ~/datasets/screenqa --out tuning --as paligemma --tasks sqa_s sqa_uic_bb
      writes JSON Lines to fine-tune a model with, a file a task and split, and the pictures."""

_STOPPED = "nothing was written; run it again"

_TASKS = ("sqa_s", "sqa_l", "sqa_uic", "sqa_uic_bb")


def add_finished_commands(commands: Commands) -> None:
    """Adds the commands on finished builds."""
    _add_check(commands)
    _add_report(commands)
    _add_card(commands)
    _add_publish(commands)
    _add_diff(commands)
    _add_export(commands)


def _add_check(commands: Commands) -> None:
    parser = add_command(
        commands,
        "check",
        "hold a finished build against all that must be true of it",
        _CHECK_EXAMPLE,
    )
    _add_built(parser)
    parser.add_argument(
        "--no-images",
        action="store_true",
        help="do not decode the pictures (not enough to publish)",
    )
    parser.add_argument(
        "--workers",
        type=positive,
        metavar="N",
        help="processes that decode pictures (default: by their number, up to one a core)",
    )
    parser.set_defaults(run=run.check, stopped=_STOPPED)


def _add_report(commands: Commands) -> None:
    parser = add_command(commands, "report", "show a finished build on one page", _REPORT_EXAMPLE)
    _add_built(parser)
    parser.add_argument(
        "--out", metavar="FILE.html", help="the page to write (default: DIR/report.html)"
    )
    parser.add_argument(
        "--screens",
        type=positive,
        default=150,
        metavar="N",
        help="about how many screens to show (default: %(default)s)",
    )
    parser.add_argument(
        "--seed", default="screenset", metavar="TEXT", help="another one chooses other screens"
    )
    parser.set_defaults(run=run.report, stopped=_STOPPED)


def _add_card(commands: Commands) -> None:
    parser = add_command(
        commands,
        "card",
        "write the card of a finished build, and its Croissant metadata",
        _CARD_EXAMPLE,
    )
    _add_built(parser)
    parser.add_argument(
        "--force",
        action="store_true",
        help="also overwrite what was changed outside the markers",
    )
    parser.set_defaults(run=run.card, stopped=_STOPPED)


def _add_publish(commands: Commands) -> None:
    parser = add_command(
        commands, "publish", "send a checked build to the Hugging Face Hub", _PUBLISH_EXAMPLE
    )
    _add_built(parser)
    parser.add_argument(
        "--repo", required=True, metavar="ORG/NAME", help="the data set's repository on the Hub"
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="say what would go and what speaks against it"
    )
    parser.add_argument(
        "--public",
        action="store_true",
        help="make the repository public (default: a new one is private, another stays as it is)",
    )
    _add_token_env(parser)
    parser.add_argument(
        "--branch", default="main", metavar="NAME", help="the branch (default: %(default)s)"
    )
    parser.add_argument(
        "--replace-card",
        action="store_true",
        help="replace a card that was written or edited on the Hub",
    )
    parser.add_argument(
        "--with-rejects",
        action="store_true",
        help="send rejects/ too; it names what was taken down",
    )
    # Publishing itself says what of it is on the Hub.
    parser.set_defaults(run=run.publish, stopped="")


def _add_diff(commands: Commands) -> None:
    parser = add_command(commands, "diff", "say what differs between two builds", _DIFF_EXAMPLE)
    for name, which in (("one", "before"), ("other", "after")):
        parser.add_argument(
            name,
            metavar=which.upper(),
            help=f"the build {which}: a folder, or hf://datasets/ORG/NAME[@REVISION]",
        )
    parser.add_argument(
        "--json", metavar="FILE", help="also write all of it as JSON; - for the output, alone"
    )
    _add_token_env(parser)
    parser.set_defaults(run=run.diff, stopped=_STOPPED)


def _add_export(commands: Commands) -> None:
    parser = add_command(
        commands, "export", "write a finished build in other layouts", _EXPORT_EXAMPLE
    )
    _add_built(parser)
    parser.add_argument("--out", required=True, metavar="DIR", help="the folder to make")
    parser.add_argument(
        "--as",
        dest="layout",
        default="released",
        choices=("released", "paligemma", "gemini", "openai"),
        help="ScreenQA's released layout, or JSON Lines of conversations to fine-tune on "
        "(default: %(default)s)",
    )
    parser.add_argument(
        "--tasks",
        nargs="+",
        choices=_TASKS,
        help="of conversations: for which tasks (default: all four)",
    )
    parser.add_argument(
        "--short-answers",
        choices=("one", "all"),
        help="of conversations: one short answer a question, chosen by the seed, or all "
        "(default: one)",
    )
    parser.add_argument(
        "--answers",
        choices=("one", "all"),
        help="of conversations: the answer of one annotator, chosen by the seed, or of all "
        "(default: one)",
    )
    parser.add_argument(
        "--seed", metavar="TEXT", help="of conversations: another one chooses other answers"
    )
    parser.add_argument(
        "--image-prefix",
        metavar="ADDRESS",
        help="of conversations: where images/ will lie, gs://… (gemini) or https://… (gemini, "
        "openai)",
    )
    parser.set_defaults(run=run.export, stopped=_STOPPED)


def _add_built(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("built", metavar="DIR", help="folder of the finished build")


def _add_token_env(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--token-env",
        metavar="NAME",
        help="environment variable that holds the Hub's token (default: HF_TOKEN)",
    )
