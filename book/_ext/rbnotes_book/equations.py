"""Number equations as in the notes: the label ``sueda-1.37`` is shown as (S 1.37).

Displays with other labels are numbered (1), (2), ... in each chapter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from sphinx.application import Sphinx
from sphinx.domains.math import MathDomain
from sphinx.util import logging

from rbnotes.ledger.coverage import inventory
from rbnotes.ledger.sources import active_ledger

SOURCES = {source.name: source.letter for source in active_ledger().sources}
"""The letter that stands for each set of notes."""

LABEL = re.compile(rf"({'|'.join(SOURCES)})-(\d[\d.]*)([a-z]?)")

logger = logging.getLogger(__name__)


def number_in_notes(label: str) -> str | None:
    """Return ``S 1.37`` for the label ``sueda-1.37``; None for a label of the book's own."""
    match = LABEL.fullmatch(label)
    return f"{SOURCES[match[1]]} {match[2]}{match[3]}" if match else None


def in_inventory(label: str) -> bool:
    """Return True if the notes have an equation of this number."""
    match = LABEL.fullmatch(label)
    numbered = {(entry.source, entry.id.rsplit("/e", 1)[-1]) for entry in inventory() if "/e" in entry.id}
    return match is not None and (match[1], match[2]) in numbered


class NotesMathDomain(MathDomain):
    """Sphinx's math domain with the equation numbers of the notes."""

    def note_equation(self, docname: str, labelid: str, location: Any = None) -> None:
        self._warn_of_duplicate(labelid, location)
        number = number_in_notes(labelid)
        if number is None:
            number = str(self.env.new_serialno("own equation") + 1)
        elif not in_inventory(labelid):
            logger.warning("the notes have no equation %s", number, location=location)
        # In `equations`, Sphinx declares integers; those of the notes have numbers such as 2.13.
        self.data["objects"][labelid] = (docname, number)

    def merge_domaindata(self, docnames: Iterable[str], otherdata: dict[str, Any]) -> None:
        for labelid, (docname, _) in otherdata["objects"].items():
            if docname in docnames:
                self._warn_of_duplicate(labelid, docname)
        super().merge_domaindata(docnames, otherdata)

    def _warn_of_duplicate(self, labelid: str, location: Any) -> None:
        if labelid in self.equations:
            other = self.equations[labelid][0]
            logger.warning("duplicate label of equation %s, also in %s", labelid, other, location=location)


def setup(app: Sphinx) -> None:
    app.add_domain(NotesMathDomain, override=True)
