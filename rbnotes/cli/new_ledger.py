"""``rbnotes new-ledger FOLDER``: write a template of your own ledger."""

from __future__ import annotations

import argparse
import shlex
from typing import Any

from rich.console import Console

from rbnotes.cli.output import print_text
from rbnotes.ledger import template


def add(commands: Any) -> None:
    """Declare the command."""
    help = "Write a template of your own ledger, with one record, into a new folder."
    parser = commands.add_parser("new-ledger", help=help, description=help)
    text = "new folder with the name of the notes, such as pendulum"
    parser.add_argument("folder", metavar="FOLDER", help=text)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, console: Console) -> int:
    """Run the command and return the exit status."""
    folder = template.write_template(options.folder)
    print_text(
        console, f"{folder}: edit section_1.py, and run\n  rbnotes verify --ledger {shlex.quote(str(folder))}"
    )
    return 0
