"""The ledger: a record for every claim of the notes, gathered from one module per section.

It is about three sets of notes, and about whatever :func:`use` names instead: see
:mod:`rbnotes.ledger.sources`.

>>> from rbnotes import ledger
>>> record = ledger.find("S 1.62")
>>> record.id, str(record.verdict)
('sueda/s1.9.5/e1.62', 'erratum')
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from types import ModuleType

from rbnotes.ledger import lookup
from rbnotes.ledger.record import Record, Verdict
from rbnotes.ledger.sources import Ledger, active_ledger, context, use

__all__ = ["Record", "Verdict", "context", "find", "load", "use"]


def load() -> tuple[Record, ...]:
    """Return all records, by source, section and line of the notes."""
    return _load(active_ledger())


@cache
def _load(opened_ledger: Ledger) -> tuple[Record, ...]:
    records: dict[str, Record] = {}
    for module in opened_ledger.modules():
        for record in _records_of(module):
            opened_ledger.source(record.source)
            if records.setdefault(record.id, record) is not record:
                raise ValueError(f"two records have the id {record.id}")
    return _sort_by_position(records.values())


def find(id: str) -> Record:
    """Return the record with this id or another name: ``S 1.62``, ``lloyd 0.45``, ``1.62``, ``so3.exp``.

    Raises
    ------
    InvalidArgument
        If there is none, with the five nearest, or if there are several, with these.
    """
    return _find_in_section(id, active_ledger()) or lookup.find_claim(id, load())


def _find_in_section(id: str, opened_ledger: Ledger) -> Record | None:
    """Return the record with this id from the module of its section, without loading the other modules."""
    parts = re.fullmatch(r"(\w+)/s([\w.]+)/.+", id) if isinstance(id, str) else None
    if parts is None:
        return None
    sources = [source for source in opened_ledger.sources if source.name == parts[1]]
    modules = (module for source in sources for module in opened_ledger.section_modules(source, parts[2]))
    return next((record for module in modules for record in _records_of(module) if record.id == id), None)


def _records_of(module: ModuleType) -> Iterator[Record]:
    yield from (value for value in vars(module).values() if isinstance(value, Record))
    yield from getattr(module, "RECORDS", ())


def _sort_by_position(records: Iterable[Record]) -> tuple[Record, ...]:
    """Return the records in the order of their sections and lines in the notes."""
    from rbnotes.ledger.coverage import inventory, section_sort_key

    lines = {entry.id: entry.line for entry in inventory()}

    def place(record: Record) -> tuple[tuple[int, list[tuple[int, int, str]]], int, str]:
        prose = re.fullmatch(r"t(\d+)[a-z]*", record.display.rsplit("/", 1)[1])
        line = int(prose.group(1)) if prose else lines.get(record.display, 0)
        return section_sort_key(record.source, record.section), line, record.id

    return tuple(sorted(records, key=place))
