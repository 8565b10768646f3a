"""The `screenset` command. What a command needs is imported when it runs, not before."""

import logging
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from pipelines.errors import BuildError, UserError
from pipelines.flags import make_parser


def main(argv: Sequence[str] | None = None) -> None:
    """Runs the command and exits with its code: 0, 1 (not finished), 2 (user's mistake)."""
    _open_streams()
    arguments = make_parser().parse_args(argv)
    # Importing Beam logs a warning of no use here, and adds a handler where there is none.
    logging.getLogger().addHandler(logging.NullHandler())
    try:
        code = arguments.run(arguments)
    except UserError as error:
        code = _complain(error, 2)
    except BuildError as error:
        code = _complain(error, 1)
    except BrokenPipeError:
        # Whoever read our output has enough of it (`screenset plan … | head`).
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except OSError as error:
        # What the system refuses around a build: a full disk, a folder that may not be read.
        code = _complain(f"{error.filename or 'the output'}: {error.strerror}", 1)
    except KeyboardInterrupt:
        if arguments.stopped:
            print(f"screenset: stopped; {arguments.stopped}", file=sys.stderr)
        code = 130
    _leave(code)


def _open_streams() -> None:
    """Makes output streams that cannot fail for a sign, or for being closed."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        else:
            # A terminal that cannot show a sign gets a question mark, not a traceback.
            stream.reconfigure(errors="replace")


def _complain(error: object, code: int) -> int:
    for line in str(error).splitlines():
        print(f"screenset: {line}", file=sys.stderr)
    return code


def _leave(code: int) -> NoReturn:
    try:
        sys.stdout.flush()
    except OSError as error:
        code = code or _complain(f"the output: {error.strerror}", 1)
    sys.stderr.flush()
    if "apache_beam" in sys.modules:
        # Beam's threads may still wait for a worker that is gone, and would hold us here.
        os._exit(code)
    sys.exit(code)
