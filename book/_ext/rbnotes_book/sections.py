"""Sections of the notes: the page of the ledger that each has, and its chapters."""

from __future__ import annotations

from collections import Counter
from functools import cache

from rbnotes import ledger
from rbnotes.ledger import Record
from rbnotes.ledger.coverage import Section, section_order, sections
from rbnotes.ledger.sources import in_use

AUTHORS = {source.name: source.author for source in in_use().sources}

STUB = """\
---
orphan: true
---

# {author} {number}: {title}

```{{ledger}} {source} {number}
```
"""


def page_name(docname: str) -> str:
    """What records, front matter and the table of symbols call a page: its name without the folder."""
    return docname.rsplit("/", 1)[-1]


@cache
def told() -> tuple[Section, ...]:
    """The sections that have claims, in reading order."""
    claimed = {(record.source, record.section) for record in ledger.load()}
    titles = {(section.source, section.number): section for section in sections()}
    return tuple(
        titles.get(key, Section(*key, title="untitled"))
        for key in sorted(claimed, key=lambda key: section_order(*key))
    )


def page(source: str, number: str) -> str:
    """The name of a section's page in the ledger."""
    return f"ledger-{source}-{number.lower()}"


def records(source: str, number: str) -> list[Record]:
    """The claims of a section."""
    return [record for record in ledger.load() if (record.source, record.section) == (source, number)]


def chapters(source: str, number: str) -> list[str]:
    """The chapters that tell a section, the one that tells most of it first."""
    return [name for name, _ in Counter(record.chapter for record in records(source, number)).most_common()]


def stubs() -> dict[str, str]:
    """The ledger's pages: a title and a directive each."""
    return {
        page(section.source, section.number): STUB.format(
            author=AUTHORS[section.source],
            number=section.number,
            title=section.title,
            source=section.source,
        )
        for section in told()
    }
