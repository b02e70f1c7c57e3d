"""``rbnotes errata``: what the notes got wrong, to lay beside them."""

from __future__ import annotations

import argparse
from typing import Any

from rich.console import Console

from rbnotes.cards import Card
from rbnotes.commands.listing import print_records
from rbnotes.commands.output import print_text
from rbnotes.commands.selecting import command, select
from rbnotes.ledger import Verdict

WRONG = (Verdict.CONDITIONAL, Verdict.MISPRINT, Verdict.ERRATUM)


def add(commands: Any) -> None:
    """Declare the command."""
    added = command(commands, "errata", run, "List what the notes got wrong, to lay beside them.")
    added.add_argument(
        "--verify", action="store_true", help="with --json: run each form, for residuals and counterexamples"
    )


def run(options: argparse.Namespace, console: Console) -> int:
    """Run it; returns the exit status."""
    records = [record for record in select(options) if record.verdict in WRONG]
    if options.json:
        return print_records(records, verify=options.verify)
    for record in records:
        card = Card(record)
        print_text(console, "\n".join(part for part in (card.verdict, card.wrong) if part) + "\n")
    return 0
