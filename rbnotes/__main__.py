"""The command line: ``rbnotes verify``, ``ledger``, ``errata`` and ``coverage``."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from rbnotes import ledger
from rbnotes.arguments import InvalidArgument
from rbnotes.ledger import Record, Verdict, errata, errata_pdf
from rbnotes.ledger.coverage import display_verdicts, inventory, missing, prose, section_order
from rbnotes.ledger.runner import EXAMPLES, Outcome, measure, verify

SUMMARY_EXAMPLES = 8
"""Inputs tried per record where the residuals are only listed; `verify` is what confirms verdicts."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="rbnotes",
        description="The ledger of three sets of rigid-body dynamics notes, checked by running it.",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, run: Any, help: str) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=help, description=help)
        added.set_defaults(run=run)
        added.add_argument(
            "ids", nargs="*", metavar="ID", help="records, or beginnings of their ids; default all"
        )
        added.add_argument(
            "--source", choices=("lloyd", "sueda", "si"), help="only the records of one source"
        )
        added.add_argument("--section", help="only one section, such as 0.22.1")
        added.add_argument("--json", action="store_true", help="print JSON")
        return added

    check = command(
        "verify", _verify, "Run records and confirm their verdicts; exit 1 if one is not confirmed."
    )
    check.add_argument(
        "--examples",
        type=int,
        default=100,
        metavar="N",
        help=f"inputs tried per form (default 100, at least {EXAMPLES})",
    )
    command("ledger", _ledger, "List every record with its verdict.")
    wrong = command("errata", _errata, "List what the notes got wrong, to lay beside them.")
    wrong.add_argument(
        "--format", choices=("text", "md", "csv", "pdf"), default="text",
        help="Markdown or CSV with LaTeX to paste, or errata-SOURCE.pdf from the built book (default text)",
    )  # fmt: skip
    wrong.add_argument(
        "--book",
        type=Path,
        default=Path("_build/html"),
        metavar="FOLDER",
        help="for pdf (default _build/html)",
    )
    command(
        "coverage",
        _coverage,
        "Say which displays of the notes have no record yet, and which sentences have one.",
    )
    options = parser.parse_args(arguments)
    try:
        status: int = options.run(options, Console(soft_wrap=options.json))
        return status
    except InvalidArgument as error:
        print(f"rbnotes: {error}", file=sys.stderr)
        return 2


def select(options: argparse.Namespace) -> list[Record]:
    """The records that the options name, in reading order."""
    records = [
        record
        for record in ledger.load()
        if options.source in (None, record.source)
        and options.section in (None, record.section)
        and (not options.ids or any(_names(wanted, record.id) for wanted in options.ids))
    ]
    for wanted in options.ids:
        if not any(_names(wanted, record.id) for record in records):
            raise InvalidArgument("ID", repr(wanted), "a record, or the beginning of its id")
    return records


def _names(wanted: str, id: str) -> bool:
    return id == wanted or id.startswith((wanted.rstrip("/") + "/", wanted + "#"))


def _run(records: Iterable[Record], check: Callable[[Record], Outcome]) -> list[Outcome]:
    progress = Console(stderr=True)
    steps = track(
        list(records),
        description="checking",
        console=progress,
        transient=True,
        disable=not progress.is_terminal,
    )
    return [check(record) for record in steps]


def _summarized(record: Record) -> Outcome:
    return measure(record, examples=SUMMARY_EXAMPLES, shrink=False)


def _verify(options: argparse.Namespace, console: Console) -> int:
    outcomes = _run(select(options), partial(verify, examples=options.examples))
    failed = [outcome for outcome in outcomes if not outcome.confirmed]
    if options.json:
        print(json.dumps([as_json(outcome) for outcome in outcomes], indent=1))
    else:
        table = Table("claim", "verdict", "confirmed", "printed form off by", "right form off by", "why not")
        for outcome in outcomes:
            table.add_row(
                outcome.record.id,
                outcome.record.verdict,
                "yes" if outcome.confirmed else "NO",
                _number(outcome.residual_printed),
                _number(outcome.residual_corrected),
                outcome.reason,
            )
        console.print(table)
        console.print(f"{len(outcomes) - len(failed)} of {len(outcomes)} verdicts confirmed")
    return 1 if failed or not outcomes else 0


def _ledger(options: argparse.Namespace, console: Console) -> int:
    records = select(options)
    if options.json:
        outcomes = _run(records, _summarized)
        print(json.dumps([as_json(outcome) for outcome in outcomes], indent=1))
        return 0
    table = Table("claim", "verdict", "title", "chapter")
    for record in records:
        table.add_row(record.id, record.verdict, record.title, record.chapter)
    console.print(table)
    console.print(summary(records))
    return 0


