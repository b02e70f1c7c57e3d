"""``rbnotes coverage``: displays of the notes without a record, and sentences with one."""

from __future__ import annotations

import argparse
from collections import Counter
from typing import Any

from rich.console import Console

from rbnotes.cli.output import print_json, print_table, print_text
from rbnotes.cli.selection import add_record_command, select_records
from rbnotes.ledger.checks.units import declares_units
from rbnotes.ledger.coverage import count_prose_claims, entries_without_record, inventory, section_sort_key


def add(commands: Any) -> None:
    """Declare the command."""
    add_record_command(
        commands,
        "coverage",
        run,
        "List the displays of the notes without a record, and the sentences with one.",
    )


def run(options: argparse.Namespace, console: Console) -> int:
    """Run the command and return the exit status."""
    records = select_records(options)
    entries = [
        entry
        for entry in inventory()
        if options.source in (None, entry.source) and options.section in (None, entry.section)
    ]
    missing_entries = [entry for entry in entries_without_record(records) if entry in entries]
    sentences = count_prose_claims(records)
    checkable = [record for record in records if record.reference is not None]
    declared = [record for record in checkable if declares_units(record)]
    misfits = [record.id for record in checkable if record.units_mismatch]
    if options.json:
        report = {
            "displays": len(entries),
            "with_record": len(entries) - len(missing_entries),
            "missing": [entry.id for entry in missing_entries],
            "prose": [
                {"id": sentence.id, "section": sentence.section, "line": sentence.line, "claims": claims}
                for sentence, claims in sentences.items()
            ],
            "checkable": len(checkable),
            "with_units": len(declared),
            "units_do_not_fit": misfits,
        }
        print_json(report)
        return 0
    sections = Counter((entry.source, entry.section) for entry in entries)
    missing = Counter((entry.source, entry.section) for entry in missing_entries)
    lines: dict[tuple[str, str], list[str]] = {section: [] for section in sections}
    claimed: Counter[tuple[str, str]] = Counter()
    for sentence, claims in sentences.items():
        lines.setdefault((sentence.source, sentence.section), []).append(str(sentence.line))
        claimed[sentence.source, sentence.section] += claims
    head = ("source", "section", "displays", "without a record", "claims in prose", "lines of the notes")
    rows = []
    for source, section in sorted(lines, key=lambda key: section_sort_key(*key)):
        key = source, section
        counts = (sections[key], missing[key], claimed[key])
        rows.append((source, section, *(str(count or "") for count in counts), ", ".join(lines[key])))
    print_table(console, head, rows)
    print_text(console, f"{len(entries) - len(missing_entries)} of {len(entries)} displays have a record")
    print_text(console, f"{sum(sentences.values())} claims in prose in {len(sentences)} places")
    print_text(
        console,
        f"{len(declared)} of {len(checkable)} checkable claims declare their units; "
        f"the printed units of {len(misfits)} do not fit",
    )
    return 0
