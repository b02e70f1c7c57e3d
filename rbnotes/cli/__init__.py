"""The command line: one module for each command, ``rbnotes show`` to ``rbnotes new-ledger``.

Each command is a module with a function ``add``, which declares it, and one that runs it.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

EXIT_INVALID = 2
"""Exit status after an invalid argument, or a file that cannot be read or written."""
EXIT_INTERRUPTED = 130
"""Exit status after Ctrl-C."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit status.

    It is 2 for invalid arguments and files that cannot be read or written, 130 after Ctrl-C, and 0 if the
    reader of the output stops early.
    """
    try:
        try:
            return _main(arguments)
        finally:
            sys.stdout.flush()
    except KeyboardInterrupt:
        print("rbnotes: stopped", file=sys.stderr)
        return EXIT_INTERRUPTED
    except BrokenPipeError:  # e.g. `rbnotes ledger | head`
        _discard_output()
        return 0
    except OSError as error:  # e.g. on a full disk, or in a folder that was deleted
        _discard_output()
        location = "" if error.filename is None else f"{error.filename}: "
        print(f"rbnotes: {location}{error.strerror or error}", file=sys.stderr)
        return EXIT_INVALID


def _check_current_folder() -> None:
    """Raise a clear error if the current folder was deleted; imports fail there with an unclear one."""
    try:
        os.getcwd()
    except FileNotFoundError as error:
        raise FileNotFoundError(errno.ENOENT, "it was deleted", "current folder") from error


def _discard_output() -> None:
    """Redirect the standard output to nowhere: Python flushes it once more at exit, which would fail."""
    with suppress(OSError):  # in a notebook it is not a file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def _deferred_interrupt() -> Iterator[None]:
    """Defer Ctrl-C to the end of the block: NumPy reports an interrupted import as a broken installation."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    received: list[int] = []
    previous = signal.signal(signal.SIGINT, lambda number, frame: received.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)
    if received:
        raise KeyboardInterrupt


def _main(arguments: Sequence[str] | None) -> int:
    """Parse the arguments and run the command; the ledger is opened first."""
    _check_current_folder()
    # The records are imported when a command needs them: that takes a second or two, and Ctrl-C ends it.
    with _deferred_interrupt():
        import argparse

        import rbnotes
        from rbnotes import ledger
        from rbnotes.arguments import InvalidArgument
        from rbnotes.cli import coverage, errata, grade, listing, new_ledger, show, verify
        from rbnotes.cli.output import console
        from rbnotes.errors import MissingExtra
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
    ledger_parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    ledger_parser.add_argument("--ledger")
    ledger_option, remaining = ledger_parser.parse_known_args(arguments)

    for command in (show, verify, listing, errata, coverage, grade, new_ledger):
        command.add(commands)
    options = parser.parse_args(remaining)
    try:
        with interruptible(), ledger.context(ledger_option.ledger):
            status: int = options.run(options, console())
    except (InvalidArgument, MissingExtra) as error:
        print(f"rbnotes: {error}", file=sys.stderr)
        return EXIT_INVALID
    return status
