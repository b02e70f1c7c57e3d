"""``rbnotes show`` and ``rbnotes search``: an answer in one line."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from rich.console import Console

from rbnotes.cli.output import print_json, print_table, print_text
from rbnotes.coursework.cards import Card
from rbnotes.coursework.challenge.library_tasks import load_all
from rbnotes.ledger import Record, lookup


def add(commands: Any) -> None:
    """Declare the commands."""
    help = "Show a claim: verdict, right form, code to paste, counterexample, what to hand in."
    added = commands.add_parser("show", help=help, description=help)
    added.add_argument(
        "name", nargs="+", help="an id, 'S 1.62', 1.62, a section, a function's name, or words"
    )
    added.add_argument("--task", action="store_true", help="only what to hand in, without the solution")
    added.add_argument("--json", action="store_true", help="print JSON")
    added.set_defaults(run=show)
    help = "List the claims that hold all of some words."
    added = commands.add_parser("search", help=help, description=help)
    added.add_argument("words", nargs="+", help="parts of words of titles, remarks, names of functions")
    added.set_defaults(run=search)


def show(options: argparse.Namespace, console: Console) -> int:
    """Run ``show``; returns the exit status."""
    name, everything = " ".join(options.name), load_all()
    records = lookup.find_claims(name, everything) or lookup.search(name, everything)
    if not records:
        raise lookup.unknown_claim_error("NAME", name, everything)
    if options.json:
        print_json([Card(record).to_dict() for record in records])
    elif len(records) > 1:
        _print_records(records, console)
    else:
        card = Card(records[0])
        print_text(console, card.task if options.task else str(card))
    return 0


def search(options: argparse.Namespace, console: Console) -> int:
    """Run ``search``; returns the exit status: 1 if there is nothing."""
    words = " ".join(options.words)
    records = lookup.search(words, load_all())
    if not records:
        print_text(console, f"no claim holds all of: {words}")
        return 1
    _print_records(records, console)
    return 0


def _print_records(records: Sequence[Record], console: Console) -> None:
    rows = [
        (record.id, lookup.place_in_notes(record), str(record.verdict), record.title, record.chapter)
        for record in records
    ]
    print_table(console, ("claim", "where", "verdict", "title", "chapter"), rows)
