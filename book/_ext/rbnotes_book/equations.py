"""Number equations as in the notes: the label ``sueda-1.37`` is shown as (S 1.37).

Displays with other labels are numbered in each chapter: (14.1), (14.2), ... in chapter 14.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.builders import Builder
from sphinx.domains.math import MathDomain
from sphinx.environment import BuildEnvironment
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


@cache
def _equations() -> dict[tuple[str, str], str]:
    return {
        (entry.source, entry.id.rsplit("/e", 1)[-1]): entry.id for entry in inventory() if "/e" in entry.id
    }


def in_inventory(label: str) -> bool:
    """Return True if the notes have an equation of this number."""
    match = LABEL.fullmatch(label)
    return match is not None and (match[1], match[2]) in _equations()


def display_of(label: str) -> str | None:
    """Return the id of the equation of the notes with this label, None for a variant as ``sueda-1.37a``."""
    match = LABEL.fullmatch(label)
    return _equations().get((match[1], match[2])) if match and not match[3] else None


def number_in_book(env: BuildEnvironment, docname: str, number: str) -> str:
    """Return the number of a display with that of its chapter; numbers of the notes stay."""
    chapter = env.toc_secnumbers.get(docname, {}).get("")
    return f"{chapter[0]}.{number}" if chapter and str(number).isdigit() else number


def _number_displays(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    for block in doctree.findall(nodes.math_block):
        if block.get("number"):
            block["number"] = number_in_book(app.env, docname, block["number"])


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

    def resolve_xref(
        self,
        env: BuildEnvironment,
        fromdocname: str,
        builder: Builder,
        typ: str,
        target: str,
        node: pending_xref,
        contnode: nodes.Element,
    ) -> nodes.Element | None:
        reference = super().resolve_xref(env, fromdocname, builder, typ, target, node, contnode)
        if reference is not None:
            docname, number = self.equations[target]
            text = nodes.Text(f"({number_in_book(env, docname, str(number))})")
            reference.replace(reference[0], text)
        return reference

    def _warn_of_duplicate(self, labelid: str, location: Any) -> None:
        if labelid in self.equations:
            other = self.equations[labelid][0]
            logger.warning("duplicate label of equation %s, also in %s", labelid, other, location=location)


def setup(app: Sphinx) -> None:
    app.add_domain(NotesMathDomain, override=True)
    app.connect("doctree-resolved", _number_displays)
