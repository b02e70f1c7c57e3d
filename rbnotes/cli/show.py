"""``rbnotes show`` and ``rbnotes search``: show or find claims."""

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
    help = "Show a claim: verdict, right form, code, counterexample and task."
    added = commands.add_parser("show", help=help, description=help)
    added.add_argument(
        "name", nargs="+", help="an id, 'S 1.62', 1.62, a section, a function's name, or words"
    )
    added.add_argument("--full", action="store_true", help="all fields of the claim")
    added.add_argument("--tex", action="store_true", help="formulas in TeX, to paste")
    added.add_argument("--task", action="store_true", help="only the task, without the solution")
    added.add_argument("--json", action="store_true", help="print JSON")
    added.set_defaults(run=show)
    help = "List the claims that contain all given words."
    added = commands.add_parser("search", help=help, description=help)
    text = "words or parts of words in titles, remarks and names of functions"
    added.add_argument("words", nargs="+", help=text)
    added.set_defaults(run=search)


def show(options: argparse.Namespace, console: Console) -> int:
    """Run ``show`` and return the exit status."""
    name, all_records = " ".join(options.name), load_all()
    records = lookup.find_claims(name, all_records) or lookup.search(name, all_records)
    if not records:
        raise lookup.unknown_claim_error("NAME", name, all_records)
    if options.json:
        print_json([Card(record).to_dict() for record in records])
    elif len(records) > 1:
        _print_records(records, console)
    else:
        card = Card(records[0])
        if options.task:
            print_text(console, card.task)
        elif options.full:
            print_text(console, card.describe(tex=options.tex))
        else:
            print_text(console, card.summarize(tex=options.tex))
    return 0


def search(options: argparse.Namespace, console: Console) -> int:
    """Run ``search`` and return the exit status: 1 if there is no match."""
    words = " ".join(options.words)
    records = lookup.search(words, load_all())
    if not records:
        print_text(console, f"no claim contains all of: {words}")
        return 1
    _print_records(records, console)
    return 0


def _print_records(records: Sequence[Record], console: Console) -> None:
    rows = [
        (record.id, lookup.place_in_notes(record), str(record.verdict), record.title, record.chapter)
        for record in records
    ]
    print_table(console, ("claim", "where", "verdict", "title", "chapter"), rows)
