"""What all commands' flags are made with. Standard library only: `--help` answers at once."""

import argparse
import sys
from typing import NoReturn, TypeAlias

Commands: TypeAlias = "argparse._SubParsersAction[Parser]"


class Parser(argparse.ArgumentParser):
    """Says a mistake in one line, with the way to the help."""

    def error(self, message: str) -> NoReturn:
        print(f"{self.prog}: {message} (see {self.prog} --help)", file=sys.stderr)
        sys.exit(2)


def add_command(
    commands: Commands, name: str, summary: str, example: str
) -> argparse.ArgumentParser:
    """Adds a command, and returns its parser.

    Args:
        commands: Where to.
        name: What a person types.
        summary: What it does, for the list of all commands.
        example: What its help ends with.
    """
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=summary,
        description=summary[0].upper() + summary[1:] + ".",
        epilog=example,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    return parser


def positive(text: str) -> int:
    """Returns the whole number, at least 1, that a flag was given."""
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return int(text)
