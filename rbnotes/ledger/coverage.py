"""List the displays of the notes with and without records, and the sentences with records."""

from __future__ import annotations

import csv
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from rbnotes.ledger.record import Record, Verdict
from rbnotes.ledger.sources import active_ledger


@dataclass(frozen=True)
class Entry:
    """A display, algorithm, table, transcript or figure of the notes.

    Attributes
    ----------
    id
        Id of the entry, for example ``lloyd/s0.1/d1``.
    source
        Name of the notes, such as ``lloyd``.
    section
        Number of its section there, such as ``0.1``.
    line
        Line of the text where it begins.
    """

    id: str
    source: str
    section: str
    line: int


def inventory() -> tuple[Entry, ...]:
    """Return the displays of the notes in reading order; empty if a ledger of the user lists none."""
    return _read_inventory(active_ledger().folder / "inventory.csv")


@cache
def _read_inventory(path: Path) -> tuple[Entry, ...]:
    if not path.exists():
        return ()
    with path.open(encoding="utf-8") as file:
        return tuple(
            Entry(row["id"], row["source"], row["section"], int(row["line"])) for row in csv.DictReader(file)
        )


@dataclass(frozen=True)
class NotesSection:
    """One section of the notes, with its printed title.

    Attributes
    ----------
    source
        Name of the notes, such as ``lloyd``.
    number
        Number of the section, for example ``0.1``.
    title
        Title in the notes.
    """

    source: str
    number: str
    title: str


def sections() -> tuple[NotesSection, ...]:
    """Return all sections of the notes that contain statements, in reading order.

    The result is empty if the ledger has no ``sections.csv``.
    """
    return _read_sections(active_ledger().folder / "sections.csv")


@cache
def _read_sections(path: Path) -> tuple[NotesSection, ...]:
    if not path.exists():
        return ()
    with path.open(encoding="utf-8") as file:
        return tuple(
            NotesSection(row["source"], row["section"], row["title"]) for row in csv.DictReader(file)
        )


def entries_without_record(records: Iterable[Record]) -> tuple[Entry, ...]:
    """Return the inventory's entries without a record."""
    displays = {record.display for record in records}
    return tuple(entry for entry in inventory() if entry.id not in displays)


def count_prose_claims(records: Iterable[Record]) -> dict[Entry, int]:
    """Return the number of claims of each passage of prose that has records, in the order of the records.

    There is no list of the sentences that contain statements: the claims were found by reading.
    """
    places: Counter[Entry] = Counter()
    for record in records:
        line = re.fullmatch(r"t(\d+)[a-z]*", record.display.rsplit("/", 1)[1])
        if line:
            places[Entry(record.display, record.source, record.section, int(line.group(1)))] += 1
    return dict(places)


def section_sort_key(source: str, section: str) -> tuple[int, list[tuple[int, int, str]]]:
    """Return a sort key of a section in reading order; appendices follow numbered sections."""
    parts = [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in section.split(".")]
    return [each.name for each in active_ledger().sources].index(source), parts


def display_verdicts(records: Iterable[Record]) -> dict[str, Verdict]:
    """Return the verdict of each display, which is the worst verdict of its claims."""
    order = list(Verdict)
    verdicts: dict[str, list[Verdict]] = defaultdict(list)
    for record in records:
        verdicts[record.display].append(record.verdict)
    return {display: max(own, key=order.index) for display, own in verdicts.items()}
