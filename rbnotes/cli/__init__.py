"""The command line: one module for each command, ``rbnotes show`` to ``rbnotes new-ledger``.

Each command is a module with a function ``add``, which declares it, and one that runs it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

EXIT_INTERRUPTED = 130
"""Exit status after Ctrl-C."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit status: 2 for invalid arguments, 130 after Ctrl-C."""
    try:
        return _main(arguments)
    except KeyboardInterrupt:
        print("rbnotes: stopped", file=sys.stderr)
        return EXIT_INTERRUPTED
    except BrokenPipeError:  # e.g. `rbnotes ledger | head`
        sys.stderr.close()
        return 0


def _main(arguments: Sequence[str] | None) -> int:
    # The records take a second or two to import, and Ctrl-C must work meanwhile.
    import argparse

    import rbnotes
    from rbnotes.arguments import InvalidArgument
    from rbnotes.testing import interruptible

    parser = argparse.ArgumentParser(
        prog="rbnotes",
        description="Verified claims about three sets of notes on rigid-body dynamics; grading of functions.",
    )
    parser.add_argument("--version", action="version", version=f"rbnotes {rbnotes.__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    parser.add_argument(
        "--ledger",
        metavar="FOLDER",
        help="a ledger of your own (see new-ledger); allowed at any position",
    )
    # The ledger determines the meaning of all other arguments.
    anywhere = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    anywhere.add_argument("--ledger")
    which, rest = anywhere.parse_known_args(arguments)

    from rbnotes import ledger
    from rbnotes.cli import coverage, errata, grade, listing, new_ledger, show, verify
    from rbnotes.cli.output import console

    for command in (show, verify, listing, errata, coverage, grade, new_ledger):
        command.add(commands)
    options = parser.parse_args(rest)
    try:
        with interruptible(), ledger.context(which.ledger):
            status: int = options.run(options, console())
    except InvalidArgument as error:
        print(f"rbnotes: {error}", file=sys.stderr)
        return 2
    return status
