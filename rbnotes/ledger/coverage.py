"""Which displays of the notes have a record, and which do not yet."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib import resources

from rbnotes.ledger.record import Record, Verdict


@dataclass(frozen=True)
class Entry:
    """A display, algorithm, table, transcript or figure of the notes."""

    id: str
    source: str
    section: str
    line: int


@cache
def inventory() -> tuple[Entry, ...]:
    """Everything the notes display, in reading order."""
    with (resources.files("rbnotes.ledger") / "inventory.csv").open(encoding="utf-8") as file:
        return tuple(
            Entry(row["id"], row["source"], row["section"], int(row["line"])) for row in csv.DictReader(file)
        )


def missing(records: Iterable[Record]) -> tuple[Entry, ...]:
    """The inventory's entries without a record."""
    told = {record.display for record in records}
    return tuple(entry for entry in inventory() if entry.id not in told)


def display_verdicts(records: Iterable[Record]) -> dict[str, Verdict]:
    """The verdict of each display: the worst of its claims."""
    order = list(Verdict)
    verdicts: dict[str, list[Verdict]] = defaultdict(list)
    for record in records:
        verdicts[record.display].append(record.verdict)
    return {display: max(found, key=order.index) for display, found in verdicts.items()}
