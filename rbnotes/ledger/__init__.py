"""The ledger: a record for every claim of the notes, gathered from one module per section."""

from __future__ import annotations

import importlib
import pkgutil
import re
from functools import cache

from rbnotes.ledger import lloyd, naming, si, sueda
from rbnotes.ledger.record import Record, Verdict

__all__ = ["Record", "Verdict", "find", "load"]


@cache
def load() -> tuple[Record, ...]:
    """All records, by source, section and line of the notes."""
    records: dict[str, Record] = {}
    for source in (lloyd, sueda, si):
        for info in pkgutil.iter_modules(source.__path__, source.__name__ + "."):
            module = importlib.import_module(info.name)
            for record in (*filter(_is_record, vars(module).values()), *getattr(module, "RECORDS", ())):
                if records.setdefault(record.id, record) is not record:
                    raise ValueError(f"two records have the id {record.id}")
    return tuple(sorted(records.values(), key=_reading_order))


def find(id: str) -> Record:
    """The record with this id, or another name of it: ``S 1.62``, ``lloyd 0.45``, ``1.62``, ``so3.exp``.

    Raises
    ------
    InvalidArgument
        If there is none, with the five nearest, or if there are several, with these.
    """
    return naming.one(id, load())


def _is_record(value: object) -> bool:
    return isinstance(value, Record)


def _reading_order(record: Record) -> tuple[tuple[int, list[tuple[int, int, str]]], int, str]:
    from rbnotes.ledger.coverage import inventory, section_order

    lines = {entry.id: entry.line for entry in inventory()}
    prose = re.fullmatch(r"t(\d+)[a-z]*", record.display.rsplit("/", 1)[1])
    line = int(prose.group(1)) if prose else lines.get(record.display, 0)
    return section_order(record.source, record.section), line, record.id