def _errata(options: argparse.Namespace, console: Console) -> int:
    records = [record for record in select(options) if record.verdict in errata.TO_CORRECT]
    if options.json:
        outcomes = _run(records, _summarized)
        print(json.dumps([as_json(outcome) for outcome in outcomes], indent=1))
        return 0
    if options.format == "pdf":
        sources = dict.fromkeys(record.source for record in records)
        print(*errata_pdf.printed(sources, options.book, Path.cwd()), sep="\n")
        return 0
    if options.format != "text":
        print(errata.as_csv(records) if options.format == "csv" else errata.as_markdown(records), end="")
        return 0
    for record in records:
        console.print(f"[bold]{record.id}[/bold]  {record.verdict}: {record.title}")
        for label, text in (
            ("printed", record.formula),
            ("right", record.correction),
            ("only if", record.condition),
            ("remark", record.remark),
        ):
            if text:
                console.print(f"  {label}: {text}", markup=False, highlight=False)
    return 0


def _coverage(options: argparse.Namespace, console: Console) -> int:
    records = select(options)
    wanted = [
        entry
        for entry in inventory()
        if options.source in (None, entry.source) and options.section in (None, entry.section)
    ]
    left = [entry for entry in missing(records) if entry in wanted]
    sentences = prose(records)
    if options.json:
        report = {
            "displays": len(wanted),
            "with_record": len(wanted) - len(left),
            "missing": [entry.id for entry in left],
            "prose": [
                {"id": place.id, "section": place.section, "line": place.line, "claims": claims}
                for place, claims in sentences.items()
            ],
        }
        print(json.dumps(report, indent=1))
        return 0
    sections = Counter((entry.source, entry.section) for entry in wanted)
    todo = Counter((entry.source, entry.section) for entry in left)
    lines: dict[tuple[str, str], list[str]] = {section: [] for section in sections}
    claimed: Counter[tuple[str, str]] = Counter()
    for place, claims in sentences.items():
        lines.setdefault((place.source, place.section), []).append(str(place.line))
        claimed[place.source, place.section] += claims
    table = Table(
        "source", "section", "displays", "without a record", "claims of prose", "at lines of the notes"
    )
    for source, section in sorted(lines, key=lambda key: section_order(*key)):
        key = source, section
        counts = (sections[key], todo[key], claimed[key])
        table.add_row(source, section, *(str(count or "") for count in counts), ", ".join(lines[key]))
    console.print(table)
    console.print(f"{len(wanted) - len(left)} of {len(wanted)} displays have a record")
    console.print(f"{sum(sentences.values())} claims of prose in {len(sentences)} places")
    return 0


def summary(records: Sequence[Record]) -> str:
    """One line: how many claims and displays, and the displays' verdicts."""
    verdicts = display_verdicts(records)
    counts = Counter(verdicts.values())
    parts = ", ".join(f"{counts[verdict]} {verdict}" for verdict in Verdict if counts[verdict])
    told = len(inventory()) - len(missing(records))
    return f"{len(records)} claims in {len(verdicts)} places ({told} of {len(inventory())} displays): {parts}"


def as_json(outcome: Outcome) -> dict[str, Any]:
    """A record and what running it showed, as plain JSON values."""
    record = outcome.record
    counterexample = outcome.counterexample
    return {
        "id": record.id,
        "verdict": str(record.verdict),
        "confirmed": outcome.confirmed,
        "title": record.title,
        "formula": record.formula,
        "condition": record.condition,
        "correction": record.correction,
        "remark": record.remark,
        "scan": "likely" if record.scan else "",
        "residual_printed": _finite(outcome.residual_printed),
        "residual_corrected": _finite(outcome.residual_corrected),
        "counterexample": counterexample and {name: _plain(value) for name, value in counterexample.items()},
        "oracle": record.oracle,
        "implemented_by": list(record.implemented_by),
        "chapter": record.chapter,
        "reason": outcome.reason,
    }


def _plain(value: Any) -> Any:
    return (
        np.asarray(value).tolist()
        if isinstance(value, np.ndarray | np.generic | float | int)
        else repr(value)
    )


def _finite(value: float | None) -> float | str | None:
    """JSON has no infinity: a form that cannot be evaluated is infinitely wrong."""
    return value if value is None or np.isfinite(value) else "infinite"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.1e}"


if __name__ == "__main__":
    sys.exit(main())
