"""What each command on finished builds does with its flags; what is heavy is imported inside."""

import argparse
import os
import sys

from pipelines.errors import UserError
from pipelines.places import refuse_place


def check(arguments: argparse.Namespace) -> int:
    """Checks a build; 1 if it does not pass."""
    from pipelines.checking.check import check, check_text

    report = check(
        arguments.built, decode_images=not arguments.no_images, workers=arguments.workers
    )
    print(check_text(report, arguments.built))
    return 0 if report.passed else 1


def report(arguments: argparse.Namespace) -> int:
    """Shows a build on one page."""
    from pipelines.hiding import hide_pandas

    hide_pandas()
    if arguments.out is not None:
        refuse_place(arguments.out, "--out")
    from pipelines.reporting.report import write_report

    path = write_report(
        arguments.built, arguments.out, n_screens=arguments.screens, seed=arguments.seed
    )
    print(f"report page: {path}")
    return 0


def card(arguments: argparse.Namespace) -> int:
    """Writes a build's card."""
    from pipelines.cards.card import write_card, written_text

    print(written_text(write_card(arguments.built, force=arguments.force)))
    return 0


def publish(arguments: argparse.Namespace) -> int:
    """Sends a build to the Hub."""
    from pipelines.publishing.publish import PublishOptions, publish, published_text

    options = PublishOptions(
        dry_run=arguments.dry_run,
        public=arguments.public,
        token_env=arguments.token_env,
        branch=arguments.branch,
        replace_card=arguments.replace_card,
        with_rejects=arguments.with_rejects,
    )
    published = publish(arguments.built, arguments.repo, options)
    print(published_text(published))
    return published.exit_code


def diff(arguments: argparse.Namespace) -> int:
    """Compares two builds; 1 if they differ."""
    from pipelines.diffing.diff import diff, difference_json, difference_text

    if arguments.json not in (None, "-"):
        refuse_place(arguments.json, "--json")
    difference = diff(arguments.one, arguments.other, token_env=arguments.token_env)
    if arguments.json == "-":
        sys.stdout.write(difference_json(difference))
        return 1 if difference.differs else 0
    if arguments.json:
        from transforms.replacing import write_text

        try:
            write_text(arguments.json, difference_json(difference))
        except OSError as error:
            # Exit code 1 would say that the builds differ.
            raise UserError(f"--json: cannot write {arguments.json}: {error.strerror}") from error
    print(difference_text(difference))
    return 1 if difference.differs else 0


def export(arguments: argparse.Namespace) -> int:
    """Writes a build in another layout."""
    from pipelines.exporting import export, exported_text

    names = ("tasks", "short_answers", "answers", "seed", "image_prefix")
    given = {name: getattr(arguments, name) for name in names}
    if not os.path.lexists(arguments.out):  # Else it is refused for that.
        refuse_place(arguments.out, "--out")
    given = {name: value for name, value in given.items() if value is not None}
    if arguments.layout == "released":
        for name in given:
            flag = "--" + name.replace("_", "-")
            raise UserError(f"{flag} is of conversations: it needs --as with one of their layouts")
        exported = export(arguments.built, arguments.out)
    else:
        from pipelines.exporting.chat import ChatOptions, export_chat

        options = ChatOptions(layout=arguments.layout, **given)
        exported = export_chat(arguments.built, arguments.out, options)
    print(exported_text(exported))
    return 0
