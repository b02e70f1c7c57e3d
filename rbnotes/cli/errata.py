"""``rbnotes errata``: the errors of the notes with their corrections."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from rich.console import Console

from rbnotes.cli.listing import add_verify, check_verify, print_records
from rbnotes.cli.output import print_text
from rbnotes.cli.selection import add_record_command, select_records
from rbnotes.ledger import errata, errata_pdf
from rbnotes.ledger.record import WRONG_AS_PRINTED


def add(commands: Any) -> None:
    """Declare the command."""
    added = add_record_command(
        commands, "errata", run, "List the errors of the notes with their corrections."
    )
    add_verify(added)
    added.add_argument(
        "--format",
        choices=("text", "md", "csv", "pdf"),
        default="text",
        help="Markdown or CSV with LaTeX source, or errata-SOURCE.pdf from the built book (default text)",
    )
    added.add_argument(
        "--book",
        type=Path,
        default=Path("_build/html"),
        metavar="FOLDER",
        help="folder of the built book, for pdf (default _build/html)",
    )


def run(options: argparse.Namespace, console: Console) -> int:
    """Run the command and return the exit status."""
    check_verify(options)
    records = [record for record in select_records(options) if record.verdict in WRONG_AS_PRINTED]
    if options.json:
        return print_records(records, verify=options.verify)
    if options.format == "pdf":
        sources = dict.fromkeys(record.source for record in records)
        print(*errata_pdf.print_errata(sources, options.book, Path.cwd()), sep="\n")
    else:
        formats = {"text": errata.as_text, "md": errata.as_markdown, "csv": errata.as_csv}
        print_text(console, formats[options.format](records).rstrip("\n"))
    return 0
