"""Select the records of a command."""

from __future__ import annotations

import argparse
import difflib
import sys
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from rich.console import Console
from rich.progress import track

from rbnotes import ledger
from rbnotes.arguments import InvalidArgument
from rbnotes.ledger import Record, lookup
from rbnotes.ledger.coverage import inventory
from rbnotes.ledger.lookup import NUM_SUGGESTIONS
from rbnotes.ledger.sources import active_ledger

Result = TypeVar("Result")


def add_record_command(commands: Any, name: str, run: Any, help: str) -> argparse.ArgumentParser:
    """Add a command whose options select records."""
    added: argparse.ArgumentParser = commands.add_parser(name, help=help, description=help)
    added.set_defaults(run=run)
    added.add_argument(
        "ids",
        nargs="*",
        metavar="ID",
        help="claims: ids or prefixes of ids, 1.62, 'S 1.62', a function's name; default all",
    )
    added.add_argument("--source", metavar="NAME", help="only the records of one source, such as lloyd")
    added.add_argument("--section", help="only one section, such as 0.22.1")
    added.add_argument("--json", action="store_true", help="print JSON")
    return added


def select_records(options: argparse.Namespace) -> list[Record]:
    """Return the records that the options name, in reading order.

    Raises
    ------
    InvalidArgument
        If a name matches no record, or there is no such source or section.
    """
    if options.source is not None:
        active_ledger().source(options.source)
    all_records = ledger.load()
    candidates = [
        record
        for record in all_records
        if options.source in (None, record.source) and options.section in (None, record.section)
    ]
    if not candidates and options.section is not None:
        sections = {entry.section for entry in inventory() if options.source in (None, entry.source)}
        if options.section not in sections:
            known_sections = sorted({record.section for record in all_records})
            requested = options.section.rpartition("/s")[2]  # drop the source of an id
            near = ", ".join(
                difflib.get_close_matches(requested, known_sections, NUM_SUGGESTIONS, cutoff=0.0)
            )
            raise InvalidArgument("--section", repr(options.section), f"a section, perhaps one of {near}")
    if not options.ids:
        return candidates
    selected_ids: set[str] = set()
    for name in options.ids:
        matches = lookup.find_claims(name, candidates)
        if not matches:
            raise lookup.unknown_claim_error("ID", name, all_records)
        selected_ids |= {record.id for record in matches}
    return [record for record in candidates if record.id in selected_ids]


def run_records(records: Iterable[Record], check: Callable[[Record], Result]) -> tuple[list[Result], bool]:
    """Run records with a progress bar; return the results, and True if Ctrl-C stopped the run."""
    progress = Console(stderr=True)
    steps = track(
        list(records),
        description="checking",
        console=progress,
        transient=True,
        disable=not progress.is_terminal,
    )
    results: list[Result] = []
    try:
        for record in steps:
            results.append(check(record))
    except KeyboardInterrupt:
        print(f"rbnotes: stopped after {len(results)} records", file=sys.stderr)
        return results, True
    return results, False
