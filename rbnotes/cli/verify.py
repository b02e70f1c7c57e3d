"""``rbnotes verify``: run records and confirm their verdicts."""

from __future__ import annotations

import argparse
from functools import partial
from typing import Any

from rich.console import Console

from rbnotes.arguments import InvalidArgument
from rbnotes.cli.evidence import prove_records
from rbnotes.cli.output import print_json, print_table, print_text, record_to_dict
from rbnotes.cli.selection import add_record_command, run_records, select_records
from rbnotes.ledger.runner import MIN_EXAMPLES, verify


def add(commands: Any) -> None:
    """Declare the command."""
    added = add_record_command(
        commands, "verify", run, "Run records and confirm their verdicts; exit 1 if one is not confirmed."
    )
    added.add_argument(
        "--examples",
        type=int,
        default=100,
        metavar="N",
        help=f"inputs per form (default 100, at least {MIN_EXAMPLES})",
    )
    added.add_argument(
        "--evidence",
        action="store_true",
        help="prove the claims in exact arithmetic instead (minutes for all) and print the evidence; "
        "exit 1 if a proof contradicts a verdict",
    )


def run(options: argparse.Namespace, console: Console) -> int:
    """Run the command and return the exit status."""
    if options.examples < 1:
        raise InvalidArgument("--examples", str(options.examples), "a positive number")
    if options.evidence:
        return prove_records(select_records(options), as_json=options.json, console=console)
    outcomes, stopped = run_records(select_records(options), partial(verify, examples=options.examples))
    failed = [outcome for outcome in outcomes if not outcome.confirmed]
    if options.json:
        print_json([record_to_dict(outcome.record, outcome) for outcome in outcomes])
    else:
        head = ("claim", "verdict", "confirmed", "error of printed form", "error of right form")
        rows = [
            (
                outcome.record.id,
                str(outcome.record.verdict),
                "yes" if outcome.confirmed else "NO",
                _format_residual(outcome.residual_printed),
                _format_residual(outcome.residual_corrected),
            )
            for outcome in outcomes
        ]
        print_table(console, head, rows)
        for outcome in failed:
            print_text(console, f"{outcome.record.id}: {outcome.reason}")
        print_text(console, f"{len(outcomes) - len(failed)} of {len(outcomes)} verdicts confirmed")
    if stopped:
        return 130
    return 1 if failed or not outcomes else 0


def _format_residual(value: float | None) -> str:
    return "" if value is None else f"{value:.1e}"
