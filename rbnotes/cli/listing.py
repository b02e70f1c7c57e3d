"""``rbnotes ledger``: list every record with its verdict."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any

from rich.console import Console

from rbnotes.arguments import InvalidArgument
from rbnotes.cli.output import print_json, print_table, print_text, record_to_dict
from rbnotes.cli.selection import add_record_command, run_records, select_records
from rbnotes.ledger import Record, Verdict
from rbnotes.ledger.coverage import display_verdicts, entries_without_record, inventory
from rbnotes.ledger.evidence import find_evidence, stale_records
from rbnotes.ledger.runner import measure

EXAMPLES = 8
"""Inputs per record for the listed residuals; `verify` confirms verdicts with more."""


def add(commands: Any) -> None:
    """Declare the command."""
    help = "List every record with its verdict. Records run only with --json --verify."
    added = add_record_command(commands, "ledger", run, help)
    add_verify(added)
    added.add_argument(
        "--stale", action="store_true", help="only the records that changed since they were last proved"
    )


def add_verify(added: argparse.ArgumentParser) -> None:
    """Declare the option that evaluates the records that ``--json`` prints."""
    added.add_argument(
        "--verify",
        action="store_true",
        help="with --json: evaluate each form on a few inputs, for residuals and counterexamples (minutes)",
    )


def run(options: argparse.Namespace, console: Console) -> int:
    """Run the command and return the exit status."""
    check_verify(options)
    selected = select_records(options)
    stale = stale_records(selected) if options.stale or not options.json else []
    records = stale if options.stale else selected
    if options.json:
        return print_records(records, verify=options.verify)
    rows = [
        (record.id, str(record.verdict), find_evidence(record).kind, record.title, record.chapter)
        for record in records
    ]
    print_table(console, ("claim", "verdict", "evidence", "title", "chapter"), rows)
    print_text(console, summary(records))
    print_text(
        console, f"{len(stale)} of {len(selected)} claims changed since they were last proved (--stale)"
    )
    return 0


def check_verify(options: argparse.Namespace) -> None:
    """Raise an error for ``--verify`` without ``--json``."""
    if options.verify and not options.json:
        raise InvalidArgument("--verify", "no --json", "--json as well, or the command `rbnotes verify`")


def print_records(records: Sequence[Record], *, verify: bool) -> int:
    """Print records as JSON; with `verify` also residuals and counterexamples."""
    if not verify:
        print_json([record_to_dict(record) for record in records])
        return 0
    outcomes, stopped = run_records(records, partial(measure, examples=EXAMPLES, shrink=False))
    print_json([record_to_dict(outcome.record, outcome) for outcome in outcomes])
    return 130 if stopped else 0


def summary(records: Sequence[Record]) -> str:
    """Return a line with the numbers of claims, displays and verdicts."""
    verdicts = display_verdicts(records)
    counts = Counter(verdicts.values())
    parts = ", ".join(f"{counts[verdict]} {verdict}" for verdict in Verdict if counts[verdict])
    num_recorded = len(inventory()) - len(entries_without_record(records))
    displays = f"{num_recorded} of {len(inventory())} displays"
    return f"{len(records)} claims in {len(verdicts)} places ({displays}): {parts}"
