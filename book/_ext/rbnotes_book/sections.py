"""Sections of the notes: the pages of the ledger and of the errata that each has, and its chapters."""

from __future__ import annotations

from collections import Counter
from functools import cache

from rbnotes import ledger
from rbnotes.ledger import Record, errata
from rbnotes.ledger.coverage import NotesSection, section_sort_key, sections
from rbnotes.ledger.sources import active_ledger

AUTHORS = {source.name: source.author for source in active_ledger().sources}

STUB = """\
---
orphan: true
---

# {author} {number}: {title}

```{{ledger}} {source} {number}
```
"""
CORRECTED_STUB = """\
---
orphan: true
---

# Errata: {author} {number}, {title}

```{{errata}} {source} {number}
```
"""


def page_name(docname: str) -> str:
    """Return the name of a page without its folder, as records, front matter and the symbol table use it."""
    return docname.rsplit("/", 1)[-1]


@cache
def with_claims() -> tuple[NotesSection, ...]:
    """Return the sections that have claims, in reading order."""
    claimed = {(record.source, record.section) for record in ledger.load()}
    titles = {(section.source, section.number): section for section in sections()}
    return tuple(
        titles.get(key, NotesSection(*key, title="untitled"))
        for key in sorted(claimed, key=lambda key: section_sort_key(*key))
    )


def page(source: str, number: str) -> str:
    """Return the name of a section's page in the ledger."""
    return f"ledger-{source}-{number.lower()}"


def corrected() -> tuple[NotesSection, ...]:
    """Return the sections with errors, in reading order."""
    wrong = {(record.source, record.section) for source in AUTHORS for record in errata.corrections(source)}
    return tuple(section for section in with_claims() if (section.source, section.number) in wrong)


def corrected_page(source: str, number: str) -> str:
    """Return the name of the page of a section's errata."""
    return f"errata-{source}-{number.lower()}"


def records(source: str, number: str) -> list[Record]:
    """Return the claims of a section."""
    return [record for record in ledger.load() if (record.source, record.section) == (source, number)]


def chapters(source: str, number: str) -> list[str]:
    """Return the chapters that explain a section, the one with most of its claims first."""
    return [name for name, _ in Counter(record.chapter for record in records(source, number)).most_common()]


def stubs() -> dict[str, str]:
    """Return the pages of the sections in ledger and errata: a title and a directive each."""
    kinds = [(page, STUB, with_claims()), (corrected_page, CORRECTED_STUB, corrected())]
    return {
        name(section.source, section.number): stub.format(
            author=AUTHORS[section.source],
            number=section.number,
            title=section.title,
            source=section.source,
        )
        for name, stub, listed in kinds
        for section in listed
    }
