"""``rbnotes new-ledger FOLDER``: a ledger of one's own, to start from."""

from __future__ import annotations

import argparse
import shlex
from typing import Any

from rich.console import Console

from rbnotes.cli.output import print_text
from rbnotes.ledger import template


def add(commands: Any) -> None:
    """Declare the command."""
    help = "Write a ledger of your own, of one record, into a new folder."
    parser = commands.add_parser("new-ledger", help=help, description=help)
    parser.add_argument("folder", metavar="FOLDER", help="its name is that of the notes, such as pendulum")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, console: Console) -> int:
    """Run it; returns the exit status."""
    folder = template.write_template(options.folder)
    print_text(
        console, f"{folder}: edit section_1.py, and run\n  rbnotes verify --ledger {shlex.quote(str(folder))}"
    )
    return 0
